#include "muster/report/thumbnails.h"

#include "muster/image/decode.h"
#include "support/datasets.h"

namespace muster {
namespace {

// The opposite of what thumbnails do, six bits at a time.
std::vector<std::byte> bytes_of_base64(const std::string& text) {
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::vector<std::byte> out;
  unsigned bits = 0, held = 0;
  for (const char c : text) {
    if (c == '=') break;
    bits = bits << 6 | static_cast<unsigned>(digits.find(c));
    held += 6;
    if (held < 8) continue;
    held -= 8;
    out.push_back(static_cast<std::byte>(bits >> held & 255));
  }
  return out;
}

// One method that takes every item for the other class.
Results all_wrong(const Dataset& dataset) {
  Results results;
  results.class_names = dataset.labels.class_names;
  MethodResult method;
  method.method = "m";
  method.splits.emplace_back();
  for (size_t i = 0; i < dataset.items.size(); ++i) {
    const int label = dataset.labels.first(i);
    method.splits[0].predictions.push_back({dataset.items[i].name, label, 1 - label, 0.9});
  }
  results.methods.push_back(std::move(method));
  return results;
}

TEST(Thumbnails, ShowTheMistakesThatCanStillBeRead) {
  const TempDir folder;
  put_pictures(folder, 2, 2, 200);
  const Dataset dataset = open_dataset(folder.path());
  std::filesystem::remove(dataset.items[1].path);
  const auto thumbnails = mistake_thumbnails(all_wrong(dataset), dataset);
  EXPECT_EQ(thumbnails.size(), 3u);
  EXPECT_FALSE(thumbnails.contains(dataset.items[1].name));
  const std::string start = "data:image/jpeg;base64,";
  for (const auto& [name, uri] : thumbnails) {
    ASSERT_TRUE(uri.starts_with(start));
    const Image picture = decode_image(bytes_of_base64(uri.substr(start.size())), name, {});
    EXPECT_EQ(picture.width, 144);
    EXPECT_EQ(picture.height, 144);
  }
}

TEST(Thumbnails, VectorSetsHaveNone) {
  const TempDir folder;
  put_sets(folder, 2, 2, 3);
  const Dataset dataset = open_dataset(folder.path());
  EXPECT_TRUE(mistake_thumbnails(all_wrong(dataset), dataset).empty());
}

}  // namespace
}  // namespace muster
