#include "muster/source/input_source.h"

#include <limits>

#include "muster/features/dsift.h"
#include "muster/image/decode.h"
#include "support/datasets.h"
#include "support/expect_error.h"

namespace muster {
namespace {

Extraction sift_of_pictures() { return {"dsift", make_dsift({}), 40}; }

std::vector<std::byte> bytes_of(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(in)), {});
  const auto* begin = reinterpret_cast<const std::byte*>(text.data());
  return {begin, begin + text.size()};
}

TEST(InputSource, APictureIsTheSameSetHoweverItIsGiven) {
  const TempDir folder;
  put_pictures(folder, 2, 1, 48);
  const std::filesystem::path path = folder / (synth_class_names(2)[0] + "/0.png");
  const std::vector<std::byte> bytes = bytes_of(path);
  const Image image = read_image(path, {.longest_side_px = 0});
  std::vector<uint8_t> padded;  // a row of 7 bytes more than it needs
  for (size_t y = 0; y < 48; ++y) {
    padded.insert(padded.end(), image.rgb.begin() + static_cast<long>(y * 144),
                  image.rgb.begin() + static_cast<long>((y + 1) * 144));
    padded.insert(padded.end(), 7, 99);
  }
  const std::vector<Input> inputs = {path, EncodedPicture{bytes},
                                     PixelView{image.rgb.data(), 48, 48},
                                     PixelView{padded.data(), 48, 48, 3, 151}};
  const InputSource source{inputs};
  const Extraction extraction = sift_of_pictures();
  const VectorSet expected = load_file(path.string(), ItemKind::kImages, &extraction);
  EXPECT_GT(expected.size(), 0u);
  for (size_t i = 0; i < inputs.size(); ++i) {
    EXPECT_EQ(source.kind(i), ItemKind::kImages);
    EXPECT_EQ(source.load(&extraction, i), expected) << i;
  }
}

TEST(InputSource, APictureOfTooManyPixelsIsRefused) {
  const std::vector<std::byte> bytes = encode_png(Image{40, 30, std::vector<uint8_t>(3600)});
  const std::vector<EncodedPicture> pictures = {{bytes, "just", 1200}, {bytes, "over", 1199}};
  const InputSource source{pictures};
  const Extraction extraction = dense_sift();
  EXPECT_NO_THROW(source.load(&extraction, 0));
  EXPECT_ERROR(source.load(&extraction, 1), kData, "40 x 30");
}

// Gives pixels that it is told to give, and remembers the name that it was asked with.
struct FixedDecoder : PictureDecoder {
  Pixels pixels;
  mutable std::string name = {};
  explicit FixedDecoder(Pixels given) : pixels(std::move(given)) {}
  Pixels decode(const EncodedPicture& picture, int) const override {
    name = picture.name;
    return pixels;
  }
};

TEST(InputSource, ADecoderIsAskedForPixelsAndNotBelieved) {
  const Pixels good{2, 1, {1, 2, 3, 4, 5, 6}};
  const FixedDecoder decoder(good);
  const std::vector<EncodedPicture> pictures = {{{}, "", 0, &decoder}};
  EXPECT_EQ(InputSource(pictures).picture(0, 300), (Image{2, 1, good.rgb}));
  EXPECT_EQ(decoder.name, "item 1");
  for (const Pixels& bad : {Pixels{2, 2, good.rgb}, Pixels{0, 1, {}}, Pixels{-2, -1, good.rgb}}) {
    const FixedDecoder liar(bad);
    const std::vector<EncodedPicture> others = {{{}, "a", 0, &liar}};
    EXPECT_ERROR(InputSource(others).picture(0, 300), kData, "its decoder gave");
  }
}

TEST(InputSource, GreyPixelsAreThreeEqualChannels) {
  std::vector<uint8_t> grey(32 * 32), rgb;
  for (size_t i = 0; i < grey.size(); ++i) grey[i] = static_cast<uint8_t>(i * 7);
  for (const uint8_t value : grey) rgb.insert(rgb.end(), 3, value);
  const std::vector<PixelView> views = {{grey.data(), 32, 32, 1}, {rgb.data(), 32, 32, 3}};
  const InputSource source{views};
  const Extraction extraction = sift_of_pictures();
  EXPECT_EQ(source.load(&extraction, 0), source.load(&extraction, 1));
}

