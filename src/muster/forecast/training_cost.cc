#include "muster/forecast/training_cost.h"

#include <algorithm>
#include <cmath>
#include <mutex>

#include "muster/cluster/division_meter.h"
#include "muster/pipeline/fit.h"
#include "muster/pipeline/sharded_items.h"

namespace muster {
namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* kBetween = "other";

// Notes when each step of the progress begins and ends.
class StageClock {
 public:
  StageClock() { begin(kBetween); }

  Progress watching(const Progress& progress) {
    return [this, progress](std::string_view step, size_t done, size_t total) {
      if (progress) progress(step, done, total);
      const std::lock_guard lock(mutex_);
      // Ticks of several threads may come in another order than they were counted in.
      if (done == 0 && step != spans_.back().stage) begin(std::string(step));
      if (done >= total && step == spans_.back().stage) begin(kBetween);
    };
  }

  // Once all is done.
  std::vector<StageCost> costs(const std::vector<DividedLoop>& loops) {
    begin(kBetween);
    std::vector<StageCost> out;
    for (size_t s = 0; s + 1 < spans_.size(); ++s) {
      const auto found = std::ranges::find(out, spans_[s].stage, &StageCost::stage);
      spans_[s].index = static_cast<size_t>(found - out.begin());
      if (found == out.end()) out.push_back({spans_[s].stage});
      out[spans_[s].index].seconds += seconds(spans_[s].start, spans_[s + 1].start);
    }
    std::vector<double> weighted_parts(out.size());
    for (const DividedLoop& loop : loops) {
      const size_t index = stage_of(loop, out);
      StageCost& stage = out[index];
      stage.divided += loop.seconds;
      weighted_parts[index] += loop.seconds * static_cast<double>(loop.parts);
      stage.bytes_shared += static_cast<double>(loop.bytes_shared);
      stage.bytes_summed += static_cast<double>(loop.bytes_summed);
      stage.exchanges += 1;
    }
    for (StageCost& stage : out) stage.seconds = std::max(stage.seconds, stage.divided);
    for (size_t s = 0; s < out.size(); ++s)
      if (out[s].divided > 0) out[s].parts = weighted_parts[s] / out[s].divided;
    return out;
  }

 private:
  struct Span {
    std::string stage;
    Clock::time_point start;
    size_t index = 0;  // of the stage
  };

  // The stage that a loop is in: that in which it begins, or if it begins between steps, the step
  // that begins in it, since reading items is such a loop. A step may be over before the loop that
  // did it. All of the loop's time becomes that stage's.
  size_t stage_of(const DividedLoop& loop, std::vector<StageCost>& stages) const {
    const Clock::time_point end = loop.start + std::chrono::duration_cast<Clock::duration>(
                                                   std::chrono::duration<double>(loop.seconds));
    size_t first = 0;
    while (first + 2 < spans_.size() && spans_[first + 1].start <= loop.start) ++first;
    size_t own = first;
    if (spans_[first].stage == kBetween && first + 2 < spans_.size() &&
        spans_[first + 1].start < end)
      own = first + 1;
    for (size_t s = first; s + 1 < spans_.size() && spans_[s].start < end; ++s) {
      const double overlap = std::max(
          0.0, seconds(std::max(spans_[s].start, loop.start), std::min(spans_[s + 1].start, end)));
      stages[spans_[s].index].seconds -= overlap;
      stages[spans_[own].index].seconds += overlap;
    }
    return spans_[own].index;
  }
  static double seconds(Clock::time_point from, Clock::time_point to) {
    return std::chrono::duration<double>(to - from).count();
  }
  void begin(std::string stage) { spans_.push_back({std::move(stage), Clock::now(), 0}); }

  std::mutex mutex_;
  std::vector<Span> spans_;
};

// Steps whose work is on sampled vectors, so that it stops growing when there are enough.
bool learns_from_sample(const std::string& stage) {
  constexpr std::string_view kLearning[] = {"other",   "k-means",      "tree of clusters",
                                            "mixture", "kernel basis", "choosing features"};
  return std::ranges::find(kLearning, stage) != std::end(kLearning);
}

// Steps that look at every item, and do the same with each.
bool passes_over_items(const std::string& stage) {
  return stage == "features" || stage == "reading sets" || stage == "encoding";
}

// What was `few` for n items and `more` for `measured` times as many will be for `growth` times as
// many again: a n + b n^2 if it grew faster than they did, else c + a n.
double grown(double few, double more, double measured, double growth) {
  if (more <= 0 || measured <= 1) return std::max(more, 0.0) * growth;
  if (few <= 0) return more * growth;
  const double ratio = more / few;
  if (ratio > measured) {
    const double b = std::min((ratio / measured - 1) / (measured - 1), 1.0);  // of the two terms
    const double quadratic = std::min(1.0, b * measured / (1 - b + b * measured));
    return more * ((1 - quadratic) * growth + quadratic * growth * growth);
  }
  const double linear = std::clamp((ratio - 1) / (measured - 1) * measured / ratio, 0.0, 1.0);
  return more * (1 - linear + linear * growth);
}

const StageCost* stage_named(const TrainingCost& cost, const std::string& name) {
  const auto found = std::ranges::find(cost.stages, name, &StageCost::stage);
  return found == cost.stages.end() ? nullptr : &*found;
}

// How many vectors the stages of a plan learn from.
double sampled_vectors(const Plan& plan, double items, double vectors_per_item) {
  double out = 0;
  const auto add = [&](const PlannedStage& stage) {
    out += std::min(items * vectors_per_item, static_cast<double>(stage.num_samples()));
  };
  for (const BranchPlan& branch : plan.branches) {
    for (const PlannedStage& stage : branch.reducers) add(stage);
    add(branch.set_feature ? *branch.set_feature : *branch.set_kernel);
  }
  return out;
}

}  // namespace

