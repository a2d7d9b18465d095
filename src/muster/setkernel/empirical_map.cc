#include "muster/setkernel/empirical_map.h"

#include <unordered_map>

#include "muster/math/gemm.h"
#include "muster/setkernel/gram.h"
#include "muster/setkernel/kernel_transform.h"

namespace muster {
namespace {

constexpr size_t kTileSide = 64;

// What the kernel below keeps, until it is replaced by the kernel values with the training sets.
class MappedSet final : public WrappedSet {
 public:
  explicit MappedSet(std::shared_ptr<const Representation> base) : WrappedSet(std::move(base)) {}
  explicit MappedSet(std::span<const double> values)
      : WrappedSet(nullptr), values(values.begin(), values.end()) {}
  size_t num_bytes() const override {
    return (base ? base->num_bytes() : 0) + values.size() * sizeof(double);
  }

  std::vector<double> values;  // if these are known, `base` is null
};

const MappedSet& mapped(const Representation& set) { return dynamic_cast<const MappedSet&>(set); }

// The training sets and the kernel values of all their pairs.
struct Reference {
  Reference(Represented training, Matrix<double> gram)
      : sets(std::move(training)), gram(std::move(gram)) {
    for (size_t i = 0; i < sets.size(); ++i) row_of.emplace(sets[i].get(), i);
  }

  Represented sets;
  Matrix<double> gram;
  std::unordered_map<const Representation*, size_t> row_of;
};

class EmpiricalMap final : public KernelTransform {
 public:
  EmpiricalMap(std::shared_ptr<const SetKernel> base, std::shared_ptr<const Reference> reference)
      : KernelTransform(std::move(base)), reference_(std::move(reference)) {}

  std::vector<std::shared_ptr<const SetKernel>> candidates(
      RepresentedSpan training) const override {
    const Represented sets = bases_of(training);
    const auto kernels = base().candidates(sets);
    check_gram_memory(sets.size(), sets.size(), kernels.size());
    std::vector<std::shared_ptr<const SetKernel>> out;
    for (const auto& kernel : kernels) {
      Matrix<double> gram(sets.size(), sets.size());
      kernel->gram(sets, sets, gram, {});
      out.push_back(std::make_shared<EmpiricalMap>(
          kernel, std::make_shared<Reference>(sets, std::move(gram))));
    }
    return out;
  }

  void gram(RepresentedSpan a, RepresentedSpan b, MatrixView<double> out,
            const Progress& progress) const override {
    const bool symmetric = a.data() == b.data() && a.size() == b.size();
    const Matrix<double> left = values_of(a, progress);
    const Matrix<double> right = symmetric ? Matrix<double>() : values_of(b, progress);
    const MatrixView<const double> rows = left, cols = symmetric ? left.view() : right.view();
    shared_tiles(out, kTileSide, symmetric, progress, [&](const Tile& tile) {
      gemm_nt(rows.slice_rows(tile.row, tile.num_rows), cols.slice_rows(tile.col, tile.num_cols),
              {&out(tile.row, tile.col), tile.num_rows, tile.num_cols, out.stride});
    });
    if (symmetric) mirror_upper(out);
  }

  void save(const TensorWriter& out) const override {
    MUSTER_CHECK(reference_);
    base().save(out.scope("base"));
    base().save_represented(reference_->sets, out.scope("training"));
    out.put("gram", reference_->gram);
  }

  void save_represented(RepresentedSpan sets, const TensorWriter& out) const override {
    out.put("values", values_of(sets, {}));
  }

  Represented load_represented(const TensorReader& in) const override {
    const Matrix<double> values = in.matrix<double>("values");
    in.require(values.cols() == reference_->sets.size(),
               "kernel values with another number of training sets");
    Represented out;
    for (size_t i = 0; i < values.rows(); ++i)
      out.push_back(std::make_shared<MappedSet>(values.row(i)));
    return out;
  }

 private:
  std::shared_ptr<const Representation> wrap(
      std::shared_ptr<const Representation> set) const override {
    std::shared_ptr<const Representation> unmapped = std::make_shared<MappedSet>(std::move(set));
    if (!reference_) return unmapped;
    return std::make_shared<MappedSet>(values_of(RepresentedSpan(&unmapped, 1), {}).row(0));
  }

  // k(X, T_i), one row per set; only what is not known yet is computed.
  Matrix<double> values_of(RepresentedSpan sets, const Progress& progress) const {
    MUSTER_CHECK(reference_);
    Matrix<double> out(sets.size(), reference_->sets.size());
    std::vector<size_t> unknown;
    Represented missing;
    for (size_t i = 0; i < sets.size(); ++i) {
      const MappedSet& set = mapped(*sets[i]);
      const auto row = reference_->row_of.find(set.base.get());
      if (!set.base) {
        std::ranges::copy(set.values, out.row(i).begin());
      } else if (row != reference_->row_of.end()) {
        std::ranges::copy(reference_->gram.row(row->second), out.row(i).begin());
      } else {
        unknown.push_back(i);
        missing.push_back(set.base);
      }
    }
    if (missing.empty()) return out;
    Matrix<double> values(missing.size(), out.cols());
    base().gram(missing, reference_->sets, values, progress);
    for (size_t i = 0; i < unknown.size(); ++i)
      std::ranges::copy(values.row(i), out.row(unknown[i]).begin());
    return out;
  }

  std::shared_ptr<const Reference> reference_;  // null until candidates() settles it
};

}  // namespace

std::shared_ptr<const SetKernel> make_empirical_map(std::shared_ptr<const SetKernel> base) {
  return std::make_shared<EmpiricalMap>(std::move(base), nullptr);
}

std::shared_ptr<const SetKernel> load_empirical_map(std::shared_ptr<const SetKernel> base,
                                                    const TensorReader& in) {
  Represented sets = base->load_represented(in.scope("training"));
  Matrix<double> gram = in.matrix<double>("gram");
  in.require(gram.rows() == sets.size() && gram.cols() == sets.size(),
             "a kernel value for every pair of training sets");
  return std::make_shared<EmpiricalMap>(
      std::move(base), std::make_shared<Reference>(std::move(sets), std::move(gram)));
}

}  // namespace muster
