// Whatever a program does wrong ends in an Error with its kind, and nothing is lost or half
// written.
#include <fstream>
#include <limits>

#include "muster/muster.h"
#include "muster/store/safetensors.h"
#include "support/datasets.h"
#include "support/expect_error.h"

namespace muster {
namespace {

namespace fs = std::filesystem;

const char* const kPlain = "bow:words=3/linear-svm:C=10";

class BadInput : public ::testing::Test {
 protected:
  BadInput() {
    for (int i = 0; i < 12; ++i) {
      data_.push_back(class_vectors(6, 4, i % 2, Rng(5).derive(static_cast<uint64_t>(i))));
      labels_.push_back(i % 2 == 0 ? "a" : "b");
    }
    for (const Matrix<float>& set : data_)
      views_.push_back({.vectors = set.data(), .rows = set.rows(), .dim = set.cols()});
  }
  Model model() const { return train(views_, labels_, {.recipe = kPlain}); }

  std::vector<Matrix<float>> data_;
  std::vector<SetView> views_;
  std::vector<std::string> labels_;
};

TEST_F(BadInput, NoItems) {
  EXPECT_ERROR(train(std::vector<SetView>(), std::vector<std::string>()), kUsage, "no items");
  EXPECT_ERROR(gram("sum-match", std::vector<SetView>()), kUsage, "no items");
  EXPECT_ERROR(fit_encoder("bow", std::vector<SetView>()), kUsage, "no items");
  EXPECT_ERROR(model().evaluate(std::vector<SetView>(), std::vector<std::string>()), kUsage,
               "no items");
  EXPECT_TRUE(model().predict(std::vector<SetView>()).empty());
  EXPECT_EQ(fit_encoder("bow:words=3", views_).encode(std::vector<SetView>()).rows, 0u);
}

TEST_F(BadInput, SetsOfUnequalDimension) {
  views_[7].dim = 3;
  views_[7].stride = 4;
  EXPECT_ERROR(train(views_, labels_, {.recipe = kPlain}), kData, "item 8: its vectors have 3");
  EXPECT_ERROR(gram("sum-match", views_), kData, "item 8");
  EXPECT_ERROR(fit_encoder("bow", views_), kData, "item 8");
  views_[7] = views_[0];
  const Model trained = model();
  views_[7].dim = 3;
  EXPECT_ERROR(trained.predict(views_[7]), kData, "vectors of 3 components");
}

TEST_F(BadInput, NumbersThatAreNone) {
  data_[2](1, 1) = std::numeric_limits<float>::quiet_NaN();
  const Model trained = train(views_, labels_, {.recipe = kPlain});
  ASSERT_EQ(trained.report().left_out.size(), 1u);
  EXPECT_EQ(trained.report().left_out[0].item, "item 3");
  EXPECT_ERROR(trained.predict(views_[2]), kData, "vector 1 holds nan");
  EXPECT_ERROR(gram("sum-match", views_), kData, "item 3");
  for (Matrix<float>& set : data_) set(0, 0) = std::numeric_limits<float>::infinity();
  EXPECT_ERROR(train(views_, labels_, {.recipe = kPlain}), kData, "none of its 12 items");
}

TEST_F(BadInput, PicturesWithoutPixels) {
  const TempDir folder;
  put_pictures(folder, 2, 3, 32);
  const Model pictures = train(folder.path(), {.recipe = "dsift/bow:words=3/linear-svm:C=10"});
  const uint8_t pixel = 0;
  EXPECT_ERROR(pictures.predict(PixelView{nullptr, 8, 8}), kData, "null");
  EXPECT_ERROR(pictures.predict(PixelView{&pixel, 0, 8}), kData, "0 x 8");
  EXPECT_ERROR(pictures.predict(PixelView{&pixel, 8, -1}), kData, "8 x -1");
  EXPECT_ERROR(pictures.predict(EncodedPicture{}), kData, "item 1");
  EXPECT_ERROR(pictures.predict(views_[0]), kData, "trained on pictures");
  EXPECT_ERROR(pictures.predict("nowhere.jpg"), kData, "nowhere.jpg");
  EXPECT_ERROR(model().predict(PixelView{&pixel, 1, 1}), kData, "trained on vector sets");
  // One pixel is too small for a feature, and still a picture.
  EXPECT_EQ(pictures.predict(PixelView{&pixel, 1, 1, 1}).probabilities().size(), 2u);
}

TEST_F(BadInput, LabelsThatDoNotFit) {
  labels_.pop_back();
  EXPECT_ERROR(train(views_, labels_), kUsage, "11 labels for 12 items");
  labels_.push_back("");
  EXPECT_ERROR(train(views_, labels_), kData, "item 12: its label is empty");
  labels_.back() = "b";
  const Model trained = model();
  labels_.back() = "unheard of";
  EXPECT_ERROR(trained.evaluate(views_, labels_), kData, "unheard of");
  EXPECT_ERROR(trained.predict(views_[0]).probability("c"), kUsage, "unknown class 'c'");
}

TEST_F(BadInput, WrongOptions) {
  EXPECT_ERROR(train(views_, labels_, {.method = "bow-linear", .recipe = kPlain}), kUsage,
               "one of them");
  EXPECT_ERROR(train(views_, labels_, {.method = "bow-liner"}), kUsage, "bow-linear");
  EXPECT_ERROR(train(views_, labels_, {.recipe = "bow:words=3"}), kUsage, "no classifier");
  EXPECT_ERROR(train(views_, labels_, {.recipe = kPlain, .set = {"wrds=3"}}), kUsage, "wrds");
  EXPECT_ERROR(train(views_, labels_, {.recipe = kPlain, .threads = -1}), kUsage, "threads = -1");
  EXPECT_ERROR(train(views_, labels_, {.recipe = kPlain, .universal = "nowhere"}), kData,
               "nowhere");
  EXPECT_ERROR(train("nowhere/"), kData, "nowhere");
  EXPECT_ERROR(gram(kPlain, views_), kUsage, "classifier");
  EXPECT_ERROR(fit_encoder("sum-match", views_), kUsage, "kernel");
  EXPECT_ERROR(write_gram("out.png", "sum-match", views_), kUsage, ".npy");
  EXPECT_ERROR(fuse(std::vector<Model>{model()}), kUsage, "two models");
  EXPECT_ERROR(model().save_universal("u.muster"), kUsage, "universal mixture");
  const std::vector<Input> mixed = {views_[0], "picture.png"};
  EXPECT_ERROR(train(mixed, std::vector<std::string>{"a", "b"}), kData, "two kinds");
}

TEST_F(BadInput, FilesOfAnotherVersionOrKindOrDamaged) {
  const TempDir folder;
  model().save(folder / "model.muster");
  fit_encoder("bow:words=3", views_).save(folder / "encoder.muster");
  EXPECT_ERROR(load(folder / "encoder.muster"), kData, "muster train");
  EXPECT_ERROR(Encoder::load(folder / "model.muster"), kData, "encoder");
  std::string bytes;
  {
    std::ifstream in(folder / "model.muster", std::ios::binary);
    bytes.assign(std::istreambuf_iterator<char>(in), {});
  }
  EXPECT_ERROR(load(folder.put("cut.muster", bytes.substr(0, bytes.size() / 2))), kData,
               "cut.muster");
  bytes[bytes.size() / 2] ^= 1;
  EXPECT_ERROR(load(folder.put("flipped.muster", bytes)), kData, "flipped.muster");
  TensorMap map = read_safetensors(folder / "model.muster");
  map.metadata["format_version"] = "99";
  write_safetensors(folder / "later.muster", map);
  EXPECT_ERROR(load(folder / "later.muster"), kData, "train the model again");
}

// Cancels when a step of this name is so far.
struct CancelAt {
  std::string step;
  std::stop_source source = {};

