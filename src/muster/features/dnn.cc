#include "muster/features/dnn.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <mutex>

#include "muster/core/error.h"
#include "muster/dnn/network_model.h"
#include "muster/dnn/network_module.h"
#include "muster/image/resize.h"

namespace muster {
namespace {

namespace fs = std::filesystem;

constexpr const char* kAuto = "auto";
constexpr const char* kVariable = "MUSTER_DNN_MODEL";
// Sides other than the longest one: few different ones, since a network prepares itself for each,
// and none too small for a deep network's strides.
constexpr int kRounding = 16, kLeastSide = 64;
// Of all maps of one run together.
constexpr double kMostMapBytes = double{1 << 30};

bool is_auto(const std::string& text) { return text == kAuto; }

std::string variable() {
  const char* value = std::getenv(kVariable);
  return value ? value : "";
}

std::string model_path(const DnnOptions& options) {
  const std::string path = is_auto(options.model) ? variable() : options.model;
  if (path.empty())
    throw usage_error(
        "dnn: no network was named; give an ONNX file with --set dnn.model=FILE, or name it in {}. "
        "Any network trained on ImageNet will do, such as squeezenet1.1 or resnet50 of the ONNX "
        "model zoo",
        kVariable);
  if (!fs::is_regular_file(path)) throw usage_error("dnn: model={}: there is no such file", path);
  return fs::weakly_canonical(path).string();
}

struct InputSize {
  int width, height;
};

InputSize input_size(int width, int height, int side, bool tokens, const NetworkInput& input) {
  if (input.width > 0 && side == std::max(input.width, input.height))
    return {input.width, input.height};
  if (tokens) return {side, side};
  const int longest = std::max(width, height);
  const auto scaled = [&](int length) {
    if (length == longest) return side;
    const double wanted = static_cast<double>(length) * side / longest;
    const int rounded = kRounding * static_cast<int>(std::lround(wanted / kRounding));
    return std::clamp(rounded, std::min(kLeastSide, side), side);
  };
  return {scaled(width), scaled(height)};
}

Image resized(const Image& image, InputSize size) {
  const int width = std::min(size.width, image.width), height = std::min(size.height, image.height);
  Image out =
      width < image.width || height < image.height ? shrink_to(image, width, height) : image;
  return size.width > width || size.height > height ? enlarge_to(out, size.width, size.height)
                                                    : out;
}

std::vector<float> planes_of(const Image& image, const DnnOptions& options) {
  const size_t pixels = static_cast<size_t>(image.width) * static_cast<size_t>(image.height);
  std::vector<float> out(3 * pixels);
  for (size_t c = 0; c < 3; ++c) {
    const uint8_t* in = image.rgb.data() + (options.order == DnnOptions::Order::kBgr ? 2 - c : c);
    const auto mean = static_cast<float>(options.mean[c]);
    const auto scale = static_cast<float>(options.scale[c]);
    float* plane = out.data() + c * pixels;
    for (size_t i = 0; i < pixels; ++i) plane[i] = (static_cast<float>(in[3 * i]) - mean) * scale;
  }
  return out;
}

// A layer's output by cells.
class CellMap {
 public:
  CellMap(const NetworkOutput& output, const std::string& layer) : values_(output.values.data()) {
    const auto cells = cells_of(output.shape);
    if (!cells) throw data_error("dnn: layer {} gave no cells for this picture", layer);
    cells_ = *cells;
    if (cells_.tokens) values_ += static_cast<size_t>(cells_.skipped) * cells_.channels;
  }

  const LayerCells& cells() const { return cells_; }

  void add_cell(int row, int column, float weight, std::span<float> out) const {
    const size_t cell = static_cast<size_t>(row) * cells_.columns + column;
    const size_t channels = out.size();
    const size_t stride = cells_.tokens ? 1 : static_cast<size_t>(cells_.rows) * cells_.columns;
    const float* value = values_ + (cells_.tokens ? cell * channels : cell);
    for (size_t c = 0; c < channels; ++c, value += stride) out[c] += weight * *value;
  }

  // Between the centres of cells, (0, 0) to (1, 1) being the whole map.
  void add_at(double x, double y, std::span<float> out) const {
    const auto axis = [](double at, int count, int& low, int& high) {
      const double place = std::clamp(at * count - 0.5, 0.0, count - 1.0);
      low = static_cast<int>(place);
      high = std::min(low + 1, count - 1);
      return static_cast<float>(place - low);
    };
    int left = 0, right = 0, above = 0, below = 0;
    const float u = axis(x, cells_.columns, left, right), v = axis(y, cells_.rows, above, below);
    add_cell(above, left, (1 - u) * (1 - v), out);
    add_cell(above, right, u * (1 - v), out);
    add_cell(below, left, (1 - u) * v, out);
    add_cell(below, right, u * v, out);
  }

