// jpeglib.h needs size_t and FILE declared before it.
#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <memory>
// (in this order)
#include <jerror.h>
#include <jpeglib.h>

#include "muster/image/decode.h"
#include "muster/image/formats.h"

namespace muster {
namespace {

using namespace std::string_view_literals;

// Encoders write about ten scans for a progressive picture. Each costs a pass over all of its
// blocks, however few bytes it has.
constexpr int kMaxScans = 32;

// Coefficients of a progressive picture, three components of two bytes; and what else it needs.
constexpr uint64_t kCodecBytesPerPixel = 6, kMoreCodecBytes = 50'000'000;

// At most: a Huffman code has one bit at least, and there is one for each block of 8 x 8 pixels.
// Arithmetic codes can be shorter; this bounds what a few bytes can make us allocate.
constexpr uint64_t kPixelsPerByte = 512;

// libjpeg's handler, extended by what we need to leave a codec and to remember why.
struct JpegErrors {
  jpeg_error_mgr base;  // first, so that libjpeg's pointer to it is one to us
  std::jmp_buf leave;
  char message[JMSG_LENGTH_MAX] = "";
};

void leave_codec(j_common_ptr info) {
  auto* errors = reinterpret_cast<JpegErrors*>(info->err);
  errors->base.format_message(info, errors->message);
  std::longjmp(errors->leave, 1);
}

// Warnings are recoverable faults in the data. Those that mean missing data end the decoding: the
// decoder would fill in grey. The others (stray bytes between segments) are common and harmless.
void note_message(j_common_ptr info, int level) {
  const int code = info->err->msg_code;
  if (level < 0 && (code == JWRN_HIT_MARKER || code == JWRN_JPEG_EOF)) leave_codec(info);
}

void print_nothing(j_common_ptr) {}

void install(JpegErrors& errors, jpeg_error_mgr*& target) {
  target = jpeg_std_error(&errors.base);
  errors.base.error_exit = leave_codec;
  errors.base.emit_message = note_message;
  errors.base.output_message = print_nothing;
}

void count_scans(j_common_ptr info) {
  if (reinterpret_cast<j_decompress_ptr>(info)->input_scan_number <= kMaxScans) return;
  auto* errors = reinterpret_cast<JpegErrors*>(info->err);
  std::snprintf(errors->message, sizeof(errors->message), "more than %d scans", kMaxScans);
  std::longjmp(errors->leave, 1);
}

// CMYK as RGB; Adobe's files hold the complements of C, M, Y and K.
void cmyk_row(const uint8_t* in, int width, bool complements, uint8_t* out) {
  for (int x = 0; x < width; ++x, in += 4, out += 3) {
    const int flip = complements ? 0 : 255;
    const int light = in[3] ^ flip;
    for (int c = 0; c < 3; ++c) out[c] = static_cast<uint8_t>(((in[c] ^ flip) * light + 127) / 255);
  }
}

// What a decoder owns; nothing in it is made between setjmp and longjmp.
struct JpegDecoder {
  jpeg_decompress_struct info{};
  JpegErrors errors{};
  jpeg_progress_mgr progress{};
  Image pixels;
  std::vector<uint8_t> row;

