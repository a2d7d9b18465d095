// The front door, as a program uses it: this file includes no other header of the library than
// muster.h but for making data.
#include <atomic>
#include <fstream>
#include <thread>

#include "muster/muster.h"
#include "support/expect_error.h"
#include "support/sets_in_memory.h"

namespace muster {
namespace {

namespace fs = std::filesystem;

std::string bytes_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

const char* const kQuick = "bow:words=8/linear-svm:C=10";

TEST(Api, PhotosFromAFolderToAnAnswer) {
  const TempDir folder;
  put_pictures(folder, 3, 6, 48);
  folder.put(synth_class_names(3)[0] + "/broken.jpg", "no picture");
  std::vector<std::string> notices;
  const Model model =
      train(folder.path(), {.recipe = "dsift/bow:words=20/linear-svm:C=10",
                            .notice = [&](const std::string& text) { notices.push_back(text); }});
  EXPECT_EQ(model.class_names().size(), 3u);
  EXPECT_EQ(model.report().items, 18u);
  ASSERT_EQ(model.report().left_out.size(), 1u);
  EXPECT_NE(model.report().left_out[0].item.find("broken.jpg"), std::string::npos);
  EXPECT_NE(model.report().left_out[0].reason.find("broken.jpg"), std::string::npos);
  ASSERT_EQ(notices.size(), 1u);
  EXPECT_NE(notices[0].find("broken.jpg"), std::string::npos);
  EXPECT_TRUE(model.report().seconds.contains("features"));

  const fs::path picture = folder.path() / synth_class_names(3)[1] / "2.png";
  const Prediction answer = model.predict(picture);
  EXPECT_EQ(answer.label(), synth_class_names(3)[1]);
  EXPECT_EQ(answer.label(), answer.top(1)[0].name);
  EXPECT_EQ(answer.probability(), answer.top(3)[0].probability);
  EXPECT_EQ(answer.probability(answer.label()), answer.probability());
  EXPECT_EQ(answer.top(9).size(), 3u);
  ASSERT_EQ(answer.labels().size(), 1u);
  EXPECT_EQ(answer.labels()[0].name, answer.label());

  const std::string bytes = bytes_of(picture);
  const EncodedPicture encoded{std::as_bytes(std::span(bytes))};
  expect_same(model.predict(encoded), answer);
  const Image image = read_image(picture);
  expect_same(model.predict(PixelView{image.rgb.data(), image.width, image.height}), answer);
  expect_same(model.predict(picture.string()), answer);
}

// With so few vectors every one is drawn. (Larger samples are drawn before it is known what cannot
// be read, and lack its share.) The second recipe learns from labels in every stage.
TEST(Api, AModelThatLeftItemsOutIsThatOfTheOthers) {
  const TempDir with, without;
  for (const TempDir* folder : {&with, &without}) put_pictures(*folder, 2, 5, 40);
  for (const std::string& name : synth_class_names(2)) with.put(name + "/0a.png", "no picture");
  for (const char* recipe : {"dsift/pca:dim=8/bow:words=10/linear-svm:C=10",
                             "dsift/pls:dim=4/bow:words=10,per_category=true/linear-svm:C=10",
                             "dsift/bow:words=6+rgb/bow:words=4//linear-svm:C=10"}) {
    const TrainOptions options{.recipe = recipe};
    train(with.path(), options).save(with / "a.muster");
    train(without.path(), options).save(without / "a.muster");
    EXPECT_TRUE(bytes_of(with / "a.muster") == bytes_of(without / "a.muster")) << recipe;
    fs::remove(with / "a.muster");
    fs::remove(without / "a.muster");
  }
}

TEST(Api, MemoryAndFilesGiveTheSameModel) {
  const TempDir folder;
  const Sets sets(6);
  std::vector<fs::path> paths;
  for (size_t i = 0; i < sets.data.size(); ++i)
    paths.push_back(put_set(folder, fmt::format("{}/{:02}.npy", sets.labels[i], i), sets.data[i]));
  train(sets.views, sets.labels, {.recipe = kQuick}).save(folder / "views.muster");
  train(paths, sets.labels, {.recipe = kQuick}).save(folder / "paths.muster");
  EXPECT_EQ(bytes_of(folder / "views.muster"), bytes_of(folder / "paths.muster"));
}

TEST(Api, SavedAndLoadedAModelSaysTheSameBitForBit) {
  const TempDir folder;
  const Sets sets(8), fresh(4, 99);
  for (const char* recipe : {kQuick, "bow:words=6/rbf/kernel-svm", "sum-match/klr:C=1",
                             "fisher:components=2/logistic:C=1"}) {
    const Model model = train(sets.views, sets.labels, {.recipe = recipe, .keep_training = true});
    model.save(folder / "one.muster");
    const Model again = load(folder / "one.muster");
    again.save(folder / "two.muster");
    EXPECT_EQ(bytes_of(folder / "one.muster"), bytes_of(folder / "two.muster"));
    for (const SetView& set : fresh.views) expect_same(again.predict(set), model.predict(set));
    EXPECT_EQ(again.recipe(), model.recipe());
    EXPECT_EQ(again.class_names(), model.class_names());
  }
}

TEST(Api, ABatchSaysWhatItsItemsSayOneByOne) {
  const Sets sets(8), fresh(10, 99);
  const Model vectors = train(sets.views, sets.labels, {.recipe = kQuick});
  const Model kernel = train(sets.views, sets.labels, {.recipe = "pmk:pyramids=2/kernel-svm:C=10"});
  const std::vector<Model> both = {vectors, kernel};
  for (const Model& model : {vectors, kernel, fuse(both)})
    for (const int threads : {1, 2, 4}) {
      const std::vector<Answer> answers = model.predict(fresh.views, {.threads = threads});
      ASSERT_EQ(answers.size(), fresh.views.size());
      for (size_t i = 0; i < answers.size(); ++i)
        expect_same(*answers[i], model.predict(fresh.views[i]));
    }
}

TEST(Api, AnItemThatFailsDoesNotKeepTheOthersFromTheirAnswers) {
  const TempDir folder;
  const Sets sets(6);
  const Model model = train(sets.views, sets.labels, {.recipe = kQuick});
  const std::vector<float> wide(9);
  const std::vector<Input> items = {sets.views[0], SetView{wide.data(), 1, 9}, "missing.npy",
                                    folder.put("picture.png", "x"), sets.views[1]};
  const std::vector<Answer> answers = model.predict(items);
  ASSERT_EQ(answers.size(), 5u);
  EXPECT_TRUE(answers[0]);
  EXPECT_TRUE(answers[4]);
  EXPECT_EQ(answers[0].error(), nullptr);
  for (const size_t bad : {1u, 2u, 3u}) {
    EXPECT_FALSE(answers[bad]);
    ASSERT_TRUE(answers[bad].error());
    EXPECT_EQ(answers[bad].error()->kind(), ErrorKind::kData);
    EXPECT_ERROR(answers[bad].value(), kData, "");
  }
  EXPECT_NE(std::string(answers[1].error()->what()).find("item 2"), std::string::npos);
  EXPECT_NE(std::string(answers[3].error()->what()).find("trained on vector sets"),
            std::string::npos);
}

TEST(Api, AnyNumberOfThreadsGivesTheSameBytes) {
  const TempDir folder;
  put_pictures(folder, 3, 6, 48);
  for (const char* recipe :
       {"dsift/pca:dim=8/fisher:components=4/linear-svm", "dsift/root/bow:words=16/rbf/kernel-svm",
        "dsift/emk-fourier:dim=64/linear-svm+"}) {
    std::string text = recipe;
    if (text.ends_with('+'))  // two branches
      text = "dsift/bow:words=9+rgb/bow:words=9//linear-svm";
    std::string expected;
    for (const int threads : {1, 2, 4}) {
      const Model model = train(folder.path(), {.recipe = text, .threads = threads});
      model.save(folder / "model.muster");
      const std::string bytes = bytes_of(folder / "model.muster");
      if (expected.empty()) expected = bytes;
      EXPECT_EQ(bytes, expected) << text << " with " << threads << " threads";
    }
  }
}

TEST(Api, ManyThreadsShareOneModel) {
  const Sets sets(6), fresh(6, 99);
  const Model model = train(sets.views, sets.labels, {.recipe = "sum-match/kernel-svm:C=10"});
  std::vector<std::string> expected;
  for (const SetView& set : fresh.views) expected.push_back(model.predict(set).label());
  std::atomic<int> wrong = 0;
  std::vector<std::jthread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (size_t i = 0; i < fresh.views.size(); ++i)
        wrong += model.predict(fresh.views[i]).label() != expected[i];
    });
  threads.clear();
  EXPECT_EQ(wrong, 0);
}

