#include "muster/features/dnn.h"

#include "muster/core/parallel.h"
#include "oracle/network.h"
#include "oracle/transformer.h"
#include "support/caffe_writer.h"
#include "support/expect_error.h"
#include "support/networks.h"
#include "support/pictures.h"
#include "support/real_data.h"

namespace muster {
namespace {

DnnOptions options_for(const std::filesystem::path& model, const std::string& layer = "auto") {
  DnnOptions out;
  out.model = model.string();
  out.layer = {layer};
  out.sides = {64};
  return out;
}

oracle::Blob input_of(const Image& image, const DnnOptions& options) {
  oracle::Blob out{3, image.height, image.width, {}};
  for (size_t c = 0; c < 3; ++c)
    for (size_t i = 0; i < image.rgb.size() / 3; ++i)
      out.values.push_back(
          (image.rgb[3 * i + (options.order == DnnOptions::Order::kBgr ? 2 - c : c)] -
           options.mean[c]) *
          options.scale[c]);
  return out;
}

// Relative to the largest value of the layer.
void expect_cells(const VectorSet& set, const oracle::Blob& map) {
  ASSERT_EQ(set.size(), static_cast<size_t>(map.rows * map.columns));
  ASSERT_EQ(set.dim(), static_cast<size_t>(map.channels));
  double most = 0;
  for (const double value : map.values) most = std::max(most, std::abs(value));
  for (int r = 0; r < map.rows; ++r)
    for (int x = 0; x < map.columns; ++x)
      for (int c = 0; c < map.channels; ++c)
        ASSERT_NEAR(set.vectors(r * map.columns + x, c), map.at(c, r, x), 1e-4 * most)
            << "channel " << c << " of cell " << r << ", " << x;
}

TEST(Dnn, EqualsANaiveEvaluationOfASmallNetwork) {
  MUSTER_NEED_NETWORKS();
  const TempDir folder;
  const std::string file = small_network().file("mean");
  for (const char* layer : {"stem", "stem/relu", "fire/concat", "scores"}) {
    DnnOptions options = options_for(folder.put("net.onnx", file), layer);
    resolve_dnn(options);
    for (const Image& picture : {noise_picture(64, 64), wave_picture(64, 64)})
      expect_cells(make_dnn(options)->extract(picture),
                   oracle::run_network(file, input_of(picture, options), layer));
  }
}

TEST(Dnn, EqualsANaiveEvaluationOfSqueezeNet) {
  MUSTER_NEED_NETWORKS();
  const std::filesystem::path model = data_dir() / "models" / "squeezenet1.1.onnx";
  if (!std::filesystem::exists(model)) GTEST_SKIP() << "no " << model;
  for (const char* layer : {"fire5/concat", "fire9/concat"}) {
    DnnOptions options = options_for(model, layer);
    resolve_dnn(options);
    EXPECT_EQ(options.order, DnnOptions::Order::kBgr);
    EXPECT_EQ(options.mean, (std::vector<double>{104, 117, 123}));
    const Image picture = wave_picture(64, 64);
    expect_cells(make_dnn(options)->extract(picture),
                 oracle::run_network(read_whole_file(model), input_of(picture, options), layer));
  }
  DnnOptions recommended = options_for(model);
  resolve_dnn(recommended);
  EXPECT_EQ(recommended.layer, std::vector<std::string>{"fire9/concat"});
}

TEST(Dnn, GivesCellsPlacesAndScales) {
  MUSTER_NEED_NETWORKS();
  const TempDir folder;
  DnnOptions options = options_for(folder.put("net.onnx", small_network().file("mean")));
  options.sides = {64, 128};
  const VectorSet set = make_dnn(options)->extract(noise_picture(200, 100));
  // 64 x 64 (the least side), then 128 x 64, at stride 4.
  ASSERT_EQ(set.size(), 16u * 16 + 32 * 16);
  EXPECT_EQ(set.dim(), 12u);
  EXPECT_EQ(set.image_width, 200);
  EXPECT_FLOAT_EQ(set.places(0, 0), 0.5f / 16);
  EXPECT_FLOAT_EQ(set.places(0, 2), 1.0f / 16);
  EXPECT_FLOAT_EQ(set.places(17, 0), 1.5f / 16);
  EXPECT_FLOAT_EQ(set.places(17, 1), 1.5f / 16);
  EXPECT_FLOAT_EQ(set.places(256 + 33, 0), 1.5f / 32);
  EXPECT_FLOAT_EQ(set.places(256 + 33, 1), 1.5f / 16);
  EXPECT_FLOAT_EQ(set.places(256 + 33, 2), 1.0f / 32);
}

TEST(Dnn, JoinsLayersAtThePlacesOfTheFirst) {
  MUSTER_NEED_NETWORKS();
  const TempDir folder;
  DnnOptions options = options_for(folder.put("net.onnx", small_network().file("mean")));
  const Image picture = wave_picture(64, 64);
  const auto cells = [&](std::vector<std::string> layers) {
    options.layer = std::move(layers);
    return make_dnn(options)->extract(picture);
  };
  const VectorSet coarse = cells({"fire/concat"}), fine = cells({"stem/relu"});
  const VectorSet both = cells({"fire/concat", "stem/relu"});
  ASSERT_EQ(both.dim(), 20u);
  EXPECT_EQ(both.places, coarse.places);
  const size_t row = 16 * 3 + 5;  // its centre lies between four cells of the finer map
  for (size_t c = 0; c < 12; ++c) EXPECT_EQ(both.vectors(row, c), coarse.vectors(row, c));
  for (size_t c = 0; c < 8; ++c) {
    const auto at = [&](size_t r, size_t x) { return fine.vectors(32 * r + x, c); };
    EXPECT_NEAR(both.vectors(row, 12 + c), (at(6, 10) + at(6, 11) + at(7, 10) + at(7, 11)) / 4,
                1e-5);
  }
}

TEST(Dnn, TakesTheTokensOfATransformer) {
  MUSTER_NEED_NETWORKS();
  const TempDir folder;
  const auto file = folder.put("net.onnx", token_network().file("tokens"));
  const VectorSet tokens = make_dnn(options_for(file, "tokens"))->extract(noise_picture(90, 40));
  DnnOptions as_map = options_for(file, "patches");
  const VectorSet map = make_dnn(as_map)->extract(noise_picture(64, 64));
  EXPECT_EQ(tokens.size(), 16u);
  EXPECT_EQ(tokens.dim(), 8u);
  const VectorSet same = make_dnn(options_for(file, "tokens"))->extract(noise_picture(64, 64));
  EXPECT_EQ(same.vectors, map.vectors);
  EXPECT_EQ(same.places, map.places);
}

// The cells of "block" are the tokens but the first.
void expect_block(const VectorSet& set, const std::string& file, const VectorSet& patches) {
  oracle::Rows tokens;
  for (size_t i = 0; i < patches.size(); ++i)
    tokens.emplace_back(patches.vectors.row(i).begin(), patches.vectors.row(i).end());
  const oracle::Rows expected = oracle::run_transformer(file, tokens);
  ASSERT_EQ(set.size(), 16u);
  ASSERT_EQ(set.dim(), 8u);
  for (size_t i = 0; i < set.size(); ++i)
    for (size_t c = 0; c < set.dim(); ++c)
      EXPECT_NEAR(set.vectors(i, c), expected[i + 1][c], 1e-4) << "token " << i;
}

TEST(Dnn, EqualsANaiveEvaluationOfATransformer) {
  MUSTER_NEED_NETWORKS();
  const TempDir folder;
  const std::string file = transformer_network(false).file("block", 64);
  const auto model = folder.put("net.onnx", file);
  const Image picture = noise_picture(64, 64);
  const VectorSet set = make_dnn(options_for(model, "block"))->extract(picture);
  expect_block(set, file, make_dnn(options_for(model, "tokens"))->extract(picture));
  EXPECT_FLOAT_EQ(set.places(6, 0), 2.5f / 4);
  EXPECT_FLOAT_EQ(set.places(6, 1), 1.5f / 4);
}

// OpenCV 4.6 cannot run layer normalisation in the operators that exporters write it in. A library
// that can must give the right values.
TEST(Dnn, EqualsATransformerWithNormsOrRefusesIt) {
  MUSTER_NEED_NETWORKS();
  const TempDir folder;
  const std::string file = transformer_network(true).file("block", 64);
  const auto model = folder.put("net.onnx", file);
  const Image picture = noise_picture(64, 64);
  try {
    const VectorSet set = make_dnn(options_for(model, "block"))->extract(picture);
    expect_block(set, file, make_dnn(options_for(model, "tokens"))->extract(picture));
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kData);
    EXPECT_THAT(error.what(), testing::HasSubstr("as far as block"));
    EXPECT_THAT(error.what(), testing::HasSubstr(".npy"));
  }
}

TEST(Dnn, EqualsANaiveEvaluationOfACaffeModel) {
  MUSTER_NEED_NETWORKS();
  const TempDir folder;
  const auto caffe = small_network_by<CaffeWriter>(1);
  folder.put("net.prototxt", caffe.description());
  const auto model = folder.put("net.caffemodel", caffe.weights());
  // The same weights in the format that the oracle reads.
  const std::string same = small_network(1).file("mean");
  for (const char* layer : {"stem", "fire/concat", "scores"})
    for (const int width : {64, 96}) {
      DnnOptions options = options_for(model, layer);
      options.sides = {width};
      resolve_dnn(options);
      EXPECT_EQ(options.order, DnnOptions::Order::kBgr);
      const Image picture = noise_picture(width, 64);
      expect_cells(make_dnn(options)->extract(picture),
                   oracle::run_network(same, input_of(picture, options), layer));
    }
  DnnOptions recommended = options_for(model);
  resolve_dnn(recommended);
  EXPECT_EQ(recommended.layer, std::vector<std::string>{"fire/concat"});
}

TEST(Dnn, ThreadsDoNotChangeAByte) {
  MUSTER_NEED_NETWORKS();
  const TempDir folder;
  const auto extractor =
      make_dnn(options_for(folder.put("net.onnx", small_network().file("mean"))));
  std::vector<Image> pictures;
  for (int i = 0; i < 12; ++i) pictures.push_back(noise_picture(40 + 7 * i, 80, i));
  const auto run = [&](int threads) {
    const ThreadLimit limit(threads);
    std::vector<VectorSet> out(pictures.size());
    parallel_for(out.size(), 1,
                 [&](size_t i, size_t) { out[i] = extractor->extract(pictures[i]); });
    return out;
  };
  EXPECT_EQ(run(1), run(4));
}

TEST(Dnn, NormScalesVectorsToLengthOne) {
  MUSTER_NEED_NETWORKS();
  const TempDir folder;
  DnnOptions options = options_for(folder.put("net.onnx", small_network().file("mean")), "scores");
  options.norm = DnnOptions::Norm::kL2;
  const VectorSet set = make_dnn(options)->extract(noise_picture(64, 64));
  for (size_t i = 0; i < set.size(); ++i) {
    double sum = 0;
    for (const float value : set.vectors.row(i)) sum += value * value;
    EXPECT_NEAR(sum, 1, 1e-5);
  }
}

TEST(Dnn, SpellsOutWhatTheModelDecides) {
  MUSTER_NEED_NETWORKS();
  const TempDir folder;
  DnnOptions options =
      options_for(folder.put("net.onnx", small_network().file("mean")), "fire.concat");
  options.mean = {10};
  resolve_dnn(options);
  EXPECT_TRUE(options.resolved());
  EXPECT_EQ(options.layer, std::vector<std::string>{"fire/concat"});
  EXPECT_EQ(options.mean, (std::vector<double>{10, 10, 10}));
  EXPECT_EQ(options.order, DnnOptions::Order::kRgb);
  EXPECT_EQ(options.checksum.size(), 16u);
}

TEST(Dnn, MistakesInOptionsAreUsageErrors) {
  MUSTER_NEED_NETWORKS();
  const TempDir folder;
  const auto file = folder.put("net.onnx", small_network().file("mean"));
  const auto refused = [&](const auto& change, const char* text) {
    DnnOptions options = options_for(file);
    change(options);
    EXPECT_ERROR(make_dnn(options), kUsage, text);
  };
  const ModelVariable none("");
  refused([](DnnOptions& o) { o.model = "auto"; }, "MUSTER_DNN_MODEL");
  refused([](DnnOptions& o) { o.model = "absent.onnx"; }, "there is no such file");
  refused([](DnnOptions& o) { o.layer = {"fire/conact"}; }, "did you mean 'fire/concat'?");
  refused([](DnnOptions& o) { o.mean = {1, 2}; }, "mean");
  refused([](DnnOptions& o) { o.sides = {8}; }, "sides");
  refused([](DnnOptions& o) { o.checksum = "0123456789abcdef"; }, "checksum");
}

TEST(Dnn, HugeMapsAreRefusedBeforeTheyAreMade) {
  MUSTER_NEED_NETWORKS();
  const TempDir folder;
  OnnxWriter wide;
  wide.conv("image", "wide", 3, 100, 1, 1, 0);
  DnnOptions options = options_for(folder.put("net.onnx", wide.file("wide")), "wide");
  options.sides = {4096};
  EXPECT_ERROR(make_dnn(options), kUsage, "choose a smaller side");
}

TEST(Dnn, ASmallPictureIsEnlargedAndASideThatIsTooSmallIsRefused) {
  MUSTER_NEED_NETWORKS();
  const TempDir folder;
  const auto small = folder.put("small.onnx", small_network().file("mean"));
  const VectorSet set = make_dnn(options_for(small))->extract(noise_picture(1, 1));
  EXPECT_EQ(set.size(), 16u * 16);
  OnnxWriter wide;  // one cell sees 100 pixels
  wide.conv("image", "wide", 3, 4, 100, 1, 0);
  DnnOptions options = options_for(folder.put("wide.onnx", wide.file("wide")), "wide");
  EXPECT_ERROR(make_dnn(options), kUsage, "values at side 64, which are neither");
  options.sides = {128};
  EXPECT_EQ(make_dnn(options)->extract(noise_picture(2, 2)).size(), 29u * 29);
}

TEST(Dnn, AModelIsFoundAgainOrRefused) {
  MUSTER_NEED_NETWORKS();
  const TempDir folder;
  const auto file = folder.put("net.onnx", small_network().file("mean"));
  DnnOptions stored = options_for(file);
  resolve_dnn(stored);
  stored.opened = nullptr;  // as a trained model has it
  const Image picture = noise_picture(64, 64);
  const VectorSet expected = make_dnn(stored)->extract(picture);

  const auto moved = folder / "moved.onnx";
  std::filesystem::rename(file, moved);
  EXPECT_ERROR(make_dnn(stored)->extract(picture), kUsage, "MUSTER_DNN_MODEL");
  {
    const ModelVariable here(moved.string());
    EXPECT_EQ(make_dnn(stored)->extract(picture), expected);
  }
  const ModelVariable other(folder.put("other.onnx", small_network(2).file("mean")).string());
  EXPECT_ERROR(make_dnn(stored)->extract(picture), kUsage, "other.onnx");
  EXPECT_ERROR(make_dnn(stored)->extract(picture), kUsage, stored.checksum);
}

}  // namespace
}  // namespace muster
