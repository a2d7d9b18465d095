// The steps by themselves, and what becomes of models, encoders and kernels as bytes.
#include <fstream>
#include <limits>

#include "muster/muster.h"
#include "support/expect_error.h"
#include "support/sets_in_memory.h"

namespace muster {
namespace {

namespace fs = std::filesystem;

std::vector<std::byte> encoded_bytes(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  const std::string text(std::istreambuf_iterator<char>(in), {});
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

TEST(Steps, BytesAreThoseOfTheFileAndGiveBackTheSame) {
  const TempDir folder;
  const Sets sets(6), fresh(2, 99);
  const Model linear =
      train(sets.views, sets.labels, {.recipe = "bow:words=8/linear-svm:C=10", .seed = 4});
  const Model kernel = train(sets.views, sets.labels, {.recipe = "sum-match/kernel-svm:C=10"});
  const std::vector<Model> both = {linear, kernel};
  for (const Model& model : {linear, kernel, fuse(both)}) {
    model.save(folder / "a.muster");
    EXPECT_EQ(model.bytes(), encoded_bytes(folder / "a.muster"));
    const Model again = load(model.bytes());
    EXPECT_EQ(again.bytes(), model.bytes());
    for (const SetView& set : fresh.views) expect_same(again.predict(set), model.predict(set));
  }
  const Encoder encoder = fit_encoder("fisher:components=2", sets.views);
  encoder.save(folder / "e.muster");
  EXPECT_EQ(encoder.bytes(), encoded_bytes(folder / "e.muster"));
  EXPECT_EQ(Encoder::load(encoder.bytes()).encode(fresh.views).values,
            encoder.encode(fresh.views).values);
}

TEST(Steps, DamagedBytesAreRefused) {
  const Sets sets(4);
  const Model model = train(sets.views, sets.labels, {.recipe = "bow:words=3/linear-svm:C=10"});
  std::vector<std::byte> bytes = model.bytes();
  EXPECT_ERROR(load(std::span<const std::byte>()), kData, "model");
  EXPECT_ERROR(load(std::span<const std::byte>(bytes).first(bytes.size() / 2)), kData, "cut short");
  EXPECT_ERROR(Encoder::load(bytes), kData, "not a muster encoder");
  EXPECT_ERROR(Kernel::load(bytes), kData, "fit_kernel");
  bytes[bytes.size() / 2] ^= std::byte{1};
  EXPECT_ERROR(load(bytes), kData, "damaged");
}

TEST(Steps, AKernelComparesOthersWithWhatItWasFittedTo) {
  const TempDir folder;
  const Sets sets(4), others(2, 99);
  for (const char* recipe : {"pmk:pyramids=2", "bow:words=6/rbf", "sum-match", "bow:words=6"}) {
    const Kernel kernel = fit_kernel(recipe, sets.views);
    EXPECT_EQ(kernel.size(), 12u);
    EXPECT_EQ(kernel.training_gram().values, gram(recipe, sets.views).values);
    const KernelMatrix part = kernel.against_training(others.views);
    ASSERT_EQ(part.rows, 6u);
    ASSERT_EQ(part.cols, 12u);
    const KernelMatrix as_columns = gram(recipe, sets.views, others.views);
    for (size_t i = 0; i < part.rows; ++i)
      for (size_t j = 0; j < part.cols; ++j)
        EXPECT_NEAR(part(i, j), as_columns(j, i), 1e-9 * (1 + std::abs(part(i, j))));
    const KernelMatrix any = kernel.gram(others.views, sets.views);
    for (size_t i = 0; i < part.values.size(); ++i)
      EXPECT_NEAR(any.values[i], part.values[i], 1e-9 * (1 + std::abs(part.values[i])));
    const KernelMatrix square = kernel.gram(others.views);
    for (size_t i = 0; i < square.rows; ++i)
      for (size_t j = 0; j < square.cols; ++j) EXPECT_EQ(square(i, j), square(j, i));

    kernel.save(folder / "k.muster");
    EXPECT_EQ(kernel.bytes(), encoded_bytes(folder / "k.muster"));
    for (const Kernel& again : {Kernel::load(folder / "k.muster"), Kernel::load(kernel.bytes())}) {
      EXPECT_EQ(again.recipe(), kernel.recipe());
      EXPECT_EQ(again.against_training(others.views).values, part.values);
    }
  }
}

TEST(Steps, AKernelRefusesWhatItCannotCompare) {
  const Sets sets(4);
  EXPECT_ERROR(fit_kernel("sum-match", std::vector<SetView>()), kUsage, "no items");
  EXPECT_ERROR(fit_kernel("bow/linear-svm", sets.views), kUsage, "classifier");
  EXPECT_ERROR(fit_kernel("sum-mtch", sets.views), kUsage, "sum-match");
  const Kernel kernel = fit_kernel("sum-match", sets.views);
  EXPECT_EQ(kernel.against_training(std::vector<SetView>()).values.size(), 0u);
  const uint8_t pixel = 0;
  EXPECT_ERROR(kernel.against_training(std::vector<PixelView>{{&pixel, 1, 1, 1}}), kData,
               "the kernel was fitted to vector sets");
  SetView narrow = sets.views[0];
  narrow.dim = 3;
  narrow.stride = 5;
  EXPECT_ERROR(kernel.gram(std::vector<SetView>{narrow}), kData, "3 components");
}

TEST(Steps, LocalFeaturesHaveTheirPlaces) {
  const TempDir folder;
  put_pictures(folder, 2, 1, 48);
  const LabelledData data = read_dataset(folder.path());
  std::vector<std::string> paths;
  for (const LabelledData::Item& item : data.items) paths.push_back(item.path);
  const std::vector<LocalFeatures> found = extract_features("dsift:size=16,step=8/root", paths);
  ASSERT_EQ(found.size(), 2u);
  for (const LocalFeatures& one : found) {
    EXPECT_EQ(one.width, 48);
    EXPECT_EQ(one.height, 48);
    EXPECT_EQ(one.vectors.rows, 25u);  // patches begin at 0, 8, 16, 24 and 32 of 48 pixels
    EXPECT_EQ(one.vectors.dim, 128u);
    ASSERT_EQ(one.places.rows, one.vectors.rows);
    ASSERT_EQ(one.places.dim, 3u);
    for (const float value : one.places.values) {
      EXPECT_GE(value, 0);
      EXPECT_LE(value, 1);
    }
    EXPECT_LT(one.places.row(0)[0], one.places.row(4)[0]);
  }
  // Any number of threads, and pixels instead of files.
  EXPECT_EQ(extract_features("dsift:size=16,step=8/root", paths, {.threads = 1})[1].vectors.values,
            found[1].vectors.values);
  const Image image = read_image(paths[0]);
  const std::vector<PixelView> pixels = {{image.rgb.data(), image.width, image.height}};
  EXPECT_EQ(extract_features("dsift:size=16,step=8/root", pixels)[0].vectors.values,
            found[0].vectors.values);

  EXPECT_TRUE(extract_features("dsift", std::vector<std::string>()).empty());
  EXPECT_ERROR(extract_features("", paths), kUsage, "recipe");
  EXPECT_ERROR(extract_features("dsift/bow", paths), kUsage, "goes beyond");
  EXPECT_ERROR(extract_features("dsift+rgb//linear-svm", paths), kUsage, "");
  EXPECT_ERROR(extract_features("dsift/pca", paths), kUsage, "fitted");
  EXPECT_ERROR(extract_features("root", paths), kUsage, "begin with a feature");
  paths.push_back("nowhere.png");
  EXPECT_ERROR(extract_features("dsift", paths), kData, "nowhere.png");
}

TEST(Steps, ADataSetIsReadAsTrainSeesIt) {
  const TempDir folder;
  const Matrix<float> set = class_vectors(3, 2, 0, Rng(1));
  put_set(folder, "train/a/x-1.npy", set);
  put_set(folder, "train/b/y-1.npy", set);
  put_set(folder, "test/a/x-2.npy", set);
  const LabelledData data = read_dataset(folder.path());
  ASSERT_EQ(data.items.size(), 3u);
  EXPECT_EQ(data.class_names, (std::vector<std::string>{"a", "b"}));
  EXPECT_FALSE(data.multi_label);
  EXPECT_FALSE(data.of_pictures);
  size_t tested = 0;
  for (const LabelledData::Item& item : data.items) {
    EXPECT_TRUE(fs::exists(item.path));
    ASSERT_EQ(item.labels.size(), 1u);
    EXPECT_NE(item.name.find("/" + item.labels[0] + "/"), std::string::npos);
    EXPECT_FALSE(item.group.empty());
    EXPECT_NE(item.split, LabelledData::Split::kNone);
    tested += item.split == LabelledData::Split::kTest;
  }
  EXPECT_EQ(tested, 1u);

  const TempDir lists;
  put_set(lists, "1.npy", set);
  put_set(lists, "2.npy", set);
  lists.put("labels.tsv", "1.npy\tcat,dog\n2.npy\tdog\n");
  const LabelledData several = read_dataset(lists.path());
  EXPECT_TRUE(several.multi_label);
  EXPECT_EQ(several.items[0].labels, (std::vector<std::string>{"cat", "dog"}));
  EXPECT_EQ(several.items[0].split, LabelledData::Split::kNone);
  EXPECT_ERROR(read_dataset("nowhere"), kData, "nowhere");
}

TEST(Steps, AStrictTrainingRefusesWhatItCannotRead) {
  Sets sets(4);
  sets.data[2](1, 1) = std::numeric_limits<float>::quiet_NaN();
  const TrainOptions strict{.recipe = "bow:words=3/linear-svm:C=10", .strict = true};
  EXPECT_ERROR(train(sets.views, sets.labels, strict), kData, "item 3: vector 1 holds nan");
  sets.data[2](1, 1) = 0;
  EXPECT_EQ(train(sets.views, sets.labels, strict).report().items, 12u);
}

TEST(Steps, GramsInMemoryAndInFilesAreTheSame) {
  const TempDir folder;
  const Sets sets(4), others(2, 99);
  for (const char* recipe : {"pmk:pyramids=2", "bow:words=6/rbf", "sum-match"}) {
    const KernelMatrix all = gram(recipe, sets.views);
    ASSERT_EQ(all.rows, 12u);
    for (size_t i = 0; i < all.rows; ++i)
      for (size_t j = 0; j < all.cols; ++j) EXPECT_EQ(all(i, j), all(j, i));
    // Strips of one row: the file is put together from them.
    write_gram(folder / "k.npy", recipe, sets.views, std::nullopt, {}, 1);
    const Matrix<double> file = read_npy<double>(folder / "k.npy");
    ASSERT_EQ(file.rows(), all.rows);
    for (size_t i = 0; i < all.values.size(); ++i)
      EXPECT_NEAR(file.data()[i], all.values[i], 1e-6 * std::abs(all.values[i]));
    const KernelMatrix part = gram(recipe, sets.views, others.views);
    EXPECT_EQ(part.rows, 12u);
    EXPECT_EQ(part.cols, 6u);
  }
}

TEST(Steps, AnEncoderGivesTheVectorsWhoseDotProductsAreTheGram) {
  const TempDir folder;
  const Sets sets(4);
  const Encoder encoder = fit_encoder("pca:dim=3/fisher:components=2", sets.views);
  const Vectors vectors = encoder.encode(sets.views);
  ASSERT_EQ(vectors.rows, 12u);
  ASSERT_EQ(vectors.dim, encoder.dim());
  const KernelMatrix products = gram("pca:dim=3/fisher:components=2", sets.views);
  for (size_t i = 0; i < 12; ++i)
    for (size_t j = 0; j < 12; ++j) {
      double dot = 0;
      for (size_t t = 0; t < vectors.dim; ++t)
        dot += static_cast<double>(vectors.row(i)[t]) * vectors.row(j)[t];
      EXPECT_NEAR(products(i, j), dot, 1e-4 * (1 + std::abs(dot)));
    }
  encoder.save(folder / "e.muster");
  const Encoder again = Encoder::load(folder / "e.muster");
  EXPECT_EQ(again.encode(sets.views).values, vectors.values);
  EXPECT_EQ(again.recipe(), encoder.recipe());
  write_vectors(folder / "v.npy", vectors);
  EXPECT_EQ(read_npy<float>(folder / "v.npy").values()[7], vectors.values[7]);
  // Vocabularies per class need labels.
  EXPECT_GT(fit_encoder("bow:words=6,per_category=true", sets.views, sets.labels).dim(), 0u);
}

TEST(Steps, MatchesPairVectorsThatAreNear) {
  const std::vector<float> left = {10, 0, 5, 0, 0, 0}, right = {0, 1, 11, 0};
  const SetView a{.vectors = left.data(), .rows = 3, .dim = 2};
  const SetView b{.vectors = right.data(), .rows = 2, .dim = 2};
  const Matches found = match(a, b, "matching:distance=true");
  EXPECT_TRUE(found.costs);
  EXPECT_EQ(found.sizes, (std::array<std::size_t, 2>{3, 2}));
  EXPECT_EQ(found.places[0].dim, 0u);
  ASSERT_EQ(found.pairs.size(), 2u);
  EXPECT_EQ(found.pairs[0].a, 0u);
  EXPECT_EQ(found.pairs[0].b, 1u);
  EXPECT_EQ(found.pairs[0].weight, 1);
  EXPECT_EQ(found.pairs[1].a, 2u);
  EXPECT_EQ(found.pairs[1].b, 0u);
  EXPECT_FALSE(match(a, b, "pmk").costs);
  for (const char* recipe : {"match", "bow:words=2", "greedy/normalise", "sum-match"}) {
    SCOPED_TRACE(recipe);
    EXPECT_ERROR(match(a, b, recipe), kUsage, "vg-pmk");
  }
  EXPECT_ERROR(match(a, b, "pmk/kernel-svm"), kUsage, "classifier");
  EXPECT_ERROR(match(a, "no.png", "pmk"), kData, "two kinds");
}

}  // namespace
}  // namespace muster
