// The module muster-dnn.so: networks run by OpenCV's dnn. The only file that knows OpenCV.
#include <map>
#include <opencv2/core/utils/logger.hpp>
#include <opencv2/dnn.hpp>
#include <stdexcept>

#include "muster/dnn/network.h"

namespace muster {
namespace {

// The importer calls a layer "onnx_node!NAME", or "onnx_node_output_0!NAME" after its output.
std::string plain_name(const std::string& name) {
  const size_t mark = name.find('!');
  return name.starts_with("onnx_node") && mark != std::string::npos ? name.substr(mark + 1) : name;
}

// On one line, and no longer than a reader likes.
std::string one_line(const std::string& text) {
  constexpr size_t kMost = 300;
  std::string out;
  for (const char c : text) {
    const bool space = c == '\n' || c == '\t' || c == ' ' || c == '>';
    if (!space)
      out += c;
    else if (!out.empty() && out.back() != ' ')
      out += ' ';
  }
  while (out.ends_with(' ')) out.pop_back();
  return out.size() > kMost ? out.substr(0, kMost) + " ..." : out;
}

template <class Body>
auto in_our_words(const Body& body) {
  try {
    return body();
  } catch (const cv::Exception& error) {
    throw std::runtime_error(one_line(error.err.empty() ? error.what() : error.err));
  }
}

class OpenCvNetwork final : public Network {
 public:
  explicit OpenCvNetwork(const NetworkBytes& bytes) {
    const auto* weights = reinterpret_cast<const char*>(bytes.weights.data());
    const auto* description = reinterpret_cast<const char*>(bytes.description.data());
    net_ = bytes.description.empty()
               ? cv::dnn::readNetFromONNX(weights, bytes.weights.size())
               : cv::dnn::readNetFromCaffe(description, bytes.description.size(), weights,
                                           bytes.weights.size());
    if (net_.empty()) throw std::runtime_error("it has no layers");
    net_.setPreferableBackend(cv::dnn::DNN_BACKEND_OPENCV);
    net_.setPreferableTarget(cv::dnn::DNN_TARGET_CPU);
    for (const cv::String& name : net_.getLayerNames()) {
      names_.try_emplace(plain_name(name), name);
      if (!bytes.description.empty()) require_whole(*net_.getLayer(net_.getLayerId(name)));
    }
  }

  std::vector<NetworkLayer> layers(int height, int width) override {
    return in_our_words([&] {
      std::vector<int> ids;
      std::vector<std::vector<cv::dnn::MatShape>> in, out;
      net_.getLayersShapes(cv::dnn::MatShape{1, 3, height, width}, ids, in, out);
      std::vector<NetworkLayer> layers;
      for (size_t i = 0; i < ids.size(); ++i) {
        if (ids[i] == 0 || out[i].empty()) continue;  // 0 is the input
        const cv::Ptr<cv::dnn::Layer> layer = net_.getLayer(ids[i]);
        const std::string name = plain_name(layer->name);
        if (names_.at(name) == layer->name) layers.push_back({name, layer->type, out[i][0]});
      }
      return layers;
    });
  }

  std::vector<NetworkOutput> run(std::span<const float> input, int height, int width,
                                 const std::vector<std::string>& names) override {
    return in_our_words([&] {
      const int shape[] = {1, 3, height, width};
      // It is copied by setInput.
      net_.setInput(cv::Mat(4, shape, CV_32F, const_cast<float*>(input.data())));
      std::vector<cv::String> wanted;
      for (const std::string& name : names) wanted.push_back(names_.at(name));
      std::vector<cv::Mat> blobs;
      net_.forward(blobs, wanted);
      std::vector<NetworkOutput> out;
      for (const cv::Mat& blob : blobs) {
        const cv::Mat whole = blob.isContinuous() ? blob : blob.clone();
        if (whole.type() != CV_32F) throw std::runtime_error("a layer's values are not floats");
        const auto* values = whole.ptr<float>();
        out.push_back(
            {{whole.size.p, whole.size.p + whole.dims}, {values, values + whole.total()}});
      }
      return out;
    });
  }

 private:
  // The importer of Caffe models takes layers without their weights. (It makes a layer when it is
  // asked for: one of a type that it does not know is an error then.)
  static void require_whole(const cv::dnn::Layer& layer) {
    for (const char* type : {"Convolution", "Deconvolution", "InnerProduct"})
      if (layer.type == type && layer.blobs.empty())
        throw std::runtime_error("the file has no weights for layer " + layer.name);
  }

  cv::dnn::Net net_;
  std::map<std::string, std::string> names_;  // ours -> OpenCV's
};

std::unique_ptr<Network> open_network(const NetworkBytes& bytes) {
  return in_our_words(
      [&]() -> std::unique_ptr<Network> { return std::make_unique<OpenCvNetwork>(bytes); });
}

}  // namespace
}  // namespace muster

// Threads are muster's, over pictures, so that results do not depend on their number; and what goes
// wrong is said by exceptions.
extern "C" __attribute__((visibility("default"))) const void* muster_network_module() {
  static const muster::NetworkModule module = [] {
    cv::setNumThreads(1);
    cv::utils::logging::setLogLevel(cv::utils::logging::LOG_LEVEL_SILENT);
    return muster::NetworkModule{muster::kNetworkModuleVersion, "OpenCV " CV_VERSION,
                                 muster::open_network};
  }();
  return &module;
}