TEST(Api, SeveralLabelsPerItem) {
  const Sets sets(10);
  std::vector<std::vector<std::string>> labels;
  for (size_t i = 0; i < sets.labels.size(); ++i) {
    labels.push_back({sets.labels[i]});
    if (i % 3 != 2) labels.back().push_back("early");
  }
  const Model model = train(sets.views, labels, {.recipe = kQuick});
  EXPECT_TRUE(model.info().multi_label);
  EXPECT_EQ(model.class_names(), (std::vector<std::string>{"class0", "class1", "class2", "early"}));
  const Evaluation result = model.evaluate(sets.views, labels);
  ASSERT_EQ(result.labels.size(), 4u);
  EXPECT_GT(result.mean_average_precision, 0.9);
  for (const Ranked& label : model.predict(sets.views[0]).labels())
    EXPECT_GE(label.probability, 0.5);
}

TEST(Api, EvaluatesFoldersAndMemoryAlike) {
  const TempDir folder;
  const Sets sets(8), fresh(6, 99);
  const Model model = train(sets.views, sets.labels, {.recipe = kQuick});
  for (size_t i = 0; i < fresh.data.size(); ++i)
    put_set(folder, fmt::format("{}/{:02}.npy", fresh.labels[i], i), fresh.data[i]);
  folder.put("class0/zz.npy", "broken");
  const Evaluation memory = model.evaluate(fresh.views, fresh.labels);
  const Evaluation disk = model.evaluate(folder.path());
  EXPECT_EQ(memory.accuracy, disk.accuracy);
  EXPECT_EQ(memory.confusion, disk.confusion);
  EXPECT_EQ(memory.items.size(), 18u);
  EXPECT_TRUE(memory.left_out.empty());
  ASSERT_EQ(disk.left_out.size(), 1u);
  size_t right = 0, counted = 0;
  for (const Evaluation::Item& item : memory.items)
    right += item.prediction.label() == item.truth[0];
  for (const auto& row : memory.confusion)
    for (const size_t count : row) counted += count;
  EXPECT_DOUBLE_EQ(memory.accuracy, static_cast<double>(right) / 18);
  EXPECT_EQ(counted, 18u);
}

