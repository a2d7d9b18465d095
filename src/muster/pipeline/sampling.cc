#include "muster/pipeline/sampling.h"

#include "muster/cluster/division_meter.h"
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

// Of a set that another rank drew.
struct Shape {
  size_t rows, cols, place_cols;
  int width, height;
};

// How many vectors each stage wants; 0 for one that learns nothing.
std::vector<size_t> wanted_by_stage(const BranchPlan& plan) {
  std::vector<size_t> out;
  for (const PlannedStage& stage : plan.reducers)
    out.push_back(stage.as<ReducerStage>().needs_sample ? stage.num_samples() : 0);
  out.push_back((plan.set_feature ? *plan.set_feature : *plan.set_kernel).num_samples());
  return out;
}

// Positions to draw `wanted` vectors from: all of them, or one in each of so many equal parts of
// the list, at random, since lists may have a period.
std::vector<size_t> positions_to_draw(size_t wanted, size_t num_items, const Rng& rng) {
  std::vector<size_t> out;
  const size_t parts = std::min(wanted, num_items);
  for (size_t part = 0; part < parts; ++part) {
    const size_t begin = part * num_items / parts, end = (part + 1) * num_items / parts;
    out.push_back(begin + (end - begin > 1 ? rng.derive(part).below(end - begin) : 0));
  }
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
    Drawn& drawn = drawn_.emplace_back();
    drawn.positions = positions_to_draw(wanted[s], items.size(), streams[s].derive("items"));
    drawn.per_item = items.empty() ? 0 : (wanted[s] + items.size() - 1) / items.size();
    drawn.sets.resize(drawn.positions.size());
  }
  if (plan.extraction && !items.empty() && source.kind(items[0]) == ItemKind::kImages)
    extracted_dim_ = plan.extraction->extractor->dim();
  failures_ = source.visit(
      plan.extraction.get(), items,
      [&](size_t i, const VectorSet& set) {
        dims_[i] = set.dim();
        for (size_t s = 0; s < drawn_.size(); ++s) {
          const auto found = std::ranges::lower_bound(drawn_[s].positions, i);
          if (found == drawn_[s].positions.end() || *found != i) continue;
          Rng stream = streams[s].derive(i);
          drawn_[s].sets[static_cast<size_t>(found - drawn_[s].positions.begin())] =
              choose_vectors(set, stream.sample(set.size(), drawn_[s].per_item));
        }
      },
      progress);
  if (divides_here())
    exchange();
  else
    do_divided(
        items_.size(), [] {}, [&] { return bytes_drawn(); });
}

uint64_t BranchSamples::bytes_drawn() const {
  uint64_t bytes = dims_.size() * sizeof(size_t);
  for (const Drawn& drawn : drawn_)
    for (const VectorSet& set : drawn.sets)
      bytes += sizeof(Shape) + (set.vectors.size() + set.places.size()) * sizeof(float);
  return bytes;
}

void BranchSamples::exchange() {
  exchange_rows(items_.size(), [&](size_t i) { return rank_of_item(items_[i]); }, {rows_of(dims_)});
  for (Drawn& drawn : drawn_) {
    if (drawn.positions.empty()) continue;
    std::vector<VectorSet>& sets = drawn.sets;
    const auto owner = [&](size_t j) { return rank_of_item(items_[drawn.positions[j]]); };
    std::vector<Shape> shapes;
    for (const VectorSet& set : sets)
      shapes.push_back(
          {set.size(), set.dim(), set.places.cols(), set.image_width, set.image_height});
    exchange_rows(sets.size(), owner, {rows_of(shapes)});
    for (size_t j = 0; j < sets.size(); ++j)
      if (owner(j) != world().rank())
        sets[j] = {Matrix<float>(shapes[j].rows, shapes[j].cols),
                   Matrix<float>(shapes[j].rows, shapes[j].place_cols), shapes[j].width,
                   shapes[j].height};
    exchange_rows(sets.size(), owner,
                  {[&](size_t j) { return shared_bytes(sets[j].vectors.values()); },
                   [&](size_t j) { return shared_bytes(sets[j].places.values()); }});
  }
}

void BranchSamples::keep(std::span<const size_t> positions) {
  std::vector<size_t> items, dims;
  for (const size_t position : positions) {
    items.push_back(items_[position]);
    dims.push_back(dims_[position]);
  }
  items_ = std::move(items);
  dims_ = std::move(dims);
  for (Drawn& drawn : drawn_) {
    Drawn kept{drawn.per_item, {}, {}};
    for (size_t j = 0; j < drawn.positions.size(); ++j) {
      const auto found = std::ranges::lower_bound(positions, drawn.positions[j]);
      if (found == positions.end() || *found != drawn.positions[j]) continue;
      kept.positions.push_back(static_cast<size_t>(found - positions.begin()));
      kept.sets.push_back(std::move(drawn.sets[j]));
    }
    drawn = std::move(kept);
  }
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
  std::vector<VectorSet> drawn = std::move(drawn_[stage].sets);
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
      sample.labels.push_back(labels.size() > 0 ? labels.first(drawn_[stage].positions[i]) : -1);
    }
  return sample;
}

}  // namespace muster
