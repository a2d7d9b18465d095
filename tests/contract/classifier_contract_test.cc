// Every classifier, on vectors or on a Gram matrix, in every setting.
#include "contract/contract.h"
#include "muster/classify/classifier.h"
#include "support/expect_error.h"
#include "support/labelled_data.h"

namespace muster::contract {
namespace {

using testing_data::Data;

struct ClassifierCase : StageCase {
  bool on_vectors;
};

// One that takes either is tested with both.
std::vector<ClassifierCase> classifier_cases() {
  std::vector<ClassifierCase> out;
  for (const StageCase& one : cases_of_kind<VectorClassifierStage>()) out.push_back({one, true});
  for (const StageCase& one : cases_of_kind<GramClassifierStage>()) out.push_back({one, false});
  for (const bool on_vectors : {true, false})
    for (const StageCase& one : cases_of_kind<EitherClassifierStage>()) {
      out.push_back({one, on_vectors});
      if (!on_vectors) out.back().name += "_on_gram";
    }
  return out;
}

class EveryClassifier : public ::testing::TestWithParam<ClassifierCase> {
 protected:
  static bool on_vectors() { return GetParam().on_vectors; }

  // Gaussian kernel values of all rows of a with all of b.
  static Matrix<double> gaussian(ConstMatrixView a, ConstMatrixView b, double gamma) {
    Matrix<double> out(a.rows, b.rows);
    for (size_t i = 0; i < a.rows; ++i)
      for (size_t j = 0; j < b.rows; ++j) {
        double distance = 0;
        for (size_t t = 0; t < a.cols; ++t)
          distance += std::pow(static_cast<double>(a(i, t)) - b(j, t), 2);
        out(i, j) = std::exp(-gamma * distance);
      }
    return out;
  }

  std::unique_ptr<Classifier> fit(const Data& data, int threads = 1) const {
    const ThreadLimit limit(threads);
    const PlannedStage& stage = GetParam().stage;
    if (on_vectors())
      return stage.as<VectorClassifierStage>().fit(*stage.options, data.vectors, data.labels,
                                                   Rng(kSeed), {});
    GramCandidates candidates{2, {}, {}};
    candidates.gram = [&](size_t candidate) {
      return gaussian(data.vectors, data.vectors, candidate == 0 ? kGamma : 100 * kGamma);
    };
    GramChoice choice = stage.as<GramClassifierStage>().fit(*stage.options, candidates, Psd::kNo,
                                                            data.labels, Rng(kSeed), {});
    EXPECT_EQ(choice.candidate, 0u) << "the kernel that cannot tell items apart was chosen";
    return std::move(choice.classifier);
  }

  std::unique_ptr<Classifier> load(const TensorMap& map) const {
    const PlannedStage& stage = GetParam().stage;
    if (on_vectors())
      return stage.as<VectorClassifierStage>().load(*stage.options, TensorReader(map));
    return stage.as<GramClassifierStage>().load(*stage.options, TensorReader(map));
  }

  Matrix<double> scores(const Classifier& classifier, const Data& train, const Data& test) const {
    return on_vectors()
               ? classifier.scores(test.vectors)
               : classifier.scores_from_gram(gaussian(test.vectors, train.vectors, kGamma));
  }

  // As the classifier wants it.
  static Data suited(Data data) {
    if (GetParam().entry->traits.non_negative)
      for (float& value : data.vectors.values()) value = std::exp(value);
    return data;
  }
  static Data training() { return suited(testing_data::blobs(48, 6, 3, 0.7, 1)); }
  // The same centres, wider.
  static Data tested() { return suited(testing_data::blobs(48, 6, 3, 1.2, 1)); }

  static constexpr double kGamma = 0.05;
};
INSTANTIATE_TEST_SUITE_P(Contract, EveryClassifier, ::testing::ValuesIn(classifier_cases()),
                         [](const auto& info) { return info.param.name; });

TEST_P(EveryClassifier, SameSeedSameBytesForAnyThreads) {
  MUSTER_FIT_OR_SKIP(one, fit(training(), 1));
  expect_same_bytes(saved(*one), saved(*fit(training(), 2)));
}

TEST_P(EveryClassifier, SavesAndLoadsExactly) {
  MUSTER_FIT_OR_SKIP(classifier, fit(training()));
  const TensorMap map = saved(*classifier);
  const auto loaded = load(map);
  const Matrix<double> expected = scores(*classifier, training(), tested());
  EXPECT_EQ(loaded->num_classes(), classifier->num_classes());
  EXPECT_EQ(loaded->takes_gram(), classifier->takes_gram());
  EXPECT_EQ(scores(*loaded, training(), tested()), expected);
  EXPECT_EQ(loaded->probabilities(expected), classifier->probabilities(expected));
  expect_same_bytes(saved(*loaded), map);
}

TEST_P(EveryClassifier, LearnsAndItsProbabilitiesAgreeWithItsScores) {
  MUSTER_FIT_OR_SKIP(classifier, fit(training()));
  EXPECT_EQ(classifier->takes_gram(), !on_vectors());
  const Matrix<double> values = scores(*classifier, training(), tested());
  ASSERT_EQ(values.cols(), 3u);
  EXPECT_TRUE(all_finite(values.values()));
  EXPECT_GT(testing_data::accuracy(values, tested().labels), 0.8);
  const Matrix<double> probabilities = classifier->probabilities(values);
  for (size_t i = 0; i < values.rows(); ++i) {
    const auto score = values.row(i), probability = probabilities.row(i);
    EXPECT_EQ(std::ranges::max_element(score) - score.begin(),
              std::ranges::max_element(probability) - probability.begin());
    double sum = 0;
    for (double p : probability) sum += p;
    EXPECT_NEAR(sum, 1, 1e-9);
  }
}

TEST_P(EveryClassifier, LabelsOfSeveralKinds) {
  const Data data = suited(testing_data::multi_label(60, 6, 3, 0.5, 2));
  MUSTER_FIT_OR_SKIP(classifier, fit(data));
  const Matrix<double> values = scores(*classifier, data, data);
  EXPECT_TRUE(all_finite(values.values()));
  const Matrix<double> probabilities = classifier->probabilities(values);
  for (double p : probabilities.values()) EXPECT_TRUE(p >= 0 && p <= 1) << p;
  const TensorMap map = saved(*classifier);
  EXPECT_EQ(load(map)->probabilities(values), probabilities);
}

TEST_P(EveryClassifier, OneClassIsADataError) {
  Data data = training();
  for (auto& labels : data.labels.of_item) labels = {0};
  data.labels.class_names.resize(1);
  EXPECT_ERROR(fit(data), kData, GetParam().entry->name);
}

TEST_P(EveryClassifier, ItemsAllAlikeGiveFiniteScores) {
  Data data = training();
  for (float& value : data.vectors.values()) value = 1;
  try {
    EXPECT_TRUE(all_finite(scores(*fit(data), data, data).values()));
  } catch (const Error& error) {
    EXPECT_FALSE(std::string(error.what()).empty());
  }
}

}  // namespace
}  // namespace muster::contract
