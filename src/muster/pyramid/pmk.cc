#include "muster/pyramid/pmk.h"

#include <cmath>

#include "muster/core/parallel.h"
#include "muster/pyramid/pyramid_set.h"
#include "muster/setkernel/correspondence.h"
#include "muster/setkernel/gram.h"

namespace muster {
namespace {

// If scale is auto, finest levels are offered from the one at which two training sets have on
// average at least this much of the similarity that each has with itself.
constexpr double kLeastMeanSimilarity = 0.25;
constexpr int kNumStarts = 3;
constexpr size_t kSetsForStart = 24;
constexpr size_t kRowsPerTask = 32;

std::vector<size_t> sizes_of(RepresentedSpan sets) {
  std::vector<size_t> out;
  for (const auto& set : sets) out.push_back(pyramid_set(*set).size);
  return out;
}

class Pmk final : public SetKernel, public ImpliesMatches {
 public:
  // Levels below `start` are left out, and `start` weighs 1: the same as a scale that is 2^start
  // smaller.
  Pmk(const PmkOptions& options, BinGrid grid, bool open, int start)
      : options_(options), grid_(std::move(grid)), open_(open), start_(start) {}

  std::shared_ptr<const Representation> represent(const VectorSet& set) const override {
    return make_pyramid_set("pmk", grid_, set.vectors);
  }

  // The middle one is for callers who have nothing to choose by: for whole numbers, the paper's
  // kernel.
  std::vector<std::shared_ptr<const SetKernel>> candidates(
      RepresentedSpan training) const override {
    if (!open_) return {shared_from_this()};
    std::vector<int> starts;
    const int first = first_start(training);
    for (int start = first; start < first + kNumStarts; ++start) starts.push_back(start);
    if (grid_.scale() == 1) {
      std::erase(starts, 0);
      starts.insert(starts.begin() + 1, 0);
    }
    std::vector<std::shared_ptr<const SetKernel>> out;
    for (int start : starts) out.push_back(std::make_shared<Pmk>(options_, grid_, false, start));
    return out;
  }

  void gram(RepresentedSpan a, RepresentedSpan b, MatrixView<double> out,
            const Progress& progress) const override {
    pyramid_intersections(
        grid_, a, b, [this](int from, int to) { return weight(from, to); }, out, progress);
    const bool symmetric = a.data() == b.data() && a.size() == b.size();
    if (symmetric) {
      for (size_t i = 0; i < a.size(); ++i)
        out(i, i) = static_cast<double>(pyramid_set(*a[i]).size * grid_.num_pyramids());
      mirror_upper(out);
    }
    const std::vector<size_t> sizes_a = sizes_of(a), sizes_b = sizes_of(b);
    parallel_for(a.size(), kRowsPerTask, [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end; ++i)
        for (size_t j = 0; j < b.size(); ++j)
          out(i, j) = normalised(out(i, j), sizes_a[i], sizes_b[j]);
    });
  }

  // What two sets have in common in a bin is divided among the vectors in it: by symmetry these are
  // the Shapley values of the sum, the size of the set being given.
  std::optional<VectorShares> shares(const VectorSet& set, RepresentedSpan training,
                                     std::span<const double> coefficients) const override {
    VectorShares out{std::vector<double>(set.size()), false};
    for (size_t p = 0; p < grid_.num_pyramids(); ++p) {
      const BinKeys keys = grid_.keys("pmk", set.vectors, p);
      const std::vector<double> parts =
          parts_of_bins(finest_bins(keys), set.size(), p, training, coefficients);
      const std::vector<uint32_t> order = sorted_order(keys);
      for (size_t k = 0, bin = 0; k < order.size(); ++k) {
        if (k > 0 && key_less(keys, keys.key(order[k - 1]), keys.key(order[k]))) ++bin;
        out.values[order[k]] += parts[bin];
      }
    }
    return out;
  }

  std::vector<Correspondence> matches(const VectorSet& a, const VectorSet& b) const override {
    std::vector<Correspondence> best;
    double best_sum = -1;
    for (size_t p = 0; p < grid_.num_pyramids(); ++p) {
      std::vector<Correspondence> found = matches_of(a, b, p);
      double sum = 0;
      for (const Correspondence& match : found) sum += match.weight;
      if (sum > best_sum) best = std::move(found), best_sum = sum;
    }
    return best;
  }

  void save(const TensorWriter& out) const override {
    grid_.save(out.scope("grid"));
    out.put("start", start_);
  }
  void save_represented(RepresentedSpan sets, const TensorWriter& out) const override {
    save_pyramid_sets(sets, out);
  }
  Represented load_represented(const TensorReader& in) const override {
    return load_pyramid_sets(grid_, in);
  }

