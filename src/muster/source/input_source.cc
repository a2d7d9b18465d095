#include "muster/source/input_source.h"

#include "muster/core/check_set.h"
#include "muster/dataset/file_names.h"
#include "muster/image/decode.h"
#include "muster/store/npy.h"

namespace muster {
namespace {

ItemKind kind_of_path(const std::filesystem::path& path) {
  const std::optional<ItemKind> kind = item_kind(path);
  if (!kind)
    throw data_error("{}: neither a picture nor a vector set by its name; allowed are {}",
                     path.string(), kItemExtensions);
  return *kind;
}

// Three equal channels for grey.
Image image_of(const PixelView& view, const std::string& name) {
  if (view.width <= 0 || view.height <= 0)
    throw data_error("{}: the picture is {} x {} pixels; it needs one pixel or more", name,
                     view.width, view.height);
  if (!view.data) throw data_error("{}: the pointer to its pixels is null", name);
  if (view.channels != 1 && view.channels != 3)
    throw data_error("{}: it has {} channels; allowed are 1 (grey) and 3 (red, green, blue)", name,
                     view.channels);
  if (static_cast<uint64_t>(view.width) * static_cast<uint64_t>(view.height) > kMaxPixels)
    throw data_error("{}: {} x {} pixels are more than the {} million allowed; shrink the picture",
                     name, view.width, view.height, kMaxPixels / 1'000'000);
  const size_t row_bytes = static_cast<size_t>(view.width) * static_cast<size_t>(view.channels);
  const size_t stride = view.stride == 0 ? row_bytes : view.stride;
  if (stride < row_bytes)
    throw data_error("{}: a stride of {} bytes is less than a row's {}", name, stride, row_bytes);
  Image out{view.width, view.height, {}};
  out.rgb.reserve(3 * static_cast<size_t>(view.width) * static_cast<size_t>(view.height));
  for (size_t y = 0; y < static_cast<size_t>(view.height); ++y) {
    const uint8_t* row = view.data + y * stride;
    if (view.channels == 3)
      out.rgb.insert(out.rgb.end(), row, row + row_bytes);
    else
      for (size_t x = 0; x < row_bytes; ++x) out.rgb.insert(out.rgb.end(), 3, row[x]);
  }
  return out;
}

Image decoded_elsewhere(EncodedPicture picture, const std::string& name, int longest_side_px) {
  picture.name = name;
  Pixels pixels = picture.decoder->decode(picture, longest_side_px);
  Image out{pixels.width, pixels.height, std::move(pixels.rgb)};
  if (out.width < 1 || out.height < 1 || out.rgb.size() != size_t{3} * out.width * out.height)
    throw data_error("{}: its decoder gave {} bytes for {} x {} pixels", name, out.rgb.size(),
                     out.width, out.height);
  return out;
}

Matrix<float> places_of(const SetView& view, const std::string& name) {
  if (!view.places) return Matrix<float>(view.rows, 0);
  if (view.place_columns != 2 && view.place_columns != 3)
    throw data_error("{}: places have {} columns; allowed are 2 (x, y) and 3 (x, y, scale)", name,
                     view.place_columns);
  Matrix<float> out(view.rows, 3);
  for (size_t r = 0; r < view.rows; ++r)
    for (size_t c = 0; c < view.place_columns; ++c)
      out(r, c) = view.places[r * view.place_columns + c];
  return out;
}

VectorSet set_of(const SetView& view, const std::string& name) {
  if (view.dim == 0)
    throw data_error("{}: its vectors have no components; expected n x d with d >= 1", name);
  if (view.rows > 0 && !view.vectors)
    throw data_error("{}: the pointer to its vectors is null", name);
  const size_t stride = view.stride == 0 ? view.dim : view.stride;
  if (stride < view.dim)
    throw data_error("{}: a stride of {} numbers is less than a row's {}", name, stride, view.dim);
  VectorSet out{Matrix<float>(ConstMatrixView(view.vectors, view.rows, view.dim, stride)),
                places_of(view, name)};
  if (view.weights) out.weights.assign(view.weights, view.weights + view.rows);
  check_set(out, name);
  return out;
}

VectorSet set_of(const EncodedSet& set, const std::string& name) {
  Matrix<float> vectors = npy_to_matrix<float>(parse_npy(set.bytes, name), name);
  if (vectors.cols() == 0)
    throw data_error("{}: its vectors have no components; expected n x d with d >= 1", name);
  VectorSet out{std::move(vectors), {}};
  out.places = Matrix<float>(out.size(), 0);
  check_set(out, name);
  return out;
}

}  // namespace

std::string InputSource::name(size_t item) const {
  const Input input = inputs_[item];
  if (const auto* path = std::get_if<std::filesystem::path>(&input.value())) return path->string();
  if (const auto* picture = std::get_if<EncodedPicture>(&input.value());
      picture && !picture->name.empty())
    return picture->name;
  if (const auto* set = std::get_if<EncodedSet>(&input.value()); set && !set->name.empty())
    return set->name;
  return fmt::format("item {}", first_ + item + 1);
}

ItemKind InputSource::kind(size_t item) const {
  const Input input = inputs_[item];
  if (const auto* path = std::get_if<std::filesystem::path>(&input.value()))
    return kind_of_path(*path);
  const bool set = std::holds_alternative<SetView>(input.value()) ||
                   std::holds_alternative<EncodedSet>(input.value());
  return set ? ItemKind::kVectorSets : ItemKind::kImages;
}

VectorSet InputSource::load(const Extraction* extraction, size_t item) const {
  const Input input = inputs_[item];
  if (const auto* set = std::get_if<SetView>(&input.value())) return set_of(*set, name(item));
  if (const auto* set = std::get_if<EncodedSet>(&input.value())) return set_of(*set, name(item));
  if (const auto* path = std::get_if<std::filesystem::path>(&input.value()))
    return load_file(path->string(), kind_of_path(*path), extraction);
  if (!extraction) refuse_picture(name(item));
  return extract(*extraction, picture(item, extraction->max_side_px), name(item));
}

Image InputSource::picture(size_t item, int longest_side_px) const {
  if (kind(item) != ItemKind::kImages)
    throw usage_error("{}: a vector set is not a picture that can be drawn", name(item));
  const Input input = inputs_[item];
  DecodeOptions decode;
  decode.longest_side_px = longest_side_px;
  if (const auto* path = std::get_if<std::filesystem::path>(&input.value()))
    return read_image(*path, decode);
  if (const auto* pixels = std::get_if<PixelView>(&input.value()))
    return shrink(image_of(*pixels, name(item)), longest_side_px);
  const auto& encoded = std::get<EncodedPicture>(input.value());
  if (encoded.decoder) return decoded_elsewhere(encoded, name(item), longest_side_px);
  if (encoded.max_pixels > 0) decode.max_pixels = encoded.max_pixels;
  return decode_image(encoded.bytes, name(item), decode);
}

std::string InputSource::stamp(size_t item) const {
  const Input input = inputs_[item];
  const auto* path = std::get_if<std::filesystem::path>(&input.value());
  return path ? file_stamp(path->string(), std::filesystem::absolute(*path).string()) : "";
}

bool InputSource::in_memory(size_t item) const {
  return std::holds_alternative<SetView>(inputs_[item].value());
}

}  // namespace muster
