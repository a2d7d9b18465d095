#include "muster/codebook/kmeans.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "muster/codebook/bounded_nearest.h"
#include "muster/core/parallel.h"
#include "muster/math/nearest.h"
#include "muster/simd/vector_ops.h"

namespace muster {
namespace {

// k-means++ looks at no more than this many vectors per centre: a pass over all vectors for every
// single centre would cost more than the iterations that follow.
constexpr size_t kSeedingVectorsPerCentre = 16;

// Each next centre is drawn with probability proportional to the squared distance to the centres
// drawn so far.
std::vector<size_t> plus_plus_seeds(ConstMatrixView vectors, size_t k, Rng rng) {
  const size_t n = vectors.rows;
  std::vector<size_t> seeds{rng.below(n)};
  std::vector<double> distances(n, std::numeric_limits<double>::infinity());
  while (seeds.size() < k) {
    const auto latest = vectors.row(seeds.back());
    parallel_for(n, 4096, [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end; ++i)
        distances[i] = std::min<double>(distances[i], squared_distance(vectors.row(i), latest));
    });
    const double total = std::accumulate(distances.begin(), distances.end(), 0.0);
    if (total <= 0) break;  // fewer distinct vectors than centres
    double target = rng.uniform() * total;
    size_t chosen = 0;
    size_t last_positive = 0;
    for (; chosen < n; ++chosen) {
      if (distances[chosen] > 0) last_positive = chosen;
      target -= distances[chosen];
      if (target < 0) break;
    }
    seeds.push_back(chosen < n ? chosen : last_positive);
  }
  return seeds;
}

Matrix<float> initial_centres(const KMeansOptions& options, ConstMatrixView vectors, Rng rng) {
  const size_t k = std::min<size_t>(static_cast<size_t>(options.words), vectors.rows);
  if (options.init == KMeansInit::kRandom) return select_rows(vectors, rng.sample(vectors.rows, k));
  const std::vector<size_t> candidates = rng.sample(vectors.rows, k * kSeedingVectorsPerCentre);
  const Matrix<float> sample = select_rows(vectors, candidates);
  const std::vector<size_t> seeds = plus_plus_seeds(sample.view(), k, rng.derive("seeds"));
  return select_rows(sample.view(), seeds);
}

void assign(ConstMatrixView vectors, const KMeans& model, Assignment& out) {
  shared_assignment(vectors.rows, out, [&](size_t begin, size_t end) {
    find_nearest(vectors.slice_rows(begin, end - begin), model.centres, model.half_norms,
                 std::span(out.nearest).subspan(begin, end - begin),
                 std::span(out.squared_distances).subspan(begin, end - begin));
  });
}

// The vectors of each cluster, in order: members[starts[j]] .. members[starts[j + 1] - 1].
struct Clusters {
  std::vector<size_t> starts;
  std::vector<uint32_t> members;
};

Clusters group_by_cluster(std::span<const uint32_t> nearest, size_t k) {
  Clusters out{std::vector<size_t>(k + 1), std::vector<uint32_t>(nearest.size())};
  for (uint32_t j : nearest) ++out.starts[j + 1];
  std::partial_sum(out.starts.begin(), out.starts.end(), out.starts.begin());
  std::vector<size_t> next(out.starts.begin(), out.starts.end() - 1);
  for (size_t i = 0; i < nearest.size(); ++i)
    out.members[next[nearest[i]]++] = static_cast<uint32_t>(i);
  return out;
}

// Empty clusters take the vectors that are farthest from their centres, one each.
void reseed_empty(ConstMatrixView vectors, const Assignment& assignment,
                  std::span<const size_t> empty, Matrix<float>& centres) {
  if (empty.empty()) return;
  std::vector<size_t> farthest(vectors.rows);
  std::iota(farthest.begin(), farthest.end(), size_t{0});
  const size_t count = std::min(empty.size(), farthest.size());
  std::partial_sort(farthest.begin(), farthest.begin() + static_cast<ptrdiff_t>(count),
                    farthest.end(), [&](size_t a, size_t b) {
                      const float da = assignment.squared_distances[a],
                                  db = assignment.squared_distances[b];
                      return da != db ? da > db : a < b;
                    });
  for (size_t e = 0; e < count; ++e)
    std::ranges::copy(vectors.row(farthest[e]), centres.row(empty[e]).begin());
}

void update_centres(ConstMatrixView vectors, const Assignment& assignment, KMeans& model) {
  const size_t k = model.centres.rows(), d = vectors.cols;
  const Clusters clusters = group_by_cluster(assignment.nearest, k);
  // Each centre sums its own vectors in their order: no partial sums, the same for any thread
  // count.
  parallel_for(k, 8, [&](size_t begin, size_t end) {
    std::vector<double> sum(d);
    for (size_t j = begin; j < end; ++j) {
      const size_t first = clusters.starts[j], last = clusters.starts[j + 1];
      if (first == last) continue;
      std::ranges::fill(sum, 0.0);
      for (size_t m = first; m < last; ++m) {
        const auto row = vectors.row(clusters.members[m]);
        for (size_t t = 0; t < d; ++t) sum[t] += row[t];
      }
      for (size_t t = 0; t < d; ++t)
        model.centres(j, t) = static_cast<float>(sum[t] / static_cast<double>(last - first));
    }
  });
  std::vector<size_t> empty;
  for (size_t j = 0; j < k; ++j)
    if (clusters.starts[j] == clusters.starts[j + 1]) empty.push_back(j);
  reseed_empty(vectors, assignment, empty, model.centres);
  model.half_norms = half_squared_norms(model.centres);
}

}  // namespace

void KMeansOptions::fields(Fields& f) {
  f("words", words, "number of visual words (k of k-means)").range(1, 1e6).paper("EMK 2, GEN 3.1");
  f("iterations", iterations, "k-means: largest number of Lloyd iterations").range(1, 10000);
  f("tolerance", tolerance, "k-means: stop when the error falls by less than this share")
      .range(0, 1);
  f.choice("init", init, {"plus-plus", "random"}, "k-means: how the first centres are drawn");
}

KMeans fit_kmeans(const KMeansOptions& options, ConstMatrixView vectors, Rng rng,
                  const Progress& progress) {
  if (vectors.rows == 0)
    throw data_error(
        "k-means: there are no vectors to learn {} words from, because the training items gave no "
        "features",
        options.words);
  KMeans model;
  model.centres = initial_centres(options, vectors, rng.derive("kmeans"));
  model.half_norms = half_squared_norms(model.centres);
  ProgressStep step(progress, "k-means", static_cast<size_t>(options.iterations));
  Assignment assignment;
  std::optional<BoundedNearest> bounded;
  if (BoundedNearest::pays(vectors.rows, model.centres.rows(), vectors.cols))
    bounded.emplace(vectors, model.centres);
  for (int i = 0; i < options.iterations; ++i) {
    if (bounded)
      bounded->assign(model.centres, assignment);
    else
      assign(vectors, model, assignment);
    const double error = assignment.mean_error();
    const bool first = model.error_per_iteration.empty();
    const double previous = first ? 0 : model.error_per_iteration.back();
    model.error_per_iteration.push_back(error);
    update_centres(vectors, assignment, model);
    step.tick();
    if (!first && previous - error <= options.tolerance * previous) {
      step.tick(static_cast<size_t>(options.iterations - 1 - i));
      break;
    }
  }
  return model;
}

}  // namespace muster
