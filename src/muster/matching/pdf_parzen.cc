#include "muster/matching/pdf_parzen.h"

#include <cmath>

#include "muster/density/divergence_kernel.h"
#include "muster/matching/pair_kernel.h"
#include "muster/simd/elementwise.h"

namespace muster {
namespace {

constexpr double kVectorsOfScott = 1000;
constexpr double kLeastDensity = 1.8e-35;  // exp(-80), of a window's own height
constexpr double kWidthGrid[] = {0.25, 0.5, 1, 2, 4};
constexpr size_t kItemsForAlpha = 60;

double scott_width(ConstMatrixView sample) {
  double variance = 0;
  const auto n = static_cast<double>(sample.rows), d = static_cast<double>(sample.cols);
  for (size_t t = 0; t < sample.cols; ++t) {
    double sum = 0, squares = 0;
    for (size_t i = 0; i < sample.rows; ++i) sum += sample(i, t);
    for (size_t i = 0; i < sample.rows; ++i) squares += std::pow(sample(i, t) - sum / n, 2);
    variance += squares / n / d;
  }
  return variance > 0 ? std::sqrt(variance) * std::pow(kVectorsOfScott, -1 / (d + 4)) : 1;
}

// Windows as a local kernel: exp(-|z|^2 / (2 h^2)) or, of two windows, exp(-|z|^2 / (4 h^2)).
LocalKernel window_kernel(ParzenKernel kernel, double width) {
  LocalKernelOptions options;
  options.gamma = 1 / ((kernel == ParzenKernel::kExpectedLikelihood ? 4 : 2) * width * width);
  return LocalKernel(options);
}

struct ParzenSet final : StoredSet {
  using StoredSet::StoredSet;
  std::vector<double> own;  // the set's density at its vectors, in heights of a window
  double root_of_self = 1;  // of sum-match with itself
};

// Of y at the vectors of x, and of x at those of y.
struct CrossDensities {
  CrossDensities(const LocalKernel& local, const StoredSet& x, const StoredSet& y)
      : at_x(x.vectors.rows()), at_y(y.vectors.rows()) {
    for_each_local_block(local, x, y, [&](size_t row, size_t col, MatrixView<float> block) {
      for (size_t i = 0; i < block.rows; ++i)
        for (size_t j = 0; j < block.cols; ++j) {
          at_x[row + i] += block(i, j);
          at_y[col + j] += block(i, j);
        }
    });
    for (double& value : at_x)
      value = std::max(value / static_cast<double>(at_y.size()), kLeastDensity);
    for (double& value : at_y)
      value = std::max(value / static_cast<double>(at_x.size()), kLeastDensity);
  }
  std::vector<double> at_x, at_y;
};

template <class Term>
double mean_of(const std::vector<double>& own, const std::vector<double>& other, const Term& term) {
  double sum = 0;
  for (size_t i = 0; i < own.size(); ++i) sum += term(own[i], other[i]);
  return sum / static_cast<double>(own.size());
}

class PdfParzen final : public PairKernel {
 public:
  // Width known.
  explicit PdfParzen(const PdfParzenOptions& options)
      : PairKernel(window_kernel(options.kernel, *options.width)), options_(options) {}

  std::shared_ptr<const Representation> represent(const VectorSet& set) const override {
    return made_ready(set.vectors);
  }

  std::vector<std::shared_ptr<const SetKernel>> candidates(
      RepresentedSpan training) const override {
    if (options_.kernel != ParzenKernel::kKl || options_.alpha) return {shared_from_this()};
    PdfParzenOptions settled = options_;
    const double unit = unit_factor(training, kItemsForAlpha,
                                    [&](RepresentedSpan a, RepresentedSpan b,
                                        MatrixView<double> out, const Progress& progress) {
                                      PdfParzenOptions one = options_;
                                      one.alpha = 1;
                                      PdfParzen(one).gram(a, b, out, progress);
                                      for (size_t i = 0; i < out.rows; ++i)
                                        for (double& value : out.row(i))
                                          value = value > 0 ? -std::log(value) : 0;
                                    });
    std::vector<std::shared_ptr<const SetKernel>> out;
    for (const double factor : kWidthGrid) {
      settled.alpha = factor * unit;
      out.push_back(std::make_shared<PdfParzen>(settled));
    }
    return out;
  }

