// Visual words: each vector becomes one word, or one word of every tree of a forest.
#pragma once

#include <cstdint>
#include <memory>

#include "muster/codebook/vocabulary.h"
#include "muster/core/tensors.h"

namespace muster {

enum class VocabularyKind { kKMeans, kForest };

struct WordsOptions : VocabularyOptions {
  VocabularyKind vocabulary = VocabularyKind::kKMeans;
  int trees = 5, tries = 30;

  void fields(Fields& f);
};

// Immutable and shareable between threads.
class Words {
 public:
  virtual ~Words() = default;
  virtual size_t input_dim() const = 0;
  virtual size_t size() const = 0;
  // How many words a vector has.
  virtual size_t per_vector() const { return 1; }
  // `out` holds per_vector() words of each vector in turn. On the calling thread.
  virtual void assign(ConstMatrixView vectors, std::span<uint32_t> out) const = 0;
  virtual void save(const TensorWriter& out) const = 0;
};

std::unique_ptr<const Words> fit_words(std::string_view stage, const WordsOptions& options,
                                       const Sample& sample, const Rng& rng,
                                       const Progress& progress);
std::unique_ptr<const Words> load_words(const WordsOptions& options, const TensorReader& in);

}  // namespace muster