  Progress progress() {
    return [this](std::string_view name, size_t done, size_t) {
      if (name == step && done > 0) source.request_stop();
    };
  }
};

TEST_F(BadInput, CancelledInTheMiddle) {
  const TempDir folder;
  for (const char* step : {"reading sets", "encoding"}) {
    CancelAt cancel{step};
    EXPECT_ERROR(
        train(
            views_, labels_,
            {.recipe = kPlain, .progress = cancel.progress(), .cancel = cancel.source.get_token()}),
        kCancelled, "train: cancelled");
    EXPECT_TRUE(cancel.source.stop_requested());
  }
  const Model trained = model();
  CancelAt cancel{"predicting"};
  EXPECT_ERROR(trained.predict(views_, {.threads = 1,
                                        .progress = cancel.progress(),
                                        .cancel = cancel.source.get_token()}),
               kCancelled, "predict: cancelled");
  // A file that was there stays as it was, and nothing is left beside it.
  const fs::path old = folder.put("k.npy", "old");
  CancelAt writing{"encoding"};
  EXPECT_ERROR(write_gram(old, "sum-match", views_, std::nullopt,
                          {.progress = writing.progress(), .cancel = writing.source.get_token()}),
               kCancelled, "gram: cancelled");
  EXPECT_EQ(fs::file_size(old), 3u);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()), 1);
  // Cancelled before it began.
  EXPECT_ERROR(trained.evaluate(views_, labels_, {.cancel = cancel.source.get_token()}), kCancelled,
               "evaluate: cancelled");
  EXPECT_EQ(trained.predict(views_).size(), views_.size());  // the model is none the worse for it
}

}  // namespace
}  // namespace muster
