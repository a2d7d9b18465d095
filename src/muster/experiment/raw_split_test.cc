#include "muster/experiment/raw_split.h"

#include <gtest/gtest.h>

#include <fstream>

#include "support/temp_dir.h"

namespace muster {
namespace {

RawSplit example() {
  RawSplit out{"key 1", {}, Matrix<double>(2, 3)};
  out.result.seed = 4;
  out.result.measures.accuracy = 0.5;
  out.result.predictions = {{"a", 0, 1, 0.75}, {"b", 2, 2, 0.5}};
  out.probabilities(1, 2) = 0.1;
  return out;
}

TEST(RawSplit, ComesBackAsItWas) {
  const TempDir folder;
  write_raw_split(folder / "a.json", example());
  const auto kept = read_raw_split(folder / "a.json", "key 1", 3);
  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->result.seed, 4u);
  EXPECT_EQ(kept->result.measures.accuracy, 0.5);
  EXPECT_EQ(kept->result.predictions[0].predicted, 1);
  ASSERT_EQ(kept->probabilities.rows(), 2u);
  EXPECT_EQ(kept->probabilities(1, 2), 0.1);
}

TEST(RawSplit, WhatIsMissingOfAnotherKeyOrDamagedIsNone) {
  const TempDir folder;
  EXPECT_FALSE(read_raw_split(folder / "a.json", "key 1", 3));
  write_raw_split(folder / "a.json", example());
  EXPECT_FALSE(read_raw_split(folder / "a.json", "key 2", 3));
  EXPECT_FALSE(read_raw_split(folder / "a.json", "key 1", 2));  // a class that is not there
  for (const char* text :
       {"", "[]", "{}", R"({"key": 1})", R"({"key": "key 1", "accuracy": "high"})",
        R"({"key": "key 1", "probabilities": [[1, 2], [1]]})",
        R"({"key": "key 1", "probabilities": "none"})"}) {
    std::ofstream(folder / "a.json") << text;
    EXPECT_FALSE(read_raw_split(folder / "a.json", "key 1", 3)) << text;
  }
}

// As the first version wrote them: the fields that were there then, in their order.
TEST(RawSplit, OlderFilesGoOn) {
  const TempDir folder;
  std::ofstream(folder / "a.json")
      << R"({"seed":0,"accuracy":0.5,"mean_class_accuracy":0.5,"predictions":[{"item":"c/1.npy","label":0,)"
      << R"("predicted":1,"confidence":0.6}],"probabilities":[[0.4,0.6]],"seconds":{"features":0.1,"fit":0.2,)"
      << R"("train":0.3,"test":0.1},"C":10.0,"num_train":4,"num_test":1,"peak_memory_mib":40.0,"key":"k"})";
  const auto kept = read_raw_split(folder / "a.json", "k", 2);
  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->result.C, 10.0);
  EXPECT_EQ(kept->result.num_train, 4u);
  EXPECT_EQ(kept->probabilities(0, 1), 0.6);
}

}  // namespace
}  // namespace muster
