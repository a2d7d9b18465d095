#include "muster/pipeline/branch.h"

#include "muster/cluster/division_meter.h"
#include "muster/cluster/world.h"
#include "muster/core/parallel.h"
#include "muster/setkernel/feature_kernel.h"
#include "muster/store/safetensors.h"

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

namespace {

// The positions of the items that this rank encodes: its own, or all.
std::vector<size_t> positions_here(std::span<const size_t> items) {
  std::vector<size_t> out;
  for (size_t i = 0; i < items.size(); ++i)
    if (!divides_here() || rank_of_item(items[i]) == world().rank()) out.push_back(i);
  return out;
}

std::vector<std::byte> saved(const SetKernel& kernel, const Represented& sets) {
  if (sets.empty()) return {};
  TensorMap map;
  kernel.save_represented(sets, TensorWriter(map));
  return format_safetensors(map, "sets");
}

// Completes the representations by those that other ranks made, in the form that a model has.
void exchange_represented(const SetKernel& kernel, std::span<const size_t> items,
                          Represented& sets) {
  Represented own;
  for (const size_t i : positions_here(items)) own.push_back(sets[i]);
  const PartsOfRanks parts = *world().gather(saved(kernel, own));
  for (size_t rank = 0; rank < parts.size(); ++rank) {
    if (rank == world().rank() || parts[rank].empty()) continue;
    const TensorMap map = parse_safetensors(parts[rank], "sets");
    Represented theirs = kernel.load_represented(TensorReader(map));
    size_t next = 0;
    for (size_t i = 0; i < items.size(); ++i)
      if (rank_of_item(items[i]) == rank) sets[i] = std::move(theirs.at(next++));
  }
}

}  // namespace

void over_items(const FittedBranch& branch, const SetSource& source, std::span<const size_t> items,
                const Progress& progress, const EncodeItem& encode,
                const std::vector<SharedRows>& rows) {
  const std::vector<size_t> here = positions_here(items);
  ProgressStep step(progress, "encoding", units_with_sending(here.size()));
  const auto encode_here = [&] {
    parallel_for(here.size(), 4, [&](size_t begin, size_t end) {
      for (size_t k = begin; k < end; ++k) {
        const size_t i = here[k];
        VectorSet set = source.load(branch.extraction.get(), items[i]);
        naming_item(source, items[i], [&] { encode(i, branch.reduce(std::move(set))); });
        step.tick();
      }
    });
  };
  if (!divides_here()) {
    return do_divided(items.size(), encode_here, [&] { return bytes_of_rows(items.size(), rows); });
  }
  run_own_share(encode_here);
  exchange_rows(
      items.size(), [&](size_t i) { return rank_of_item(items[i]); }, rows);
  step.tick();
}

Matrix<float> encode_items(const FittedBranch& branch, const SetSource& source,
                           std::span<const size_t> items, const Progress& progress,
                           const AlsoPerItem& also) {
  Matrix<float> out(items.size(), branch.feature->dim());
  std::vector<SharedRows> rows = also.rows;
  rows.push_back(rows_of(out));
  over_items(
      branch, source, items, progress,
      [&](size_t i, const VectorSet& set) {
        branch.feature->encode(set, out.row(i));
        if (also.call) also.call(i, set);
      },
      rows);
  return out;
}

Matrix<float> encode_items(std::span<const FittedBranch> branches, const SetSource& source,
                           std::span<const size_t> items, const Progress& progress,
                           const AlsoPerItem& also) {
  std::vector<Matrix<float>> parts;
  for (const FittedBranch& branch : branches)
    parts.push_back(encode_items(branch, source, items, progress, also));
  return join_parts(std::move(parts), branches);
}

Represented represent_items(const FittedBranch& branch, const SetSource& source,
                            std::span<const size_t> items, const Progress& progress,
                            const AlsoPerItem& also) {
  Represented out(items.size());
  over_items(
      branch, source, items, progress,
      [&](size_t i, const VectorSet& set) {
        require_weights_taken(*branch.kernel, set);
        out[i] = branch.kernel->represent(set);
        if (also.call) also.call(i, set);
      },
      also.rows);
  if (divides_here())
    exchange_represented(*branch.kernel, items, out);
  else
    do_divided(
        items.size(), [] {}, [&] { return saved(*branch.kernel, out).size(); });
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
