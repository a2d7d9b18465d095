#include "muster/reduce/vector_scaling.h"

#include <cmath>

#include "muster/simd/elementwise.h"

namespace muster {
namespace {

class L2 final : public Reducer {
 public:
  explicit L2(size_t dim) : dim_(dim) {}
  size_t input_dim() const override { return dim_; }
  size_t output_dim() const override { return dim_; }
  VectorSet apply(VectorSet set) const override {
    for (size_t i = 0; i < set.size(); ++i) {
      double norm = 0;
      for (float value : set.vectors.row(i)) norm += static_cast<double>(value) * value;
      if (norm <= 0) continue;
      const auto scale = static_cast<float>(1 / std::sqrt(norm));
      for (float& value : set.vectors.row(i)) value *= scale;
    }
    return set;
  }
  void save(const TensorWriter&) const override {}

 private:
  size_t dim_;
};

class Root final : public Reducer {
 public:
  explicit Root(size_t dim) : dim_(dim) {}
  size_t input_dim() const override { return dim_; }
  size_t output_dim() const override { return dim_; }
  VectorSet apply(VectorSet set) const override {
    for (size_t i = 0; i < set.size(); ++i) {
      double norm = 0;
      for (float value : set.vectors.row(i)) norm += std::abs(value);
      if (norm <= 0) continue;
      signed_roots(set.vectors.row(i), static_cast<float>(1 / norm));
    }
    return set;
  }
  void save(const TensorWriter&) const override {}

 private:
  size_t dim_;
};

class Places final : public Reducer {
 public:
  Places(const PlacesOptions& options, size_t dim) : options_(options), dim_(dim) {}
  size_t input_dim() const override { return dim_; }
  size_t output_dim() const override { return dim_ + num_places(); }
  VectorSet apply(VectorSet set) const override {
    if (set.size() > 0 && !set.has_places())
      throw data_error(
          "places: this set has no places to append; give places or leave the stage out");
    Matrix<float> extended(set.size(), output_dim());
    for (size_t i = 0; i < set.size(); ++i) {
      std::ranges::copy(set.vectors.row(i), extended.row(i).begin());
      for (size_t t = 0; t < num_places(); ++t)
        extended(i, dim_ + t) = static_cast<float>(options_.weight) * set.places(i, t);
    }
    set.vectors = std::move(extended);
    return set;
  }
  void save(const TensorWriter&) const override {}

 private:
  size_t num_places() const { return options_.scale ? 3 : 2; }

  PlacesOptions options_;
  size_t dim_;
};

}  // namespace

std::unique_ptr<Reducer> make_l2(size_t input_dim) { return std::make_unique<L2>(input_dim); }
std::unique_ptr<Reducer> make_root(size_t input_dim) { return std::make_unique<Root>(input_dim); }
std::unique_ptr<Reducer> make_places(const PlacesOptions& options, size_t input_dim) {
  return std::make_unique<Places>(options, input_dim);
}

}  // namespace muster
