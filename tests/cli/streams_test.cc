// Streams that are closed, full or gone, limits on files, and what is printed to a terminal.
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "muster/store/npy.h"
#include "run_muster.h"

namespace muster {
namespace {

void full(int stream) { ::dup2(::open("/dev/full", O_WRONLY), stream); }

// A pipe that nobody reads.
void broken(int stream) {
  int ends[2];
  if (::pipe(ends) != 0) ::_exit(126);
  ::close(ends[0]);
  ::dup2(ends[1], stream);
  ::close(ends[1]);
}

class Streams : public CommandTest {
 protected:
  std::vector<std::string> train(const std::string& out) const {
    return {"train", at("clouds"), "-o", out, "--recipe", "bow:words=5/linear-svm:C=1"};
  }
  // One item cannot be read, so that there is something to say.
  void make_data() const {
    clouds(6);
    write_text(at("clouds/circle/bad.npy"), "no array");
  }
};

TEST_F(Streams, MessagesThatCannotBeWrittenLoseNothing) {
  make_data();
  run_ok(train(at("as_usual.muster")));
  const std::string expected = read_text(at("as_usual.muster"));
  const std::vector<std::function<void()>> ways{
      [] { ::close(STDERR_FILENO); }, [] { full(STDERR_FILENO); }, [] { broken(STDERR_FILENO); }};
  for (size_t i = 0; i < ways.size(); ++i) {
    const std::string out = at("m" + std::to_string(i));
    EXPECT_EQ(run_prepared(train(out), ways[i]).code, 0) << i;
    EXPECT_TRUE(read_text(out) == expected) << i;
  }
}

TEST_F(Streams, ALostResultIsAFailure) {
  make_data();
  run_ok(train(at("m.muster")));
  const std::vector<std::string> predict{"predict", at("m.muster"), at("clouds/cross")};
  const Ran on_full = run_prepared(predict, [] { full(STDOUT_FILENO); });
  EXPECT_EQ(on_full.code, 1);
  EXPECT_THAT(on_full.err, HasSubstr("the result cannot be written and is lost"));
  EXPECT_EQ(run_prepared(predict, [] { ::close(STDOUT_FILENO); }).code, 1);
  const Ran on_broken = run_prepared(predict, [] { broken(STDOUT_FILENO); });
  EXPECT_EQ(on_broken.code, 1);
  EXPECT_EQ(on_broken.err, "");  // whoever closed it does not want to hear of it
  EXPECT_EQ(run_prepared({"--help"}, [] { full(STDOUT_FILENO); }).code, 1);
  // The model is safe all the same.
  EXPECT_EQ(run_prepared(train(at("again.muster")), [] { full(STDOUT_FILENO); }).code, 1);
  EXPECT_TRUE(read_text(at("again.muster")) == read_text(at("m.muster")));
}

TEST_F(Streams, ALimitOnTheSizeOfFilesIsAnErrorNotASignal) {
  make_data();
  const Ran ran = run_prepared(train(at("m.muster")), [] {
    const rlimit limit{500, 500};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  });
  EXPECT_EQ(ran.code, 1);
  EXPECT_FALSE(fs::exists(at("m.muster")));
  expect_no_leftovers();
}

TEST_F(Streams, AReplacedModelKeepsItsPermissions) {
  make_data();
  write_text(at("m.muster"), "old");
  ::chmod(at("m.muster").c_str(), 0600);
  run_ok(train(at("m.muster")));
  EXPECT_EQ(fs::status(at("m.muster")).permissions(), fs::perms{0600});
}

TEST_F(Streams, NamesDoNotDriveTheTerminal) {
  const std::string nasty =
      "\x1b]0;owned\x07\xc2\x9b"
      "31m\r.npy";
  make_data();
  run_ok(train(at("m.muster")));
  fs::copy(at("clouds/cross/000.npy"), at(nasty));
  const Ran read = run_ok({"predict", at("m.muster"), at(nasty)});
  EXPECT_THAT(read.out, HasSubstr("\\x1b]0;owned\\x07\\x9b31m\\x0d.npy\t"));
  const Ran missing = run({"predict", at("m.muster"), at("none" + nasty)});
  EXPECT_EQ(missing.code, 3);
  for (const std::string& text : {read.out, missing.err})
    EXPECT_EQ(text.find_first_of("\x1b\x07\r"), std::string::npos) << text;
}

}  // namespace
}  // namespace muster
