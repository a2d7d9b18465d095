#include "muster/baselines/knn.h"

#include <cmath>

#include "muster/classify/centred_gram.h"
#include "muster/classify/linear_training.h"
#include "muster/core/parallel.h"
#include "muster/core/timer.h"

namespace muster {
namespace {

constexpr const char* kStage = "knn";
constexpr const char* kParameter = "neighbours";
// Of which cross-validation chooses; in equal steps of their logarithm.
constexpr double kGrid[] = {1, 3, 5, 9, 15, 25, 45};

// One row of votes of the `count` nearest. A label marked difficult is none.
void vote(std::span<const Neighbour> nearest, size_t count,
          const std::vector<std::vector<int>>& labels, std::span<double> out) {
  const auto total = static_cast<double>(count);
  double power = 0.5;
  for (size_t r = 0; r < std::min(count, nearest.size()); ++r, power /= 2)
    for (const int label : labels[nearest[r].row])
      out[static_cast<size_t>(label)] += (1 + power) / total;
}

Matrix<double> votes(const std::vector<Neighbours>& nearest, size_t count,
                     const std::vector<std::vector<int>>& labels, int num_classes) {
  Matrix<double> out(nearest.size(), static_cast<size_t>(num_classes));
  for (size_t i = 0; i < nearest.size(); ++i) vote(nearest[i], count, labels, out.row(i));
  return out;
}

// Of kernel values with some training items, all but those of `part`.
Neighbours nearest_in_row(std::span<const double> row, std::span<const double> diagonal,
                          Metric metric, size_t count, int part = -1,
                          std::span<const int> parts = {}) {
  Neighbours all;
  all.reserve(row.size());
  for (size_t j = 0; j < row.size(); ++j) {
    if (!parts.empty() && parts[j] == part) continue;
    double score = row[j] - diagonal[j] / 2;
    if (metric == Metric::kCosine) score = diagonal[j] > 0 ? row[j] / std::sqrt(diagonal[j]) : 0;
    all.push_back({j, score});
  }
  keep_nearest(all, count);
  return all;
}

std::vector<double> diagonal_of(MatrixView<const double> gram) {
  std::vector<double> out(gram.rows);
  for (size_t i = 0; i < gram.rows; ++i) out[i] = gram(i, i);
  return out;
}

// What the items are told apart by: the labels that vote, which need not be sorted.
std::vector<std::vector<int>> voting_labels(const Labels& labels) {
  std::vector<std::vector<int>> out = labels.of_item;
  for (size_t i = 0; i < out.size(); ++i)
    std::erase_if(out[i], [&](int label) { return labels.target(i, label) != 1; });
  return out;
}

// The training items, shared by copies of a classifier: on vectors or on a Gram.
struct Memory {
  Memory(Metric metric, Matrix<float> given, std::vector<std::vector<int>> labels)
      : metric(metric), vectors(std::move(given)), labels(std::move(labels)) {
    search.emplace(vectors, metric);
  }
  Memory(Metric metric, std::vector<double> diagonal, std::vector<std::vector<int>> labels)
      : metric(metric), diagonal(std::move(diagonal)), labels(std::move(labels)) {}
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  Metric metric;
  Matrix<float> vectors;
  std::optional<NeighbourSearch> search;
  std::vector<double> diagonal;
  std::vector<std::vector<int>> labels;
};

class Knn final : public Classifier {
 public:
  Knn(std::shared_ptr<const Memory> memory, CvResult fit)
      : memory_(std::move(memory)), fit_(std::move(fit)) {}

  bool takes_gram() const override { return !memory_->search; }
  int num_classes() const override { return fit_.calibration.num_classes(); }
  size_t num_inputs() const override {
    return takes_gram() ? memory_->diagonal.size() : memory_->vectors.cols();
  }
  const FitStatistics* statistics() const override { return &fit_.statistics; }
  std::unique_ptr<Classifier> judged_by(const HeldOutScores& held_out) const override {
    CvResult fit = fit_;
    judge_by(held_out, fit.statistics);
    fit.calibration = Calibration::fit(held_out.scores, held_out.labels);
    return std::make_unique<Knn>(memory_, std::move(fit));
  }

  Matrix<double> scores(ConstMatrixView vectors) const override {
    if (takes_gram()) return Classifier::scores(vectors);
    return votes(memory_->search->find(vectors, count()), count(), memory_->labels, num_classes());
  }

