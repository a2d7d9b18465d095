#include "muster/core/tensors.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/expect_error.h"

namespace muster {
namespace {

TEST(Tensors, WhatIsPutComesBackUnderItsScope) {
  TensorMap map;
  TensorWriter writer(map);
  Matrix<float> matrix(2, 3);
  matrix(1, 2) = 5;
  writer.scope("bow").put("words", matrix);
  writer.scope("bow").put("counts", std::vector<int64_t>{1, 2});
  writer.put("bias", 0.5);
  writer.put_text("recipe", "dsift/bow");
  const TensorReader reader(map);
  EXPECT_EQ(reader.scope("bow").matrix<float>("words"), matrix);
  EXPECT_EQ(reader.scope("bow").values<int64_t>("counts"), (std::vector<int64_t>{1, 2}));
  EXPECT_EQ(reader.number("bias"), 0.5);
  EXPECT_EQ(reader.text("recipe"), "dsift/bow");
}

TEST(Tensors, MissingOrOfAnotherTypeIsADataError) {
  TensorMap map;
  TensorWriter(map).put("x", 1.0);
  const TensorReader reader(map);
  EXPECT_THROW(reader.number("y"), Error);
  EXPECT_THROW(reader.matrix<double>("x"), Error);
  EXPECT_THROW(reader.values<float>("x"), Error);
  EXPECT_THROW(reader.text("recipe"), Error);
}

TEST(Tensors, EmptyArrays) {
  TensorMap map;
  TensorWriter(map).put("none", Matrix<float>(0, 4));
  EXPECT_EQ(TensorReader(map).matrix<float>("none").cols(), 4u);
}

TEST(Tensors, NumbersThatAreNotFiniteAreNeitherWrittenNorRead) {
  for (const double bad : {std::nan(""), HUGE_VAL, -HUGE_VAL}) {
    TensorMap map;
    const TensorWriter out(map);
    EXPECT_ERROR(out.put("x", bad), kData, "out of the range of numbers");
    out.put("x", 1.0);
    const auto bytes = std::make_shared<double>(bad);
    map.tensors["x"].data = reinterpret_cast<const std::byte*>(bytes.get());
    map.tensors["x"].owner = bytes;
    EXPECT_ERROR(TensorReader(map).number("x"), kData, "not finite");
  }
}

TEST(Tensors, CountsAndShapes) {
  TensorMap map;
  const TensorWriter out(map);
  out.put("half", 0.5);
  out.put("negative", -1.0);
  out.put("huge", 1e300);
  out.put("four", 4.0);
  out.put("values", std::vector<float>(3));
  out.put("matrix", Matrix<float>(2, 3));
  const TensorReader in(map);
  for (const char* name : {"half", "negative", "huge"})
    EXPECT_ERROR(in.count(name), kData, "expected a whole number");
  EXPECT_EQ(in.count("four"), 4u);
  EXPECT_EQ(in.values<float>("values", 3).size(), 3u);
  EXPECT_ERROR(in.values<float>("values", 4), kData, "is 3, expected 4");
  EXPECT_ERROR(in.matrix<float>("matrix", 3, 2), kData, "is 2 x 3, expected 3 x 2");
  in.require_input_dim(9);  // nothing is known of it
  EXPECT_ERROR(in.with_input_dim(8).scope("deeper").require_input_dim(9), kData,
               "another dimension");
}

}  // namespace
}  // namespace muster
