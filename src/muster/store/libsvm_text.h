// The text format of LIBSVM and LIBLINEAR: one item per line, "label index:value ...", indices from
// 1, zeros left out; precomputed kernels as "label 0:i 1:K(i,1) ... n:K(i,n)".
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "muster/core/matrix.h"

namespace muster {

struct LabelledVectors {
  std::vector<double> labels;
  Matrix<float> vectors;
};

// Numbers are written so that they read back exactly. Atomic. Requires one label per row.
void write_libsvm(const std::filesystem::path& path, ConstMatrixView vectors,
                  std::span<const double> labels);
void write_libsvm_kernel(const std::filesystem::path& path, MatrixView<const double> gram,
                         std::span<const double> labels);

// As wide as the largest index. A malformed line, a number that is not finite, indices that do not
// increase, or a table too large to hold densely is a data error that names the line.
LabelledVectors read_libsvm(const std::filesystem::path& path);
// Beyond `free_values` (64 MB of them), the table is too large if it has more than 256 values per
// byte of the text.
LabelledVectors parse_libsvm(const std::string& text, const std::string& name,
                             size_t free_values = size_t{1} << 24);

}  // namespace muster
