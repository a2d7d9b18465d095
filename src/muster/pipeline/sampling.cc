#include "muster/pipeline/sampling.h"

#include "muster/cluster/shared_for.h"
#include "muster/cluster/world.h"
#include "muster/core/parallel.h"

namespace muster {
namespace {

VectorSet choose_vectors(const VectorSet& set, std::span<const size_t> rows) {
  VectorSet out;
  out.vectors = select_rows(set.vectors.view(), rows);
  if (set.has_places()) out.places = select_rows(set.places.view(), rows);
  out.image_width = set.image_width;
  out.image_height = set.image_height;
  return out;
}

// How many vectors each stage wants; 0 for one that learns nothing.
std::vector<size_t> wanted_by_stage(const BranchPlan& plan) {
  std::vector<size_t> out;
  for (const PlannedStage& stage : plan.reducers)
    out.push_back(stage.as<ReducerStage>().needs_sample ? stage.num_samples() : 0);
  out.push_back((plan.set_feature ? *plan.set_feature : *plan.set_kernel).num_samples());
  return out;
}

}  // namespace

Rng stage_stream(const BranchPlan& plan, size_t stage, const Rng& branch_rng) {
  return stage < plan.reducers.size() ? branch_rng.derive("reducer").derive(stage)
                                      : branch_rng.derive("representation");
}

BranchSamples::BranchSamples(const BranchPlan& plan, bool learns, const SetSource& source,
                             std::span<const size_t> items, const Rng& rng,
                             const Progress& progress)
    : source_(source), items_(items.begin(), items.end()), dims_(items.size()) {
  std::vector<size_t> wanted;
  if (learns) wanted = wanted_by_stage(plan);
  std::vector<Rng> streams;
  for (size_t s = 0; s < wanted.size(); ++s) {
    streams.push_back(stage_stream(plan, s, rng).derive("sample"));
    drawn_.emplace_back(wanted[s] > 0 ? items.size() : 0);
  }
  if (plan.extraction && !items.empty() && source.kind(items[0]) == ItemKind::kImages)
    extracted_dim_ = plan.extraction->extractor->dim();
  failures_ = source.visit(
      plan.extraction.get(), items,
      [&](size_t i, const VectorSet& set) {
        dims_[i] = set.dim();
        for (size_t s = 0; s < drawn_.size(); ++s) {
          if (drawn_[s].empty()) continue;
          const size_t per_item = (wanted[s] + items_.size() - 1) / items_.size();
          Rng stream = streams[s].derive(i);
          drawn_[s][i] = choose_vectors(set, stream.sample(set.size(), per_item));
        }
      },
      progress);
  if (divides_here()) exchange();
}

void BranchSamples::exchange() {
  struct Shape {
    size_t rows, cols, place_cols;
    int width, height;
  };
  const auto owner = [&](size_t i) { return rank_of_item(items_[i]); };
  exchange_rows(items_.size(), owner, {rows_of(dims_)});
  for (std::vector<VectorSet>& drawn : drawn_) {
    if (drawn.empty()) continue;
    std::vector<Shape> shapes;
    for (const VectorSet& set : drawn)
      shapes.push_back(
          {set.size(), set.dim(), set.places.cols(), set.image_width, set.image_height});
    exchange_rows(items_.size(), owner, {rows_of(shapes)});
    for (size_t i = 0; i < drawn.size(); ++i)
      if (owner(i) != world().rank())
        drawn[i] = {Matrix<float>(shapes[i].rows, shapes[i].cols),
                    Matrix<float>(shapes[i].rows, shapes[i].place_cols), shapes[i].width,
                    shapes[i].height};
    exchange_rows(items_.size(), owner,
                  {[&](size_t i) { return shared_bytes(drawn[i].vectors.values()); },
                   [&](size_t i) { return shared_bytes(drawn[i].places.values()); }});
  }
}

void BranchSamples::keep(std::span<const size_t> positions) {
  const auto select = [&](auto& by_item) {
    std::decay_t<decltype(by_item)> kept;
    for (const size_t position : positions) kept.push_back(std::move(by_item[position]));
    by_item = std::move(kept);
  };
  select(items_);
  select(dims_);
  for (std::vector<VectorSet>& drawn : drawn_)
    if (!drawn.empty()) select(drawn);
}

size_t BranchSamples::width() const {
  if (extracted_dim_ > 0) return extracted_dim_;
  size_t width = 0;
  for (size_t i = 0; i < items_.size(); ++i) {
    if (dims_[i] == 0 || dims_[i] == width) continue;
    if (width > 0)
      throw data_error(
          "{}: its vectors have {} components, those of other items {}; all sets must agree",
          source_.name(items_[i]), dims_[i], width);
    width = dims_[i];
  }
  if (width == 0)
    throw data_error("none of the {} training items has a single vector to learn from",
                     items_.size());
  return width;
}

Sample BranchSamples::take(size_t stage, const FittedBranch& branch, size_t width,
                           const Labels& labels) {
  std::vector<VectorSet> drawn = std::move(drawn_[stage]);
  parallel_for(drawn.size(), 4, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) drawn[i] = branch.reduce(std::move(drawn[i]));
  });
  size_t total = 0;
  for (const VectorSet& part : drawn) total += part.size();
  Sample sample{Matrix<float>(total, width), {}, labels.num_classes()};
  size_t next = 0;
  for (size_t i = 0; i < drawn.size(); ++i)
    for (size_t r = 0; r < drawn[i].size(); ++r) {
      std::ranges::copy(drawn[i].vectors.row(r), sample.vectors.row(next++).begin());
      sample.labels.push_back(labels.size() > 0 ? labels.first(i) : -1);
    }
  return sample;
}

}  // namespace muster
