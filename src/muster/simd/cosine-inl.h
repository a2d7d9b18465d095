// The cosine that elementwise.cc and hadamard.cc share, once per SIMD target.
#if defined(MUSTER_SIMD_COSINE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef MUSTER_SIMD_COSINE_INL_H_
#undef MUSTER_SIMD_COSINE_INL_H_
#else
#define MUSTER_SIMD_COSINE_INL_H_
#endif

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace muster::HWY_NAMESPACE {

// cos(2 pi u) for any u. With r = u - round(u) in [-1/2, 1/2] and s = 1/4 - |r| in [-1/4, 1/4] it
// is sin(2 pi s): s times a polynomial in s^2, fitted to an error of 3e-9 over that interval.
template <class D>
HWY_INLINE hwy::HWY_NAMESPACE::Vec<D> cos_turns(D d, hwy::HWY_NAMESPACE::Vec<D> turns) {
  namespace hn = hwy::HWY_NAMESPACE;
  using Vec = hn::Vec<D>;
  const Vec s = hn::Sub(hn::Set(d, 0.25f), hn::Abs(hn::Sub(turns, hn::Round(turns))));
  const Vec t = hn::Mul(s, s);
  Vec p = hn::MulAdd(t, hn::Set(d, 39.53671970884667f), hn::Set(d, -76.54978424070764f));
  p = hn::MulAdd(t, p, hn::Set(d, 81.60100416631542f));
  p = hn::MulAdd(t, p, hn::Set(d, -41.34165503307503f));
  p = hn::MulAdd(t, p, hn::Set(d, 6.2831851600975535f));
  return hn::Mul(s, p);
}

inline constexpr float kTurnsPerRadian = 0.15915494309189535f;

}  // namespace muster::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // MUSTER_SIMD_COSINE_INL_H_
