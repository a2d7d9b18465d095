#include "muster/simd/label_counts.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "muster/simd/label_counts.cc"
// foreach_target.h comes before all else of Highway.
// clang-format off
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace muster::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using Tag = hn::CappedTag<uint32_t, 16>;
using Vec = hn::Vec<Tag>;

// One more where the label is the lane's.
HWY_INLINE Vec counted(Vec count, Vec label, Vec own) {
  return hn::Sub(count, hn::VecFromMask(Tag(), hn::Eq(label, own)));
}
HWY_INLINE void add_to(uint32_t* sum, Vec count) {
  hn::Store(hn::Add(hn::Load(Tag(), sum), count), Tag(), sum);
}

void add_row_simd(const uint8_t* HWY_RESTRICT labels, size_t n, uint32_t* HWY_RESTRICT sums) {
  const Tag d;
  const size_t lanes = hn::Lanes(d);
  for (size_t bin = 0; bin < kLabelBins; bin += 4 * lanes) {
    const Vec own0 = hn::Iota(d, static_cast<uint32_t>(bin));
    const Vec next = hn::Set(d, static_cast<uint32_t>(lanes));
    const Vec own1 = hn::Add(own0, next), own2 = hn::Add(own1, next), own3 = hn::Add(own2, next);
    Vec count0 = hn::Zero(d), count1 = count0, count2 = count0, count3 = count0;
    uint32_t* sum = sums + bin;
    for (size_t x = 0; x < n; ++x) {
      sum += kLabelBins;
      const Vec label = hn::Set(d, labels[x]);
      count0 = counted(count0, label, own0);
      count1 = counted(count1, label, own1);
      count2 = counted(count2, label, own2);
      count3 = counted(count3, label, own3);
      add_to(sum, count0);
      add_to(sum + lanes, count1);
      add_to(sum + 2 * lanes, count2);
      add_to(sum + 3 * lanes, count3);
    }
  }
}

void cell_roots_simd(const uint32_t* HWY_RESTRICT above, const uint32_t* HWY_RESTRICT below,
                     const uint32_t* HWY_RESTRICT corners, size_t cells, int height,
                     MatrixView<float> out) {
  const Tag d;
  const hn::RebindToSigned<Tag> di;
  const hn::RebindToFloat<Tag> df;
  const size_t lanes = hn::Lanes(d), bins = out.cols / cells;
  HWY_ALIGN float roots[kLabelBins];
  for (size_t i = 0; i < out.rows; ++i, above += kLabelBins, ++corners) {
    float* HWY_RESTRICT to = out.row(i).data();
    for (size_t c = 0; c < cells; ++c, above += kLabelBins, ++corners, to += bins) {
      const uint32_t* left = below + kLabelBins * corners[0];
      const uint32_t* right = below + kLabelBins * corners[1];
      const auto pixels =
          hn::Set(df, static_cast<float>(height) * static_cast<float>(corners[1] - corners[0]));
      for (size_t b = 0; b < kLabelBins; b += lanes) {
        const Vec to_row = hn::Sub(hn::Load(d, right + b), hn::Load(d, left + b));
        const Vec before = hn::Sub(hn::Load(d, above + kLabelBins + b), hn::Load(d, above + b));
        const auto count = hn::ConvertTo(df, hn::BitCast(di, hn::Sub(to_row, before)));
        hn::Store(hn::Sqrt(hn::Div(count, pixels)), df, roots + b);
      }
      std::copy(roots, roots + bins, to);
    }
  }
}

}  // namespace muster::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace muster {
HWY_EXPORT(add_row_simd);
HWY_EXPORT(cell_roots_simd);

void add_label_row(std::span<const uint8_t> labels, std::span<uint32_t> sums) {
  MUSTER_CHECK(sums.size() == kLabelBins * (labels.size() + 1));
  HWY_DYNAMIC_DISPATCH(add_row_simd)(labels.data(), labels.size(), sums.data());
}

void cell_label_roots(std::span<const uint32_t> above, std::span<const uint32_t> below,
                      std::span<const uint32_t> corners, size_t cells, int height,
                      MatrixView<float> out) {
  MUSTER_CHECK(corners.size() == out.rows * (cells + 1) &&
               above.size() == kLabelBins * corners.size() && out.cols % cells == 0 &&
               out.cols / cells <= kLabelBins && below.size() % kLabelBins == 0);
  HWY_DYNAMIC_DISPATCH(cell_roots_simd)
  (above.data(), below.data(), corners.data(), cells, height, out);
}

}  // namespace muster
#endif  // HWY_ONCE
