// What would go wrong without a word: empty parts, outputs inside of data, numbers that mean
// something else, and files that are no files.
#include <sys/stat.h>
#include <unistd.h>

#include "muster/store/npy.h"
#include "run_muster.h"

namespace muster {
namespace {

class Mixups : public CommandTest {
 protected:
  std::vector<std::string> train(const std::string& data) const {
    return {"train", data, "-o", at("m.muster"), "--recipe", "bow:words=5/linear-svm:C=1"};
  }
};

TEST_F(Mixups, AnEmptyPartIsNeverReplacedByTheOther) {
  run_ok(train(clouds(6)));
  for (const char* name : {"circle", "cross"}) {
    fs::create_directories(at("only_train/train"));
    fs::create_directories(at("only_train/test"));
    fs::copy(at("clouds/") + name, at("only_train/train/") + name);
    fs::create_directories(at("only_test/train"));
    fs::create_directories(at("only_test/test"));
    fs::copy(at("clouds/") + name, at("only_test/test/") + name);
  }
  expect_error({"evaluate", at("m.muster"), at("only_train")}, 3, "is marked for testing");
  expect_error(train(at("only_test")), 3, "is marked for training");
}

TEST_F(Mixups, AClassWithoutAReadableItemIsRefused) {
  clouds(6);
  write_text(at("clouds/ghost/1.npy"), "no array");
  const Ran ran = run(train(at("clouds")));
  EXPECT_EQ(ran.code, 3);
  EXPECT_THAT(ran.err, HasSubstr("class 'ghost': none of its items can be read"));
}

TEST_F(Mixups, OutputsInsideOfTheDataAreRefused) {
  const std::string data = clouds(4);
  for (const std::string& out : {data, data + "/", data + "/bench", data + "/../clouds"})
    expect_error({"bench", data, "--recipe", "bow:words=5/linear-svm", "-o", out}, 2, "lies in");
  expect_error({"extract", data, "-o", data}, 2, "lies in");
  for (const char* command : {"encode", "gram"})
    expect_error({command, data + "/cross", "-r", "bow:words=2", "-o", data + "/cross/x.npy"}, 2,
                 "lies in");
  EXPECT_FALSE(fs::exists(data + "/raw"));
  expect_error({"train", data, "-o", at("x"), "--save-universal", at("./x"), "--recipe",
                "fisher:components=2/linear-svm"},
               2, "name one file");
}

TEST_F(Mixups, NumbersAreReadWholeOrRefused) {
  const std::string data = clouds(4);
  for (const char* seed : {"-1", "", "1e3", "0x10", "010", "18446744073709551616", "1 ", "nan"}) {
    std::vector<std::string> command = train(data);
    command.insert(command.end(), {"--seed", seed});
    expect_error(command, 2, "--seed");
  }
  const auto refused = [&](const std::vector<std::string>& more, const std::string& part) {
    std::vector<std::string> command = train(data);
    command.insert(command.end(), more.begin(), more.end());
    expect_error(command, 2, part);
  };
  for (const char* text : {"nan", "inf", "-1", "", "1e400"}) {
    refused({"--cache-gib", text}, "--cache-gib");
    refused({"--set", std::string("C=") + text}, "C=");
  }
  refused({"--threads", "-1"}, "--threads");
  refused({"--threads", "99999999999999999999"}, "--threads");
  for (const char* text : {"nan", "2", ""})
    expect_error({"predict", at("m.muster"), data, "--reject", text}, 2, "--reject");
  expect_error({"bench", data, "--recipe", "bow:words=5/linear-svm", "-o", at("b"), "--curve",
                "train=2,nan"},
               2, "--curve");
}

TEST_F(Mixups, WhatIsNoFileIsPassedOver) {
  const std::string data = clouds(6);
  run_ok(train(data));
  const std::string expected = read_text(at("m.muster"));
  ASSERT_EQ(::mkfifo((data + "/cross/pipe.npy").c_str(), 0600), 0);
  fs::create_symlink("loop.npy", data + "/cross/loop.npy");
  fs::create_symlink("circle2", data + "/circle2");  // where a class folder would be
  fs::create_directory(data + "/cross/folder.npy");
  // Exactly as long as a name may be: with the ending of places it is too long.
  const std::string longest = std::string(251, 'n') + ".npy";
  fs::copy(data + "/cross/000.npy", data + "/cross/" + longest);
  fs::rename(data + "/cross/000.npy", at("first.npy"));
  const Ran ran = run_ok(train(data));
  for (const char* name : {"pipe.npy", "loop.npy", "circle2", "folder.npy"})
    EXPECT_THAT(ran.err, HasSubstr(name));
  const Ran all = run({"predict", at("m.muster"), data + "/cross", data + "/circle2",
                       data + "/" + std::string(300, 'x') + ".npy"});
  EXPECT_EQ(all.code, 3);
  EXPECT_THAT(all.out, HasSubstr(longest));
  for (const char* name : {"pipe.npy", "loop.npy", "circle2", "xxx"})
    EXPECT_THAT(all.err, HasSubstr(name));
}

}  // namespace
}  // namespace muster
