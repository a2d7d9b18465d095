#include "muster/math/gaussian_pairs.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "muster/math/gaussian_pairs.cc"
// foreach_target.h comes before all else of Highway.
// clang-format off
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include <hwy/contrib/math/math-inl.h>
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace muster::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using Tag = hn::CappedTag<double, kGaussianPairLanes>;
using Vec = hn::Vec<Tag>;

// Logarithms are taken of products of this many factors: with factors of 1e-30 to 1e30 nothing
// overflows.
constexpr size_t kFactorsPerLog = 8;

class LogOfProduct {
 public:
  // Written out, since g++ compiles an implied constructor for the baseline CPU.
  HWY_INLINE LogOfProduct() : sum_(hn::Zero(Tag())), product_(hn::Set(Tag(), 1)) {}
  HWY_INLINE void multiply(Vec factor) {
    const Tag d;
    product_ = hn::Mul(product_, factor);
    if (++count_ % kFactorsPerLog != 0) return;
    sum_ = hn::Add(sum_, hn::Log(d, product_));
    product_ = hn::Set(d, 1);
  }
  HWY_INLINE Vec value() const { return hn::Add(sum_, hn::Log(Tag(), product_)); }

 private:
  Vec sum_;
  Vec product_;
  size_t count_ = 0;
};

// rows[r][j] <- (rows[r][j] - sum_{k < j} rows[r][k] pivot_row[k]) * inverse, for kRows rows at
// once.
template <size_t kRows>
HWY_INLINE void eliminate(double* const* rows, const double* pivot_row, size_t j, Vec inverse) {
  const Tag d;
  const size_t lanes = hn::Lanes(d);
  Vec sums[kRows];
  for (size_t r = 0; r < kRows; ++r) sums[r] = hn::Load(d, rows[r] + j * lanes);
  for (size_t k = 0; k < j; ++k) {
    const Vec pivot = hn::Load(d, pivot_row + k * lanes);
    for (size_t r = 0; r < kRows; ++r)
      sums[r] = hn::NegMulAdd(hn::Load(d, rows[r] + k * lanes), pivot, sums[r]);
  }
  for (size_t r = 0; r < kRows; ++r) hn::Store(hn::Mul(sums[r], inverse), d, rows[r] + j * lanes);
}

// Factorises the sums in `work` (packed lower triangle, then the row of differences) column by
// column.
void factorise(double* work, size_t dim, double* log_dets, double* distances) {
  const Tag d;
  const size_t lanes = hn::Lanes(d);
  const auto row = [&](size_t r) { return work + r * (r + 1) / 2 * lanes; };
  LogOfProduct determinant;
  Vec distance = hn::Zero(d);
  const Vec least = hn::Set(d, 1e-290);
  for (size_t j = 0; j < dim; ++j) {
    double* pivot_row = row(j);
    Vec pivot = hn::Load(d, pivot_row + j * lanes);
    for (size_t k = 0; k < j; ++k) {
      const Vec value = hn::Load(d, pivot_row + k * lanes);
      pivot = hn::NegMulAdd(value, value, pivot);
    }
    pivot = hn::Max(pivot, least);
    determinant.multiply(pivot);
    const Vec inverse = hn::Div(hn::Set(d, 1), hn::Sqrt(pivot));
    size_t i = j + 1;
    for (; i + 4 <= dim + 1; i += 4) {
      double* rows[4] = {row(i), row(i + 1), row(i + 2), row(i + 3)};
      eliminate<4>(rows, pivot_row, j, inverse);
    }
    for (; i <= dim; ++i) {
      double* rows[1] = {row(i)};
      eliminate<1>(rows, pivot_row, j, inverse);
    }
    const Vec solved = hn::Load(d, row(dim) + j * lanes);
    distance = hn::MulAdd(solved, solved, distance);
  }
  hn::StoreU(determinant.value(), d, log_dets);
  hn::StoreU(distance, d, distances);
}