TEST(Api, AddsClassesAndFuses) {
  const TempDir folder;
  const Sets sets(6);
  std::vector<SetView> known;
  std::vector<std::string> labels;
  for (size_t i = 0; i < sets.views.size(); ++i)
    if (i % 3 != 2) {
      known.push_back(sets.views[i]);
      labels.push_back(sets.labels[i]);
    } else {
      put_set(folder, fmt::format("class2/{}.npy", i), sets.data[i]);
    }
  const Model two = train(known, labels, {.recipe = kQuick, .keep_training = true});
  const Model three = add_classes(two, folder / "class2");
  EXPECT_EQ(three.class_names(), (std::vector<std::string>{"class0", "class1", "class2"}));
  EXPECT_EQ(three.report().items, 6u);
  EXPECT_EQ(add_classes(two, folder / "class2", "new").class_names().back(), "new");
  EXPECT_ERROR(add_classes(train(known, labels, {.recipe = kQuick}), folder / "class2"), kUsage,
               "keep");

  const std::vector<Model> members = {two, train(known, labels, {.recipe = kQuick, .seed = 2})};
  const std::vector<double> weights = {3, 1};
  const Model fused = fuse(members, weights);
  EXPECT_TRUE(fused.info().fused());
  EXPECT_DOUBLE_EQ(fused.info().members[0].weight, 3);
  const double expected = 0.75 * members[0].predict(known[0]).probabilities()[0] +
                          0.25 * members[1].predict(known[0]).probabilities()[0];
  EXPECT_NEAR(fused.predict(known[0]).probabilities()[0], expected, 1e-12);
}

