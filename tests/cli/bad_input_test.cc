// Bad input: the documented exit code, one clear message, nothing lost, nothing half-written.
#include <gmock/gmock.h>
#include <sys/stat.h>

#include "muster/image/decode.h"
#include "muster/store/npy.h"
#include "muster/store/safetensors.h"
#include "run_muster.h"

namespace muster {
namespace {

Image flat_picture(int width, int height, uint8_t value) {
  return {width, height, std::vector<uint8_t>(static_cast<size_t>(3 * width * height), value)};
}

std::string png_text(const Image& image) {
  const std::vector<std::byte> bytes = encode_png(image);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// The header of a picture far too large to decode.
std::string huge_png() {
  std::string text = png_text(flat_picture(8, 8, 0));
  for (size_t i : {16, 20}) text.replace(i, 4, std::string("\x00\x10\x00\x00", 4));  // 2^20 x 2^20
  return text;
}

std::string npy_text(const std::string& type, const std::string& shape, const std::string& data) {
  std::string header =
      "{'descr': '" + type + "', 'fortran_order': False, 'shape': " + shape + ", }";
  header.resize(117, ' ');
  header += '\n';
  return std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(header.size()) + '\0' + header +
         data;
}

class BadInput : public CommandTest {
 protected:
  // A file that cannot be read: predict refuses it, train and bench go on without it, inspect names
  // it.
  void expect_left_out(const std::string& data, const std::string& file) {
    SCOPED_TRACE(file);
    expect_error({"predict", at("m.muster"), file}, 3, fs::path(file).filename().string());
    const Ran trained = run_ok(
        {"train", data, "-o", at("with.muster"), "--method", "bow-linear", "--set", "words=20"});
    EXPECT_THAT(trained.err, HasSubstr("left out: "));
    EXPECT_TRUE(read_text(at("with.muster")) == read_text(at("m.muster")));
    EXPECT_EQ(run_ok({"inspect", data, "--json"}).json()["unreadable"].size(), 1u);
  }
};

TEST_F(BadInput, UnreadablePictures) {
  const std::string data = pictures(2, 6);
  run_ok({"train", data, "-o", at("m.muster"), "--method", "bow-linear", "--set", "words=20"});
  const std::string whole = read_text(data + "/bricks/0000.png");
  const std::vector<std::pair<std::string, std::string>> files{
      {"empty.jpg", ""},
      {"text.jpg", "this is no picture\n"},
      {"cut.png", whole.substr(0, whole.size() / 2)},
      {"huge.png", huge_png()},
  };
  for (const auto& [name, content] : files) {
    const std::string file = data + "/bricks/" + name;
    write_text(file, content);
    expect_left_out(data, file);
    fs::remove(file);
  }
  expect_error({"predict", at("m.muster"), at("absent.png")}, 3, "absent.png");
  expect_error({"predict", at("m.muster"), at("m.muster")}, 3,
               "neither a picture nor a vector set");
}

TEST_F(BadInput, PicturesWithLittleInThem) {
  const std::string data = pictures(2, 6);
  write_text(data + "/bricks/pixel.png", png_text(flat_picture(1, 1, 90)));
  write_text(data + "/stars/black.png", png_text(flat_picture(64, 48, 0)));
  EXPECT_THAT(
      run_ok({"train", data, "-o", at("m.muster"), "--method", "bow-linear", "--set", "words=20"})
          .out,
      HasSubstr("14 items"));
  run_ok({"predict", at("m.muster"), data + "/bricks/pixel.png", data + "/stars/black.png"});
  EXPECT_EQ(run_ok({"inspect", data, "--json"}).json()["blank"].size(), 2u);
}

TEST_F(BadInput, VectorSets) {
  const std::string data = clouds(10);
  run_ok({"train", data, "-o", at("m.muster"), "--method", "bow-linear", "--set", "words=20"});
  const std::string nan_bytes("\x00\x00\xc0\x7f", 4), zero(4, '\0');
  const std::vector<std::pair<std::string, std::string>> files{
      {"nan.npy", npy_text("<f4", "(1, 2)", nan_bytes + zero)},
      {"flat.npy", npy_text("<f4", "(2,)", zero + zero)},
      {"complex.npy", npy_text("<c8", "(1, 1)", zero + zero)},
      {"short.npy", npy_text("<f4", "(9, 2)", zero)},
      {"empty.npy", ""},
  };
  for (const auto& [name, content] : files) {
    const std::string file = data + "/circle/" + name;
    write_text(file, content);
    expect_left_out(data, file);
    expect_error({"encode", data + "/circle", "-o", at("x.npy"), "--recipe", "bow:words=3"}, 3,
                 name);
    EXPECT_FALSE(fs::exists(at("x.npy")));
    fs::remove(file);
  }
  write_npy(data + "/circle/wide.npy", Matrix<float>(3, 5));
  expect_error(
      {"train", data, "-o", at("wide.muster"), "--method", "bow-linear", "--set", "words=20"}, 3,
      "all sets must agree");
  EXPECT_FALSE(fs::exists(at("wide.muster")));
}

TEST_F(BadInput, Folders) {
  fs::create_directories(at("empty"));
  for (const char* command : {"train", "bench", "extract"}) {
    expect_error({command, at("empty"), "-o", at("out")}, 3, "holds no items");
    expect_error({command, at("absent"), "-o", at("out")}, 3, "does not exist");
    EXPECT_FALSE(fs::exists(at("out")));
  }
  expect_error({"inspect", at("empty")}, 3, "holds no items");
  expect_error({"inspect", at("absent")}, 3, "does not exist");

  write_text(at("broken/a/1.jpg"), "text");
  write_text(at("broken/b/1.jpg"), "text");
  for (const std::vector<std::string>& command : {std::vector<std::string>{"inspect", at("broken")},
                                                  {"train", at("broken"), "-o", at("out")}})
    expect_error(command, 3, "can be read");

  const std::string data = pictures(2, 6);
  fs::create_directories(at("one"));
  fs::copy(data + "/bricks", at("one/bricks"));
  expect_error({"train", at("one"), "-o", at("out"), "--method", "bow-linear", "--set", "words=20"},
               3, "class");
  EXPECT_FALSE(fs::exists(at("out")));
  EXPECT_THAT(run_ok({"inspect", at("one")}).out, HasSubstr("one class only"));

  fs::create_directories(data + "/lonely");
  fs::copy(data + "/bricks/0000.png", data + "/lonely/0000.png");
  run_ok({"train", data, "-o", at("lonely.muster"), "--method", "bow-linear", "--set", "words=20"});
  EXPECT_THAT(run_ok({"inspect", data}).out, HasSubstr("class 'lonely' has 1 item"));
}

TEST_F(BadInput, NamesOfClasses) {
  const std::string data = pictures(2, 6);
  fs::rename(data + "/bricks", data + "/red brick walls");
  fs::rename(data + "/stars", data + "/Sterne äöü 星");
  run_ok({"train", data, "-o", at("m.muster"), "--method", "bow-linear", "--set", "words=20"});
  const json classes = run_ok({"info", at("m.muster"), "--json"}).json()["classes"];
  EXPECT_EQ(classes, json::array({"Sterne äöü 星", "red brick walls"}));
  const json said =
      run_ok({"predict", at("m.muster"), data + "/red brick walls/0000.png", "--json"}).json();
  EXPECT_EQ(said[0]["class"], "red brick walls");
  run_ok({"bench", data, "--methods", "bow-linear", "--set", "words=10", "--train", "3", "--splits",
          "1", "-o", at("b")});
}

TEST_F(BadInput, ModelFiles) {
  const std::string good = read_text(model()), picture = at("pictures/bricks/0000.png");
  const auto expect_refused = [&](const std::string& content, const std::string& part) {
    write_text(at("bad.muster"), content);
    expect_error({"predict", at("bad.muster"), picture}, 3, part);
    expect_error({"evaluate", at("bad.muster"), at("pictures")}, 3, part);
    expect_error({"info", at("bad.muster")}, 3, part);
  };
  expect_refused("", "bad.muster");
  expect_refused(good.substr(0, 20), "bad.muster");
  expect_refused(good.substr(0, good.size() - 5), "bad.muster");
  for (size_t place : {size_t{12}, good.size() / 2, good.size() - 3}) {
    std::string flipped = good;
    flipped[place] = static_cast<char>(flipped[place] ^ 4);
    expect_refused(flipped, "bad.muster");
  }
  TensorMap map = read_safetensors(at("model.muster"));
  map.metadata["format_version"] = "99";
  write_safetensors(at("bad.muster"), map);
  expect_refused(read_text(at("bad.muster")), "format version 99");
  expect_error({"predict", at("absent.muster"), picture}, 3, "absent.muster");
  EXPECT_TRUE(read_text(at("model.muster")) == good);
}

TEST_F(BadInput, Outputs) {
  const std::string data = pictures(2, 4), sets = clouds(3) + "/circle";
  write_text(at("file"), "mine");
  for (const std::string& out : {at("absent/m.muster"), at("file/m.muster"), at("pictures"),
                                 std::string("/proc/m.muster")}) {
    expect_error({"train", data, "-o", out, "--method", "bow-linear", "--set", "words=20"}, 1, out);
    EXPECT_FALSE(fs::is_regular_file(out));
  }
  for (const char* command : {"encode", "gram"})
    expect_error({command, sets, "-o", at("absent/x.npy"), "--recipe", "bow:words=3"}, 1, "absent");
  expect_error({"extract", data, "-o", at("file")}, 1, "file");
  expect_error({"extract", data, "-o", at("absent/features")}, 1, "absent");
  expect_error({"bench", data, "--methods", "bow-linear", "-o", at("file"), "--set", "words=10"}, 1,
               "file");
  expect_error({"synth", at("file")}, 1, "file");
  EXPECT_EQ(read_text(at("file")), "mine");
  // A full disk under stdout, and under the model.
  EXPECT_EQ(run({"methods"}, {}, "/dev/full").code, 1);
  expect_error({"train", data, "-o", "/dev/full", "--method", "bow-linear", "--set", "words=20"}, 1,
               "/dev/full");
}

TEST_F(BadInput, Usage) {
  const std::string data = pictures(2, 4), out = at("m.muster");
  expect_error({}, 2, "--help");
  expect_error({"trian"}, 2, "did you mean 'train'");
  expect_error({"train"}, 2, "DATA");
  expect_error({"train", data}, 2, "--output");
  expect_error({"train", data, "-o", out, "--thread", "3"}, 2, "did you mean '--threads'");
  expect_error({"train", data, "-o", out, "--threads", "many"}, 2, "--threads");
  expect_error({"train", data, "-o", out, "--method", "bow-liner"}, 2, "did you mean 'bow-linear'");
  expect_error({"train", data, "-o", out, "--recipe", "dsift/bwo/linear-svm"}, 2,
               "did you mean 'bow'");
  expect_error({"train", data, "-o", out, "--recipe", "dsift/linear-svm"}, 2,
               "needs a set feature");
  expect_error({"train", data, "-o", out, "--recipe", "dsift/bow"}, 2, "classifier");
  expect_error({"train", data, "-o", out, "--recipe", "bow/linear-svm"}, 2, "feature");
  expect_error({"train", data, "-o", out, "--set", "dim=0"}, 2, "dim=0");
  expect_error({"train", data, "-o", out, "--set", "wrds=5"}, 2, "wrds");
  expect_error({"train", data, "-o", out, "--set", "words"}, 2, "option=value");
  expect_error(
      {"train", data, "-o", out, "--method", "bow-linear", "--recipe", "dsift/bow/linear-svm"}, 2,
      "--recipe");
  expect_error({"bench", data, "-o", at("b")}, 2, "--methods");
  expect_error({"bench", data, "-o", at("b"), "--methods", "nothing"}, 2, "nothing");
  expect_error({"bench", data, "-o", at("b"), "--methods", "bow-linear", "--protocol", "guess"}, 2,
               "guess");
  expect_error({"predict", out}, 2, "ITEM");
  expect_error({"methods", "dsfit"}, 2, "did you mean 'dsift'");
  expect_error({"synth", at("s"), "--size", "7"}, 2, "--size");
  expect_error({"synth", at("s"), "--classes", "1"}, 2, "classes");
  EXPECT_FALSE(fs::exists(out));
  EXPECT_FALSE(fs::exists(at("b")));
  EXPECT_FALSE(fs::exists(at("s")));
}

}  // namespace
}  // namespace muster
