// Runs the built command and keeps what it said; a folder of its own for every test.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "muster/core/rng.h"

namespace muster {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;

struct Ran {
  int code = -1;
  std::string out, err;

  nlohmann::json json() const { return nlohmann::json::parse(out); }
};

std::string read_text(const std::filesystem::path& file);
void write_text(const std::filesystem::path& file, const std::string& text);

class CommandTest : public testing::Test {
 protected:
  CommandTest();
  ~CommandTest() override;

  std::string at(const std::string& name) const { return (folder_ / name).string(); }
  Ran run(const std::vector<std::string>& arguments) const;
  // Calls `meanwhile` with the process id while the command runs.
  Ran run(const std::vector<std::string>& arguments, const std::function<void(pid_t)>& meanwhile,
          const std::string& out_file = "") const;
  // Calls `prepare` in the new process, once its streams are open and before it becomes the
  // command.
  Ran run_prepared(const std::vector<std::string>& arguments,
                   const std::function<void()>& prepare) const;
  // The same command on so many ranks of this machine, under mpirun.
  Ran run_ranks(int ranks, const std::vector<std::string>& arguments,
                const std::function<void(pid_t)>& meanwhile = {}) const;
  // mpirun with these arguments.
  Ran run_mpirun(const std::vector<std::string>& arguments,
                 const std::function<void(pid_t)>& meanwhile = {}) const;
  // Exit code 0; says why if it is not.
  Ran run_ok(const std::vector<std::string>& arguments) const;
  // The given exit code, exactly one line "muster: ..." that holds `part`, nothing on stdout, no
  // file left under a temporary name.
  void expect_error(const std::vector<std::string>& arguments, int code,
                    const std::string& part = "") const;
  void expect_no_leftovers() const;

  // A small set of pictures in class folders.
  std::string pictures(int classes = 3, int per_class = 8,
                       const std::string& name = "pictures") const;
  // Points near a circle or near a cross, in class folders.
  std::string clouds(int per_class = 100) const;
  // A model trained on pictures().
  std::string model() const;

  std::filesystem::path folder_;

 private:
  Ran start(const std::vector<std::string>& arguments, const std::function<void()>& prepare,
            const std::function<void(pid_t)>& meanwhile, const std::string& out_file) const;
};

}  // namespace muster