  JpegDecoder() { install(errors, info.err); }
  JpegDecoder(const JpegDecoder&) = delete;
  JpegDecoder& operator=(const JpegDecoder&) = delete;
  ~JpegDecoder() { jpeg_destroy_decompress(&info); }
};

// False after an error, as read_pixels. No object here has a destructor: longjmp would skip it.
bool read_header(JpegDecoder& decoder, const PictureBytes& in) {
  jpeg_decompress_struct& info = decoder.info;
  if (setjmp(decoder.errors.leave) != 0) return false;
  jpeg_create_decompress(&info);
  info.mem->max_memory_to_use =
      static_cast<long>(kCodecBytesPerPixel * most_pixels(in) + kMoreCodecBytes);
  decoder.progress.progress_monitor = count_scans;
  info.progress = &decoder.progress;
  jpeg_save_markers(&info, JPEG_APP0 + 1, 0xFFFF);
  jpeg_mem_src(&info, reinterpret_cast<const unsigned char*>(in.bytes.data()), in.bytes.size());
  jpeg_read_header(&info, TRUE);
  return true;
}

bool read_pixels(JpegDecoder& decoder) {
  jpeg_decompress_struct& info = decoder.info;
  Image& image = decoder.pixels;
  if (setjmp(decoder.errors.leave) != 0) return false;
  const bool cmyk = info.jpeg_color_space == JCS_CMYK || info.jpeg_color_space == JCS_YCCK;
  info.out_color_space = cmyk ? JCS_CMYK : JCS_RGB;
  jpeg_start_decompress(&info);
  image.width = static_cast<int>(info.output_width);
  image.height = static_cast<int>(info.output_height);
  image.rgb.resize(size_t{3} * image.width * image.height);
  decoder.row.resize(size_t{4} * image.width);
  while (info.output_scanline < info.output_height) {
    uint8_t* out = image.rgb.data() + size_t{3} * image.width * info.output_scanline;
    JSAMPROW target = cmyk ? decoder.row.data() : out;
    jpeg_read_scanlines(&info, &target, 1);
    if (cmyk) cmyk_row(decoder.row.data(), image.width, info.saw_Adobe_marker, out);
  }
  jpeg_finish_decompress(&info);
  return true;
}

// The largest of 2, 4 and 8 that leaves twice the wanted side and one pixel at least: the DCT then
// averages blocks of pixels before they are made, and the area average does the rest.
unsigned shrinkage(unsigned width, unsigned height, int wanted) {
  const auto [shortest, longest] = std::minmax(width, height);
  unsigned out = 1;
  if (wanted == 0) return out;
  while (out < 8 && longest / (2 * out) >= 2 * static_cast<unsigned>(wanted) && shortest >= 2 * out)
    out *= 2;
  return out;
}

int orientation_of(const jpeg_decompress_struct& info) {
  for (const jpeg_marker_struct* m = info.marker_list; m != nullptr; m = m->next) {
    const ByteReader in(std::as_bytes(std::span(m->data, m->data_length)));
    if (m->marker == JPEG_APP0 + 1 && in.has(0, "Exif\0\0"sv)) return exif_orientation(in.from(6));
  }
  return 1;
}

StoredPicture decode_jpeg(const PictureBytes& in) {
  JpegDecoder decoder;
  const auto fail = [&] { return damaged(in, kJpegFormat, decoder.errors.message); };
  if (!read_header(decoder, in)) throw fail();
  jpeg_decompress_struct& info = decoder.info;
  const uint64_t width = info.image_width, height = info.image_height;
  check_size(in, kJpegFormat, width, height);
  if (in.bytes.size() < width * height / (info.arith_code ? 16 * kPixelsPerByte : kPixelsPerByte))
    throw damaged(in, kJpegFormat, "too few bytes for its size: cut short");
  info.scale_denom = shrinkage(info.image_width, info.image_height, in.longest_side_px);
  const int orientation = orientation_of(info);  // the end of decoding drops the markers
  if (!read_pixels(decoder)) throw fail();
  return {std::move(decoder.pixels), static_cast<int>(width), static_cast<int>(height), orientation,
          static_cast<int>(info.scale_denom)};
}

struct JpegEncoder {
  jpeg_compress_struct info{};
  JpegErrors errors{};
  unsigned char* data = nullptr;
  unsigned long size = 0;

  JpegEncoder() { install(errors, info.err); }
  JpegEncoder(const JpegEncoder&) = delete;
  JpegEncoder& operator=(const JpegEncoder&) = delete;
  ~JpegEncoder() {
    jpeg_destroy_compress(&info);
    std::free(data);
  }
};

bool write_pixels(JpegEncoder& encoder, const Image& image, int quality) {
  jpeg_compress_struct& info = encoder.info;
  if (setjmp(encoder.errors.leave) != 0) return false;
  jpeg_create_compress(&info);
  jpeg_mem_dest(&info, &encoder.data, &encoder.size);
  info.image_width = static_cast<JDIMENSION>(image.width);
  info.image_height = static_cast<JDIMENSION>(image.height);
  info.input_components = 3;
  info.in_color_space = JCS_RGB;
  jpeg_set_defaults(&info);
  jpeg_set_quality(&info, quality, TRUE);
  jpeg_start_compress(&info, TRUE);
  while (info.next_scanline < info.image_height) {
    const uint8_t* line = image.rgb.data() + size_t{3} * image.width * info.next_scanline;
    auto* row = const_cast<JSAMPROW>(line);  // libjpeg does not write to it
    jpeg_write_scanlines(&info, &row, 1);
  }
  jpeg_finish_compress(&info);
  return true;
}

}  // namespace

const PictureFormat kJpegFormat = {
    "JPEG", [](const ByteReader& in) { return in.has(0, "\xFF\xD8\xFF"sv); }, decode_jpeg};

std::vector<std::byte> encode_jpeg(const Image& image, int quality) {
  MUSTER_CHECK(image.width > 0 && image.height > 0);
  JpegEncoder encoder;
  if (!write_pixels(encoder, image, quality)) {
    throw runtime_failure("a picture of {} x {} pixels cannot be written as JPEG: {}", image.width,
                          image.height, encoder.errors.message);
  }
  const auto bytes = std::as_bytes(std::span(encoder.data, encoder.size));
  return {bytes.begin(), bytes.end()};
}

}  // namespace muster
