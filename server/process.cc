#include "server/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "server/log.h"

namespace muster::server {
namespace {

constexpr unsigned kMostConnections = 4096, kOtherFiles = 64;
constexpr int kReturnedBytes = 4 << 20;

int noted[2] = {-1, -1};  // a pipe: numbers of signals, one byte each

extern "C" void note(int signal) {
  const int before = errno;
  const auto byte = static_cast<unsigned char>(signal);
  [[maybe_unused]] const ssize_t written = ::write(noted[1], &byte, 1);
  errno = before;
}

void handle(int signal, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  ::sigaction(signal, &action, nullptr);
}

}  // namespace

unsigned connections_allowed() {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  const rlim_t wanted = kMostConnections + kOtherFiles;
  if (limit.rlim_cur < wanted) {
    limit.rlim_cur = std::min<rlim_t>(wanted, limit.rlim_max);
    ::setrlimit(RLIMIT_NOFILE, &limit);
    ::getrlimit(RLIMIT_NOFILE, &limit);
  }
  const rlim_t usable =
      limit.rlim_cur > 2 * kOtherFiles ? limit.rlim_cur - kOtherFiles : kOtherFiles;
  return static_cast<unsigned>(std::min<rlim_t>(kMostConnections, usable));
}

void note_signals() {
  if (::pipe2(noted, O_CLOEXEC | O_NONBLOCK) != 0)
    throw Error(ErrorKind::kRuntime, fmt::format("cannot make a pipe: {}", std::strerror(errno)));
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) handle(signal, note);
  handle(SIGPIPE, SIG_IGN);
}

void return_large_blocks() {
  for (const int parameter : {M_MMAP_THRESHOLD, M_TRIM_THRESHOLD})
    ::mallopt(parameter, kReturnedBytes);
}

void serve_until_signal(Server& server, const std::function<void(bool)>& turn) {
  constexpr int kTick_ms = 250;
  while (true) {
    pollfd some{noted[0], POLLIN, 0};
    ::poll(&some, 1, kTick_ms);
    unsigned char signal = 0;
    if (::read(noted[0], &signal, 1) == 1 && signal != SIGHUP) return;
    const bool all = signal == SIGHUP;
    if (!if_possible([&] { server.tick(), turn(all); }))
      if_possible([] { log_event("failure", {{"message", "a look at the files failed"}}); });
  }
}

void drain_and_end(Server& server, std::chrono::seconds most) {
  log_event("stopping");
  for (const int signal : {SIGTERM, SIGINT}) handle(signal, SIG_DFL);
  server.drain(most);
}

}  // namespace muster::server
