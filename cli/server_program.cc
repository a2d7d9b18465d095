#include "server_program.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "muster/core/error.h"

namespace muster::cli {
namespace {

constexpr const char* kProgram = "muster-serve";

// Beside the command; "" if it cannot be told where that is.
std::string beside_command() {
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  return error ? "" : (self.parent_path() / kProgram).string();
}

}  // namespace

void become_server(const std::string& command, const std::vector<std::string>& arguments) {
  std::vector<char*> argv = {const_cast<char*>(kProgram)};
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  ::execv(beside_command().c_str(), argv.data());
  ::execvp(kProgram, argv.data());
  throw runtime_failure(
      "{}: {} cannot be started ({}); install the Debian package muster-server, or build with "
      "MUSTER_BUILD_SERVER=ON",
      command, kProgram, std::strerror(errno));
}

}  // namespace muster::cli
