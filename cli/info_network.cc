#include "info_network.h"

#include "muster/dnn/network_model.h"
#include "muster/dnn/network_module.h"
#include "output.h"

namespace muster::cli {
namespace {

using Json = nlohmann::ordered_json;

// Sizes that a network says it takes, or else the size that dnn uses if none is named.
constexpr int kUsualSide = 256;

Json layer_json(const NetworkLayer& layer, const NetworkLayer* recommended) {
  const auto cells = cells_of(layer.shape);
  Json out{{"name", layer.name}, {"type", layer.type}, {"shape", layer.shape}};
  out["vectors"] = cells ? cells->rows * cells->columns : 0;
  out["dimension"] = cells ? cells->channels : 0;
  out["recommended"] = &layer == recommended;
  return out;
}

Json network_json(const std::string& file) {
  const auto model = NetworkModel::open(file);
  const NetworkInput& input = model->input();
  const int height = input.height > 0 ? input.height : kUsualSide;
  const int width = input.width > 0 ? input.width : kUsualSide;
  const std::vector<NetworkLayer> layers = model->layers(height, width);
  const NetworkLayer* recommended = recommended_layer(layers);
  Json out{{"file", file},
           {"kind", "network"},
           {"bytes", model->num_bytes()},
           {"checksum", model->checksum()},
           {"library", network_module().library},
           {"order", input.bgr ? "bgr" : "rgb"},
           {"mean", input.mean},
           {"scale", input.scale},
           {"input_from", input.why},
           {"fixed_size", input.width > 0},
           {"height", height},
           {"width", width},
           {"layers", Json::array()}};
  for (const NetworkLayer& layer : layers) out["layers"].push_back(layer_json(layer, recommended));
  return out;
}

std::string words_of(const Json& value, const char* key) { return value[key].get<std::string>(); }

}  // namespace

void show_network(const std::string& file, const Common& common) {
  const Json network = network_json(file);
  if (common.json) return print_json(network);
  print_result("{}: a neural network, {}, checksum {}, run by {}\n", file,
               bytes_text(network["bytes"].get<double>()), words_of(network, "checksum"),
               words_of(network, "library"));
  print_result("input: {} minus {:.5g}, times {:.5g} ({})\n", words_of(network, "order"),
               fmt::join(network["mean"].get<std::vector<double>>(), ", "),
               fmt::join(network["scale"].get<std::vector<double>>(), ", "),
               words_of(network, "input_from"));
  print_result("layers for pictures of {} x {}{}\n", network["width"].get<int>(),
               network["height"].get<int>(),
               network["fixed_size"] ? ", which is the size that the file names" : "");
  size_t width = 0;
  for (const Json& layer : network["layers"])
    width = std::max(width, words_of(layer, "name").size());
  for (const Json& layer : network["layers"]) {
    const int vectors = layer["vectors"];
    print_result(
        "  {:<{}}  {:<12} {:<18} {}{}\n", words_of(layer, "name"), width, words_of(layer, "type"),
        fmt::format("{}", fmt::join(layer["shape"].get<std::vector<int>>(), " x ")),
        vectors > 1
            ? fmt::format("{} vectors of dimension {}", vectors, layer["dimension"].get<int>())
            : "no cells",
        layer["recommended"] ? "  <- recommended" : "");
  }
}

}  // namespace muster::cli