 private:
  const float* values_;
  LayerCells cells_;
};

void scale_to_length_one(std::span<float> vector) {
  double sum = 0;
  for (const float value : vector) sum += static_cast<double>(value) * value;
  if (sum == 0) return;
  const auto factor = static_cast<float>(1 / std::sqrt(sum));
  for (float& value : vector) value *= factor;
}

// The cells of one size of the picture, from row `begin` of the set on, which grows.
void append_cells(const std::vector<CellMap>& maps, size_t dim, VectorSet& set) {
  const LayerCells& grid = maps[0].cells();
  const size_t begin = set.size(), count = static_cast<size_t>(grid.rows) * grid.columns;
  Matrix<float> vectors(begin + count, dim), places(begin + count, 3);
  std::ranges::copy(set.vectors.values(), vectors.values().begin());
  std::ranges::copy(set.places.values(), places.values().begin());
  size_t row = begin;
  for (int r = 0; r < grid.rows; ++r)
    for (int c = 0; c < grid.columns; ++c, ++row) {
      const double x = (c + 0.5) / grid.columns, y = (r + 0.5) / grid.rows;
      places(row, 0) = static_cast<float>(x);
      places(row, 1) = static_cast<float>(y);
      places(row, 2) = 1.0f / static_cast<float>(std::max(grid.rows, grid.columns));
      std::span<float> out = vectors.row(row);
      maps[0].add_cell(r, c, 1, out.first(grid.channels));
      out = out.subspan(grid.channels);
      for (size_t m = 1; m < maps.size(); ++m) {
        maps[m].add_at(x, y, out.first(maps[m].cells().channels));
        out = out.subspan(maps[m].cells().channels);
      }
    }
  set.vectors = std::move(vectors);
  set.places = std::move(places);
}

class Dnn final : public Extractor {
 public:
  explicit Dnn(DnnOptions options) : options_(std::move(options)) {}

  size_t dim() const override { return opened().dim; }

  VectorSet extract(const Image& image) const override {
    const Opened& opened = this->opened();
    VectorSet set{Matrix<float>(0, opened.dim), Matrix<float>(0, 3), image.width, image.height};
    for (const int side : options_.sides) {
      const NetworkInput& input = opened.model->input();
      const Image seen =
          resized(image, input_size(image.width, image.height, side, opened.tokens, input));
      const std::vector<NetworkOutput> outputs =
          opened.model->run(planes_of(seen, options_), seen.height, seen.width, options_.layer);
      std::vector<CellMap> maps;
      for (size_t l = 0; l < outputs.size(); ++l) maps.emplace_back(outputs[l], options_.layer[l]);
      append_cells(maps, opened.dim, set);
    }
    if (options_.norm == DnnOptions::Norm::kL2)
      for (size_t i = 0; i < set.size(); ++i) scale_to_length_one(set.vectors.row(i));
    return set;
  }

 private:
  struct Opened {
    std::shared_ptr<const NetworkModel> model;
    size_t dim = 0;
    bool tokens = false;
  };

  const Opened& opened() const {
    std::call_once(once_, [&] { open(); });
    return opened_;
  }

  // As the recipe says where it was, or where it is now: the same bytes.
  std::shared_ptr<const NetworkModel> find() const {
    const std::string given = variable(), path = given.empty() ? options_.model : given;
    const std::string needed = fmt::format("the network that this model was trained with, {} ({})",
                                           options_.model, options_.checksum);
    if (!fs::is_regular_file(path))
      throw usage_error("dnn: there is no {}; name {} in {}", path, needed, kVariable);
    if (const std::string found = network_checksum(path); found != options_.checksum)
      throw usage_error("dnn: {} ({}) is not {}; name that in {}{}", path, found, needed, kVariable,
                        given.empty() ? "" : ", or unset it");
    return NetworkModel::open(path);
  }

  void open() const {
    opened_.model = options_.opened ? options_.opened : find();
    const int side = options_.longest_side();
    for (const NetworkLayer& layer : opened_.model->layers(side, side))
      for (const std::string& name : options_.layer)
        if (layer.name == name) {
          const auto cells = cells_of(layer.shape);
          opened_.dim += cells ? cells->channels : 0;
          opened_.tokens |= cells && cells->tokens;
        }
  }

