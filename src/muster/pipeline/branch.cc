#include "muster/pipeline/branch.h"

#include "muster/core/parallel.h"
#include "muster/setkernel/feature_kernel.h"

namespace muster {

VectorSet FittedBranch::reduce(VectorSet set) const {
  if (set.size() > 0 && set.dim() != input_dim)
    throw data_error("vectors of {} components were given, the model was trained on vectors of {}",
                     set.dim(), input_dim);
  for (const auto& reducer : reducers) set = reducer->apply(std::move(set));
  return set;
}

void naming_item(const SetSource& source, size_t item, const std::function<void()>& body) {
  try {
    body();
  } catch (const Error& error) {
    throw Error(error.kind(), fmt::format("{}: {}", source.name(item), error.what()));
  }
}

void over_items(const FittedBranch& branch, const SetSource& source, std::span<const size_t> items,
                const Progress& progress, const EncodeItem& encode) {
  ProgressStep step(progress, "encoding", items.size());
  parallel_for(items.size(), 4, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      VectorSet set = source.load(branch.extraction.get(), items[i]);
      naming_item(source, items[i], [&] { encode(i, branch.reduce(std::move(set))); });
      step.tick();
    }
  });
}

Matrix<float> encode_items(const FittedBranch& branch, const SetSource& source,
                           std::span<const size_t> items, const Progress& progress,
                           const EncodeItem& also) {
  Matrix<float> out(items.size(), branch.feature->dim());
  over_items(branch, source, items, progress, [&](size_t i, const VectorSet& set) {
    branch.feature->encode(set, out.row(i));
    if (also) also(i, set);
  });
  return out;
}

Matrix<float> encode_items(std::span<const FittedBranch> branches, const SetSource& source,
                           std::span<const size_t> items, const Progress& progress,
                           const EncodeItem& also) {
  std::vector<Matrix<float>> parts;
  for (const FittedBranch& branch : branches)
    parts.push_back(encode_items(branch, source, items, progress, also));
  return join_parts(std::move(parts), branches);
}

Represented represent_items(const FittedBranch& branch, const SetSource& source,
                            std::span<const size_t> items, const Progress& progress,
                            const EncodeItem& also) {
  Represented out(items.size());
  over_items(branch, source, items, progress, [&](size_t i, const VectorSet& set) {
    require_weights_taken(*branch.kernel, set);
    out[i] = branch.kernel->represent(set);
    if (also) also(i, set);
  });
  return out;
}

Matrix<float> join_parts(std::vector<Matrix<float>> parts, std::span<const FittedBranch> branches) {
  if (parts.size() == 1 && branches[0].scale == 1) return std::move(parts[0]);
  size_t dim = 0;
  for (const Matrix<float>& part : parts) dim += part.cols();
  Matrix<float> all(parts[0].rows(), dim);
  for (size_t i = 0; i < all.rows(); ++i) {
    float* out = all.row(i).data();
    for (size_t b = 0; b < parts.size(); ++b)
      for (float value : parts[b].row(i)) *out++ = static_cast<float>(branches[b].scale) * value;
  }
  return all;
}

void give_kernel(FittedBranch& branch) {
  if (branch.kernel) return;
  branch.kernel = make_feature_kernel(FeatureKernelKind::kLinear, std::nullopt, branch.feature);
  branch.feature = nullptr;
}

}  // namespace muster
