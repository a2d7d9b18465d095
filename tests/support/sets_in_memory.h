// Sets of vectors in memory, with views of them, as a program holds them.
#pragma once

#include <string>
#include <vector>

#include "muster/muster.h"
#include "support/datasets.h"

namespace muster {

// Three classes in turn, sets of 4 to 15 vectors of 5 components.
struct Sets {
  std::vector<Matrix<float>> data;
  std::vector<SetView> views;
  std::vector<std::string> labels;

  explicit Sets(int per_class, uint64_t seed = 3) {
    for (int i = 0; i < 3 * per_class; ++i) {
      Rng rng = Rng(seed).derive(static_cast<uint64_t>(i));
      const size_t rows = 4 + rng.below(12);
      data.push_back(class_vectors(rows, 5, i % 3, rng));
      labels.push_back("class" + std::to_string(i % 3));
    }
    for (const Matrix<float>& set : data)
      views.push_back({.vectors = set.data(), .rows = set.rows(), .dim = set.cols()});
  }
};

inline void expect_same(const Prediction& a, const Prediction& b) {
  EXPECT_EQ(a.scores(), b.scores());
  EXPECT_EQ(a.probabilities(), b.probabilities());
  EXPECT_EQ(a.typicality(), b.typicality());
  EXPECT_EQ(a.label(), b.label());
}

}  // namespace muster
