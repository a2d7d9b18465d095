// What kernels exp(-factor D) of a divergence D between sets share: the factor that the data
// suggest, and the exponential.
#pragma once

#include <functional>
#include <optional>

#include "muster/core/options.h"
#include "muster/setkernel/set_kernel.h"

namespace muster {

// Writes the divergences of all pairs, as SetKernel::gram writes kernel values.
using Divergences = std::function<void(RepresentedSpan a, RepresentedSpan b, MatrixView<double> out,
                                       const Progress& progress)>;

// The option that holds the factor.
void factor_field(Fields& f, const char* name, std::optional<double>& factor, const char* help,
                  const char* paper);

// 1 / mean divergence of different sets, from at most `most` of the training sets; 1 if these are
// all alike.
double unit_factor(RepresentedSpan training, size_t most, const Divergences& divergences);

// values <- exp(-factor values)
void exp_of_negative(double factor, MatrixView<double> values);

// values <- values^power: exp(-f D) from exp(-g D), with power = f / g.
void raise_to(double power, MatrixView<double> values);

}  // namespace muster
