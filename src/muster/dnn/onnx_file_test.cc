#include "muster/dnn/onnx_file.h"

#include <gtest/gtest.h>

#include "support/expect_error.h"
#include "support/onnx_writer.h"

namespace muster {
namespace {

OnnxModel read(const std::string& file) {
  return read_onnx(std::as_bytes(std::span(file)), "net.onnx");
}

TEST(OnnxFile, SaysWhatTheModelIs) {
  const OnnxModel model = read(small_network().file("mean"));
  EXPECT_EQ(model.producer, "muster tests");
  ASSERT_EQ(model.inputs.size(), 1u);
  EXPECT_EQ(model.inputs[0].name, "image");
  EXPECT_EQ(model.inputs[0].element_type, 1);
  EXPECT_EQ(model.inputs[0].shape, (std::vector<long>{1, 3, -1, -1}));
  ASSERT_EQ(model.outputs.size(), 1u);
  EXPECT_EQ(model.outputs[0].name, "mean");
  EXPECT_EQ(model.operators.at("Conv"), 4u);
  EXPECT_EQ(model.operators.at("Concat"), 1u);
  EXPECT_EQ(model.num_weights, 8u * 27 + 8 + 6 * 8 + 6 + 6 * 72 + 6 + 5 * 12 + 5);
  EXPECT_EQ(read(small_network().file("mean", 96)).inputs[0].shape,
            (std::vector<long>{1, 3, 96, 96}));
}

TEST(OnnxFile, ASizeIsWrittenIntoTheInputAlone) {
  const std::string open = small_network().file("mean");
  const auto sized = with_input_size(std::as_bytes(std::span(open)), "image", 40, 96);
  const OnnxModel before = read(open), after = read_onnx(sized, "net.onnx");
  EXPECT_EQ(after.inputs[0].shape, (std::vector<long>{1, 3, 40, 96}));
  EXPECT_EQ(after.operators, before.operators);
  EXPECT_EQ(after.num_weights, before.num_weights);
  EXPECT_EQ(after.producer, before.producer);
  const std::string fixed = small_network().file("mean", 96);
  const auto same = with_input_size(std::as_bytes(std::span(fixed)), "image", 96, 96);
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(same.data()), same.size()), fixed);
}

TEST(OnnxFile, ReadsMetadata) {
  const ProtoWriter entry = ProtoWriter().bytes(1, "Image.BitmapPixelFormat").bytes(2, "Bgr8");
  EXPECT_EQ(read(small_network().file("mean", 0, ProtoWriter().message(14, entry))).metadata,
            (std::map<std::string, std::string>{{"Image.BitmapPixelFormat", "Bgr8"}}));
}

// Whatever is cut off, it is refused in words, or is a file of fewer fields.
TEST(OnnxFile, EveryTruncationIsRefused) {
  const std::string file = small_network().file("mean");
  size_t accepted = 0;
  for (size_t length = 0; length < file.size(); ++length) {
    try {
      read(file.substr(0, length));
      ++accepted;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kData);
      EXPECT_THAT(std::string(error.what()), testing::HasSubstr("net.onnx"));
    }
  }
  EXPECT_LE(accepted, 2u) << "without its last fields it may be a file";
}

TEST(OnnxFile, RefusesWhatIsNoModel) {
  for (const char* text : {"", "not a model", "\x89PNG\r\n\x1a\n", "{\"a\": 1}"})
    EXPECT_ERROR(read(text), kData, "net.onnx");
  EXPECT_ERROR(read(ProtoWriter().number(1, 7).text()), kData, "no graph");
}

TEST(OnnxFile, RefusesArraysShorterThanTheirShapes) {
  const auto with = [](const std::vector<int>& shape, size_t bytes) {
    return small_network().array("lie", shape, std::string(bytes, 'x')).file("mean");
  };
  EXPECT_NO_THROW(read(with({4, 2}, 32)));
  EXPECT_ERROR(read(with({4, 2}, 28)), kData, "'lie' has 7 values, but its shape says 8");
  EXPECT_ERROR(read(with({1 << 30, 1 << 30, 1 << 30}, 4)), kData, "huge");
}

TEST(OnnxFile, RefusesWeightsInOtherFiles) {
  ProtoWriter tensor;
  tensor.number(1, 4).number(2, 1).bytes(8, "far").number(14, 1);
  const ProtoWriter graph = ProtoWriter().message(5, tensor);
  EXPECT_ERROR(read(ProtoWriter().number(1, 7).message(7, graph).text()), kData, "another file");
}

}  // namespace
}  // namespace muster
