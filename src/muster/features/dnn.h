// The cells of a neural network's feature map as local features: a picture becomes the network's
// input at one or several sizes, and every cell of a layer's output one vector with its place.
//
// Input: the picture with its longest side `sides` pixels (enlarged if it is smaller), the other
// one rounded to a multiple of 16 and at least 64; scale[c] (pixel[c] - mean[c]) in the network's
// order of channels. Output: of a map (1 x channels x rows x columns), row r and column c become
// the vector of its channels at the place ((c + 0.5) / columns, (r + 0.5) / rows), of scale
// 1 / max(rows, columns). Of patch tokens (n x d, n a square, or one more with a class token, which
// is left out) the picture is made square, and they are such cells row by row. With several layers,
// the first gives the cells, and the others are interpolated between theirs at the same places and
// appended.
//
// Runs through the module muster-dnn.so (muster/dnn). Cost per picture: one run of the network per
// side.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "muster/core/options.h"
#include "muster/features/extractor.h"

namespace muster {

class NetworkModel;

struct DnnOptions {
  std::string model = "auto";
  std::vector<std::string> layer = {"auto"};
  std::vector<int> sides = {256};
  std::vector<double> mean = {};   // auto
  std::vector<double> scale = {};  // auto
  enum class Order { kAuto, kBgr, kRgb } order = Order::kAuto;
  enum class Norm { kNone, kL2 } norm = Norm::kNone;
  std::string checksum = "auto";
  std::shared_ptr<const NetworkModel> opened = nullptr;  // not an option: what resolve_dnn() opened

  void fields(Fields& f);
  // Nothing is left for the model to say.
  bool resolved() const;
  int longest_side() const;
};

// Opens the model (or the one that MUSTER_DNN_MODEL names), and spells out what was auto: its path,
// its checksum, the layer and the input that it describes. Options that do not fit the model are a
// usage error; without a model it says how to get one. Nothing to do if all is spelled out.
void resolve_dnn(DnnOptions& options);

// Whether MUSTER_DNN_MODEL names a network and the module is there to run it.
bool network_named();

// If all was spelled out before, as in a trained model, the network is opened when a first picture
// comes: from MUSTER_DNN_MODEL if that is set, else from where it was. One with another checksum is
// a usage error then.
std::unique_ptr<Extractor> make_dnn(const DnnOptions& options);

}  // namespace muster
