#include "muster/core/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "muster/core/error.h"

namespace muster {
namespace {

enum class Detector { kDog, kHarris };

struct AllKinds {
  int words = 1000;
  double rate = 0.5;
  bool shift = true;
  std::optional<double> gamma;
  std::vector<int> sizes{16};
  std::vector<double> means;
  std::string file = "auto";
  std::vector<std::string> layers = {"auto"};
  Detector detector = Detector::kDog;

  void fields(Fields& f) {
    f("words", words, "size of the vocabulary").range(1, 1e6).paper("EMK 2");
    f("rate", rate, "step").range(0, 1);
    f("shift", shift, "random shifts");
    f("gamma", gamma, "width").range(0, 1e9);
    f("sizes", sizes, "patch sizes").range(4, 512);
    f("means", means, "of the channels").range(-1e6, 1e6);
    f("file", file, "a path");
    f("layers", layers, "names");
    f.choice("detector", detector, {"dog", "harris"}, "interest points");
  }
};

std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return "";
}

TEST(Options, SetsEveryKind) {
  OptionsOf<AllKinds> options;
  options.set("s", "words", "20");
  options.set("s", "rate", "0.25");
  options.set("s", "shift", "false");
  options.set("s", "gamma", "2");
  options.set("s", "sizes", "16,24,32");
  options.set("s", "detector", "harris");
  EXPECT_EQ(options.values.words, 20);
  EXPECT_EQ(options.values.rate, 0.25);
  EXPECT_FALSE(options.values.shift);
  EXPECT_EQ(options.values.gamma, 2.0);
  EXPECT_EQ(options.values.sizes, (std::vector<int>{16, 24, 32}));
  EXPECT_EQ(options.values.detector, Detector::kHarris);
  options.set("s", "gamma", "auto");
  EXPECT_EQ(options.values.gamma, std::nullopt);
  options.set("s", "means", "104,117.5,-3");
  EXPECT_EQ(options.values.means, (std::vector<double>{104, 117.5, -3}));
  options.set("s", "means", "auto");
  EXPECT_TRUE(options.values.means.empty());
}

TEST(Options, TextsMayHoldAnything) {
  OptionsOf<AllKinds> options;
  const auto text = [&](const char* name) { return options.fields().find(name)->text(); };
  options.set("s", "file", "/home/me/a+b, 50%25.onnx");
  EXPECT_EQ(options.values.file, "/home/me/a+b, 50%.onnx");
  EXPECT_EQ(text("file"), "%2Fhome%2Fme%2Fa%2Bb%2C%2050%25.onnx");
  options.set("s", "layers", "fire9/concat,conv10,a%2Cb");
  EXPECT_EQ(options.values.layers, (std::vector<std::string>{"fire9/concat", "conv10", "a,b"}));
  EXPECT_EQ(text("layers"), "fire9%2Fconcat,conv10,a%2Cb");
}

RC_GTEST_PROP(Options, TextsReadBack, (const std::string& any)) {
  RC_PRE(!any.empty() && any.find('\0') == std::string::npos);
  OptionsOf<AllKinds> options;
  options.values.file = any;
  const std::string coded = options.fields().find("file")->text();
  RC_ASSERT(coded.find_first_of("/+,=: \t\r\n'\"\\$`&|;<>()*?[]{}!#~") == std::string::npos);
  options.values.file = "auto";
  options.set("s", "file", coded);
  RC_ASSERT(options.values.file == any);
}

TEST(Options, RefusalsNameOptionValueAndRange) {
  OptionsOf<AllKinds> options;
  for (const auto& [name, value] :
       std::vector<std::pair<std::string, std::string>>{{"words", "0"},
                                                        {"words", "many"},
                                                        {"words", "1.5"},
                                                        {"words", ""},
                                                        {"rate", "nan"},
                                                        {"rate", "2"},
                                                        {"shift", "yes"},
                                                        {"gamma", "-1"},
                                                        {"sizes", "16,2"},
                                                        {"means", "1,,2"},
                                                        {"means", "2e6"},
                                                        {"file", ""},
                                                        {"file", "50%"},
                                                        {"file", "%zz"},
                                                        {"file", "%00"},
                                                        {"layers", "a,"},
                                                        {"detector", "surf"}}) {
    const std::string message =
        message_of([&, &name = name, &value = value] { options.set("bow", name, value); });
    EXPECT_THAT(message, testing::HasSubstr("bow"));
    EXPECT_THAT(message, testing::HasSubstr(name + "=" + value));
  }
  EXPECT_THAT(message_of([&] { options.set("bow", "words", "0"); }),
              testing::HasSubstr("1 to 1000000"));
  EXPECT_THAT(message_of([&] { options.set("bow", "wrods", "3"); }),
              testing::HasSubstr("did you mean 'words'"));
}

TEST(Options, ValidateChecksValuesSetInCode) {
  OptionsOf<AllKinds> options;
  EXPECT_NO_THROW(options.validate("s"));
  options.values.words = -4;
  EXPECT_THAT(message_of([&] { options.validate("s"); }), testing::HasSubstr("words=-4"));
}

RC_GTEST_PROP(Options, TextReadsBackAsTheSameValue, (int words, double rate, bool automatic)) {
  OptionsOf<AllKinds> options, again;
  options.values.words = std::abs(words % 1000000) + 1;
  options.values.rate = std::abs(std::fmod(rate, 1.0));
  if (!automatic) options.values.gamma = std::abs(std::fmod(rate, 1e9));
  for (const Field& field : options.fields().list()) {
    RC_ASSERT(field.text().find('+') == std::string::npos);
    again.set("s", field.name(), field.text());
  }
  RC_ASSERT(again.values.words == options.values.words);
  RC_ASSERT(again.values.rate == options.values.rate);
  RC_ASSERT(again.values.gamma == options.values.gamma);
}

}  // namespace
}  // namespace muster
