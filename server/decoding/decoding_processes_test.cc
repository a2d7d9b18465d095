#include "server/decoding/decoding_processes.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "muster/draw/synth.h"
#include "muster/image/decode.h"
#include "support/datasets.h"

namespace muster::server {
namespace {

using namespace std::chrono_literals;

const Image& drawn() {
  static const Image image = synth_image(0, 640, 400, Rng(3));
  return image;
}

std::string reason_of(const PictureDecoder& decoder, const EncodedPicture& picture) {
  try {
    decoder.decode(picture, 0);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kData);
    return error.what();
  }
  return "";
}

size_t open_descriptors() {
  size_t count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/fd"))
    ++count;
  return count;
}

TEST(DecodingProcesses, GiveThePixelsThatTheLibraryGives) {
  const DecodingProcesses processes(MUSTER_SERVE);
  for (const std::vector<std::byte>& bytes : {encode_png(drawn()), encode_jpeg(drawn(), 90)})
    for (const int side : {0, 100, 5000}) {
      const Pixels there = processes.decode({bytes, "a"}, side),
                   here = decode_picture({bytes}, side);
      EXPECT_EQ(there.width, here.width);
      EXPECT_EQ(there.height, here.height);
      EXPECT_EQ(there.rgb, here.rgb);
    }
  EXPECT_EQ(processes.idle_ids().size(), 1u);
}

TEST(DecodingProcesses, RefuseWhatTheLibraryRefuses) {
  const DecodingProcesses processes(MUSTER_SERVE);
  const std::vector<std::byte> png = encode_png(drawn());
  const std::string text = "no picture";
  EXPECT_NE(
      reason_of(processes, {std::as_bytes(std::span(text)), "a.png"}).find("a.png: not a picture"),
      std::string::npos);
  EXPECT_NE(reason_of(processes, {{}, "b"}).find("b: the file is empty"), std::string::npos);
  EXPECT_NE(reason_of(processes, {png, "c", 1000}).find("c: 640 x 400 pixels are more"),
            std::string::npos);
  EXPECT_NE(reason_of(processes, {std::span(png).first(png.size() / 2), "d"}).find("cut short"),
            std::string::npos);
}

TEST(DecodingProcesses, AreUsedByInputsThatNameThemAndReplacedWhenTheyDie) {
  const DecodingProcesses processes(MUSTER_SERVE);
  const std::vector<std::byte> bytes = encode_png(drawn());
  const size_t open = open_descriptors();
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(thumbnail(EncodedPicture{bytes, "", 0, &processes}, 64),
              thumbnail(EncodedPicture{bytes}, 64));
    const int id = processes.idle_ids().at(0);
    ASSERT_EQ(::kill(id, SIGKILL), 0);
    siginfo_t ended;
    ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(id), &ended, WEXITED | WNOWAIT), 0);
    EXPECT_EQ(processes.decode({bytes, "a"}, 0).width, 640);
    EXPECT_NE(processes.idle_ids().at(0), id);
    EXPECT_EQ(::waitpid(id, nullptr, WNOHANG), -1) << "a dead process is left over";
    EXPECT_EQ(open_descriptors(), open);
  }
}

// A program that says that it is ready, and then does what the shell script says.
struct Script {
  TempDir folder;
  std::filesystem::path program = folder / "script";
  explicit Script(const std::string& text) {
    std::ofstream(program)
        << "#!/bin/sh\nexport PATH=/usr/bin:/bin\nexec 3>&0\nhead -c 4 /dev/zero >&3\n"
        << text;
    std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  }
};

void expect_distrusted(const std::string& script) {
  const Script program(script);
  const DecodingProcesses processes(program.program);
  const std::vector<std::byte> bytes = encode_png(drawn());
  const size_t open = open_descriptors();
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(reason_of(processes, {bytes, "a"}),
              "a: decoding it failed or took more than 20 s; leave it out");
    EXPECT_TRUE(processes.idle_ids().empty());
  }
  EXPECT_LE(open_descriptors(), open);
}

TEST(DecodingProcesses, ThatDieAtWorkFailTheirPictureOnly) {
  expect_distrusted("head -c 40 >/dev/null");
}

// The answers are a number of bytes, the width, the height and whether it failed.
TEST(DecodingProcesses, AreNotBelieved) {
  const std::string some = "head -c 40 >/dev/null; ", rest = " >&3; cat >/dev/null";
  expect_distrusted(some + "head -c 24 /dev/zero" + rest);
  expect_distrusted(some + "head -c 24 /dev/zero | tr '\\000' '\\377'" + rest);
  expect_distrusted(
      some +
      R"(/usr/bin/printf '\000\000\000\000\000\000\000\000\377\377\000\000\377\377\000\000')" +
      " >&3; head -c 8 /dev/zero" + rest);
  expect_distrusted(
      some +
      R"(/usr/bin/printf '\014\000\000\000\000\000\000\000\001\000\000\000\001\000\000\000')" +
      " >&3; head -c 8 /dev/zero" + rest);
}

TEST(DecodingProcesses, WorkForManyThreads) {
  const DecodingProcesses processes(MUSTER_SERVE);
  const std::vector<std::byte> bytes = encode_jpeg(drawn(), 90);
  const Pixels expected = decode_picture({bytes}, 300);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 10; ++i) EXPECT_EQ(processes.decode({bytes, "a"}, 300).rgb, expected.rgb);
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_LE(processes.idle_ids().size(), 4u);
}

TEST(DecodingProcesses, AProgramThatIsNotOneIsARuntimeError) {
  for (const char* program : {"/nowhere/at/all", "/bin/true"}) try {
      const DecodingProcesses processes(program);
      ADD_FAILURE() << program;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kRuntime);
    }
}

}  // namespace
}  // namespace muster::server