TEST(Api, ExtractedFeaturesTrainTheSameModel) {
  const TempDir folder, out;
  put_pictures(folder, 2, 5, 40);
  const char* const recipe = "dsift/bow:words=10/linear-svm:C=10";
  train(folder.path(), {.recipe = recipe}).save(out / "a.muster");
  const ExtractReport first = write_features(folder.path(), out / "features", "dsift");
  EXPECT_EQ(first.added, 10u);
  EXPECT_EQ(first.kept, 0u);
  EXPECT_GT(first.vectors_added, 10u);
  const ExtractReport again = write_features(folder.path(), out / "features", "dsift");
  EXPECT_EQ(again.added, 0u);
  EXPECT_EQ(again.kept, 10u);
  train(folder.path(), {.recipe = recipe, .source = {.features = out / "features"}})
      .save(out / "b.muster");
  EXPECT_TRUE(bytes_of(out / "a.muster") == bytes_of(out / "b.muster"));
  EXPECT_ERROR(write_features(folder.path(), out / "features", "rgb"), kUsage, "recipe");
  EXPECT_ERROR(write_features(folder.path(), out / "other", "dsift/pca"), kUsage, "pca");
}

TEST(Api, KernelSharesAddUpToOne) {
  const Sets sets(4);
  const Model model =
      train(sets.views, sets.labels, {.recipe = "bow:words=4/rbf+sum-match//kernel-svm:C=1"});
  const std::vector<ShareOfKernel> shares = model.kernel_shares();
  ASSERT_EQ(shares.size(), 2u);
  EXPECT_EQ(shares[0].branch, "bow/rbf");
  EXPECT_NEAR(shares[0].share + shares[1].share, 1, 1e-12);
  EXPECT_GT(shares[1].share, 0);
  const Model vectors = train(sets.views, sets.labels, {.recipe = kQuick});
  EXPECT_ERROR(vectors.kernel_shares(), kUsage, "no kernels");
  const std::vector<Model> members = {model, model};
  EXPECT_ERROR(fuse(members).kernel_shares(), kUsage, "fused");
}

TEST(Api, ACacheOnDiskGivesTheSameAnswers) {
  const TempDir folder, cache;
  put_pictures(folder, 2, 4, 40);
  const Model model =
      train(folder.path(), {.recipe = "dsift/bow:words=6+rgb/bow:words=4//linear-svm:C=10"});
  std::vector<std::string> items;
  for (const auto& entry : fs::recursive_directory_iterator(folder.path()))
    if (entry.is_regular_file()) items.push_back(entry.path().string());
  items.push_back(folder.put("broken.png", "no picture").string());
  items.push_back(folder.put("notes.txt").string());
  const std::vector<Answer> without = model.predict(items);
  const RunOptions cached{.source = {.disk = {cache.path() / "features"}}};
  for (int run = 0; run < 2; ++run) {
    const std::vector<Answer> with = model.predict(items, cached);
    ASSERT_EQ(with.size(), items.size());
    for (size_t i = 0; i + 2 < items.size(); ++i) expect_same(*with[i], *without[i]);
    for (size_t i = items.size() - 2; i < items.size(); ++i)
      EXPECT_STREQ(with[i].error()->what(), without[i].error()->what());
    // Features come from the cache now: a picture with the same size and time of change is not
    // looked at again.
    if (run == 0) {
      const auto time = fs::last_write_time(items[0]);
      const std::string other(fs::file_size(items[0]), 'x');
      std::ofstream(items[0], std::ios::binary) << other;
      fs::last_write_time(items[0], time);
    }
  }
}

