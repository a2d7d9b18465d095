// Is an item one of the classes at all? The likelihood ratio against the universal mixture
// (Reynolds, Quatieri & Dunn 2000, for speakers). Each class has a copy of the universal mixture
// with weights w_cm and means mu_cm adapted to the vectors of all its items together (adapt.h, one
// step). With r_m(x) the responsibilities under the universal mixture and D_cm = mu_cm - mu_m, a
// set X of T vectors scores
//
//   max_c 1/T sum_x sum_m r_m(x) log (w_cm N(x | mu_cm, S_m) / (w_m N(x | mu_m, S_m)))
//     = max_c 1/T sum_m [N_m log (w_cm / w_m) + (F_m - N_m mu_m)' S_m^-1 D_cm
//                        - N_m D_cm' S_m^-1 D_cm / 2],
//   N_m = sum_x r_m(x),  F_m = sum_x r_m(x) x,
//
// which is at most the mean of log p_c(x) - log p(x) over X (Jensen) and equals it if there is one
// component. It is linear in N and F, which add up over items: a training item is left out of its
// own classes exactly, by subtraction, and that shows what items of the classes score.
//
// Cost of an item: that of the responsibilities, and O(k d) per class.
#pragma once

#include "muster/core/labels.h"
#include "muster/mixture/gmm.h"

namespace muster {

// N and F of a set, centred on the mixture's means and whitened: of each component N_m, then the d
// values of L_m^-1 (F_m - N_m mu_m), where S_m = L_m L_m'. Immutable; thread-safe.
class MixtureSums {
 public:
  explicit MixtureSums(Gmm mixture);

  const std::vector<double>& weights() const { return mixture_.weights(); }
  size_t num_components() const { return mixture_.num_components(); }
  size_t dim() const { return num_components() * (mixture_.dim() + 1); }
  // Writes all of `out` (dim() values). On the calling thread.
  void of_set(ConstMatrixView vectors, std::span<float> out) const;

 private:
  Gmm mixture_;
  Matrix<double> inverse_factors_;  // diagonal: k x d, 1 / sigma; full: k d x d, stacked L_m^-1
};

// Immutable; thread-safe.
class ClassMixtures {
 public:
  // From the sums of every training item, one row each. A class without vectors takes no part. If
  // no item has a label, that is a data error. Requires tau > 0. The same for any number of
  // threads.
  static ClassMixtures fit(MixtureSums universal, const Matrix<float>& sums_of_items,
                           const Labels& labels, double tau);

  // How much better than the universal mixture the best class explains the vectors, each on
  // average; 0 without vectors.
  double score(ConstMatrixView vectors) const;
  // The share of training items, each left out of its own classes, that score less: near 0 for an
  // item that is none of the classes. An item without a label does not count.
  double typicality(double score) const;
  // 101 quantiles of those items' scores, rising.
  const std::vector<double>& known_scores() const { return known_scores_; }
  size_t num_classes() const { return shifts_.rows(); }

  // The universal mixture is kept elsewhere.
  void save(const TensorWriter& out) const;
  static ClassMixtures load(MixtureSums universal, const TensorReader& in);

 private:
  ClassMixtures(MixtureSums universal, Matrix<double> shifts, std::vector<double> known_scores);

  MixtureSums universal_;
  // One row per class, laid out as MixtureSums: of each component log (w_cm / w_m) - |d|^2 / 2,
  // then d = L_m^-1 D_cm.
  Matrix<double> shifts_;
  std::vector<double> known_scores_;
};

}  // namespace muster
