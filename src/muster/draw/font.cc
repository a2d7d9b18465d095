#include "muster/draw/font.h"

#include <algorithm>

namespace muster {
namespace {

// Strokes are separated by spaces. A point is a column 0 .. 9 and a row from a (the top of
// capitals) by d (the top of small letters) and i (the baseline) to l (the end of descenders); a
// stroke of one point is a dot. Columns and rows are an eighth of the height of capitals apart.
constexpr const char* kStrokes[] = {
    /*   */ "",
    /* ! */ "0a0f 0i",
    /* " */ "0a0c 2a2c",
    /* # */ "2b1h 4b3h 0d5d 0f5f",
    /* $ */ "2a2j 4c3b1b0c0d1e3e4f4g3h1h0g",
    /* % */ "5a1i 0b1a2b1c0b 4h5g6h5i4h",
    /* & */ "5i1d1b2a3b3c0f0h1i3i5f",
    /* ' */ "0a0c",
    /* ( */ "2a1b0d0f1h2i",
    /* ) */ "0a1b2d2f1h0i",
    /* * */ "2b2f 0c4e 4c0e",
    /* + */ "2d2h 0f4f",
    /* , */ "1i0k",
    /* - */ "0f3f",
    /* . */ "0i",
    /* / */ "3a0i",
    /* 0 */ "1a3a4b4h3i1i0h0b1a",
    /* 1 */ "0c2a2i 0i4i",
    /* 2 */ "0b1a3a4b4d0i4i",
    /* 3 */ "0b1a3a4b4c3d4e4h3i1i0h 3d2d",
    /* 4 */ "3i3a0f4f",
    /* 5 */ "4a0a0d3d4e4h3i1i0h",
    /* 6 */ "4b3a1a0b0h1i3i4h4e3d1d0e",
    /* 7 */ "0a4a1i",
    /* 8 */ "1a3a4b4c3d1d0c0b1a 1d0e0h1i3i4h4e3d",
    /* 9 */ "4e3f1f0e0b1a3a4b4h3i1i0h",
    /* : */ "0e 0i",
    /* ; */ "1e 1i0k",
    /* < */ "4c0f4i",
    /* = */ "0e4e 0g4g",
    /* > */ "0c4f0i",
    /* ? */ "0b1a3a4b4c2e2f 2i",
    /* @ */ "4f3d2d1e1f2g3g4f4d 4f5g6f6c4a2a0c0g2i5i",
    /* A */ "0i3a6i 1f5f",
    /* B */ "0a0i4i5h5f4e0e 4e5d5b4a0a",
    /* C */ "5b4a1a0b0h1i4i5h",
    /* D */ "0a0i3i5g5c3a0a",
    /* E */ "4a0a0i4i 0e3e",
    /* F */ "4a0a0i 0e3e",
    /* G */ "5b4a1a0b0h1i4i5h5e3e",
    /* H */ "0a0i 5a5i 0e5e",
    /* I */ "0a0i",
    /* J */ "3a3h2i1i0h",
    /* K */ "0a0i 5a0f 2d5i",
    /* L */ "0a0i4i",
    /* M */ "0i0a3f6a6i",
    /* N */ "0i0a5i5a",
    /* O */ "1a4a5b5h4i1i0h0b1a",
    /* P */ "0i0a4a5b5d4e0e",
    /* Q */ "1a4a5b5h4i1i0h0b1a 3g6j",
    /* R */ "0i0a4a5b5d4e0e 2e5i",
    /* S */ "5b4a1a0b0d1e4e5f5h4i1i0h",
    /* T */ "0a6a 3a3i",
    /* U */ "0a0h1i4i5h5a",
    /* V */ "0a3i6a",
    /* W */ "0a2i4b6i8a",
    /* X */ "0a5i 5a0i",
    /* Y */ "0a3e6a 3e3i",
    /* Z */ "0a5a0i5i",
    /* [ */ "2a0a0j2j",
    /* \ */ "0a3i",
    /* ] */ "0a2a2j0j",
    /* ^ */ "0c2a4c",
    /* _ */ "0j5j",
    /* ` */ "0a1b",
    /* a */ "0e1d3d4e4i 4f1f0g0h1i3i4h",
    /* b */ "0a0i 0e1d3d4e4h3i1i0h",
    /* c */ "4e3d1d0e0h1i3i4h",
    /* d */ "4a4i 4e3d1d0e0h1i3i4h",
    /* e */ "0f4f4e3d1d0e0h1i3i4h",
    /* f */ "3a2a1b1i 0d3d",
    /* g */ "4d4k3l1l0k 4e3d1d0e0h1i3i4h",
    /* h */ "0a0i 0e1d3d4e4i",
    /* i */ "0d0i 0b",
    /* j */ "1d1k0l 1b",
    /* k */ "0a0i 3d0g 1f4i",
    /* l */ "0a0h1i",
    /* m */ "0d0i 0e1d2d3e3i 3e4d5d6e6i",
    /* n */ "0d0i 0e1d3d4e4i",
    /* o */ "1d3d4e4h3i1i0h0e1d",
    /* p */ "0d0l 0e1d3d4e4h3i1i0h",
    /* q */ "4d4l 4e3d1d0e0h1i3i4h",
    /* r */ "0d0i 0f2d3d",
    /* s */ "4e3d1d0e1f3f4g4h3i1i0h",
    /* t */ "1b1h2i3i 0d3d",
    /* u */ "0d0h1i3i4h 4d4i",
    /* v */ "0d2i4d",
    /* w */ "0d1i3e5i6d",
    /* x */ "0d4i 4d0i",
    /* y */ "0d2i 4d1l0l",
    /* z */ "0d4d0i4i",
    /* { */ "2a1b1d0e1f1h2i",
    /* | */ "0a0k",
    /* } */ "0a1b1d2e1f1h0i",
    /* ~ */ "0f1e3g4f",
};
static_assert(std::size(kStrokes) == 126 - 32 + 1);

constexpr double kUnitsPerHeight = 8, kGap = 2, kSpace = 3;  // in columns

std::string_view strokes_of(unsigned char character) {
  const bool is_known = character >= 32 && character <= 126;
  return kStrokes[(is_known ? character : '?') - 32];
}

// Columns that a character takes, with the gap that follows.
double advance(std::string_view strokes) {
  double last = strokes.empty() ? kSpace - kGap : 0;
  for (const char c : strokes)
    if (c >= '0' && c <= '9') last = std::max<double>(last, c - '0');
  return last + kGap;
}

Spot point(std::string_view pair, double left) {
  return {left + (pair[0] - '0'), static_cast<double>(pair[1] - 'i')};
}

// In units of columns, from `left` on.
std::vector<Segment> segments_of(std::string_view strokes, double left) {
  std::vector<Segment> out;
  while (!strokes.empty()) {
    const std::string_view stroke = strokes.substr(0, strokes.find(' '));
    strokes.remove_prefix(std::min(strokes.size(), stroke.size() + 1));
    const Spot first = point(stroke, left);
    if (stroke.size() == 2) out.push_back({first, first});
    for (size_t at = 2; at < stroke.size(); at += 2)
      out.push_back({point(stroke.substr(at - 2), left), point(stroke.substr(at), left)});
  }
  return out;
}

bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

}  // namespace

std::vector<Glyph> set_text(std::string_view text, double height_px) {
  const double unit = height_px / kUnitsPerHeight;
  std::vector<Glyph> out;
  double left = 0;
  for (const char c : text) {
    if (continues_character(c)) continue;
    const std::string_view strokes = strokes_of(static_cast<unsigned char>(c));
    Glyph& glyph = out.emplace_back(Glyph{segments_of(strokes, left)});
    for (Segment& s : glyph.segments)
      s = {{unit * s.from.x, unit * s.from.y}, {unit * s.to.x, unit * s.to.y}};
    left += advance(strokes);
  }
  return out;
}

double text_width(std::string_view text, double height_px) {
  double columns = 0;
  for (const char c : text)
    if (!continues_character(c)) columns += advance(strokes_of(static_cast<unsigned char>(c)));
  return columns * height_px / kUnitsPerHeight;
}

}  // namespace muster
