// Multinomial naive Bayes by its definition, in double precision.
#pragma once

#include <cmath>
#include <vector>

#include "muster/core/labels.h"
#include "muster/core/matrix.h"

namespace muster::oracle {

// log P(w | side) of each word, from the items that are on that side; each counts as `length`
// words.
inline std::vector<double> log_word_shares(const Matrix<float>& histograms,
                                           const std::vector<bool>& on_side, double smoothing,
                                           double length) {
  std::vector<double> counts(histograms.cols(), smoothing);
  double total = smoothing * static_cast<double>(histograms.cols());
  for (size_t i = 0; i < histograms.rows(); ++i)
    for (size_t w = 0; w < histograms.cols() && on_side[i]; ++w) {
      counts[w] += length * histograms(i, w);
      total += length * histograms(i, w);
    }
  for (double& count : counts) count = std::log(count / total);
  return counts;
}

// log P(class) P(words | class) / length of a histogram, of one-label data.
inline std::vector<double> naive_bayes(const Matrix<float>& histograms, const Labels& labels,
                                       std::span<const float> asked, double smoothing,
                                       double length) {
  std::vector<double> out;
  for (int c = 0; c < labels.num_classes(); ++c) {
    std::vector<bool> on_side;
    double items = 1;
    for (size_t i = 0; i < labels.size(); ++i) {
      on_side.push_back(labels.first(i) == c);
      items += on_side.back() ? 1 : 0;
    }
    const auto shares = log_word_shares(histograms, on_side, smoothing, length);
    double sum =
        std::log(items / static_cast<double>(labels.size() + labels.class_names.size())) / length;
    for (size_t w = 0; w < shares.size(); ++w) sum += asked[w] * shares[w];
    out.push_back(sum);
  }
  return out;
}

}  // namespace muster::oracle
