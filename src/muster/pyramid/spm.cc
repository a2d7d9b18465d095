#include "muster/pyramid/spm.h"

#include <algorithm>
#include <cmath>

#include "muster/setfeature/set_feature.h"
#include "muster/setkernel/gram.h"
#include "muster/simd/sparse_minima.h"

namespace muster {
namespace {

constexpr size_t kTileSide = 4 * kBlockSets;

// The non-zero bins of all cells, cell by cell; bins count from 0 in each cell.
class PyramidHistogram final : public Representation {
 public:
  PyramidHistogram(std::vector<uint32_t> starts, std::vector<uint32_t> words,
                   std::vector<float> values)
      : starts(std::move(starts)), words(std::move(words)), values(std::move(values)) {}

  size_t num_bytes() const override {
    return (starts.size() + words.size()) * sizeof(uint32_t) + values.size() * sizeof(float);
  }
  SparseBins cell(size_t c) const {
    return {&words[starts[c]], &values[starts[c]], starts[c + 1] - starts[c]};
  }

  std::vector<uint32_t> starts;  // one more than there are cells
  std::vector<uint32_t> words;
  std::vector<float> values;
};

const PyramidHistogram& histogram(const Representation& set) {
  return dynamic_cast<const PyramidHistogram&>(set);
}

size_t cells_below(int level) { return ((size_t{1} << (2 * level)) - 1) / 3; }

class Spm final : public SetKernel {
 public:
  Spm(std::shared_ptr<const Words> words, const SpmOptions& options, std::vector<double> weights,
      bool settled)
      : words_(std::move(words)), options_(options), weights_(std::move(weights)) {
    if (options.learns_weights() && !settled)
      to_learn_ = {static_cast<WeightRule>(static_cast<int>(options.weights) -
                                           static_cast<int>(SpmWeights::kUniform)),
                   options.learning};
  }

  std::shared_ptr<const Representation> represent(const VectorSet& set) const override {
    if (set.size() > 0 && options_.levels > 0 && !set.has_places())
      throw data_error(
          "spm: levels={} needs the place of each vector, and this set has none; give places or "
          "set levels=0",
          options_.levels);
    std::vector<uint64_t> bins = occupied_bins(set);
    std::ranges::sort(bins);
    std::vector<uint32_t> starts(num_parts() + 1), words;
    std::vector<float> values;
    const double unit = unit_of(set);
    for (size_t begin = 0, end = 0; begin < bins.size(); begin = end) {
      while (end < bins.size() && bins[end] == bins[begin]) ++end;
      words.push_back(static_cast<uint32_t>(bins[begin] % words_->size()));
      values.push_back(static_cast<float>(unit * static_cast<double>(end - begin)));
      ++starts[bins[begin] / words_->size() + 1];
    }
    for (size_t c = 0; c < num_parts(); ++c) starts[c + 1] += starts[c];
    return std::make_shared<PyramidHistogram>(std::move(starts), std::move(words),
                                              std::move(values));
  }

  void gram(RepresentedSpan a, RepresentedSpan b, MatrixView<double> out,
            const Progress& progress) const override {
    const bool symmetric = a.data() == b.data() && a.size() == b.size();
    shared_tiles(out, kTileSide, symmetric, progress, [&](const Tile& tile) {
      const RepresentedSpan across = b.subspan(tile.col, tile.num_cols);
      Matrix<double> sums(tile.num_cols, kBlockSets);
      for (size_t row = tile.row; row < tile.row + tile.num_rows; row += kBlockSets) {
        const size_t rows = std::min(kBlockSets, tile.row + tile.num_rows - row);
        std::ranges::fill(sums.values(), 0.0);
        over_cells(a.subspan(row, rows), across, [&](size_t cell, const Matrix<float>& values) {
          for (size_t i = 0; i < sums.size(); ++i)
            sums.data()[i] += weights_[cell] * static_cast<double>(values.data()[i]);
        });
        for (size_t i = 0; i < rows; ++i)
          for (size_t j = 0; j < tile.num_cols; ++j) out(row + i, tile.col + j) = sums(j, i);
      }
    });
    if (symmetric) mirror_upper(out);
  }