TrainingCost measure_training(const Plan& plan, const SetSource& source,
                              std::span<const size_t> items, const Labels& labels, uint64_t seed,
                              size_t as_if_items, const Progress& progress) {
  StageClock clock;
  const DivisionMeter meter;
  const Pipeline pipeline = fit_pipeline(plan, source, items, labels, seed,
                                         clock.watching(progress), {.as_if_items = as_if_items});
  TrainingCost out;
  out.items = static_cast<double>(items.size());
  out.stages = clock.costs(meter.loops());
  double per_item = 0, vectors = 0;
  for (const size_t item : items)
    for (const FittedBranch& branch : pipeline.branches()) {
      const VectorSet set = source.load(branch.extraction.get(), item);
      vectors += static_cast<double>(set.size()) / static_cast<double>(plan.branches.size());
      const size_t bytes = branch.extraction ? 2 : sizeof(float);
      per_item +=
          static_cast<double>(set.vectors.size() * bytes + set.places.size() * sizeof(float));
    }
  out.features = per_item;
  out.vectors_per_item = vectors / out.items;
  out.sampled = sampled_vectors(plan, out.items, out.vectors_per_item);
  if (plan.on_vectors()) {
    const size_t dim = joined_dim(pipeline.branches());
    out.vectors = out.items * static_cast<double>(dim * sizeof(float));
    const auto& classifier = plan.classifier->as<VectorClassifierStage>();
    out.stays_sharded = classifier.trains_sharded &&
                        classifier.trains_sharded(*plan.classifier->options, as_if_items, dim);
    if (stage_named(out, "Gram matrix")) out.kernel_matrix = out.items * out.items * sizeof(float);
  } else if (const StageCost* encoding = stage_named(out, "encoding")) {
    out.vectors = encoding->bytes_shared;
    // Of each branch, and their sum.
    const size_t matrices = plan.branches.size() + (plan.branches.size() > 1 ? 1 : 0);
    out.kernel_matrix = out.items * out.items * static_cast<double>(matrices * sizeof(double));
  }
  return out;
}

TrainingCost extrapolate(const Plan& plan, const TrainingCost& few, const TrainingCost& more,
                         double items) {
  TrainingCost out = more;
  out.items = items;
  out.sampled = sampled_vectors(plan, items, more.vectors_per_item);
  const double growth = items / more.items, measured = more.items / few.items;
  for (StageCost& stage : out.stages) {
    const StageCost* before = stage_named(few, stage.stage);
    const StageCost none;
    const StageCost& small = before ? *before : none;
    if (learns_from_sample(stage.stage)) {
      const double factor = more.sampled > 0 ? out.sampled / more.sampled : 1;
      for (double* value : {&stage.seconds, &stage.divided, &stage.bytes_shared}) *value *= factor;
      stage.parts = std::max(1.0, stage.parts * factor);
      continue;
    }
    const auto grow = [&](double before, double now) {
      return passes_over_items(stage.stage) ? now * growth : grown(before, now, measured, growth);
    };
    const double alone = std::max(0.0, stage.seconds - stage.divided);
    stage.divided = grow(small.divided, stage.divided);
    stage.seconds = grow(std::max(0.0, small.seconds - small.divided), alone) + stage.divided;
    stage.bytes_shared = grow(small.bytes_shared, stage.bytes_shared);
    // Tiles and items become more, folds and classes do not.
    if (stage.parts > 1.2 * small.parts) stage.parts *= growth;
  }
  out.features *= growth;
  out.vectors *= growth;
  out.kernel_matrix *= growth * growth;
  return out;
}

RankForecast forecast(const TrainingCost& cost, const RankMachines& machines) {
  RankForecast out;
  const auto ranks = static_cast<double>(machines.ranks);
  for (const StageCost& stage : cost.stages) {
    const double largest_share = std::ceil(stage.parts / ranks) / std::max(stage.parts, 1.0);
    double seconds =
        machines.crowding * (std::max(0.0, stage.seconds - stage.divided) +
                             stage.divided * std::clamp(largest_share, 1 / ranks, 1.0));
    double given = 0;
    if (machines.ranks > 1) {
      given = stage.bytes_shared / ranks + stage.bytes_summed;
      // What the others give arrives one after the other; a sum goes round twice.
      const double taken =
          stage.bytes_shared * (1 - 1 / ranks) + 2 * stage.bytes_summed * (1 - 1 / ranks);
      seconds += taken / machines.bytes_per_second +
                 stage.exchanges * machines.seconds_per_exchange * std::log2(2 * ranks);
    }
    out.stage_seconds.push_back(seconds);
    out.stage_bytes_given.push_back(given);
    out.seconds += seconds;
    out.bytes_given += given;
  }
  // Centred vectors are a copy, unless they stay on their ranks.
  out.memory_bytes = cost.features / ranks +
                     (cost.stays_sharded ? cost.vectors / ranks : 2 * cost.vectors) +
                     cost.kernel_matrix;
  return out;
}

}  // namespace muster
