#include "run_muster.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <fstream>
#include <sstream>

#include "muster/store/npy.h"

namespace muster {

std::string read_text(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

void write_text(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << text;
}

CommandTest::CommandTest() {
  std::string name = (fs::temp_directory_path() / "muster-cli-XXXXXX").string();
  folder_ = ::mkdtemp(name.data());
}

CommandTest::~CommandTest() {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

Ran CommandTest::run(const std::vector<std::string>& arguments) const { return run(arguments, {}); }

Ran CommandTest::run(const std::vector<std::string>& arguments,
                     const std::function<void(pid_t)>& meanwhile,
                     const std::string& out_file) const {
  return start(arguments, {}, meanwhile, out_file);
}

Ran CommandTest::run_prepared(const std::vector<std::string>& arguments,
                              const std::function<void()>& prepare) const {
  return start(arguments, prepare, {}, "");
}

Ran CommandTest::run_ranks(int ranks, const std::vector<std::string>& arguments,
                           const std::function<void(pid_t)>& meanwhile) const {
  std::vector<std::string> words{"-n", std::to_string(ranks), MUSTER_BINARY};
  words.insert(words.end(), arguments.begin(), arguments.end());
  return run_mpirun(words, meanwhile);
}

Ran CommandTest::run_mpirun(const std::vector<std::string>& arguments,
                            const std::function<void(pid_t)>& meanwhile) const {
  std::vector<std::string> words{MUSTER_MPIRUN_FILE, "--oversubscribe"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const auto become_mpirun = [&] {
    ::setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
    ::setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
    // Where /sys is missing, as in a plain chroot, hwloc would say so on stderr, once per process.
    ::setenv("HWLOC_HIDE_ERRORS", "2", 1);
    ::execv(MUSTER_MPIRUN_FILE, argv.data());
  };
  return start(arguments, become_mpirun, meanwhile, "");
}

Ran CommandTest::start(const std::vector<std::string>& arguments,
                       const std::function<void()>& prepare,
                       const std::function<void(pid_t)>& meanwhile,
                       const std::string& out_file) const {
  const std::string out = out_file.empty() ? at(".stdout") : out_file, err = at(".stderr");
  std::vector<char*> argv{const_cast<char*>(MUSTER_BINARY)};
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(::open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644), STDOUT_FILENO);
    ::dup2(::open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644), STDERR_FILENO);
    if (prepare) prepare();
    ::execv(MUSTER_BINARY, argv.data());
    ::_exit(127);
  }
  if (meanwhile) meanwhile(child);
  int status = 0;
  ::waitpid(child, &status, 0);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
          out_file.empty() ? read_text(out) : "", read_text(err)};
}

Ran CommandTest::run_ok(const std::vector<std::string>& arguments) const {
  Ran ran = run(arguments);
  EXPECT_EQ(ran.code, 0) << arguments[0] << ": " << ran.err;
  return ran;
}

void CommandTest::expect_error(const std::vector<std::string>& arguments, int code,
                               const std::string& part) const {
  const Ran ran = run(arguments);
  SCOPED_TRACE(fmt::format("muster {}\n{}", fmt::join(arguments, " "), ran.err));
  EXPECT_EQ(ran.code, code);
  EXPECT_EQ(ran.out, "");
  std::istringstream lines(ran.err);
  size_t messages = 0;
  for (std::string line; std::getline(lines, line);) messages += line.starts_with("muster: ");
  EXPECT_EQ(messages, 1u);
  EXPECT_NE(ran.err.find(part), std::string::npos) << "expected to read: " << part;
  expect_no_leftovers();
}

void CommandTest::expect_no_leftovers() const {
  for (const auto& entry : fs::recursive_directory_iterator(folder_))
    EXPECT_NE(entry.path().extension(), ".tmp") << entry.path();
}

std::string CommandTest::pictures(int classes, int per_class, const std::string& name) const {
  run_ok({"synth", at(name), "--classes", std::to_string(classes), "--per-class",
          std::to_string(per_class), "--size", "64x48"});
  return at(name);
}

std::string CommandTest::clouds(int per_class) const {
  Rng rng(7);
  for (const bool circle : {true, false}) {
    const fs::path folder = folder_ / "clouds" / (circle ? "circle" : "cross");
    fs::create_directories(folder);
    for (int i = 0; i < per_class; ++i) {
      Matrix<float> points(20 + rng.below(40), 2);
      for (size_t p = 0; p < points.rows(); ++p) {
        const double angle = rng.uniform(0, 6.283), along = rng.uniform(-1, 1);
        const bool upright = rng.uniform() < 0.5;
        const double x = circle ? std::cos(angle) : upright ? 0 : along;
        const double y = circle ? std::sin(angle) : upright ? along : 0;
        points(p, 0) = static_cast<float>(x + 0.2 * rng.normal());
        points(p, 1) = static_cast<float>(y + 0.2 * rng.normal());
      }
      write_npy(folder / fmt::format("{:03}.npy", i), points);
    }
  }
  return at("clouds");
}

std::string CommandTest::model() const {
  run_ok({"train", pictures(), "-o", at("model.muster"), "--method", "fisher", "--set",
          "components=8", "--set", "samples=5000", "--quiet"});
  return at("model.muster");
}

}  // namespace muster
