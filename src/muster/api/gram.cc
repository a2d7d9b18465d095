#include "muster/setkernel/gram.h"

#include "muster/api/represent.h"
#include "muster/cluster/world.h"
#include "muster/core/error.h"
#include "muster/source/cached_source.h"
#include "muster/source/input_source.h"
#include "muster/source/readable.h"
#include "muster/store/libsvm_text.h"
#include "muster/store/npy.h"

namespace muster {
namespace {

// The sets, represented by a kernel that is fitted to the rows.
class GramJob {
 public:
  GramJob(const std::string& recipe, Inputs rows, std::optional<Inputs> cols,
          const RepresentOptions& options, const Run& run)
      : run_(run),
        rows_(std::make_unique<InputSource>(rows), run.source()),
        cols_(std::make_unique<InputSource>(cols.value_or(Inputs())), run.source()),
        same_(!cols),
        num_cols_(same_ ? rows_.size() : cols_.size()) {
    const ItemKind kind = common_kind(rows_, "gram");
    if (!same_ && common_kind(cols_, "gram") != kind)
      throw data_error("gram: rows and columns are of two kinds; give pictures or vector sets");
    plan_ = plan_kernel(recipe, options.set, kind, run);
    seed_ = options.seed;
  }

  size_t num_rows() const { return rows_.size(); }
  size_t num_cols() const { return num_cols_; }
  bool same() const { return same_; }

  void represent() {
    branch_ = fit_to(plan_, rows_, seed_, run_).branch;
    if (!same_) require_same_items(cols_);
    if (!same_) right_ = represent_items(branch_, cols_, all_items_of(cols_), run_.progress());
  }

  // After represent().
  RepresentedSpan left() const { return branch_.training; }
  RepresentedSpan right() const { return same_ ? branch_.training : right_; }
  void values(RepresentedSpan rows, RepresentedSpan cols, MatrixView<double> out) const {
    branch_.kernel->gram(rows, cols, out, run_.progress());
  }

 private:
  const Run& run_;
  CachedSource rows_, cols_;
  bool same_;
  size_t num_cols_;
  BranchPlan plan_;
  uint64_t seed_ = 0;
  FittedBranch branch_;
  Represented right_;
};

// As many rows as fit into the memory that is given.
size_t rows_at_a_time(size_t rows, size_t cols, size_t memory_bytes) {
  return std::clamp<size_t>(memory_bytes / (sizeof(double) * std::max<size_t>(cols, 1)), 1,
                            std::max<size_t>(rows, 1));
}

// The whole need never be in memory. If rows and columns are the same sets, every pair is computed
// once: a strip begins at its diagonal block, and what is right of that goes below it as well.
void write_in_strips(const std::filesystem::path& path, const GramJob& job, size_t memory_bytes) {
  const RepresentedSpan left = job.left(), right = job.right();
  NpyBlockFile file(path, left.size(), right.size());
  const bool in_any_order = !text_of_first_rank(file.takes_any_order() ? "yes" : "").empty();
  const size_t strip =
      in_any_order ? rows_at_a_time(left.size(), right.size(), memory_bytes) : left.size();
  check_gram_memory(strip, right.size());
  Matrix<double> values(strip, right.size());
  const auto computed = [&](RepresentedSpan rows, RepresentedSpan cols) {
    const MatrixView<double> out(values.data(), rows.size(), cols.size());
    job.values(rows, cols, out);
    return out;
  };
  for (size_t begin = 0; begin < left.size(); begin += strip) {
    const size_t count = std::min(strip, left.size() - begin);
    const RepresentedSpan rows = left.subspan(begin, count);
    if (!job.same()) {
      file.write(begin, 0, computed(rows, right));
      continue;
    }
    file.write(begin, begin, computed(rows, rows));
    const RepresentedSpan rest = right.subspan(begin + count);
    if (rest.empty()) continue;
    const MatrixView<double> block = computed(rows, rest);
    file.write(begin, begin + count, block);
    file.write_transposed(begin + count, begin, block);
  }
  file.commit();
}

KernelMatrix gram_of(const std::string& recipe, Inputs rows, std::optional<Inputs> cols,
                     const RepresentOptions& options) {
  const Run run(run_options(options), "gram");
  GramJob job(recipe, rows, cols, options, run);
  check_gram_memory(job.num_rows(), job.num_cols());
  job.represent();
  KernelMatrix out{job.num_rows(), job.num_cols(),
                   std::vector<double>(job.num_rows() * job.num_cols())};
  job.values(job.left(), job.right(), MatrixView<double>(out.values.data(), out.rows, out.cols));
  return out;
}

}  // namespace

KernelMatrix gram(const std::string& recipe, Inputs items, const RepresentOptions& options) {
  return gram_of(recipe, items, std::nullopt, options);
}

KernelMatrix gram(const std::string& recipe, Inputs rows, Inputs cols,
                  const RepresentOptions& options) {
  return gram_of(recipe, rows, cols, options);
}

void write_gram(const std::filesystem::path& path, const std::string& recipe, Inputs rows,
                std::optional<Inputs> cols, const RepresentOptions& options, size_t memory_bytes) {
  const Run run(run_options(options), "gram");
  check_array_file(path);
  const bool text = array_format(path) == ArrayFormat::kLibsvm;
  GramJob job(recipe, rows, cols, options, run);
  check_gram_memory(
      text ? job.num_rows() : rows_at_a_time(job.num_rows(), job.num_cols(), memory_bytes),
      job.num_cols());
  job.represent();
  if (!text) return write_in_strips(path, job, memory_bytes);
  Matrix<double> values(job.num_rows(), job.num_cols());
  job.values(job.left(), job.right(), values);
  write_libsvm_kernel(path, values, std::vector<double>(values.rows()));
}

}  // namespace muster