  Matrix<double> scores_from_gram(MatrixView<const double> kernel_rows) const override {
    if (!takes_gram()) return Classifier::scores_from_gram(kernel_rows);
    MUSTER_CHECK(kernel_rows.cols == num_inputs());
    std::vector<Neighbours> nearest;
    for (size_t i = 0; i < kernel_rows.rows; ++i)
      nearest.push_back(
          nearest_in_row(kernel_rows.row(i), memory_->diagonal, memory_->metric, count()));
    return votes(nearest, count(), memory_->labels, num_classes());
  }

  Matrix<double> probabilities(MatrixView<const double> scores) const override {
    return fit_.calibration.probabilities(scores);
  }

  void save(const TensorWriter& out) const override {
    if (takes_gram())
      out.put("diagonal", memory_->diagonal);
    else
      out.put("vectors", memory_->vectors);
    std::vector<int32_t> counts, flat;
    for (const std::vector<int>& of_item : memory_->labels) {
      counts.push_back(static_cast<int32_t>(of_item.size()));
      flat.insert(flat.end(), of_item.begin(), of_item.end());
    }
    out.put("label_counts", counts);
    out.put("labels", flat);
    fit_.calibration.save(out.scope("calibration"));
    fit_.statistics.save(out.scope("statistics"));
  }

 private:
  size_t count() const { return static_cast<size_t>(fit_.statistics.C); }

  std::shared_ptr<const Memory> memory_;
  CvResult fit_;
};

std::vector<std::vector<int>> load_labels(const TensorReader& in, size_t items, int num_classes) {
  const auto counts = in.values<int32_t>("label_counts", items);
  const auto flat = in.values<int32_t>("labels");
  std::vector<std::vector<int>> out(items);
  size_t next = 0;
  for (size_t i = 0; i < items; ++i) {
    in.require(counts[i] >= 0 && static_cast<size_t>(counts[i]) <= flat.size() - next,
               "labels that do not fit their counts");
    for (int32_t l = 0; l < counts[i]; ++l) {
      const int label = flat[next++];
      in.require(label >= 0 && label < num_classes, "a label of no class");
      out[i].push_back(label);
    }
  }
  in.require(next == flat.size(), "labels that do not fit their counts");
  return out;
}

CvResult load_fit(const TensorReader& in) {
  CvResult fit{FitStatistics::load(in.scope("statistics")),
               Calibration::load(in.scope("calibration"))};
  const double count = fit.statistics.C;
  in.require(count >= 1 && count <= 1e6 && count == std::floor(count),
             "a number of neighbours that is none");
  return fit;
}

// Options and labels as all trainings take them, checked.
struct Training {
  Training(const KnnOptions& options, const Labels& labels, const Rng& rng)
      : options(options), labels(labels), voting(voting_labels(labels)) {
    OptionsOf<KnnOptions>(options).validate(kStage);
    if (options.neighbours && *options.neighbours != std::floor(*options.neighbours))
      throw usage_error("{}: neighbours={} is not a whole number", kStage, *options.neighbours);
    make_problems(kStage, labels, Scheme::kOneVsAll);  // refuses labels of one class
    num_folds = usable_folds(labels, options.folds);
    if (num_folds > 0) fold_of = stratified_folds(labels, num_folds, rng.derive("folds"));
  }

  // Values to try, rising; of those that are more than all items of a fold's training, one.
  std::vector<double> grid() const {
    if (options.neighbours) return {*options.neighbours};
    std::vector<double> out;
    for (const double count : kGrid)
      if (out.empty() || out.back() < static_cast<double>(labels.size())) out.push_back(count);
    return out;
  }
  size_t most() const { return static_cast<size_t>(grid().back()); }

  // From the nearest items of other folds, `most()` of each. Without folds one neighbour decides,
  // unless another number is given.
  CvResult judge(const std::vector<Neighbours>& nearest) const {
    if (num_folds == 0) {
      CvResult out{{}, Calibration::identity(labels.num_classes(), !labels.single_label())};
      out.statistics.parameter = kParameter;
      out.statistics.C = grid().front();
      return out;
    }
    std::vector<TriedValue> tried;
    for (const double count : grid())
      tried.push_back(
          {count, votes(nearest, static_cast<size_t>(count), voting, labels.num_classes())});
    return best_of_values(kParameter, tried, labels, num_folds);
  }

