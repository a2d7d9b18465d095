#include "muster/matching/matching.h"

#include <cmath>

#include "muster/matching/assignment.h"
#include "muster/matching/pair_kernel.h"
#include "muster/setkernel/correspondence.h"

namespace muster {
namespace {

double distance_of(GroundDistance ground, std::span<const float> x, std::span<const float> y) {
  double sum = 0;
  for (size_t t = 0; t < x.size(); ++t) {
    const double difference = static_cast<double>(x[t]) - y[t];
    sum += ground == GroundDistance::kL1 ? std::abs(difference) : difference * difference;
  }
  return ground == GroundDistance::kL1 ? sum : std::sqrt(sum);
}

// In double precision: products of single precision lose small distances between large vectors, and
// the solver costs more than they would save.
Matrix<double> ground_costs(GroundDistance ground, ConstMatrixView a, ConstMatrixView b) {
  Matrix<double> out(a.rows, b.rows);
  for (size_t i = 0; i < a.rows; ++i)
    for (size_t j = 0; j < b.rows; ++j) out(i, j) = distance_of(ground, a.row(i), b.row(j));
  return out;
}

// Costs are what a match takes from the sum.
Matrix<double> similarity_costs(const LocalKernel& local, const StoredSet& x, const StoredSet& y) {
  const Matrix<float> values = all_local_values("matching", local, x, y);
  Matrix<double> out(values.rows(), values.cols());
  for (size_t i = 0; i < values.size(); ++i) out.data()[i] = -static_cast<double>(values.data()[i]);
  return out;
}

double sum_of(const Matrix<double>& costs, const std::vector<size_t>& column_of_row) {
  double sum = 0;
  for (size_t i = 0; i < column_of_row.size(); ++i) sum += costs(i, column_of_row[i]);
  return sum;
}

// `costs` is |a| x |b| of any shape; sign * cost is the weight of a match.
std::vector<Correspondence> cheapest_pairs(const Matrix<double>& costs, double sign) {
  std::vector<Correspondence> out;
  if (costs.rows() <= costs.cols()) {
    const std::vector<size_t> column = optimal_assignment(costs);
    for (size_t i = 0; i < column.size(); ++i)
      out.push_back({i, column[i], 0, sign * costs(i, column[i])});
    return out;
  }
  Matrix<double> transposed(costs.cols(), costs.rows());
  for (size_t i = 0; i < costs.rows(); ++i)
    for (size_t j = 0; j < costs.cols(); ++j) transposed(j, i) = costs(i, j);
  out = cheapest_pairs(transposed, sign);
  for (Correspondence& match : out) std::swap(match.a, match.b);
  std::ranges::sort(out, {}, &Correspondence::a);
  return out;
}

class Matching final : public PairKernel, public ImpliesMatches {
 public:
  Matching(LocalKernel local, bool distance, GroundDistance ground)
      : PairKernel(std::move(local)), distance_(distance), ground_(ground) {}

  std::vector<Correspondence> matches(const VectorSet& a, const VectorSet& b) const override {
    return cheapest_pairs(costs(StoredSet(a.vectors), StoredSet(b.vectors)), distance_ ? 1 : -1);
  }

 private:
  Matrix<double> costs(const StoredSet& x, const StoredSet& y) const {
    return distance_ ? ground_costs(ground_, x.vectors, y.vectors)
                     : similarity_costs(local(), x, y);
  }

  // The smaller set comes first (pair_kernel.cc).
  double value(const StoredSet& x, const StoredSet& y) const override {
    const Matrix<double> table = costs(x, y);
    const double least = sum_of(table, optimal_assignment(table));
    return distance_ ? least : -least;
  }

  bool distance_;
  GroundDistance ground_;
};

}  // namespace

std::shared_ptr<const SetKernel> fit_matching(const MatchingOptions& options, const Sample& sample,
                                              Rng rng, const Progress&) {
  return std::make_shared<Matching>(LocalKernel(options.local, sample.vectors, rng),
                                    options.distance, options.ground);
}

std::shared_ptr<const SetKernel> load_matching(const MatchingOptions& options,
                                               const TensorReader& in) {
  return std::make_shared<Matching>(load_local_kernel(options.local, in), options.distance,
                                    options.ground);
}

}  // namespace muster
