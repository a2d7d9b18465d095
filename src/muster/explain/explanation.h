// What Model::explain gives back. This header needs the standard library only: muster/muster.h is
// made of it.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace muster {

/// How evidence was found.
enum class EvidenceBy {
  kExact,       ///< the score is a sum over the vectors, and evidence is a vector's part of it
  kFirstOrder,  ///< a vector's share by the tangent, or of the bins that it is in (pmk, spm):
                ///< something after the sum is not linear
  kLeavingOut,  ///< what the score loses if the vector's region is left out
};

/// What speaks for and against a class in one item.
struct Explanation {
  /// One vector: where it lies, and how much of the score it brings.
  struct Vector {
    std::size_t feature = 0;  ///< which of `features` it belongs to
    float x = 0;              ///< of its middle, in [0, 1] of the picture
    float y = 0;              ///< of its middle, in [0, 1] of the picture
    float size = 0;           ///< of its patch, as a part of the picture's longest side
    double value = 0;         ///< evidence: above 0 for the class, below against it
  };
  /// Evidence by place: each vector's, spread over its patch. Adds up to the sum of all vectors'.
  struct Map {
    std::size_t rows = 0;        ///< cells from top to bottom
    std::size_t cols = 0;        ///< cells from left to right
    std::vector<double> values;  ///< row by row

    /// The value of row r and column c.
    double operator()(std::size_t r, std::size_t c) const { return values[r * cols + c]; }
  };
  /// A vector of the item that the kernel pairs with one of a training item.
  struct Match {
    std::size_t vector = 0;  ///< of the item, which of `vectors`
    float x = 0;             ///< in the training item, in [0, 1] of the picture
    float y = 0;             ///< in the training item, in [0, 1] of the picture
    double weight = 0;       ///< what the pair adds to the kernel before normalisation
  };
  /// A training item that decided: kernel machines only.
  struct Deciding {
    std::string name;                  ///< "training item 3" in a model from before 0.2.0
    std::vector<std::string> classes;  ///< its labels
    double kernel = 0;                 ///< how similar it is: its kernel value with the item
    double value = 0;            ///< what that similarity, less the mean one, adds to the score
    std::filesystem::path file;  ///< if the training data were named; else empty
    /// If they were and the kernel pairs vectors (pmk, vg-pmk, greedy, matching): the strongest.
    std::vector<Match> matches;
  };

  std::string class_name;              ///< what was explained
  std::string against;                 ///< whose score is subtracted; empty if none's is
  double probability = 0;              ///< of the class
  double score = 0;                    ///< of the class, less that of `against`
  EvidenceBy by = EvidenceBy::kExact;  ///< how evidence was found
  double rest = 0;                     ///< the score less all evidence: 0 unless by leaving out
  bool has_places = false;             ///< whether the vectors have them; else there is no map
  std::vector<std::string> features;  ///< feature stages, spelt out; one empty name for vector sets
  std::vector<Vector> vectors;        ///< of all features, one after the other
  Map map;                            ///< empty without places
  /// The vectors with the most evidence for the class, the strongest first; no two of them overlap
  /// by more than a quarter.
  std::vector<std::size_t> strongest_for;
  std::vector<std::size_t> strongest_against;  ///< the same against it
  std::vector<Deciding> deciding;              ///< the strongest first
};

}  // namespace muster
