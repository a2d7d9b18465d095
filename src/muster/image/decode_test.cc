#include "muster/image/decode.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "support/encoders.h"
#include "support/pictures.h"

namespace muster {
namespace {

// Left half red, right half blue, with a green top row.
Image flag(int width, int height) {
  return make_picture(width, height, [=](int x, int y, int c) {
    const int lit = y == 0 ? 1 : 2 * x < width ? 0 : 2;
    return c == lit ? 255 : 0;
  });
}

TEST(Decode, ReadsEveryFormat) {
  for (const TestEncoder& encoder : kTestEncoders) {
    const Image image = decode_image(encoder.encode(flag(40, 30)), encoder.name);
    ASSERT_EQ(image.width, 40) << encoder.name;
    ASSERT_EQ(image.height, 30) << encoder.name;
    const auto left = pixel(image, 5, 20), right = pixel(image, 35, 20);
    EXPECT_NEAR(left[0], 255, 6) << encoder.name;
    EXPECT_NEAR(left[2], 0, 6) << encoder.name;
    EXPECT_NEAR(right[2], 255, 6) << encoder.name;
  }
}

TEST(Decode, ShrinksToTheLongestSideAndNeverEnlarges) {
  const Bytes png = encode_png(flag(1000, 500));
  const Image small = decode_image(png, "a");
  EXPECT_EQ(small.width, 300);
  EXPECT_EQ(small.height, 150);
  EXPECT_EQ(decode_image(png, "a", {.longest_side_px = 0}).width, 1000);
  EXPECT_EQ(decode_image(png, "a", {.longest_side_px = 2000}).width, 1000);
  EXPECT_EQ(shrink(flag(1000, 500), 300), small);
  EXPECT_EQ(shrink(flag(1000, 500), 0), flag(1000, 500));
  const Image line = decode_image(encode_png(flag(1000, 1)), "a");
  EXPECT_EQ(line.width, 300);
  EXPECT_EQ(line.height, 1);
  EXPECT_THROW(decode_image(png, "a", {.longest_side_px = -1}), Error);
}

TEST(Decode, TinyAndBlackPictures) {
  const Image one{1, 1, {3, 2, 1}};
  EXPECT_EQ(decode_image(encode_png(one), "a"), one);
  EXPECT_EQ(decode_image(encode_jpeg(flat_picture(30, 20, 0)), "a"), flat_picture(30, 20, 0));
}

TEST(Decode, RefusesWhatIsNotAPicture) {
  expect_refused({}, "is empty");
  expect_refused(text_bytes("hello, this is a text renamed .jpg\n"), "not a picture");
  expect_refused(text_bytes("GIF89a and so on"), "not a picture");
  expect_refused(text_bytes("BM"), "header");
  expect_refused(text_bytes("P5 \n"), "header");
}

TEST(Decode, RefusesCutFiles) {
  for (const TestEncoder& encoder : kTestEncoders) {
    const Bytes whole = encoder.encode(noise_picture(120, 100));
    for (const double part : {0.05, 0.3, 0.7, 0.97}) {
      const Bytes cut(whole.begin(), whole.begin() + static_cast<ptrdiff_t>(part * whole.size()));
      EXPECT_THROW(decode_image(cut, "a"), Error) << encoder.name << " " << part;
    }
  }
}

RC_GTEST_PROP(Decode, DamagedBytesThrowOrDecode, ()) {
  const auto& encoder = kTestEncoders[*rc::gen::inRange<size_t>(0, std::size(kTestEncoders))];
  Bytes bytes = encoder.encode(flag(20, 20));
  for (int i = 0; i < *rc::gen::inRange(1, 6); ++i)
    bytes[*rc::gen::inRange<size_t>(0, bytes.size())] =
        static_cast<std::byte>(*rc::gen::inRange(0, 256));
  try {
    const Image image = decode_image(bytes, "a");
    RC_ASSERT(image.rgb.size() == size_t{3} * image.width * image.height);
  } catch (const Error& error) {
    RC_ASSERT(error.kind() == ErrorKind::kData);
  }
}

TEST(Decode, NothingIsPrinted) {
  testing::internal::CaptureStderr();
  for (const TestEncoder& encoder : kTestEncoders) {
    Bytes bytes = encoder.encode(noise_picture(120, 100));
    for (size_t i = bytes.size() / 2; i < bytes.size() / 2 + 40; ++i) bytes[i] = std::byte{0xA5};
    try {
      decode_image(bytes, "a");
    } catch (const Error&) {
    }
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

class Folder {
 public:
  Folder() : path_(std::filesystem::temp_directory_path() / std::to_string(::getpid())) {
    std::filesystem::create_directory(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  std::filesystem::path operator/(const char* name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

TEST(Decode, FilesOnDisk) {
  const Folder folder;
  const Image image{2, 1, {1, 2, 3, 250, 251, 252}};
  const Bytes bytes = encode_png(image);
  std::ofstream(folder / "a.png", std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), std::ssize(bytes));
  EXPECT_EQ(read_image(folder / "a.png"), image);
  EXPECT_THROW(read_image(folder / "none.png"), Error);
  EXPECT_THROW(read_image(folder / "."), Error);
}

TEST(Decode, OnlyRegularFilesAreOpened) {
  const Folder folder;
  const auto pipe = folder / "pipe.jpg";  // nobody writes to it: reading would wait for ever
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_THROW(read_image(pipe), Error);
  EXPECT_THROW(read_image("/dev/zero"), Error);
}

TEST(Decode, HugeFilesAreRefusedBeforeTheyAreRead) {
  const Folder folder;
  std::ofstream(folder / "big.bmp") << "BM";
  std::filesystem::resize_file(folder / "big.bmp", 5'000'000'000);  // takes no room on the disk
  try {
    read_image(folder / "big.bmp");
    ADD_FAILURE() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kData);
    EXPECT_NE(std::string(error.what()).find("5000000000 bytes"), std::string::npos);
  }
}

}  // namespace
}  // namespace muster
