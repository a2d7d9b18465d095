// How much each vector of an item speaks for a class: evidence e_i with
//
//   score = sum_i e_i + rest.
//
// The score is the model's own for the class (of a fused model its probability), or the difference
// of two classes' scores. Three ways, the first that the model allows:
//
// - exact: the score is a sum over the vectors (bow, emk-*, gmm-bow, kernel-codebook; vlad and
//   fisher without powers and norms; all with a linear classifier, or a kernel machine on their
//   dot product). e_i is the vector's part, and an equal share of the constant: for a set feature
//   that is an average, what the vector would score by itself, divided by the number of vectors.
// - first-order: what comes after the sum is not linear (powers, norms, adapted means, kernels on
//   set features): e_i is the vector's share of the score by the tangent at the set,
//   (f(u) + grad f(u) . (s_i - u)) / n for an average u of statistics s_i. The shares add up to the
//   score, too. Kernels that count what two sets have in common in bins (pmk, spm) divide it among
//   the vectors in each bin instead, which adds up just so.
// - by leaving out: any other model. Regions of the picture (or, without places, groups of similar
//   vectors) are left out one after the other; a vector's evidence is what the score loses with
//   its region, divided by the number of vectors in it. There is a rest.
#pragma once

#include <optional>

#include "muster/explain/explanation.h"
#include "muster/explain/item_vectors.h"

namespace muster {

struct Question {
  size_t class_index = 0;
  std::optional<size_t> against;  // another class, whose score is subtracted

  double of(std::span<const double> scores) const {
    return scores[class_index] - (against ? scores[*against] : 0);
  }
};

// The score that is asked about as a linear function of the classifier's inputs, without its
// constant; none if it is not one.
std::optional<std::vector<double>> input_weights(const Classifier& classifier,
                                                 const Question& question);

struct EvidenceOptions {
  // The picture is divided into regions x regions cells, and once more into one cell less per side,
  // so that a vector's region is the overlap of two.
  int regions = 8;
  // Leaves regions out even if the model's sums tell.
  bool leave_out = false;
};

struct Evidence {
  EvidenceBy by = EvidenceBy::kExact;
  double score = 0;
  double rest = 0;             // of the score, that no vector brings
  std::vector<double> values;  // by number of the vector
};

// Deterministic for any number of threads. Cost: some encodings of the item, or by leaving out the
// prediction of about 2 regions^2 items.
Evidence find_evidence(const Ensemble& ensemble, const ItemVectors& vectors,
                       const Question& question, const EvidenceOptions& options,
                       const Progress& progress);

}  // namespace muster