TEST(InputSource, SetsAreWhatTheViewsShow) {
  const std::vector<float> values = {1, 2, 3, 9, 4, 5, 6, 9};
  const std::vector<float> places = {0.25f, 0.5f, 0.75f, 1};
  const std::vector<SetView> views = {{values.data(), 2, 3, 4, places.data(), 2},
                                      {values.data(), 0, 3}};
  const InputSource source{views};
  const VectorSet set = source.load(nullptr, 0);
  ASSERT_EQ(set.size(), 2u);
  EXPECT_EQ(set.vectors(1, 0), 4);
  EXPECT_EQ(set.vectors(1, 2), 6);
  EXPECT_EQ(set.places(1, 0), 0.75f);
  EXPECT_EQ(set.places(1, 2), 0);
  EXPECT_EQ(source.load(nullptr, 1).size(), 0u);
  EXPECT_EQ(source.load(nullptr, 1).dim(), 3u);
}

TEST(InputSource, AnEncodedSetIsWhatItsFileHolds) {
  const TempDir folder;
  const std::filesystem::path path = put_set(folder, "a.npy", class_vectors(5, 3, 1, Rng(1)));
  const std::vector<std::byte> bytes = bytes_of(path), none = npy_bytes<float>(Matrix<float>(2, 0));
  const std::vector<EncodedSet> sets = {{bytes, "mine"}, {std::span(bytes).first(90)}, {none}};
  const InputSource source{sets};
  EXPECT_EQ(source.kind(0), ItemKind::kVectorSets);
  EXPECT_EQ(source.name(0), "mine");
  EXPECT_EQ(source.load(nullptr, 0), load_file(path.string(), ItemKind::kVectorSets, nullptr));
  EXPECT_ERROR(source.load(nullptr, 1), kData, "item 2");
  EXPECT_ERROR(source.load(nullptr, 2), kData, "item 3");
}

TEST(InputSource, BadViewsAreDataErrorsThatNameTheItem) {
  const std::vector<float> values = {1, std::numeric_limits<float>::quiet_NaN(), 2, 2};
  const std::vector<float> outside = {0, 0, 0, 2};
  const uint8_t pixel = 0;
  const std::vector<Input> inputs = {
      SetView{values.data(), 2, 2},
      SetView{nullptr, 2, 2},
      SetView{values.data(), 2, 0},
      SetView{values.data() + 2, 1, 2, 1},
      SetView{values.data() + 2, 2, 1, 0, outside.data(), 2},
      SetView{values.data() + 2, 2, 1, 0, outside.data(), 4},
      PixelView{nullptr, 4, 4},
      PixelView{&pixel, 0, 4},
      PixelView{&pixel, 1, 1, 2},
      PixelView{&pixel, 4, 4, 3, 5},
      PixelView{&pixel, 200000, 200000},
      EncodedPicture{{}, "mine.png"},
      "somewhere/text.txt",
  };
  const InputSource source{inputs};
  const Extraction extraction = sift_of_pictures();
  const std::vector<const char*> expected = {"item 1: vector 0 holds nan",
                                             "item 2: the pointer",
                                             "item 3: its vectors have no components",
                                             "item 4: a stride of 1",
                                             "item 5: place 1",
                                             "item 6: places have 4 columns",
                                             "item 7: the pointer",
                                             "item 8: the picture is 0 x 4",
                                             "item 9: it has 2 channels",
                                             "item 10: a stride of 5",
                                             "item 11: 200000 x 200000",
                                             "mine.png",
                                             "text.txt: neither a picture"};
  for (size_t i = 0; i < inputs.size(); ++i)
    EXPECT_ERROR(source.load(&extraction, i), kData, expected[i]);
  EXPECT_ERROR(InputSource(Inputs(inputs)).load(nullptr, 7), kUsage, "dsift");
}

}  // namespace
}  // namespace muster