TEST(Api, VectorSetsNeedNoFeatureStageAndMethodsHaveNames) {
  const Sets sets(4);
  std::vector<std::string> notices;
  const Model model = train(sets.views, sets.labels,
                            {.method = "bow-linear",
                             .set = {"words=8", "C=1"},
                             .notice = [&](const std::string& text) { notices.push_back(text); }});
  ASSERT_EQ(notices.size(), 1u);
  EXPECT_NE(notices[0].find("dsift"), std::string::npos);
  EXPECT_NE(model.recipe().find("words=8"), std::string::npos);
  EXPECT_FALSE(model.info().of_pictures);
  EXPECT_EQ(version().find('.'), 1u);
}

TEST(Api, AutoChoosesTheSameOnAnyNumberOfThreadsAndTheModelKeepsIt) {
  const TempDir folder;
  put_pictures(folder, 3, 5, 40);
  std::string first;
  for (const int threads : {1, 2, 4}) {
    const Model model = train(folder.path(), {.effort = Effort::kQuick, .threads = threads});
    ASSERT_TRUE(model.report().choice);
    EXPECT_TRUE(model.report().seconds.contains("choose"));
    EXPECT_EQ(model.report().fit->tried.size(), 1u);
    const fs::path file = folder / "model.muster";
    model.save(file);
    if (first.empty()) first = bytes_of(file);
    EXPECT_TRUE(bytes_of(file) == first) << threads;
    const ModelInfo info = load(file).info();
    ASSERT_TRUE(info.members[0].choice);
    EXPECT_EQ(info.members[0].choice->estimate, model.report().choice->estimate);
    EXPECT_EQ(info.members[0].choice->tried.size(), model.report().choice->tried.size());
    fs::remove(file);
  }
}

TEST(Api, AutoTellsWhatItSaidOfItemsThatItHadNotSeen) {
  const TempDir folder;
  put_sets(folder, 2, 12, 6);
  fs::rename(folder / "class0/3.npy", folder / "class1/wrong.npy");
  const Model model = train(folder.path());
  const std::vector<HeldOutAnswer>& answers = model.report().held_out;
  ASSERT_EQ(answers.size(), 24u);
  size_t right = 0;
  for (const HeldOutAnswer& one : answers) {
    EXPECT_EQ(one.item.substr(0, one.item.find('/')), one.label);
    EXPECT_GE(one.probability, 0.5);
    EXPECT_LE(one.probability, 1.0);
    right += one.predicted == one.label ? 1 : 0;
    if (one.item == "class1/wrong.npy") {
      EXPECT_EQ(one.predicted, "class0");
    }
  }
  EXPECT_GE(right, 21u);
  EXPECT_TRUE(train(folder.path(), {.method = "bow-linear"}).report().held_out.empty());
}

TEST(Api, AThumbnailIsASmallUprightPicture) {
  const TempDir folder;
  put_pictures(folder, 2, 1, 64);
  const fs::path file = folder / (synth_class_names(2)[0] + "/0.png");
  const std::vector<std::byte> small = thumbnail(file, 16);
  const Image decoded = decode_image(small, "thumbnail");
  EXPECT_EQ(decoded.width, 16);
  EXPECT_EQ(decoded.height, 16);
  EXPECT_EQ(decode_image(thumbnail(file, 640), "thumbnail").width, 64);  // never enlarged
  const std::string text = "no picture";
  EXPECT_ERROR(thumbnail(EncodedPicture{std::as_bytes(std::span(text))}, 16), kData,
               "not a picture");
  EXPECT_ERROR(thumbnail(file, 0), kUsage, "longest_side_px");
  EXPECT_ERROR(thumbnail(Sets(1).views[0], 16), kUsage, "");
}

TEST(Api, AutoIsANameAsWellAsTheDefault) {
  const Sets sets(6);
  const TrainOptions quick{.effort = Effort::kQuick};
  TrainOptions named = quick;
  named.method = "auto";
  EXPECT_EQ(train(sets.views, sets.labels, named).recipe(),
            train(sets.views, sets.labels, quick).recipe());
  EXPECT_ERROR(train(sets.views, sets.labels, {.by_object = true}), kUsage, "by_object");
  EXPECT_ERROR(train(sets.views, sets.labels, {.groups = {"one"}}), kUsage, "1 groups for");
  EXPECT_ERROR(train(sets.views, sets.labels, {.universal = "mixture.muster"}), kUsage, "name it");
}

}  // namespace
}  // namespace muster
