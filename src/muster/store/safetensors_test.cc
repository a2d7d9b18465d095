#include "muster/store/safetensors.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "support/expect_error.h"
#include "support/temp_dir.h"

namespace muster {
namespace {

TensorMap parse_tensors(const std::string& file,
                        ChecksumPolicy policy = ChecksumPolicy::kRequired) {
  return parse_safetensors(std::as_bytes(std::span(file)), nullptr, "test", policy);
}

// A file of another program: no checksum.
std::string foreign(const std::string& header, const std::string& data = "") {
  const uint64_t length = header.size();
  return std::string(reinterpret_cast<const char*>(&length), 8) + header + data;
}

void expect_refused(const std::string& header, const std::string& data, const char* text) {
  EXPECT_ERROR(parse_tensors(foreign(header, data), ChecksumPolicy::kIfPresent), kData, text);
}

bool same(const TensorMap& a, const TensorMap& b) {
  const auto equal = [](const auto& x, const auto& y) {
    return x.first == y.first && x.second.dtype == y.second.dtype &&
           x.second.shape == y.second.shape &&
           std::ranges::equal(std::span(x.second.data, x.second.num_bytes),
                              std::span(y.second.data, y.second.num_bytes));
  };
  return a.metadata == b.metadata && std::ranges::equal(a.tensors, b.tensors, equal);
}

TensorMap small_map() {
  TensorMap map;
  TensorWriter writer(map);
  writer.put("bytes", std::vector<uint8_t>{1, 2, 3});
  writer.put("weights", Matrix<float>(2, 3));
  writer.put("c", 0.5);
  writer.put_text("recipe", "dsift/bow:words=10/linear-svm");
  return map;
}

std::string small_tensor_file(const TempDir& dir) {
  write_safetensors(dir / "a", small_map());
  return read_whole_file(dir / "a");
}

TEST(Safetensors, ReadsBackWhatWasWritten) {
  const TempDir dir;
  write_safetensors(dir / "a", small_map());
  EXPECT_TRUE(same(read_safetensors(dir / "a"), small_map()));
}

TEST(Safetensors, ArraysOutliveTheMapThatHeldThem) {
  const TempDir dir;
  write_safetensors(dir / "a", small_map());
  const Tensor bytes = read_safetensors(dir / "a").tensors.at("bytes");
  EXPECT_EQ(bytes.data[2], std::byte{3});
}

TEST(Safetensors, EqualMapsGiveEqualAlignedBytes) {
  const TempDir dir;
  const std::string once = small_tensor_file(dir), again = small_tensor_file(dir);
  EXPECT_EQ(once, again);
  EXPECT_EQ(static_cast<unsigned char>(once[0]) % 8, 0);
  const TensorMap map = read_safetensors(dir / "a");
  for (const auto& [name, tensor] : map.tensors)
    EXPECT_EQ(reinterpret_cast<uintptr_t>(tensor.data) % dtype_size(tensor.dtype), 0u) << name;
}

RC_GTEST_PROP(Safetensors, RoundTrip,
              (const std::map<std::string, std::vector<double>>& arrays,
               const std::map<std::string, std::vector<uint8_t>>& more)) {
  TensorMap map;
  TensorWriter writer(map);
  const auto hex = [](const std::string& text) {  // arbitrary bytes are not UTF-8
    std::string out;
    for (unsigned char c : text) out += fmt::format("{:02x}", c);
    return out;
  };
  for (const auto& [name, values] : arrays) writer.put("d" + hex(name), values);
  for (const auto& [name, values] : more) {
    writer.put("b" + hex(name), values);
    writer.put_text(hex(name), "\"\\\n" + hex(name));
  }
  const TempDir dir;
  write_safetensors(dir / "a", map);
  RC_ASSERT(same(read_safetensors(dir / "a"), map));
}

TEST(Safetensors, EveryTruncationIsRefused) {
  const TempDir dir;
  const std::string file = small_tensor_file(dir);
  for (size_t n = 0; n < file.size(); ++n) {
    EXPECT_ERROR(parse_tensors(file.substr(0, n)), kData, "test");
    EXPECT_ERROR(parse_tensors(file.substr(0, n), ChecksumPolicy::kIfPresent), kData, "test");
  }
  EXPECT_ERROR(parse_tensors(file + '\0'), kData, "test");
}

TEST(Safetensors, EveryFlippedBitIsRefused) {
  const TempDir dir;
  std::string file = small_tensor_file(dir);
  for (size_t bit = 0; bit < 8 * file.size(); ++bit) {
    file[bit / 8] ^= static_cast<char>(1 << bit % 8);
    EXPECT_ERROR(parse_tensors(file), kData, "damaged");
    file[bit / 8] ^= static_cast<char>(1 << bit % 8);
  }
}

TEST(Safetensors, ReadsFilesOfOtherProgramsWhenAsked) {
  const std::string file =
      foreign(R"({"x":{"dtype":"U8","shape":[2],"data_offsets":[0,2]}})", "ab");
  EXPECT_EQ(parse_tensors(file, ChecksumPolicy::kIfPresent).tensors.at("x").shape,
            std::vector<size_t>{2});
  EXPECT_ERROR(parse_tensors(file), kData, "muster did not write it");
}

TEST(Safetensors, EveryFieldOfTheHeaderIsChecked) {
  expect_refused("[]", "", "not a JSON object");
  expect_refused("{", "", "not a JSON object");
  expect_refused(R"({"__metadata__":[]})", "", "metadata");
  expect_refused(R"({"__metadata__":{"a":1}})", "", "not a text");
  expect_refused(R"({"x":{"dtype":"U8","shape":[2]}})", "ab", "not described");
  expect_refused(R"({"x":{"dtype":"Q8","shape":[2],"data_offsets":[0,2]}})", "ab", "type 'Q8'");
  expect_refused(R"({"x":{"dtype":"U8","shape":[-2],"data_offsets":[0,2]}})", "ab", "whole number");
  expect_refused(R"({"x":{"dtype":"U8","shape":[2.0],"data_offsets":[0,2]}})", "ab",
                 "whole number");
  expect_refused(R"({"x":{"dtype":"U8","shape":[3],"data_offsets":[0,2]}})", "ab", "asks for 3");
  expect_refused(R"({"x":{"dtype":"U8","shape":[3],"data_offsets":[0,3]}})", "ab", "cut short");
  expect_refused(R"({"x":{"dtype":"U8","shape":[2],"data_offsets":[2,0]}})", "ab", "wrong offsets");
  expect_refused(R"({"x":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})", "ab", "end at byte 1");
  expect_refused(R"({"x":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}})", "ab", "hole");
  expect_refused(R"({"x":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},
                     "y":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}})",
                 "ab", "overlap");
  // 2^33 * 2^31 * 8 bytes = 0 in 64 bits.
  expect_refused(R"({"x":{"dtype":"F64","shape":[8589934592,2147483648],"data_offsets":[0,0]}})",
                 "", "too large");
  expect_refused(R"({"x":{"dtype":"F64","shape":[18446744073709551616],"data_offsets":[0,0]}})", "",
                 "whole number");
  EXPECT_ERROR(parse_tensors(std::string(8, '\xff')), kData, "not allowed");
}

TEST(Safetensors, TextThatIsNotUtf8CannotBeWritten) {
  const TempDir dir;
  TensorMap map;
  map.metadata["class"] = "\xff";
  EXPECT_ERROR(write_safetensors(dir / "a", map), kData, "UTF-8");
}

TEST(Safetensors, AnAbsentFileIsADataError) {
  const TempDir dir;
  EXPECT_ERROR(read_safetensors(dir / "none"), kData, "No such file");
  EXPECT_ERROR(read_safetensors(dir.path()), kData, "not a regular file");
  EXPECT_ERROR(read_safetensors(dir.put("empty")), kData, "only 0 bytes");
}

}  // namespace
}  // namespace muster
