#include "muster/dnn/network_model.h"

#include <algorithm>
#include <cmath>

#include "muster/core/error.h"
#include "muster/dnn/network_module.h"
#include "muster/dnn/onnx_file.h"
#include "muster/store/checksum.h"

namespace muster {
namespace {

namespace fs = std::filesystem;

bool is_caffe(const fs::path& path) { return path.extension() == ".caffemodel"; }

std::shared_ptr<const MappedFile> open_description(const fs::path& path) {
  if (!is_caffe(path)) return nullptr;
  fs::path beside = path;
  beside.replace_extension(".prototxt");
  if (!fs::is_regular_file(beside))
    throw data_error("{}: a Caffe model needs its description beside it, but there is no {}",
                     path.string(), beside.string());
  return MappedFile::open(beside);
}

std::string checksum_text(const MappedFile& weights, const MappedFile* description) {
  Checksum sum;
  sum.update(weights.bytes());
  if (description) sum.update(description->bytes());
  return fmt::format("{:016x}", sum.digest());
}

NetworkInput caffe_input(const char* why) { return {true, {104, 117, 123}, {1, 1, 1}, why}; }

// ONNX's own keys for pictures (its page on image categories of tensors).
std::optional<NetworkInput> described_input(const OnnxModel& model) {
  const auto of = [&](const char* key) {
    const auto found = model.metadata.find(key);
    return found == model.metadata.end() ? std::string() : found->second;
  };
  const std::string format = of("Image.BitmapPixelFormat"), range = of("Image.NominalPixelRange");
  if (format.empty() && range.empty()) return {};
  NetworkInput out{format.starts_with("Bgr"), {0, 0, 0}, {1, 1, 1}, "the file's metadata"};
  if (range == "Normalized_0_1") out.scale.assign(3, 1.0 / 255);
  if (range == "Normalized_1_1") {
    out.mean.assign(3, 127.5);
    out.scale.assign(3, 1.0 / 127.5);
  }
  return out;
}

// Which size a network is opened for if it takes any; it runs at others as well.
constexpr int kOpenedSide = 256;

NetworkInput onnx_input(const OnnxModel& model, const std::string& file) {
  if (model.inputs.size() != 1)
    throw data_error("{}: the network has {} inputs; it must have one, for pictures", file,
                     model.inputs.size());
  const OnnxValue& value = model.inputs[0];
  const auto free_or = [&](size_t i, long size) {
    return value.shape[i] == -1 || value.shape[i] == size;
  };
  if (value.element_type != 1 ||
      (!value.shape.empty() && (value.shape.size() != 4 || !free_or(0, 1) || !free_or(1, 3))))
    throw data_error(
        "{}: the network's input '{}' is not a picture: it must be floats of 1 x 3 x height x "
        "width",
        file, value.name);
  NetworkInput out;
  if (const auto described = described_input(model))
    out = *described;
  else if (value.name == "data" && !model.outputs.empty() && model.outputs[0].name == "prob")
    out = caffe_input("its input is called data and its output prob, as in Caffe");
  else
    out = {false,
           {123.675, 116.28, 103.53},
           {1 / 58.395, 1 / 57.12, 1 / 57.375},
           "most networks trained on ImageNet; the file does not say"};
  if (value.shape.size() == 4 && value.shape[2] > 0 && value.shape[3] > 0) {
    out.height = static_cast<int>(std::min(value.shape[2], 100000L));
    out.width = static_cast<int>(std::min(value.shape[3], 100000L));
  }
  return out;
}

int whole_root(int value) {
  const int root = static_cast<int>(std::lround(std::sqrt(static_cast<double>(value))));
  return root * root == value ? root : 0;
}

}  // namespace

std::optional<LayerCells> cells_of(const std::vector<int>& shape) {
  if (std::ranges::any_of(shape, [](int size) { return size < 1; })) return {};
  if (shape.size() == 4 && shape[0] == 1) return LayerCells{shape[2], shape[3], shape[1]};
  const bool batch = shape.size() == 3 && shape[0] == 1;
  if (!batch && shape.size() != 2) return {};
  const int tokens = shape[batch ? 1 : 0], channels = shape[batch ? 2 : 1];
  for (const int skipped : {0, 1})
    if (const int side = whole_root(tokens - skipped); side > 0)
      return LayerCells{side, side, channels, true, skipped};
  return {};
}

const NetworkLayer* recommended_layer(const std::vector<NetworkLayer>& layers) {
  if (layers.empty()) return nullptr;
  const std::vector<int>& last = layers.back().shape;
  const int classes = last.empty() ? 0 : *std::ranges::max_element(last);
  for (size_t i = layers.size(); i-- > 0;) {
    const auto cells = cells_of(layers[i].shape);
    if (cells && cells->rows > 1 && cells->columns > 1 && cells->channels > 1 &&
        cells->channels != classes)
      return &layers[i];
  }
  return nullptr;
}

NetworkModel::NetworkModel(fs::path path)
    : path_(std::move(path)),
      weights_(MappedFile::open(path_)),
      description_(open_description(path_)),
      checksum_(checksum_text(*weights_, description_.get())) {
  if (is_caffe(path_)) {
    input_ = caffe_input("Caffe's convention");
  } else {
    const OnnxModel model = read_onnx(weights_->bytes(), path_.string());
    input_ = onnx_input(model, path_.string());
    if (input_.width == 0)
      sized_ = with_input_size(weights_->bytes(), model.inputs[0].name, kOpenedSide, kOpenedSide);
  }
  give_back(take());
}

std::span<const std::byte> NetworkModel::network_bytes() const {
  return sized_.empty() ? weights_->bytes() : std::span<const std::byte>(sized_);
}

std::shared_ptr<const NetworkModel> NetworkModel::open(const fs::path& path) {
  return std::shared_ptr<const NetworkModel>(new NetworkModel(path));
}

size_t NetworkModel::num_bytes() const {
  return weights_->bytes().size() + (description_ ? description_->bytes().size() : 0);
}

std::unique_ptr<Network> NetworkModel::take() const {
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      std::unique_ptr<Network> out = std::move(idle_.back());
      idle_.pop_back();
      return out;
    }
  }
  const NetworkModule& module = network_module();
  try {
    return module.open(
        {network_bytes(), description_ ? description_->bytes() : std::span<const std::byte>()});
  } catch (const std::exception& error) {
    throw data_error("{}: {} cannot read the network: {}", path_.string(), module.library,
                     error.what());
  }
}

