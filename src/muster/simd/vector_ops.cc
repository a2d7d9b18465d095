#include "muster/simd/vector_ops.h"

#include "muster/core/error.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "muster/simd/vector_ops.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace muster::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class D>
hn::Vec<D> load_as_double(D d, const float* from) {
  return hn::PromoteTo(d, hn::LoadU(hn::Rebind<float, D>(), from));
}
template <class D>
hn::Vec<D> load_as_double(D d, const double* from) {
  return hn::LoadU(d, from);
}

template <class T>
double dot_simd(const float* x, const T* y, size_t n) {
  const hn::ScalableTag<double> d;
  const size_t lanes = hn::Lanes(d);
  auto sum0 = hn::Zero(d), sum1 = hn::Zero(d);
  size_t i = 0;
  for (; i + 2 * lanes <= n; i += 2 * lanes) {
    sum0 = hn::MulAdd(load_as_double(d, x + i), load_as_double(d, y + i), sum0);
    sum1 = hn::MulAdd(load_as_double(d, x + i + lanes), load_as_double(d, y + i + lanes), sum1);
  }
  double sum = hn::GetLane(hn::SumOfLanes(d, hn::Add(sum0, sum1)));
  for (; i < n; ++i) sum += static_cast<double>(x[i]) * static_cast<double>(y[i]);
  return sum;
}
double dot_float_simd(const float* x, const float* y, size_t n) { return dot_simd(x, y, n); }
double dot_mixed_simd(const float* x, const double* y, size_t n) { return dot_simd(x, y, n); }

float squared_distance_simd(const float* x, const float* y, size_t n) {
  const hn::ScalableTag<float> d;
  const size_t lanes = hn::Lanes(d);
  auto sum0 = hn::Zero(d), sum1 = hn::Zero(d);
  const auto squares = [&](size_t i, hn::Vec<decltype(d)> sum) HWY_ATTR {
    const auto difference = hn::Sub(hn::LoadU(d, x + i), hn::LoadU(d, y + i));
    return hn::MulAdd(difference, difference, sum);
  };
  size_t i = 0;
  for (; i + 2 * lanes <= n; i += 2 * lanes) {
    sum0 = squares(i, sum0);
    sum1 = squares(i + lanes, sum1);
  }
  float sum = hn::GetLane(hn::SumOfLanes(d, hn::Add(sum0, sum1)));
  for (; i < n; ++i) sum += (x[i] - y[i]) * (x[i] - y[i]);
  return sum;
}

void axpy_simd(double a, const float* x, double* y, size_t n) {
  const hn::ScalableTag<double> d;
  const hn::Rebind<float, decltype(d)> half;
  const size_t lanes = hn::Lanes(d);
  const auto factor = hn::Set(d, a);
  const auto step = [&](size_t i) HWY_ATTR {
    hn::StoreU(hn::MulAdd(factor, hn::PromoteTo(d, hn::LoadU(half, x + i)), hn::LoadU(d, y + i)), d,
               y + i);
  };
  size_t i = 0;
  for (; i + 4 * lanes <= n; i += 4 * lanes) {
    step(i);
    step(i + lanes);
    step(i + 2 * lanes);
    step(i + 3 * lanes);
  }
  for (; i + lanes <= n; i += lanes) step(i);
  for (; i < n; ++i) y[i] += a * static_cast<double>(x[i]);
}

}  // namespace muster::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace muster {

HWY_EXPORT(dot_float_simd);
HWY_EXPORT(dot_mixed_simd);
HWY_EXPORT(squared_distance_simd);
HWY_EXPORT(axpy_simd);

double dot(std::span<const float> x, std::span<const float> y) {
  MUSTER_CHECK(x.size() == y.size());
  return HWY_DYNAMIC_DISPATCH(dot_float_simd)(x.data(), y.data(), x.size());
}

double dot(std::span<const float> x, std::span<const double> y) {
  MUSTER_CHECK(x.size() == y.size());
  return HWY_DYNAMIC_DISPATCH(dot_mixed_simd)(x.data(), y.data(), x.size());
}

float squared_distance(std::span<const float> x, std::span<const float> y) {
  MUSTER_CHECK(x.size() == y.size());
  return HWY_DYNAMIC_DISPATCH(squared_distance_simd)(x.data(), y.data(), x.size());
}

void axpy(double a, std::span<const float> x, std::span<double> y) {
  MUSTER_CHECK(x.size() == y.size());
  HWY_DYNAMIC_DISPATCH(axpy_simd)(a, x.data(), y.data(), x.size());
}

}  // namespace muster
#endif  // HWY_ONCE
