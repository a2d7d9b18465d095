#include "muster/matching/principal_angles.h"

#include <cmath>

#include "muster/matching/pair_kernel.h"
#include "muster/math/symmetric_eigen.h"

namespace muster {
namespace {

using Dense = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using DenseMap = Eigen::Map<const Dense>;

constexpr double kSmallestEigenvalue = 1e-5;

Eigen::Index index(size_t i) { return static_cast<Eigen::Index>(i); }

Dense to_double(const Matrix<float>& values) {
  using Floats = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  return Eigen::Map<const Floats>(values.data(), index(values.rows()), index(values.cols()))
      .cast<double>();
}

// A set and an orthonormal basis of (the leading part of) its span: coefficients, one direction per
// row.
class SpannedSet final : public StoredSet {
 public:
  SpannedSet(Matrix<float> vectors, Matrix<double> basis)
      : StoredSet(std::move(vectors)), basis(std::move(basis)) {}
  size_t num_bytes() const override {
    return StoredSet::num_bytes() + basis.size() * sizeof(double);
  }
  DenseMap map() const { return {basis.data(), index(basis.rows()), index(basis.cols())}; }

  Matrix<double> basis;
};

const SpannedSet& spanned(const StoredSet& set) { return dynamic_cast<const SpannedSet&>(set); }

class PrincipalAngles final : public PairKernel {
 public:
  PrincipalAngles(LocalKernel local, int dim) : PairKernel(std::move(local)), dim_(dim) {}

  std::shared_ptr<const Representation> represent(const VectorSet& set) const override {
    return std::make_shared<SpannedSet>(set.vectors, basis_of(StoredSet(set.vectors)));
  }

  void save_represented(RepresentedSpan sets, const TensorWriter& out) const override {
    save_stored_sets(sets, out);
    std::vector<int64_t> ranks;
    std::vector<double> values;
    for (const auto& set : sets) {
      const Matrix<double>& basis = spanned(stored_set(*set)).basis;
      ranks.push_back(static_cast<int64_t>(basis.rows()));
      values.insert(values.end(), basis.values().begin(), basis.values().end());
    }
    out.put("ranks", ranks);
    out.put("bases", values);
  }

  Represented load_represented(const TensorReader& in) const override {
    const Represented sets = load_stored_sets(in);
    const std::vector<int64_t> ranks = in.values<int64_t>("ranks");
    const std::vector<double> values = in.values<double>("bases");
    in.require(ranks.size() == sets.size(), "a basis for every set");
    Represented out;
    size_t next = 0;
    for (size_t i = 0; i < sets.size(); ++i) {
      const Matrix<float>& vectors = stored_set(*sets[i]).vectors;
      in.require(ranks[i] >= 0 && ranks[i] <= static_cast<int64_t>(vectors.rows()),
                 "dimensions of the spans");
      Matrix<double> basis(static_cast<size_t>(ranks[i]), vectors.rows());
      in.require(values.size() - next >= basis.size(), "coefficients of the bases");
      std::copy_n(values.begin() + static_cast<ptrdiff_t>(next), basis.size(), basis.data());
      next += basis.size();
      out.push_back(std::make_shared<SpannedSet>(vectors, std::move(basis)));
    }
    in.require(next == values.size(), "coefficients of the bases");
    return out;
  }

 private:
  Matrix<double> basis_of(const StoredSet& set) const {
    const size_t m = set.vectors.rows();
    if (m == 0) return {};
    const Dense gram = to_double(all_local_values("principal-angles", local(), set, set));
    // Values above the diagonal only: products need not be symmetric to the last bit.
    const SymmetricEigen eigen = symmetric_eigen(gram.transpose());
    const size_t most = dim_ > 0 ? std::min(m, static_cast<size_t>(dim_)) : m;
    const double largest = eigen.values[index(m - 1)];
    size_t rank = 0;
    while (rank < most && eigen.values[index(m - 1 - rank)] > kSmallestEigenvalue * largest) ++rank;
    if (largest <= 0) rank = 0;
    Matrix<double> out(rank, m);
    for (size_t r = 0; r < rank; ++r) {
      const double scale = 1 / std::sqrt(eigen.values[index(m - 1 - r)]);
      for (size_t i = 0; i < m; ++i) out(r, i) = scale * eigen.vectors(index(i), index(m - 1 - r));
    }
    return out;
  }

  double value(const StoredSet& x, const StoredSet& y) const override {
    const SpannedSet &a = spanned(x), &b = spanned(y);
    if (a.basis.rows() == 0 || b.basis.rows() == 0) return 0;
    const Dense across = to_double(all_local_values("principal-angles", local(), x, y));
    Dense cosines = a.map() * across * b.map().transpose();
    if (cosines.rows() > cosines.cols()) cosines.transposeInPlace();
    const Dense squares = cosines * cosines.transpose();
    double product = 1;
    for (const double square : symmetric_eigenvalues(squares))
      product *= std::clamp(square, 0.0, 1.0);
    return product;
  }

  int dim_;
};

}  // namespace

std::shared_ptr<const SetKernel> fit_principal_angles(const PrincipalAnglesOptions& options,
                                                      const Sample& sample, Rng rng,
                                                      const Progress&) {
  return std::make_shared<PrincipalAngles>(LocalKernel(options.local, sample.vectors, rng),
                                           options.dim);
}

std::shared_ptr<const SetKernel> load_principal_angles(const PrincipalAnglesOptions& options,
                                                       const TensorReader& in) {
  return std::make_shared<PrincipalAngles>(load_local_kernel(options.local, in), options.dim);
}

}  // namespace muster
