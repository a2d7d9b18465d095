#include "muster/core/tensors.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace muster
