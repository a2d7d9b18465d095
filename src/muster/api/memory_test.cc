// Views are used where they are: training on 100,000 sets takes no copy of them.
#include "muster/core/memory.h"

#include <gtest/gtest.h>

#include "muster/muster.h"

namespace muster {
namespace {

TEST(Memory, ViewsOfManySetsAreNotCopied) {
#ifdef MUSTER_SANITIZED
  GTEST_SKIP() << "AddressSanitizer holds on to freed memory, so the peak says nothing";
#endif
  constexpr size_t kSets = 100000, kRows = 24, kDim = 32;
  std::vector<float> values(kSets * kRows * kDim);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<float>(static_cast<int>((i * 2654435761U) % 1000) - 500) / 500;
  std::vector<SetView> sets;
  std::vector<std::string> labels;
  for (size_t i = 0; i < kSets; ++i) {
    float* own = values.data() + i * kRows * kDim;
    own[0] = i % 2 == 0 ? 5 : -5;
    sets.push_back({.vectors = own, .rows = kRows, .dim = kDim});
    labels.push_back(i % 2 == 0 ? "a" : "b");
  }
  reset_peak_memory();
  const double before = peak_memory_since_reset_mib();
  const Model model = train(sets, labels, {.recipe = "bow:words=4/linear-svm:C=1,calibrate=false"});
  const double trained = peak_memory_since_reset_mib() - before;
  const std::vector<Answer> answers = model.predict(sets);
  const double predicted = peak_memory_since_reset_mib() - before;
  const double data = static_cast<double>(values.size() * sizeof(float)) / (1 << 20);
  RecordProperty("data_mib", std::to_string(data));
  RecordProperty("train_mib", std::to_string(trained));
  RecordProperty("predict_mib", std::to_string(predicted));
  EXPECT_EQ(model.report().items, kSets);
  EXPECT_LT(trained, 0.5 * data);
  EXPECT_LT(predicted, 0.5 * data);
}

}  // namespace
}  // namespace muster