  // What two sets have in common in a bin is divided among the vectors in it: by symmetry these are
  // the Shapley values of the sum, the size of the set being given.
  std::optional<VectorShares> shares(const VectorSet& set, RepresentedSpan training,
                                     std::span<const double> coefficients) const override {
    const std::vector<uint64_t> bins = occupied_bins(set);
    std::vector<double> own(num_parts() * words_->size()), common(own.size());
    for (const uint64_t bin : bins) own[bin] += unit_of(set);
    for (size_t j = 0; j < training.size(); ++j)
      for (size_t cell = 0; cell < num_parts(); ++cell) {
        const SparseBins other = histogram(*training[j]).cell(cell);
        const size_t first = cell * words_->size();
        for (size_t k = 0; k < other.count; ++k)
          common[first + other.bins[k]] +=
              coefficients[j] * weights_[cell] *
              std::min(own[first + other.bins[k]], static_cast<double>(other.values[k]));
      }
    VectorShares out{std::vector<double>(set.size()), false};
    const size_t per_level = set.size() * words_->per_vector();
    for (size_t i = 0; i < bins.size(); ++i)
      out.values[i % per_level / words_->per_vector()] +=
          common[bins[i]] * unit_of(set) / own[bins[i]];
    return out;
  }

  size_t num_parts() const override { return cells_below(options_.levels + 1); }
  void part_grams(RepresentedSpan a, RepresentedSpan b, MatrixView<double> out) const override {
    MUSTER_CHECK(out.rows == num_parts() && out.cols == a.size() * b.size());
    for (size_t row = 0; row < a.size(); row += kBlockSets) {
      const size_t rows = std::min(kBlockSets, a.size() - row);
      over_cells(a.subspan(row, rows), b, [&](size_t cell, const Matrix<float>& values) {
        for (size_t i = 0; i < rows; ++i)
          for (size_t j = 0; j < b.size(); ++j)
            out(cell, (row + i) * b.size() + j) = static_cast<double>(values(j, i));
      });
    }
  }
  std::vector<double> part_weights() const override { return weights_; }
  std::shared_ptr<const SetKernel> with_weights(std::vector<double> weights) const override {
    MUSTER_CHECK(weights.size() == num_parts());
    return std::make_shared<Spm>(words_, options_, std::move(weights), true);
  }
  const WeightLearning* weights_to_learn() const override {
    return to_learn_ ? &*to_learn_ : nullptr;
  }

  void save(const TensorWriter& out) const override {
    words_->save(out);
    out.put("weights", weights_);
  }

  void save_represented(RepresentedSpan sets, const TensorWriter& out) const override {
    std::vector<uint32_t> starts, words;
    std::vector<float> values;
    for (const auto& set : sets) {
      const PyramidHistogram& own = histogram(*set);
      starts.insert(starts.end(), own.starts.begin(), own.starts.end());
      words.insert(words.end(), own.words.begin(), own.words.end());
      values.insert(values.end(), own.values.begin(), own.values.end());
    }
    out.put("starts", starts);
    out.put("words", words);
    out.put("values", values);
  }

  Represented load_represented(const TensorReader& in) const override {
    const std::vector<uint32_t> starts = in.values<uint32_t>("starts"),
                                words = in.values<uint32_t>("words");
    const std::vector<float> values = in.values<float>("values");
    const size_t per_set = num_parts() + 1;
    in.require(starts.size() % per_set == 0 && words.size() == values.size(),
               "histograms of another pyramid");
    in.require(std::ranges::all_of(words, [&](uint32_t word) { return word < words_->size(); }),
               "words of the vocabulary");
    in.require(
        std::ranges::all_of(values, [](float value) { return value >= 0 && std::isfinite(value); }),
        "counts that are not negative");
    Represented out;
    size_t begin = 0;
    for (size_t s = 0; s < starts.size(); s += per_set) {
      const std::vector<uint32_t> own(starts.begin() + static_cast<ptrdiff_t>(s),
                                      starts.begin() + static_cast<ptrdiff_t>(s + per_set));
      in.require(own[0] == 0 && std::ranges::is_sorted(own) && own.back() <= words.size() - begin,
                 "histograms whose cells are in order");
      const auto from = static_cast<ptrdiff_t>(begin),
                 to = static_cast<ptrdiff_t>(begin + own.back());
      out.push_back(std::make_shared<PyramidHistogram>(
          own, std::vector<uint32_t>(words.begin() + from, words.begin() + to),
          std::vector<float>(values.begin() + from, values.begin() + to)));
      begin += own.back();
    }
    return out;
  }

