#include "muster/kernelweights/kernel_weights.h"

#include <cmath>
#include <numeric>

#include "muster/kernelweights/simplex_qp.h"
#include "muster/kernelweights/weight_rules.h"

namespace muster {
namespace {

// From no learning at all to the paper's choice. The first must leave the given weights exactly as
// they are, because weights that are merely close change the answer for a picture or two. The order
// is from the strongest restraint to the weakest: of values that cross-validate alike, the first is
// taken.
constexpr double kLambdaGrid[] = {1e9, 100, 10, 1, 0.1};

// tr(K0 K0') / max|K0|^2 of the kernel with its weights as given. The largest value of a positive
// semi-definite matrix is on its diagonal.
double given_kernel_norm(const KernelMoments& moments, std::span<const double> given) {
  double norm = 0, largest = 0;
  for (size_t i = 0; i < given.size(); ++i)
    for (size_t j = 0; j < given.size(); ++j) norm += given[i] * given[j] * moments.products(i, j);
  for (size_t p = 0; p < moments.diagonals.cols(); ++p) {
    double value = 0;
    for (size_t j = 0; j < given.size(); ++j) value += given[j] * moments.diagonals(j, p);
    largest = std::max(largest, value);
  }
  return largest > 0 ? norm / (largest * largest) : 0;
}

void scale_to_sum_one(std::vector<double>& values) {
  const double sum = std::accumulate(values.begin(), values.end(), 0.0);
  for (double& value : values)
    value = sum > 0 ? value / sum : 1 / static_cast<double>(values.size());
}

// The weights as given, of the kernels divided by their largest values.
std::vector<double> given_shares(const KernelMoments& moments, std::span<const double> given) {
  std::vector<double> out(given.begin(), given.end());
  for (size_t j = 0; j < out.size(); ++j) out[j] *= moments.largest[j];
  scale_to_sum_one(out);
  return out;
}

std::vector<double> qp_weights(const Normalised& normal, double ridge,
                               const std::vector<double>& toward) {
  Matrix<double> quadratic = normal.products;
  std::vector<double> linear = normal.with_labels;
  for (size_t j = 0; j < linear.size(); ++j) {
    quadratic(j, j) += ridge;
    if (!toward.empty()) linear[j] += ridge * toward[j];
  }
  return solve_simplex_qp(quadratic, linear);
}

// max b'u / sqrt(u'A u) over u >= 0 does not depend on the length of u: with w_j = b_j u_j and sum
// w = 1 it is min w' D A D w, D = diag(1 / b). A kernel with b_j <= 0 can only lower the alignment.
std::vector<double> alignment_weights(const Normalised& normal) {
  std::vector<size_t> kept;
  for (size_t j = 0; j < normal.with_labels.size(); ++j)
    if (normal.with_labels[j] > 0) kept.push_back(j);
  std::vector<double> out(normal.with_labels.size());
  if (kept.empty()) return out;
  Matrix<double> quadratic(kept.size(), kept.size());
  for (size_t i = 0; i < kept.size(); ++i)
    for (size_t j = 0; j < kept.size(); ++j)
      quadratic(i, j) = normal.products(kept[i], kept[j]) /
                        (normal.with_labels[kept[i]] * normal.with_labels[kept[j]]);
  const std::vector<double> w = solve_simplex_qp(quadratic, std::vector<double>(kept.size()));
  for (size_t i = 0; i < kept.size(); ++i) out[kept[i]] = w[i] / normal.with_labels[kept[i]];
  return out;
}

// Kernels that are 0 everywhere have nothing to weigh.
KernelTiles without_zeros(const KernelTiles& kernels, const std::vector<size_t>& kept) {
  KernelTiles out{kernels.num_items, kept.size(), {}};
  out.fill = [&kernels, kept](const Tile& tile, MatrixView<double> values) {
    Matrix<double> all(kernels.num_kernels, values.cols);
    kernels.fill(tile, all);
    for (size_t k = 0; k < kept.size(); ++k)
      std::ranges::copy(all.row(kept[k]), values.row(k).begin());
  };
  return out;
}

KernelMoments without_zeros(const KernelMoments& moments, const std::vector<size_t>& kept) {
  std::vector<size_t> rows = kept;
  rows.push_back(moments.num_kernels());
  KernelMoments out{
      Matrix<double>(rows.size(), rows.size()), {}, select_rows(moments.diagonals.view(), kept)};
  for (size_t i = 0; i < rows.size(); ++i)
    for (size_t j = 0; j < rows.size(); ++j)
      out.products(i, j) = moments.products(rows[i], rows[j]);
  for (size_t k : kept) out.largest.push_back(moments.largest[k]);
  return out;
}

class Learning {
 public:
  Learning(const WeightLearning& how, const KernelTiles& kernels, const Labels& labels,
           const LabelSimilarity& similarity, const KernelMoments& moments,
           std::vector<double> given, const MarginSolver& svm)
      : how_(how),
        kernels_(kernels),
        labels_(labels),
        similarity_(similarity),
        moments_(moments),
        normal_(normalised(moments)),
        given_(std::move(given)),
        svm_(svm) {}

