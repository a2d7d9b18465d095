// A network's file: what it is, what it wants as input, which layers it has; and runs of it.
#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "muster/dnn/network.h"
#include "muster/store/mapped_file.h"

namespace muster {

// How pixels in [0, 255] become the network's input: scale[c] (pixel[c] - mean[c]), c in the order
// of the network's channels.
struct NetworkInput {
  bool bgr = false;
  std::vector<double> mean;
  std::vector<double> scale;
  std::string why;  // where these values come from, in words
  // If the file fixes them; else 0.
  int height = 0, width = 0;
};

// The cells of a layer's output: of a map one per place, of tokens one each.
struct LayerCells {
  int rows = 0, columns = 0;
  int channels = 0;
  bool tokens = false;
  int skipped = 0;  // tokens before the first cell: the class token
};
// Nothing for outputs that are neither a map (1 x channels x rows x columns) nor the patch tokens
// of a square (tokens x channels, one more for the class token).
std::optional<LayerCells> cells_of(const std::vector<int>& shape);

// The last layer whose cells are worth taking: with more than one cell, and not yet one channel for
// each of the network's classes. Null if there is none.
const NetworkLayer* recommended_layer(const std::vector<NetworkLayer>& layers);

// Immutable but for the networks that it keeps between runs; thread-safe.
class NetworkModel {
 public:
  // FILE.onnx, or FILE.caffemodel with FILE.prototxt beside it. A file that is not such a model is
  // a data error; so is one that the library cannot read, in its words.
  static std::shared_ptr<const NetworkModel> open(const std::filesystem::path& path);

  const std::filesystem::path& path() const { return path_; }
  // Of the bytes of all of its files, as 16 hexadecimal digits.
  const std::string& checksum() const { return checksum_; }
  const NetworkInput& input() const { return input_; }
  size_t num_bytes() const;

  // For an input of a size. One that does not fit the network is a usage error.
  std::vector<NetworkLayer> layers(int height, int width) const;
  // One network per thread that runs at once is kept. What goes wrong is a data error.
  std::vector<NetworkOutput> run(std::span<const float> input, int height, int width,
                                 const std::vector<std::string>& names) const;

 private:
  explicit NetworkModel(std::filesystem::path path);
  std::span<const std::byte> network_bytes() const;
  std::unique_ptr<Network> take() const;
  void give_back(std::unique_ptr<Network> network) const;

  std::filesystem::path path_;
  std::shared_ptr<const MappedFile> weights_, description_;
  std::vector<std::byte> sized_;  // the weights' bytes with a size, if they leave it open
  std::string checksum_;
  NetworkInput input_;
  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<Network>> idle_;
};

// The checksum that NetworkModel::checksum() would give, without opening the network.
std::string network_checksum(const std::filesystem::path& path);

}  // namespace muster
