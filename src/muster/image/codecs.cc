#include "muster/image/codecs.h"

// jpeglib.h needs size_t and FILE declared before it.
#include <jerror.h>
#include <jpeglib.h>
#include <png.h>

#include <csetjmp>
#include <cstdio>

namespace muster {
namespace {

// libjpeg's handler, extended by what we need to leave a decoder and to remember why.
struct JpegErrors {
  jpeg_error_mgr base;  // first, so that libjpeg's pointer to it is one to us
  std::jmp_buf leave;
  char message[JMSG_LENGTH_MAX] = "";
};

void leave_decoder(j_common_ptr info) {
  auto* errors = reinterpret_cast<JpegErrors*>(info->err);
  errors->base.format_message(info, errors->message);
  std::longjmp(errors->leave, 1);
}

// Warnings are recoverable faults in the data. Those that mean missing data end the decoding: the
// decoder would fill in grey. The others (stray bytes between segments) are common and harmless.
void note_message(j_common_ptr info, int level) {
  const int code = info->err->msg_code;
  if (level < 0 && (code == JWRN_HIT_MARKER || code == JWRN_JPEG_EOF)) leave_decoder(info);
}

void print_nothing(j_common_ptr) {}

// CMYK as RGB; Adobe's files hold the complements of C, M, Y and K.
void cmyk_row(const uint8_t* in, int width, bool complements, uint8_t* out) {
  for (int x = 0; x < width; ++x, in += 4, out += 3) {
    const int flip = complements ? 0 : 255;
    const int light = in[3] ^ flip;
    for (int c = 0; c < 3; ++c) out[c] = static_cast<uint8_t>(((in[c] ^ flip) * light + 127) / 255);
  }
}

// Everything between setjmp and longjmp: no object here has a destructor. False after an error.
bool run_jpeg(jpeg_decompress_struct& info, JpegErrors& errors, std::span<const std::byte> bytes,
              Image& image, std::vector<uint8_t>& row) {
  if (setjmp(errors.leave) != 0) return false;
  jpeg_create_decompress(&info);
  jpeg_mem_src(&info, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
  jpeg_read_header(&info, TRUE);
  const bool cmyk = info.jpeg_color_space == JCS_CMYK || info.jpeg_color_space == JCS_YCCK;
  info.out_color_space = cmyk ? JCS_CMYK : JCS_RGB;
  jpeg_start_decompress(&info);
  image.width = static_cast<int>(info.output_width);
  image.height = static_cast<int>(info.output_height);
  image.rgb.resize(size_t{3} * image.width * image.height);
  row.resize(size_t{4} * image.width);
  while (info.output_scanline < info.output_height) {
    uint8_t* out = image.rgb.data() + size_t{3} * image.width * info.output_scanline;
    JSAMPROW target = cmyk ? row.data() : out;
    jpeg_read_scanlines(&info, &target, 1);
    if (cmyk) cmyk_row(row.data(), image.width, info.saw_Adobe_marker, out);
  }
  jpeg_finish_decompress(&info);
  return true;
}

}  // namespace

Image decode_jpeg(std::span<const std::byte> bytes, const std::string& name) {
  JpegErrors errors{};
  jpeg_decompress_struct info{};
  info.err = jpeg_std_error(&errors.base);
  errors.base.error_exit = leave_decoder;
  errors.base.emit_message = note_message;
  errors.base.output_message = print_nothing;
  Image image;
  std::vector<uint8_t> row;
  const bool ok = run_jpeg(info, errors, bytes, image, row);
  jpeg_destroy_decompress(&info);
  if (!ok) {
    throw data_error("{}: damaged JPEG data ({}); copy the file again or leave it out", name,
                     errors.message);
  }
  return image;
}

Image decode_png(std::span<const std::byte> bytes, const std::string& name) {
  png_image png{};
  png.version = PNG_IMAGE_VERSION;
  const auto fail = [&] {
    const std::string reason = png.message;
    png_image_free(&png);
    return data_error("{}: damaged PNG data ({}); copy the file again or leave it out", name,
                      reason);
  };
  if (!png_image_begin_read_from_memory(&png, bytes.data(), bytes.size())) throw fail();
  png.format = PNG_FORMAT_RGBA;
  png.flags |= PNG_IMAGE_FLAG_16BIT_sRGB;  // 16 bits are the same scale, not linear light
  std::vector<uint8_t> rgba(PNG_IMAGE_SIZE(png));
  if (!png_image_finish_read(&png, nullptr, rgba.data(), 0, nullptr)) throw fail();
  return flatten_alpha(rgba, static_cast<int>(png.width), static_cast<int>(png.height));
}

Image flatten_alpha(std::span<const uint8_t> rgba, int width, int height) {
  Image image{width, height, std::vector<uint8_t>(rgba.size() / 4 * 3)};
  uint8_t* out = image.rgb.data();
  for (size_t i = 0; i < rgba.size(); i += 4, out += 3) {
    const int alpha = rgba[i + 3];
    for (size_t c = 0; c < 3; ++c)
      out[c] = static_cast<uint8_t>((rgba[i + c] * alpha + 255 * (255 - alpha) + 127) / 255);
  }
  return image;
}

}  // namespace muster
