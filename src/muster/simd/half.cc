#include "muster/simd/half.h"

#include "muster/core/error.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "muster/simd/half.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace muster::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using F = hn::ScalableTag<float>;
using U = hn::RebindToUnsigned<F>;
using Half = hn::Rebind<uint16_t, F>;

// Integer arithmetic rather than Highway's own DemoteTo/PromoteTo: those round differently on CPUs
// without F16C, and a feature cache must not depend on the machine that wrote it.
HWY_INLINE hn::Vec<U> to_half_bits(hn::Vec<F> x) {
  const F f;
  const U u;
  const auto bits = hn::BitCast(u, x);
  const auto sign = hn::And(bits, hn::Set(u, 0x80000000u));
  const auto magnitude = hn::Xor(bits, sign);
  // Normal halves: move the exponent bias from 127 to 15, then round bit 13 to nearest even.
  const auto odd = hn::And(hn::ShiftRight<13>(magnitude), hn::Set(u, 1u));
  const auto rounded = hn::Add(magnitude, hn::Add(odd, hn::Set(u, 0xFFFu - (112u << 23))));
  const auto normal = hn::ShiftRight<13>(rounded);
  // Subnormal halves: adding 0.5 lines the mantissa up, and the addition itself rounds.
  const auto half = hn::Set(f, 0.5f);
  const auto subnormal =
      hn::Sub(hn::BitCast(u, hn::Add(hn::BitCast(f, magnitude), half)), hn::BitCast(u, half));
  const auto is_nan = hn::Gt(magnitude, hn::Set(u, 0x7F800000u));
  const auto special = hn::IfThenElse(is_nan, hn::Set(u, 0x7E00u), hn::Set(u, 0x7C00u));
  const auto finite = hn::IfThenElse(hn::Lt(magnitude, hn::Set(u, 113u << 23)), subnormal, normal);
  const auto overflows = hn::Gt(magnitude, hn::Set(u, 0x477FEFFFu));
  return hn::Or(hn::IfThenElse(overflows, special, finite), hn::ShiftRight<16>(sign));
}

HWY_INLINE hn::Vec<F> from_half_bits(hn::Vec<U> bits) {
  const F f;
  const U u;
  const auto sign = hn::ShiftLeft<16>(hn::And(bits, hn::Set(u, 0x8000u)));
  const auto shifted = hn::ShiftLeft<13>(hn::And(bits, hn::Set(u, 0x7FFFu)));
  const auto exponent = hn::And(shifted, hn::Set(u, 0x7C00u << 13));
  const auto normal = hn::Add(shifted, hn::Set(u, 112u << 23));
  const auto special = hn::Add(shifted, hn::Set(u, 224u << 23));
  const auto smallest = hn::Set(u, 113u << 23);
  const auto subnormal =
      hn::BitCast(u, hn::Sub(hn::BitCast(f, hn::Add(shifted, smallest)), hn::BitCast(f, smallest)));
  const auto small_or_normal = hn::IfThenElse(hn::Eq(exponent, hn::Zero(u)), subnormal, normal);
  const auto magnitude =
      hn::IfThenElse(hn::Eq(exponent, hn::Set(u, 0x7C00u << 13)), special, small_or_normal);
  return hn::BitCast(f, hn::Or(magnitude, sign));
}

// to[i] = convert(from[i]), lanes at a time; the last ones in padded copies.
template <class From, class To, class Convert>
HWY_INLINE void convert_simd(const From* from, To* to, size_t n, const Convert& convert) {
  const size_t lanes = hn::Lanes(F());
  size_t i = 0;
  for (; i + lanes <= n; i += lanes) convert(from + i, to + i);
  if (i == n) return;
  HWY_ALIGN From rest[hn::MaxLanes(F())] = {};
  HWY_ALIGN To converted[hn::MaxLanes(F())];
  for (size_t k = i; k < n; ++k) rest[k - i] = from[k];
  convert(rest, converted);
  for (size_t k = i; k < n; ++k) to[k] = converted[k - i];
}

void floats_to_halves_simd(const float* floats, uint16_t* halves, size_t n) {
  const F f;
  const Half h;
  const hn::RebindToSigned<F> i32;
  convert_simd(floats, halves, n, [&](const float* from, uint16_t* to) HWY_ATTR {
    // All values fit in 16 bits without a sign, so the saturating conversion changes nothing.
    hn::StoreU(hn::DemoteTo(h, hn::BitCast(i32, to_half_bits(hn::LoadU(f, from)))), h, to);
  });
}

void halves_to_floats_simd(const uint16_t* halves, float* floats, size_t n) {
  const F f;
  const U u;
  const Half h;
  convert_simd(halves, floats, n, [&](const uint16_t* from, float* to) HWY_ATTR {
    hn::StoreU(from_half_bits(hn::PromoteTo(u, hn::LoadU(h, from))), f, to);
  });
}

}  // namespace muster::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace muster {

HWY_EXPORT(floats_to_halves_simd);
HWY_EXPORT(halves_to_floats_simd);

void floats_to_halves(std::span<const float> floats, std::span<uint16_t> halves) {
  MUSTER_CHECK(floats.size() == halves.size());
  HWY_DYNAMIC_DISPATCH(floats_to_halves_simd)(floats.data(), halves.data(), floats.size());
}

void halves_to_floats(std::span<const uint16_t> halves, std::span<float> floats) {
  MUSTER_CHECK(floats.size() == halves.size());
  HWY_DYNAMIC_DISPATCH(halves_to_floats_simd)(halves.data(), floats.data(), halves.size());
}

}  // namespace muster
#endif  // HWY_ONCE
