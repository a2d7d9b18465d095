// One block of a vision transformer in double precision, straight from the formulas:
//   x = [class; patches] + position,  x += softmax(n(x) Q (n(x) K)') n(x) V,  x += relu(n(x) A) B
// where n is layer normalisation, or nothing if the file has no weights for it.
#pragma once

#include "oracle/network.h"

namespace muster::oracle {

using Rows = std::vector<std::vector<double>>;

inline Rows times(const Rows& a, const Rows& b) {
  Rows out(a.size(), std::vector<double>(b[0].size()));
  for (size_t i = 0; i < a.size(); ++i)
    for (size_t j = 0; j < b[0].size(); ++j)
      for (size_t k = 0; k < b.size(); ++k) out[i][j] += a[i][k] * b[k][j];
  return out;
}

inline Rows plus(Rows a, const Rows& b) {
  for (size_t i = 0; i < a.size(); ++i)
    for (size_t j = 0; j < a[i].size(); ++j) a[i][j] += b[i][j];
  return a;
}

inline Rows turned(const Rows& a) {
  Rows out(a[0].size(), std::vector<double>(a.size()));
  for (size_t i = 0; i < a.size(); ++i)
    for (size_t j = 0; j < a[i].size(); ++j) out[j][i] = a[i][j];
  return out;
}

inline Rows softmax(Rows a) {
  for (std::vector<double>& row : a) {
    double sum = 0;
    for (double& value : row) sum += value = std::exp(value);
    for (double& value : row) value /= sum;
  }
  return a;
}

inline Rows layer_norm(Rows a, const std::vector<double>& factor,
                       const std::vector<double>& offset) {
  for (std::vector<double>& row : a) {
    const auto n = static_cast<double>(row.size());
    double mean = 0, variance = 0;
    for (const double value : row) mean += value / n;
    for (const double value : row) variance += (value - mean) * (value - mean) / n;
    for (size_t j = 0; j < row.size(); ++j)
      row[j] = (row[j] - mean) / std::sqrt(variance + 1e-5) * factor[j] + offset[j];
  }
  return a;
}

// The output of transformer_network()'s "block" for the rows that its "tokens" gives.
inline Rows run_transformer(const std::string& file, const Rows& patches) {
  std::map<std::string, Weights> weights;
  for (const std::string& bytes : Message(Message(file).text(7)).all(5)) {
    const Message tensor(bytes);
    weights.emplace(tensor.text(8), read_weights(tensor));
  }
  const auto rows = [&](const std::string& name) {
    const Weights& w = weights.at(name);
    const auto width = static_cast<size_t>(w.shape.back());
    Rows out;
    for (size_t i = 0; i < w.values.size(); i += width)
      out.emplace_back(w.values.begin() + i, w.values.begin() + i + width);
    return out;
  };
  const auto norm = [&](const Rows& x, const std::string& name) {
    if (!weights.contains(name + "_factor")) return x;
    return layer_norm(x, rows(name + "_factor")[0], rows(name + "_offset")[0]);
  };
  Rows x = rows("class");
  x.insert(x.end(), patches.begin(), patches.end());
  x = plus(x, rows("position"));
  const Rows seen = norm(x, "norm1"), key = times(seen, rows("key_w"));
  const Rows shares = softmax(times(times(seen, rows("query_w")), turned(key)));
  x = plus(x, times(shares, times(seen, rows("value_w"))));
  Rows wide = times(norm(x, "norm2"), rows("wide_w"));
  for (std::vector<double>& row : wide)
    for (double& value : row) value = std::max(value, 0.0);
  return plus(x, times(wide, rows("narrow_w")));
}

}  // namespace muster::oracle