  DnnOptions options_;
  mutable std::once_flag once_;
  mutable Opened opened_;
};

// '.' may stand for '/', which recipes would take for the end of a stage.
std::string find_layer(const std::string& wanted, const std::vector<NetworkLayer>& layers,
                       const std::string& path) {
  std::vector<std::string> known;
  for (const NetworkLayer& layer : layers) {
    if (layer.name == wanted) return wanted;
    known.push_back(layer.name);
  }
  for (std::string name : known) {
    std::string dotted = name;
    std::ranges::replace(dotted, '/', '.');
    if (dotted == wanted) return name;
  }
  throw usage_error("dnn: {} has no layer '{}'{}; muster info {} lists its layers", path, wanted,
                    did_you_mean(wanted, known), path);
}

const NetworkLayer& named(const std::vector<NetworkLayer>& layers, const std::string& name) {
  return *std::ranges::find(layers, name, &NetworkLayer::name);
}

// The layers, with names as the network has them. At every side they must give cells, in bounded
// memory.
void resolve_layers(const NetworkModel& model, DnnOptions& options) {
  for (const int side : options.sides) {
    const InputSize size = input_size(side, side, side, false, model.input());
    const std::vector<NetworkLayer> layers = model.layers(size.height, size.width);
    double bytes = 0;
    for (const NetworkLayer& layer : layers) {
      double values = sizeof(float);
      for (const int length : layer.shape) values *= length;
      bytes += values;
    }
    if (bytes > kMostMapBytes)
      throw usage_error(
          "dnn: sides={}: the maps of {} would take {:.1f} GiB per picture at that size, and 1 GiB "
          "is allowed; choose a smaller side",
          side, model.path().string(), bytes / kMostMapBytes);
    for (std::string& name : options.layer) {
      if (is_auto(name)) {
        const NetworkLayer* recommended = recommended_layer(layers);
        if (!recommended)
          throw usage_error("dnn: {} has no layer with cells; name one with layer=NAME",
                            model.path().string());
        name = recommended->name;
      }
      name = find_layer(name, layers, model.path().string());
      if (!cells_of(named(layers, name).shape))
        throw usage_error(
            "dnn: layer {} of {} gives {} values at side {}, which are neither a map nor the "
            "tokens of a square; muster info lists the layers",
            name, model.path().string(), fmt::join(named(layers, name).shape, " x "), side);
    }
  }
}

void require_three(const char* option, const std::vector<double>& values) {
  if (values.size() != 3)
    throw usage_error("dnn: option {} takes one number or three, but {} were given", option,
                      values.size());
}

}  // namespace

void DnnOptions::fields(Fields& f) {
  f("model", model,
    "file of the network: ONNX, or a .caffemodel with its .prototxt beside it; auto: the one that "
    "MUSTER_DNN_MODEL names");
  f("layer", layer,
    "whose output becomes the vectors, with '.' for '/'; of several the first gives the cells; "
    "auto: what muster info recommends");
  f("sides", sides, "longest side in pixels of what the network sees, one or several")
      .range(16, 4096);
  f("mean", mean, "taken from the pixels, one per channel or one for all; auto: as the model says")
      .range(-1e6, 1e6);
  f("scale", scale, "of the pixels after that; auto: as the model says").range(-1e6, 1e6);
  f.choice("order", order, {"auto", "bgr", "rgb"}, "of the channels; auto: as the model says");
  f.choice("norm", norm, {"none", "l2"}, "of every vector: l2 scales it to length 1");
  f("checksum", checksum, "of the network's file; auto: of the one that is there");
}

bool DnnOptions::resolved() const {
  return !is_auto(model) && std::ranges::none_of(layer, is_auto) && !mean.empty() &&
         !scale.empty() && order != Order::kAuto && !is_auto(checksum);
}

int DnnOptions::longest_side() const { return *std::ranges::max_element(sides); }

void resolve_dnn(DnnOptions& options) {
  if (options.resolved()) return;
  const auto model = NetworkModel::open(model_path(options));
  if (!is_auto(options.checksum) && options.checksum != model->checksum())
    throw usage_error("dnn: {} has the checksum {}, but {} is asked for", model->path().string(),
                      model->checksum(), options.checksum);
  options.opened = model;
  options.model = model->path().string();
  options.checksum = model->checksum();
  const NetworkInput& input = model->input();
  const auto fill = [](std::vector<double>& values, const std::vector<double>& described) {
    if (values.empty()) values = described;
    if (values.size() == 1) values.assign(3, values[0]);
  };
  fill(options.mean, input.mean);
  fill(options.scale, input.scale);
  require_three("mean", options.mean);
  require_three("scale", options.scale);
  if (options.order == DnnOptions::Order::kAuto)
    options.order = input.bgr ? DnnOptions::Order::kBgr : DnnOptions::Order::kRgb;
  resolve_layers(*model, options);
}

bool network_named() { return !variable().empty() && !find_network_module().empty(); }

std::unique_ptr<Extractor> make_dnn(const DnnOptions& options) {
  OptionsOf<DnnOptions>(options).validate("dnn");
  DnnOptions resolved = options;
  resolve_dnn(resolved);
  return std::make_unique<Dnn>(std::move(resolved));
}

}  // namespace muster
