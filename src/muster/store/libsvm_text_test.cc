#include "muster/store/libsvm_text.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "support/expect_error.h"
#include "support/temp_dir.h"

namespace muster {
namespace {

TEST(LibsvmText, WritesTheFormat) {
  const TempDir dir;
  Matrix<float> vectors(2, 3);
  vectors(0, 0) = 0.5f;
  vectors(0, 2) = -2;
  write_libsvm(dir / "a", vectors, std::vector<double>{1, -1});
  EXPECT_EQ(read_whole_file(dir / "a"), "1 1:0.5 3:-2\n-1\n");
  Matrix<double> gram(2, 2);
  gram(0, 0) = gram(1, 1) = 1;
  gram(0, 1) = gram(1, 0) = 0.1;
  write_libsvm_kernel(dir / "k", gram, std::vector<double>{2, 3});
  EXPECT_EQ(read_whole_file(dir / "k"), "2 0:1 1:1 2:0.1\n3 0:2 1:0.1 2:1\n");
}

RC_GTEST_PROP(LibsvmText, NumbersComeBackExactly, (const std::vector<float>& values)) {
  Matrix<float> vectors(values.size(), 2);
  std::vector<double> labels(values.size(), 3);
  for (size_t i = 0; i < values.size(); ++i) {
    vectors(i, 0) = 1;
    vectors(i, 1) = std::isfinite(values[i]) ? values[i] : 1;
  }
  if (!values.empty()) vectors(0, 1) = 1;  // so that the width is known
  const TempDir dir;
  write_libsvm(dir / "a", vectors, labels);
  const LabelledVectors back = read_libsvm(dir / "a");
  RC_ASSERT(back.labels == labels);
  RC_ASSERT(back.vectors.values().size() == vectors.values().size());
  for (size_t i = 0; i < values.size(); ++i) RC_ASSERT(back.vectors(i, 1) == vectors(i, 1));
}

TEST(LibsvmText, ReadsWhatOthersWrite) {
  const LabelledVectors read = parse_libsvm("+1\t2:1e-3 4:+2 \r\n\n-1 1:7", "x");
  EXPECT_EQ(read.labels, (std::vector<double>{1, -1}));
  EXPECT_EQ(read.vectors.cols(), 4u);
  EXPECT_EQ(read.vectors(0, 3), 2);
  EXPECT_EQ(read.vectors(1, 0), 7);
}

TEST(LibsvmText, BadLinesAreNamed) {
  for (const char* line :
       {"x 1:1", "1 1", "1 1:", "1 :1", "1 0:1", "1 2:1 1:1", "1 1:nan", "1 1:1x", "nan 1:1"})
    EXPECT_ERROR(parse_libsvm(std::string("1 1:1\n") + line, "file"), kData, "'file', line 2");
  EXPECT_ERROR(parse_libsvm("1 99999999999:1", "file"), kData, "too many");
  EXPECT_ERROR(parse_libsvm("0.1 777777777:1\n5", "file"), kData, "2 x 777777777 values");
  EXPECT_ERROR(parse_libsvm("1 4097:1", "file", 100), kData, "at most 2048 for a text of its size");
}

}  // namespace
}  // namespace muster