 private:
  // What a vector adds to each of its bins.
  double unit_of(const VectorSet& set) const {
    const auto total = static_cast<double>(std::max<size_t>(set.size() * words_->per_vector(), 1));
    return options_.counts == SpmCounts::kShare ? 1 / total : 1;
  }

  // cell * words + word for every level, vector and word of it.
  std::vector<uint64_t> occupied_bins(const VectorSet& set) const {
    std::vector<uint32_t> words(set.size() * words_->per_vector());
    if (set.size() > 0) words_->assign(set.vectors, words);
    std::vector<uint64_t> out;
    out.reserve(words.size() * static_cast<size_t>(options_.levels + 1));
    for (int level = 0; level <= options_.levels; ++level)
      for (size_t i = 0; i < words.size(); ++i) {
        const size_t v = i / words_->per_vector();
        const size_t cell =
            level == 0 ? 0 : cell_of(set.places(v, 0), set.places(v, 1), size_t{1} << level);
        out.push_back((cells_below(level) + cell) * words_->size() + words[i]);
      }
    return out;
  }

  // Calls body(cell, values) for every cell, values(j, i) being the intersection of a[i] and b[j]
  // there; at most kBlockSets in a.
  template <class Body>
  void over_cells(RepresentedSpan a, RepresentedSpan b, const Body& body) const {
    Matrix<float> block(words_->size(), kBlockSets), values(b.size(), kBlockSets);
    std::vector<SparseBins> sparse(b.size());
    for (size_t cell = 0; cell < num_parts(); ++cell) {
      const auto put = [&](bool clear) {
        for (size_t i = 0; i < a.size(); ++i) {
          const SparseBins own = histogram(*a[i]).cell(cell);
          for (size_t k = 0; k < own.count; ++k) block(own.bins[k], i) = clear ? 0 : own.values[k];
        }
      };
      put(false);
      for (size_t j = 0; j < b.size(); ++j) sparse[j] = histogram(*b[j]).cell(cell);
      sparse_minima(block, sparse, values);
      body(cell, values);
      put(true);
    }
  }

  std::shared_ptr<const Words> words_;
  SpmOptions options_;
  std::vector<double> weights_;  // one per cell
  std::optional<WeightLearning> to_learn_;
};

}  // namespace

void SpmOptions::fields(Fields& f) {
  vocabulary.fields(f);
  levels_field(f, levels, "DSPM 3.1");
  f.choice("counts", counts, {"share", "raw"},
           "count words as shares of the set's vectors, or as they are")
      .paper("DSPM 3.1");
  std::vector<std::string> names = {"dyadic", "constant"};
  names.insert(names.end(), kWeightRuleNames.begin(), kWeightRuleNames.end());
  f.choice("weights", weights, names,
           "weights of the cells: by level, all 1, or learned from the labels")
      .paper("DSPM 3");
  learning.fields(f);
}

std::vector<double> dyadic_weights(int levels) {
  std::vector<double> out;
  for (int level = 0; level <= levels; ++level)
    out.insert(out.end(), size_t{1} << (2 * level),
               std::ldexp(1.0, level == 0 ? -levels : level - levels - 1));
  return out;
}

std::shared_ptr<const SetKernel> fit_spm(const SpmOptions& options, const Sample& sample, Rng rng,
                                         const Progress& progress) {
  std::vector<double> weights = dyadic_weights(options.levels);
  if (options.weights == SpmWeights::kConstant) std::ranges::fill(weights, 1.0);
  return std::make_shared<Spm>(fit_words("spm", options.vocabulary, sample, rng, progress), options,
                               std::move(weights), false);
}

std::shared_ptr<const SetKernel> load_spm(const SpmOptions& options, const TensorReader& in) {
  std::vector<double> weights = in.values<double>("weights");
  in.require(weights.size() == cells_below(options.levels + 1), "one weight per cell");
  in.require(std::ranges::all_of(weights, [](double weight) { return std::isfinite(weight); }),
             "finite weights");
  return std::make_shared<Spm>(load_words(options.vocabulary, in), options, std::move(weights),
                               true);
}

}  // namespace muster