 private:
  int first_start(RepresentedSpan training) const {
    const Represented some = spread_over(training, kSetsForStart);
    if (some.size() < 2) return 0;
    PmkOptions options = options_;
    options.normalise = PmkNormalise::kSelf;
    options.distance = false;
    Matrix<double> similarities(some.size(), some.size());
    for (int start = grid_.num_planes(); start > 0; --start) {
      Pmk(options, grid_, false, start - 1).gram(some, some, similarities, {});
      if (mean_off_diagonal(similarities) < kLeastMeanSimilarity) return start;
    }
    return 0;
  }

  double level_weight(int level) const {
    return std::ldexp(1.0, options_.distance ? level : -level);
  }

  // The factor of I over levels from .. to-1 in eq 6: a level's weight less the next one's.
  double weight(int from, int to) const {
    const double first = level_weight(std::max(from, start_) - start_);
    return to == kForever ? first : first - level_weight(std::max(to, start_) - start_);
  }

  double normalised(double value, size_t size_a, size_t size_b) const {
    if (size_a == 0 || size_b == 0) return 0;
    const auto m = static_cast<double>(size_a), n = static_cast<double>(size_b);
    switch (options_.normalise) {
      case PmkNormalise::kNone:
        return value;
      case PmkNormalise::kMin:
        return value / std::min(m, n);
      case PmkNormalise::kSelf:
        return value / (static_cast<double>(grid_.num_pyramids()) * std::sqrt(m * n));
    }
    return value;
  }

  // The part that each vector in each finest bin of a set has in the sum, of one pyramid.
  std::vector<double> parts_of_bins(const FinestBins& bins, size_t size, size_t pyramid,
                                    RepresentedSpan training,
                                    std::span<const double> coefficients) const {
    const LevelsWeight weights = [this](int from, int to) { return weight(from, to); };
    std::vector<std::vector<double>> parts((training.size() + kRowsPerTask - 1) / kRowsPerTask);
    parallel_for(training.size(), kRowsPerTask, [&](size_t begin, size_t end) {
      std::vector<double>& own = parts[begin / kRowsPerTask];
      own.resize(bins.counts.size());
      for (size_t j = begin; j < end; ++j) {
        const PyramidSet& other = pyramid_set(*training[j]);
        if (coefficients[j] != 0)
          add_pair_parts(grid_, bins, other.pyramids[pyramid], weights,
                         normalised(coefficients[j], size, other.size), own);
      }
    });
    std::vector<double> out(bins.counts.size());
    for (const std::vector<double>& own : parts)
      for (size_t i = 0; i < out.size(); ++i) out[i] += own[i];
    return out;
  }

  std::vector<Correspondence> matches_of(const VectorSet& a, const VectorSet& b,
                                         size_t pyramid) const {
    BinKeys keys = grid_.keys("pmk", a.vectors, pyramid),
            others = grid_.keys("pmk", b.vectors, pyramid);
    const int num_planes = std::max(keys.num_planes, others.num_planes);
    grid_.widen(keys, num_planes);
    grid_.widen(others, num_planes);
    keys.bits.insert(keys.bits.end(), others.bits.begin(), others.bits.end());
    const std::vector<uint32_t> order = sorted_order(keys);
    std::vector<NestedPoint> points;
    for (size_t k = 0; k < order.size(); ++k) {
      const bool from_b = order[k] >= a.size();
      const auto row = static_cast<uint32_t>(order[k] - (from_b ? a.size() : 0));
      const int level = k == 0 ? 0 : merge_level(keys, keys.key(order[k - 1]), keys.key(order[k]));
      points.push_back({from_b, row, std::max(level - start_, 0)});
    }
    return match_nested(points, num_planes + 1,
                        [&](size_t, int level) { return std::ldexp(1.0, -level); });
  }

  PmkOptions options_;
  BinGrid grid_;
  bool open_;  // `start` has not been chosen yet
  int start_;
};

}  // namespace

std::shared_ptr<const SetKernel> fit_pmk(const PmkOptions& options, const Sample& sample, Rng rng,
                                         const Progress&) {
  const double scale = options.scale.value_or(automatic_scale(sample.vectors));
  BinGrid grid(scale, sample.vectors, static_cast<size_t>(options.pyramids), options.shift, rng);
  return std::make_shared<Pmk>(options, std::move(grid), !options.scale && !options.distance, 0);
}

std::shared_ptr<const SetKernel> load_pmk(const PmkOptions& options, const TensorReader& in) {
  const double start = in.number("start");
  in.require(start >= 0 && start < 64, "finest level");
  return std::make_shared<Pmk>(options, BinGrid(in.scope("grid")), false, static_cast<int>(start));
}

}  // namespace muster