  std::vector<LearnedWeights> run() const {
    if (how_.rule != WeightRule::kQp) return {finished(0, by_rule())};
    const std::vector<double> toward = how_.options.toward == PullToward::kGiven
                                           ? given_shares(moments_, given_)
                                           : std::vector<double>();
    const double unit = given_kernel_norm(moments_, given_);
    std::vector<double> lambdas(std::begin(kLambdaGrid), std::end(kLambdaGrid));
    if (how_.options.lambda) lambdas = {*how_.options.lambda};
    std::vector<LearnedWeights> out;
    for (double lambda : lambdas)
      out.push_back(finished(lambda, qp_weights(normal_, lambda * unit, toward)));
    return out;
  }

 private:
  std::vector<double> by_rule() const {
    switch (how_.rule) {
      case WeightRule::kUniform:
        return std::vector<double>(moments_.num_kernels(), 1.0);
      case WeightRule::kAlignment:
        return alignment_weights(normal_);
      case WeightRule::kLp:
        return lp_weights(kernels_, similarity_, moments_.largest);
      case WeightRule::kSdp:
        return sdp_weights(kernels_, normal_.products, normal_.with_labels, moments_.largest);
      case WeightRule::kMkl:
        return mkl_weights(kernels_, svm_, moments_.largest);
      case WeightRule::kHeldOut:
        return held_out_weights(kernels_, labels_, moments_.largest);
      case WeightRule::kQp:
        break;  // handled above
    }
    abort_on_bug("rule", __FILE__, __LINE__);
  }

  LearnedWeights finished(double lambda, std::vector<double> shares) const {
    scale_to_sum_one(shares);
    LearnedWeights out{lambda, shares, shares};
    for (size_t j = 0; j < shares.size(); ++j) out.weights[j] /= moments_.largest[j];
    return out;
  }

  const WeightLearning& how_;
  const KernelTiles& kernels_;
  const Labels& labels_;
  const LabelSimilarity& similarity_;
  const KernelMoments& moments_;
  Normalised normal_;
  std::vector<double> given_;
  const MarginSolver& svm_;
};

// Puts zeros in the places of kernels that were left out.
std::vector<double> spread(const std::vector<double>& values, const std::vector<size_t>& kept,
                           size_t count) {
  std::vector<double> out(count);
  for (size_t k = 0; k < kept.size(); ++k) out[kept[k]] = values[k];
  return out;
}

}  // namespace

void LearningOptions::fields(Fields& f) {
  f("lambda", lambda,
    "qp: how strongly the weights are held back, in units of the kernel's norm; auto is found by "
    "cross-validation")
      .range(0, 1e9)
      .paper("DSPM 3.2");
  f.choice(
       "toward", toward, {"uniform", "given"},
       "qp: what lambda pulls the weights towards: equal weights, or the weights without learning")
      .paper("DSPM 3.2");
  f("centre", centre,
    "qp, alignment, sdp: compare kernels and labels after subtracting their means");
  f("balance", balance, "every class counts the same in learning, whatever its number of items")
      .paper("DSPM 6");
  f("overlap", overlap,
    "items with several labels: similarity is how many they share, not only whether they share any")
      .paper("DSPM 6");
  f("mkl_cost", mkl_cost, "mkl: cost of an error, for kernels with values up to 1")
      .range(1e-6, 1e9);
}

std::vector<LearnedWeights> learn_weights(const WeightLearning& how, const KernelTiles& kernels,
                                          const Labels& labels, std::span<const double> given,
                                          const MarginSolver& svm, const Progress& progress) {
  MUSTER_CHECK(kernels.num_kernels > 0 && given.size() == kernels.num_kernels &&
               labels.size() == kernels.num_items);
  const LabelSimilarity similarity(labels, how.options.balance, how.options.overlap);
  const KernelMoments moments = kernel_moments(kernels, similarity, how.options.centre, progress);
  std::vector<size_t> kept;
  std::vector<double> given_kept;
  for (size_t j = 0; j < kernels.num_kernels; ++j) {
    if (moments.largest[j] <= 0) continue;
    kept.push_back(j);
    given_kept.push_back(given[j]);
  }
  if (kept.empty()) {  // all kernels are zero: any weights will do
    const std::vector<double> equal(kernels.num_kernels,
                                    1 / static_cast<double>(kernels.num_kernels));
    return {{0, equal, equal}};
  }
  std::vector<LearnedWeights> out;
  if (kept.size() == kernels.num_kernels) {
    out = Learning(how, kernels, labels, similarity, moments, given_kept, svm).run();
  } else {
    const KernelTiles some = without_zeros(kernels, kept);
    out = Learning(how, some, labels, similarity, without_zeros(moments, kept), given_kept, svm)
              .run();
    for (LearnedWeights& learned : out) {
      learned.shares = spread(learned.shares, kept, kernels.num_kernels);
      learned.weights = spread(learned.weights, kept, kernels.num_kernels);
    }
  }
  return out;
}

}  // namespace muster
