// What stands between muster and the library that runs neural networks: the module muster-dnn.so
// implements it and is loaded only if a recipe names a network (docs/decisions/0023-networks.md).
// Standard library only, so that the module needs nothing else of muster.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace muster {

// A layer and the shape of its first output for some input: 1 x channels x height x width of a
// map.
struct NetworkLayer {
  std::string name;
  std::string type;
  std::vector<int> shape;
};

// Values in the order of the shape, the last dimension first to change.
struct NetworkOutput {
  std::vector<int> shape;
  std::vector<float> values;
};

// One thread at a time. Everything that goes wrong is a std::runtime_error with the library's
// words.
class Network {
 public:
  virtual ~Network() = default;
  // In the order of computation, for an input of 1 x 3 x height x width; without running it.
  virtual std::vector<NetworkLayer> layers(int height, int width) = 0;
  // Runs it as far as the named layers need, on the calling thread. `input`: 3 planes of height x
  // width.
  virtual std::vector<NetworkOutput> run(std::span<const float> input, int height, int width,
                                         const std::vector<std::string>& names) = 0;
};

// The bytes of a model: of an ONNX file, or of a Caffe model and its description.
struct NetworkBytes {
  std::span<const std::byte> weights;
  std::span<const std::byte> description = {};  // empty for ONNX
};

// What the module gives; another version than the caller's is refused.
struct NetworkModule {
  int version;
  const char* library;  // its name and version, for people
  std::unique_ptr<Network> (*open)(const NetworkBytes& bytes);
};
inline constexpr int kNetworkModuleVersion = 1;
inline constexpr const char* kNetworkModuleSymbol = "muster_network_module";

}  // namespace muster