void full_pairs(const double* gaussian, MatrixView<const double> columns, size_t dim,
                double* log_dets, double* distances) {
  const Tag d;
  const size_t lanes = hn::Lanes(d), triangle = dim * (dim + 1) / 2;
  thread_local AlignedVector<double> work;
  work.resize((triangle + dim + 1) * lanes);
  for (size_t j = 0; j < columns.cols; j += lanes) {
    for (size_t e = 0; e < triangle; ++e)
      hn::Store(hn::Add(hn::Set(d, gaussian[e]), hn::LoadU(d, &columns(e, j))), d,
                work.data() + e * lanes);
    for (size_t e = triangle; e < triangle + dim; ++e)
      hn::Store(hn::Sub(hn::Set(d, gaussian[e]), hn::LoadU(d, &columns(e, j))), d,
                work.data() + e * lanes);
    factorise(work.data(), dim, log_dets + j, distances + j);
  }
}

void diagonal_pairs(const double* gaussian, MatrixView<const double> columns, size_t dim,
                    double* log_dets, double* distances) {
  const Tag d;
  const size_t lanes = hn::Lanes(d);
  for (size_t j = 0; j < columns.cols; j += lanes) {
    LogOfProduct determinant;
    Vec distance = hn::Zero(d);
    for (size_t t = 0; t < dim; ++t) {
      const Vec variance = hn::Add(hn::Set(d, gaussian[t]), hn::LoadU(d, &columns(t, j)));
      const Vec difference =
          hn::Sub(hn::Set(d, gaussian[dim + t]), hn::LoadU(d, &columns(dim + t, j)));
      determinant.multiply(variance);
      distance = hn::Add(distance, hn::Div(hn::Mul(difference, difference), variance));
    }
    hn::StoreU(determinant.value(), d, log_dets + j);
    hn::StoreU(distance, d, distances + j);
  }
}

}  // namespace muster::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace muster {
HWY_EXPORT(full_pairs);
HWY_EXPORT(diagonal_pairs);

size_t packed_gaussian_size(size_t dim, CovarianceKind kind) {
  return dim + (kind == CovarianceKind::kFull ? dim * (dim + 1) / 2 : dim);
}

void pack_gaussian(std::span<const double> mean, MatrixView<const double> covariance,
                   std::span<double> out) {
  MUSTER_CHECK(out.size() == packed_gaussian_size(mean.size(), CovarianceKind::kFull));
  double* next = out.data();
  for (size_t i = 0; i < mean.size(); ++i)
    for (size_t j = 0; j <= i; ++j) *next++ = covariance(i, j);
  std::ranges::copy(mean, next);
}

void pack_gaussian(std::span<const double> mean, std::span<const double> variances,
                   std::span<double> out) {
  MUSTER_CHECK(out.size() == packed_gaussian_size(mean.size(), CovarianceKind::kDiagonal));
  std::ranges::copy(variances, out.begin());
  std::ranges::copy(mean, out.begin() + static_cast<ptrdiff_t>(mean.size()));
}

void gaussian_pair_terms(std::span<const double> gaussian, MatrixView<const double> columns,
                         size_t dim, CovarianceKind kind, std::span<double> log_dets,
                         std::span<double> distances) {
  MUSTER_CHECK(gaussian.size() == packed_gaussian_size(dim, kind) &&
               columns.rows == gaussian.size());
  MUSTER_CHECK(columns.cols % kGaussianPairLanes == 0);
  MUSTER_CHECK(log_dets.size() == columns.cols && distances.size() == columns.cols);
  if (kind == CovarianceKind::kFull) HWY_DYNAMIC_DISPATCH(full_pairs)
  (gaussian.data(), columns, dim, log_dets.data(), distances.data());
  else HWY_DYNAMIC_DISPATCH(diagonal_pairs)(gaussian.data(), columns, dim, log_dets.data(),
                                            distances.data());
}

}  // namespace muster
#endif  // HWY_ONCE