void NetworkModel::give_back(std::unique_ptr<Network> network) const {
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(network));
}

std::vector<NetworkLayer> NetworkModel::layers(int height, int width) const {
  std::unique_ptr<Network> network = take();
  try {
    std::vector<NetworkLayer> out = network->layers(height, width);
    give_back(std::move(network));
    return out;
  } catch (const std::exception& error) {
    throw usage_error(
        "dnn: {} does not take pictures of {} x {}{}: {}", path_.string(), width, height,
        input_.width > 0 ? fmt::format(" (its file says {} x {}: use sides={})", input_.width,
                                       input_.height, std::max(input_.width, input_.height))
                         : "",
        error.what());
  }
}

std::vector<NetworkOutput> NetworkModel::run(std::span<const float> input, int height, int width,
                                             const std::vector<std::string>& names) const {
  std::unique_ptr<Network> network = take();
  try {
    std::vector<NetworkOutput> out = network->run(input, height, width, names);
    give_back(std::move(network));
    return out;
  } catch (const std::exception& error) {  // the network is given up with its state
    throw data_error(
        "{} cannot run {} as far as {} on a picture of {} x {}: {}; name an earlier layer, or take "
        "the cells from .npy files that another library wrote",
        network_module().library, path_.string(), fmt::join(names, ", "), width, height,
        error.what());
  }
}

std::string network_checksum(const fs::path& path) {
  const auto weights = MappedFile::open(path), description = open_description(path);
  return checksum_text(*weights, description.get());
}

}  // namespace muster
