#include "muster/dnn/network_model.h"

#include <algorithm>

#include "support/caffe_writer.h"
#include "support/expect_error.h"
#include "support/networks.h"

namespace muster {
namespace {

TEST(LayerCells, AreThoseOfMapsAndOfSquaresOfTokens) {
  const auto map = cells_of({1, 12, 3, 5});
  ASSERT_TRUE(map);
  EXPECT_EQ(map->rows, 3);
  EXPECT_EQ(map->columns, 5);
  EXPECT_EQ(map->channels, 12);
  EXPECT_FALSE(map->tokens);
  for (const int skipped : {0, 1}) {
    for (const std::vector<int>& shape :
         {std::vector<int>{1, 49 + skipped, 8}, {49 + skipped, 8}}) {
      const auto tokens = cells_of(shape);
      ASSERT_TRUE(tokens);
      EXPECT_EQ(tokens->rows, 7);
      EXPECT_EQ(tokens->channels, 8);
      EXPECT_EQ(tokens->skipped, skipped);
    }
  }
  for (const std::vector<int>& shape :
       {std::vector<int>{}, {7}, {1, 48, 8}, {2, 12, 3, 5}, {1, 12, 0, 5}, {1, 2, 3, 4, 5}})
    EXPECT_FALSE(cells_of(shape));
}

TEST(RecommendedLayer, IsTheLastMapBeforeTheClasses) {
  const std::vector<NetworkLayer> layers = {{"a", "Convolution", {1, 8, 14, 14}},
                                            {"b", "ReLU", {1, 512, 7, 7}},
                                            {"c", "Convolution", {1, 1000, 7, 7}},
                                            {"d", "Pooling", {1, 1000, 1, 1}}};
  ASSERT_TRUE(recommended_layer(layers));
  EXPECT_EQ(recommended_layer(layers)->name, "b");
  EXPECT_FALSE(recommended_layer({}));
  EXPECT_FALSE(recommended_layer({{"d", "Pooling", {1, 1000, 1, 1}}}));
}

TEST(NetworkModel, ListsLayersWithTheirShapes) {
  MUSTER_NEED_NETWORKS();
  const TempDir folder;
  const auto model = NetworkModel::open(folder.put("net.onnx", small_network().file("mean")));
  const std::vector<NetworkLayer> layers = model->layers(64, 96);
  const auto found = std::ranges::find(layers, "fire/concat", &NetworkLayer::name);
  ASSERT_NE(found, layers.end());
  EXPECT_EQ(found->shape, (std::vector<int>{1, 12, 16, 24}));
  EXPECT_EQ(recommended_layer(layers)->name, "fire/concat");
  EXPECT_EQ(model->checksum().size(), 16u);
  EXPECT_EQ(model->checksum(), network_checksum(model->path()));
}

TEST(NetworkModel, TakesItsInputFromTheFile) {
  MUSTER_NEED_NETWORKS();
  const TempDir folder;
  const auto input = [&](const std::string& file) {
    return NetworkModel::open(folder.put("net.onnx", file))->input();
  };
  const NetworkInput usual = input(small_network().file("mean"));
  EXPECT_FALSE(usual.bgr);
  EXPECT_EQ(usual.width, 0);
  EXPECT_EQ(input(small_network().file("mean", 96)).height, 96);
  ProtoWriter metadata;
  metadata.message(14, ProtoWriter().bytes(1, "Image.BitmapPixelFormat").bytes(2, "Bgr8"));
  metadata.message(14,
                   ProtoWriter().bytes(1, "Image.NominalPixelRange").bytes(2, "Normalized_0_1"));
  const NetworkInput described = input(small_network().file("mean", 0, metadata));
  EXPECT_TRUE(described.bgr);
  EXPECT_EQ(described.mean, (std::vector<double>{0, 0, 0}));
  EXPECT_EQ(described.scale, std::vector<double>(3, 1.0 / 255));
}

TEST(NetworkModel, BadFilesAreDataErrorsThatNameThem) {
  MUSTER_NEED_NETWORKS();
  const TempDir folder;
  const auto open = [&](const std::string& file) {
    NetworkModel::open(folder.put("net.onnx", file));
  };
  const std::string whole = small_network().file("mean");
  EXPECT_ERROR(open("no model at all"), kData, "net.onnx");
  EXPECT_ERROR(open(whole.substr(0, whole.size() / 2)), kData, "net.onnx");
  EXPECT_ERROR(open(small_network().node("Teleport", {"mean"}, "away", {}).file("away")), kData,
               "cannot read the network");
  EXPECT_ERROR(open(small_network().relu("nowhere", "lost").file("lost")), kData, "net.onnx");
  EXPECT_ERROR(NetworkModel::open(folder / "absent.onnx"), kData, "absent.onnx");
  EXPECT_ERROR(NetworkModel::open(folder.put("net.caffemodel", "x")), kData, "net.prototxt");
}

TEST(NetworkModel, BadCaffeModelsAreDataErrorsThatNameThem) {
  MUSTER_NEED_NETWORKS();
  const TempDir folder;
  const auto good = small_network_by<CaffeWriter>(1);
  const auto open = [&](const std::string& description, const std::string& weights) {
    folder.put("net.prototxt", description);
    NetworkModel::open(folder.put("net.caffemodel", weights));
  };
  const std::string description = good.description(), weights = good.weights();
  EXPECT_NO_THROW(open(description, weights));
  EXPECT_ERROR(open("no description", weights), kData, "net.caffemodel");
  EXPECT_ERROR(open("", weights), kData, "net.caffemodel");
  EXPECT_ERROR(open(description.substr(0, description.size() / 2), weights), kData,
               "net.caffemodel");
  EXPECT_ERROR(open(description, "no weights"), kData, "net.caffemodel");
  EXPECT_ERROR(open(description, weights.substr(0, weights.size() / 2)), kData, "net.caffemodel");
  EXPECT_ERROR(open(CaffeWriter(good).layer("Teleport", {"mean"}, "away").description(), weights),
               kData, "net.caffemodel");
  EXPECT_ERROR(open(description, ""), kData, "net.caffemodel");

  // Weights of other shapes than the description says.
  CaffeWriter other;
  other.conv("image", "stem", 3, 20, 5, 2, 1);
  folder.put("net.prototxt", other.description());
  const auto unlike = NetworkModel::open(folder.put("net.caffemodel", weights));
  const std::vector<float> input(3 * 64 * 64);
  EXPECT_THROW((unlike->layers(64, 64), unlike->run(input, 64, 64, {"stem"})), Error);
}

TEST(NetworkModel, ASizeThatDoesNotFitIsAUsageError) {
  MUSTER_NEED_NETWORKS();
  const TempDir folder;
  OnnxWriter fixed = small_network();
  fixed.int64s("flat", {1, 5 * 24 * 24}).node("Reshape", {"scores", "flat"}, "row", {});
  const auto model = NetworkModel::open(folder.put("net.onnx", fixed.file("row", 96)));
  EXPECT_NO_THROW(model->layers(96, 96));
  EXPECT_ERROR(model->layers(64, 64), kUsage, "use sides=96");
}

}  // namespace
}  // namespace muster
