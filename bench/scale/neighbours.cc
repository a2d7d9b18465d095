// The nearest of many long vectors: time and memory of an exact search.
//   neighbours [ROWS] [DIM] [QUERIES]        100000, 10000 and 256 if not given
#include "muster/math/neighbours.h"

#include <cstdio>
#include <cstdlib>

#include "muster/core/memory.h"
#include "muster/core/parallel.h"
#include "muster/core/rng.h"
#include "muster/core/timer.h"

namespace muster {
namespace {

void fill(Matrix<float>& rows, const Rng& rng) {
  parallel_for(rows.rows(), 64, [&](size_t begin, size_t end) {
    for (size_t r = begin; r < end; ++r) {
      Rng own = rng.derive(r);
      for (float& value : rows.row(r)) value = static_cast<float>(own.uniform());
    }
  });
}

void measure(size_t num_rows, size_t dim, size_t num_queries) {
  Matrix<float> rows(num_rows, dim), queries(num_queries, dim);
  fill(rows, Rng(1));
  fill(queries, Rng(2));
  const double before = peak_memory_mib();
  const Timer timer;
  const auto found = NeighbourSearch(rows, Metric::kEuclidean).find(queries, 10);
  std::printf(
      "%zu rows of %zu, %zu queries, 10 nearest: %.1f s, %.0f MiB for the vectors, %.0f MiB more "
      "at the peak\n",
      num_rows, dim, found.size(), timer.seconds(), before, peak_memory_mib() - before);
}

}  // namespace
}  // namespace muster

int main(int argc, char** argv) {
  const auto number = [&](int i, size_t other) {
    return i < argc ? static_cast<size_t>(std::strtoul(argv[i], nullptr, 10)) : other;
  };
  muster::measure(number(1, 100000), number(2, 10000), number(3, 256));
}