  KnnOptions options;
  const Labels& labels;
  std::vector<std::vector<int>> voting;
  int num_folds = 0;
  std::vector<int> fold_of;
};

CvResult cross_validate_gram(
    const Training& training, MatrixView<const double> gram,
    const std::function<Matrix<double>(std::span<const size_t>)>& of_fold) {
  check_gram(kStage, gram, training.labels);
  std::vector<Neighbours> nearest(training.num_folds > 0 ? gram.rows : 0);
  std::vector<std::vector<size_t>> held_out(static_cast<size_t>(training.num_folds));
  for (size_t i = 0; i < nearest.size(); ++i)
    held_out[static_cast<size_t>(training.fold_of[i])].push_back(i);
  parallel_for(held_out.size(), 1, [&](size_t f, size_t) {
    const Matrix<double> own = of_fold ? of_fold(held_out[f]) : Matrix<double>();
    const MatrixView<const double> values = of_fold ? own.view() : gram;
    const std::vector<double> diagonal = diagonal_of(values);
    for (const size_t i : held_out[f])
      nearest[i] = nearest_in_row(values.row(i), diagonal, training.options.metric, training.most(),
                                  static_cast<int>(f), training.fold_of);
  });
  return training.judge(nearest);
}

}  // namespace

std::unique_ptr<Classifier> fit_knn(const KnnOptions& options, ConstMatrixView vectors,
                                    const Labels& labels, Rng rng, const Progress&) {
  const Timer timer;
  MUSTER_CHECK(vectors.rows == labels.size());
  const Training training(options, labels, rng);
  require_finite_rows(kStage, vectors);
  auto memory =
      std::make_shared<const Memory>(options.metric, Matrix<float>(vectors), training.voting);
  std::vector<Neighbours> nearest;
  if (training.num_folds > 0)
    nearest =
        memory->search->find(memory->vectors, training.most(), training.fold_of, training.fold_of);
  CvResult fit = training.judge(nearest);
  fit.statistics.seconds = timer.seconds();
  return std::make_unique<Knn>(std::move(memory), std::move(fit));
}

GramChoice fit_knn_on_gram(const KnnOptions& options, const GramCandidates& candidates,
                           const Labels& labels, const Rng& rng) {
  const Training training(options, labels, rng);
  const Timer timer;
  const GramTrainer trainer{
      kStage, Indefinite::kClip,
      [&](const std::vector<MatrixView<const double>>& grams, const GramOfFold& of_fold) {
        return best_of_kernels(grams.size(), kernel_search(of_fold, labels.size()), [&](size_t g) {
          if (!of_fold) return cross_validate_gram(training, grams[g], {});
          return cross_validate_gram(training, grams[g], [&](std::span<const size_t> held_out) {
            return of_fold(g, held_out);
          });
        });
      },
      [&](const DefiniteGram& gram, const KernelChoice& choice) {
        CvResult fit = choice.best;
        fit.statistics.seconds = timer.seconds();
        return std::make_unique<Knn>(std::make_shared<const Memory>(
                                         options.metric, diagonal_of(gram.gram()), training.voting),
                                     std::move(fit));
      }};
  // Neighbours need no definite kernel: nothing is to be treated.
  return train_on_best(trainer, candidates, true);
}

std::unique_ptr<Classifier> load_knn(const KnnOptions& options, const TensorReader& in) {
  CvResult fit = load_fit(in);
  Matrix<float> vectors = in.matrix<float>("vectors");
  auto labels = load_labels(in, vectors.rows(), fit.calibration.num_classes());
  return std::make_unique<Knn>(
      std::make_shared<const Memory>(options.metric, std::move(vectors), std::move(labels)),
      std::move(fit));
}

std::unique_ptr<Classifier> load_knn_on_gram(const KnnOptions& options, const TensorReader& in) {
  CvResult fit = load_fit(in);
  std::vector<double> diagonal = in.values<double>("diagonal");
  auto labels = load_labels(in, diagonal.size(), fit.calibration.num_classes());
  return std::make_unique<Knn>(
      std::make_shared<const Memory>(options.metric, std::move(diagonal), std::move(labels)),
      std::move(fit));
}

}  // namespace muster
