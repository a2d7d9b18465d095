#include "muster/matching/stored_set.h"

#include "muster/core/stored_starts.h"
#include "muster/math/nearest.h"

namespace muster {

StoredSet::StoredSet(Matrix<float> vectors)
    : vectors(std::move(vectors)), half_norms(half_squared_norms(this->vectors)) {}

const StoredSet& stored_set(const Representation& set) {
  return dynamic_cast<const StoredSet&>(set);
}

void save_stored_sets(RepresentedSpan sets, const TensorWriter& out) {
  std::vector<int64_t> starts{0};
  size_t dim = 0;
  for (const auto& set : sets) {
    starts.push_back(starts.back() + static_cast<int64_t>(stored_set(*set).vectors.rows()));
    dim = std::max(dim, stored_set(*set).vectors.cols());
  }
  Matrix<float> all(static_cast<size_t>(starts.back()), dim);
  size_t next = 0;
  for (const auto& set : sets)
    for (size_t i = 0; i < stored_set(*set).vectors.rows(); ++i)
      std::ranges::copy(stored_set(*set).vectors.row(i), all.row(next++).begin());
  out.put("starts", starts);
  out.put("vectors", all);
}

Represented load_stored_sets(const TensorReader& in) {
  const Matrix<float> all = in.matrix<float>("vectors");
  const std::vector<size_t> starts = load_starts(in, all.rows());
  if (all.rows() > 0) in.require_input_dim(all.cols());
  Represented out;
  for (size_t i = 0; i + 1 < starts.size(); ++i) {
    out.push_back(std::make_shared<StoredSet>(
        Matrix<float>(all.view().slice_rows(starts[i], starts[i + 1] - starts[i]))));
  }
  return out;
}

}  // namespace muster
