// A set as the sorted bins of its pyramids: what pmk and l1-embedding keep of it.
#pragma once

#include "muster/pyramid/pyramid_bins.h"
#include "muster/setkernel/set_kernel.h"

namespace muster {

class PyramidSet final : public Representation {
 public:
  PyramidSet(size_t size, std::vector<FinestBins> pyramids)
      : size(size), pyramids(std::move(pyramids)) {}
  size_t num_bytes() const override;

  size_t size;  // vectors
  std::vector<FinestBins> pyramids;
};

const PyramidSet& pyramid_set(const Representation& set);
std::shared_ptr<const PyramidSet> make_pyramid_set(const char* stage, const BinGrid& grid,
                                                   ConstMatrixView vectors);
void save_pyramid_sets(RepresentedSpan sets, const TensorWriter& out);
Represented load_pyramid_sets(const BinGrid& grid, const TensorReader& in);

// out(i, j) = sum over pyramids and levels of weighted intersections of a[i] and b[j]; weights as
// in add_pyramid_bins. If a and b are the same span, only what is above the diagonal is written.
void pyramid_intersections(const BinGrid& grid, RepresentedSpan a, RepresentedSpan b,
                           const LevelsWeight& weight, MatrixView<double> out,
                           const Progress& progress);

// 1 if the sample consists of whole numbers, as in PMK 3.1; else the value that makes the widest
// range 2^10.
double automatic_scale(ConstMatrixView sample);

}  // namespace muster