  bool from_values_of(const SetKernel& other, MatrixView<double> values) const override {
    raise_to(*options_.alpha / *dynamic_cast<const PdfParzen&>(other).options_.alpha, values);
    return true;
  }

  void save(const TensorWriter& out) const override {
    out.put("width", *options_.width);
    if (options_.alpha) out.put("alpha", *options_.alpha);
  }
  Represented load_represented(const TensorReader& in) const override {
    Represented out;
    for (const auto& set : load_stored_sets(in))
      out.push_back(made_ready(stored_set(*set).vectors));
    return out;
  }

 private:
  std::shared_ptr<const ParzenSet> made_ready(Matrix<float> vectors) const {
    auto out = std::make_shared<ParzenSet>(std::move(vectors));
    if (out->vectors.rows() == 0) return out;
    if (options_.kernel == ParzenKernel::kExpectedLikelihood)
      out->root_of_self = std::sqrt(mean_local(*out, *out));
    else
      out->own = CrossDensities(local(), *out, *out).at_x;
    return out;
  }

  double mean_local(const StoredSet& x, const StoredSet& y) const {
    double sum = 0;
    for_each_local_block(local(), x, y, [&](size_t, size_t, MatrixView<float> block) {
      sum += sum_of_values(block);
    });
    return sum / (static_cast<double>(x.vectors.rows()) * static_cast<double>(y.vectors.rows()));
  }

  double value(const StoredSet& a, const StoredSet& b) const override {
    const auto &x = dynamic_cast<const ParzenSet&>(a), &y = dynamic_cast<const ParzenSet&>(b);
    if (options_.kernel == ParzenKernel::kExpectedLikelihood)
      return mean_local(x, y) / (x.root_of_self * y.root_of_self);
    const CrossDensities cross(local(), x, y);
    if (options_.kernel == ParzenKernel::kBhattacharyya) {
      const auto term = [](double p, double q) { return 2 * std::sqrt(p * q) / (p + q); };
      return (mean_of(x.own, cross.at_x, term) + mean_of(y.own, cross.at_y, term)) / 2;
    }
    MUSTER_CHECK(options_.alpha.has_value());
    const auto term = [](double p, double q) { return std::log(p / q); };
    const double divergence = mean_of(x.own, cross.at_x, term) + mean_of(y.own, cross.at_y, term);
    return std::exp(-*options_.alpha * std::max(0.0, divergence));
  }

  PdfParzenOptions options_;
};

}  // namespace

void PdfParzenOptions::fields(Fields& f) {
  f.choice("kernel", kernel, {"expected-likelihood", "bhattacharyya", "kl"},
           "between the densities: the first exactly, the others at the vectors of both sets")
      .paper("GEN 4.1, 4.2");
  f("width", width,
    "standard deviation of a window; auto goes by the spread of the training vectors (Scott)")
      .range(1e-9, 1e9)
      .paper("GEN 4.3");
  factor_field(f, "alpha", alpha,
               "kl: factor of the divergence; auto is 1 / mean divergence, or the best around it",
               "GEN 4.1");
}

std::shared_ptr<const SetKernel> fit_pdf_parzen(const PdfParzenOptions& options,
                                                const Sample& sample, Rng, const Progress&) {
  PdfParzenOptions settled = options;
  if (!settled.width) settled.width = scott_width(sample.vectors);
  return std::make_shared<PdfParzen>(settled);
}

std::shared_ptr<const SetKernel> load_pdf_parzen(const PdfParzenOptions& options,
                                                 const TensorReader& in) {
  PdfParzenOptions settled = options;
  settled.width = in.number("width");
  in.require(*settled.width > 0, "a width that is not positive");
  if (options.kernel == ParzenKernel::kKl) {
    settled.alpha = in.number("alpha");
    in.require(*settled.alpha > 0, "a factor that is not positive");
  }
  return std::make_shared<PdfParzen>(settled);
}

}  // namespace muster
