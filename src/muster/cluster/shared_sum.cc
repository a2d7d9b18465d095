#include "muster/cluster/shared_sum.h"

#include <cmath>
#include <cstring>

#include "muster/cluster/division_meter.h"
#include "muster/cluster/shared_for.h"
#include "muster/cluster/world.h"
#include "muster/core/error.h"

namespace muster {
namespace {

constexpr int kBits = 62;
// So that the quantum of a tiny bound is a normal number.
constexpr int kSmallestExponent = -960;

}  // namespace

Quantum::Quantum(double bound) {
  if (!std::isfinite(bound))
    throw runtime_failure(
        "a sum over all items left the range of numbers; look for vectors with very large values");
  int exponent = 0;
  std::frexp(bound, &exponent);
  exponent = std::max(exponent, kSmallestExponent);
  unit_ = std::ldexp(1.0, exponent - kBits);
  per_unit_ = std::ldexp(1.0, kBits - exponent);
}

void sum_over_ranks(std::span<int64_t> values) {
  if (divides_here())
    world().sum(values);
  else
    note_summed(values.size_bytes());
}

void largest_over_ranks(std::span<double> values) {
  if (!divides_here()) return note_summed(values.size_bytes());
  const PartsOfRanks parts = *world().gather(std::as_bytes(values));
  for (const std::vector<std::byte>& part : parts) {
    std::vector<double> theirs(values.size());
    std::memcpy(theirs.data(), part.data(), part.size());
    for (size_t i = 0; i < values.size(); ++i)
      if (theirs[i] > values[i] || std::isnan(theirs[i])) values[i] = theirs[i];
  }
}

std::vector<double> totals_over_ranks(const Matrix<double>& terms, size_t most_terms) {
  std::vector<double> largest(terms.rows());
  for (size_t k = 0; k < terms.rows(); ++k)
    for (const double term : terms.row(k))
      if (!(std::abs(term) <= largest[k])) largest[k] = std::abs(term);
  largest_over_ranks(largest);
  std::vector<Quantum> quanta;
  std::vector<int64_t> sums(terms.rows());
  for (size_t k = 0; k < terms.rows(); ++k) {
    quanta.emplace_back(largest[k] * static_cast<double>(most_terms));
    for (const double term : terms.row(k)) sums[k] += quanta[k].count(term);
  }
  sum_over_ranks(sums);
  std::vector<double> out;
  for (size_t k = 0; k < sums.size(); ++k) out.push_back(quanta[k].value(sums[k]));
  return out;
}

}  // namespace muster
