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
  Detector detector = Detector::kDog;

  void fields(Fields& f) {
    f("words", words, "size of the vocabulary").range(1, 1e6).paper("EMK 2");
    f("rate", rate, "step").range(0, 1);
    f("shift", shift, "random shifts");
    f("gamma", gamma, "width").range(0, 1e9);
    f("sizes", sizes, "patch sizes").range(4, 512);
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
