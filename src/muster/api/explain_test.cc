// Explanations by the front door.
#include <gtest/gtest.h>

#include <fstream>
#include <numeric>

#include "muster/image/decode.h"
#include "muster/muster.h"
#include "support/datasets.h"
#include "support/expect_error.h"

namespace muster {
namespace {

namespace fs = std::filesystem;

double sum_of(const Explanation& explanation) {
  double out = 0;
  for (const Explanation::Vector& vector : explanation.vectors) out += vector.value;
  return out;
}

class Explain : public testing::Test {
 protected:
  Explain() { put_pictures(folder_, 3, 6, 64); }

  fs::path picture(int class_index, int i) const {
    return folder_ / names_[static_cast<size_t>(class_index)] / fmt::format("{}.png", i);
  }
  Model train_as(const std::string& recipe) const {
    return train(folder_.path(), {.recipe = recipe});
  }

  TempDir folder_;
  std::vector<std::string> names_ = synth_class_names(3);
};

TEST_F(Explain, APictureByTheMostProbableClass) {
  const Model model = train_as("dsift:step=4/bow:words=20/linear-svm:C=10");
  const Explanation explanation = model.explain(picture(1, 2));
  const Prediction prediction = model.predict(picture(1, 2));
  EXPECT_EQ(explanation.class_name, prediction.label());
  EXPECT_EQ(explanation.probability, prediction.probability());
  EXPECT_EQ(explanation.score, std::ranges::max(prediction.scores()));
  EXPECT_EQ(explanation.by, EvidenceBy::kExact);
  EXPECT_NEAR(sum_of(explanation), explanation.score, 1e-4);
  ASSERT_EQ(explanation.features.size(), 1u);
  EXPECT_EQ(explanation.features[0].find("dsift:step=4"), 0u);
  EXPECT_TRUE(explanation.has_places);
  EXPECT_EQ(explanation.map.rows * explanation.map.cols, explanation.map.values.size());
  EXPECT_NEAR(std::accumulate(explanation.map.values.begin(), explanation.map.values.end(), 0.0),
              explanation.score, 1e-4);
  ASSERT_FALSE(explanation.strongest_for.empty());
  double largest = 0;
  for (const Explanation::Vector& vector : explanation.vectors)
    largest = std::max(largest, vector.value);
  EXPECT_EQ(explanation.vectors[explanation.strongest_for[0]].value, largest);
  for (const size_t i : explanation.strongest_against) EXPECT_LT(explanation.vectors[i].value, 0);
  EXPECT_TRUE(explanation.deciding.empty());
}

TEST_F(Explain, IsTheSameFromBytesAndPixelsAndForAnyThreads) {
  const Model model = train_as("dsift:step=4/pca:dim=8/pmk/kernel-svm:C=10");
  const Explanation from_file = model.explain(picture(0, 1), {.threads = 1});
  std::ifstream in(picture(0, 1), std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(in), {}};
  const Image image = read_image(picture(0, 1));
  for (const Explanation& other :
       {model.explain(EncodedPicture{std::as_bytes(std::span(bytes))}, {.threads = 4}),
        model.explain(PixelView{image.rgb.data(), image.width, image.height})}) {
    ASSERT_EQ(other.vectors.size(), from_file.vectors.size());
    for (size_t i = 0; i < other.vectors.size(); ++i)
      ASSERT_EQ(other.vectors[i].value, from_file.vectors[i].value);
    EXPECT_EQ(other.map.values, from_file.map.values);
  }
}

TEST_F(Explain, OneClassAgainstAnother) {
  const Model model = train_as("dsift:step=8/bow:words=20/linear-svm:C=10");
  const Prediction prediction = model.predict(picture(0, 0));
  const Explanation explanation =
      model.explain(picture(0, 0), {.class_name = names_[2], .against = names_[1]});
  EXPECT_EQ(explanation.class_name, names_[2]);
  EXPECT_EQ(explanation.against, names_[1]);
  const auto index = [&](const std::string& name) {
    return static_cast<size_t>(std::ranges::find(model.class_names(), name) -
                               model.class_names().begin());
  };
  EXPECT_NEAR(explanation.score,
              prediction.scores()[index(names_[2])] - prediction.scores()[index(names_[1])], 1e-9);
  EXPECT_NEAR(sum_of(explanation), explanation.score, 1e-4);
}

TEST_F(Explain, KernelMethodsNameTheTrainingPicturesAndMatchThem) {
  const Model trained = train_as("dsift:step=8/pca:dim=8/pmk/kernel-svm:C=10");
  trained.save(folder_ / "m.muster");
  fs::rename(folder_ / "m.muster", fs::path(folder_.path()) / ".m.muster");
  const Model model = load(folder_ / ".m.muster");
  const Explanation explanation =
      model.explain(picture(2, 3), {.deciding = 4, .matches = 5, .training = folder_.path()});
  EXPECT_EQ(explanation.by, EvidenceBy::kFirstOrder);
  ASSERT_EQ(explanation.deciding.size(), 4u);
  for (const Explanation::Deciding& one : explanation.deciding) {
    ASSERT_EQ(one.classes.size(), 1u);
    EXPECT_EQ(one.name.find(one.classes[0] + "/"), 0u) << one.name;
    EXPECT_TRUE(fs::exists(one.file));
    ASSERT_EQ(one.matches.size(), 5u);
    for (const Explanation::Match& match : one.matches)
      EXPECT_LT(match.vector, explanation.vectors.size());
  }
  const auto own =
      std::ranges::find(explanation.deciding, names_[2] + "/3.png", &Explanation::Deciding::name);
  ASSERT_NE(own, explanation.deciding.end()) << "a training picture is most like itself";
  EXPECT_GT(own->value, 0);
  const std::vector<std::byte> png = draw_explanation(explanation, picture(2, 3));
  EXPECT_GT(decode_image(png, "drawn", {0}).width, 500);
}

TEST_F(Explain, TrainingItemsThatAreGoneArePassedOverWithAWord) {
  const Model model = train_as("dsift:step=8/pca:dim=8/pmk/kernel-svm:C=10");
  TempDir other;
  put_pictures(other, 2, 1, 64);
  std::vector<std::string> notices;
  const Explanation explanation = model.explain(
      picture(2, 3), {.training = other.path(),
                      .notice = [&](const std::string& text) { notices.push_back(text); }});
  EXPECT_FALSE(explanation.deciding.empty());
  ASSERT_EQ(notices.size(), 1u);
  EXPECT_NE(notices[0].find("are not there"), std::string::npos);
}

TEST_F(Explain, SeveralFeaturesAndLabels) {
  std::vector<fs::path> items;
  std::vector<std::vector<std::string>> labels;
  for (int c = 0; c < 3; ++c)
    for (int i = 0; i < 6; ++i) {
      items.push_back(picture(c, i));
      labels.push_back(i == 0 ? std::vector<std::string>{}
                              : std::vector<std::string>{names_[static_cast<size_t>(c)]});
    }
  const Model model =
      train(items, labels,
            {.recipe = "dsift:step=8/bow:words=10+rgb:step=8/bow:words=10//linear-svm:C=10"});
  const Explanation explanation = model.explain(picture(1, 1), {.class_name = names_[1]});
  EXPECT_EQ(explanation.features.size(), 2u);
  EXPECT_EQ(explanation.vectors.back().feature, 1u);
  EXPECT_NEAR(sum_of(explanation), explanation.score, 1e-4);
}

TEST_F(Explain, DrawsAnyPictureAndWritesEvidenceOfSets) {
  const Model model = train_as("dsift:step=8/bow:words=10/linear-svm:C=10");
  const Explanation explanation = model.explain(picture(1, 1));
  const std::vector<std::byte> png = draw_explanation(explanation, picture(1, 1));
  EXPECT_EQ(png, draw_explanation(explanation, picture(1, 1)));
  EXPECT_GT(decode_image(png, "drawn", {0}).height, 300);

  Matrix<float> set = class_vectors(7, 5, 1, Rng(1));
  std::vector<Matrix<float>> data;
  std::vector<SetView> views;
  std::vector<std::string> labels;
  for (int i = 0; i < 12; ++i) data.push_back(class_vectors(6, 5, i % 3, Rng(3).derive(i)));
  for (int i = 0; i < 12; ++i) {
    views.push_back({.vectors = data[static_cast<size_t>(i)].data(), .rows = 6, .dim = 5});
    labels.push_back(std::to_string(i % 3));
  }
  const Model of_sets = train(views, labels, {.recipe = "bow:words=5/linear-svm:C=10"});
  const SetView view{.vectors = set.data(), .rows = 7, .dim = 5};
  const Explanation of_set = of_sets.explain(view);
  EXPECT_FALSE(of_set.has_places);
  EXPECT_TRUE(of_set.map.values.empty());
  write_evidence(folder_ / "evidence.npy", of_set);
  const Matrix<double> written = read_npy<double>(folder_ / "evidence.npy");
  ASSERT_EQ(written.rows(), 7u);
  for (size_t i = 0; i < 7; ++i) EXPECT_EQ(written(i, 0), of_set.vectors[i].value);
  EXPECT_ERROR(draw_explanation(of_set, view), kUsage, "vector set");
  EXPECT_ERROR(draw_explanation(of_set, picture(1, 1)), kUsage, "no places");
}

TEST_F(Explain, SaysWhatIsWrong) {
  const Model model = train_as("dsift:step=8/bow:words=10/linear-svm:C=10");
  EXPECT_ERROR(model.explain(picture(0, 0), {.class_name = "brick"}), kUsage, "did you mean");
  EXPECT_ERROR(model.explain(picture(0, 0), {.class_name = names_[0], .against = names_[0]}),
               kUsage, "against itself");
  EXPECT_ERROR(model.explain(picture(0, 0), {.against = "none"}), kUsage, "classes are:");
  EXPECT_ERROR(model.explain(picture(0, 0), {.regions = 0}), kUsage, "regions = 0");
  EXPECT_ERROR(model.explain(picture(0, 0), {.map_side = 0}), kUsage, "map_side = 0");
  EXPECT_ERROR(model.explain(folder_ / "none.png"), kData, "none.png");
  const Matrix<float> set(3, 5);
  EXPECT_ERROR(model.explain(SetView{.vectors = set.data(), .rows = 3, .dim = 5}), kData,
               "vector set");
  std::stop_source stop;
  stop.request_stop();
  EXPECT_ERROR(model.explain(picture(0, 0), {.cancel = stop.get_token()}), kCancelled, "explain");
}

}  // namespace
}  // namespace muster
