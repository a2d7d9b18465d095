#include "server/process.h"

#include <malloc.h>
#include <sys/resource.h>

#include <algorithm>

#include "server/log.h"

namespace muster::server {
namespace {

constexpr unsigned kMostConnections = 4096, kOtherFiles = 64;
constexpr int kReturnedBytes = 4 << 20;

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

sigset_t block_signals() {
  sigset_t signals;
  ::sigemptyset(&signals);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) ::sigaddset(&signals, signal);
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  ::signal(SIGPIPE, SIG_IGN);
  return signals;
}

void return_large_blocks() { ::mallopt(M_MMAP_THRESHOLD, kReturnedBytes); }

void serve_until_signal(Server& server, const sigset_t& signals,
                        const std::function<void(bool)>& turn) {
  constexpr timespec kTick{0, 250'000'000};
  while (true) {
    const int signal = ::sigtimedwait(&signals, nullptr, &kTick);
    if (signal == SIGTERM || signal == SIGINT) return;
    server.tick();
    turn(signal == SIGHUP);
  }
}

void drain_and_end(Server& server, sigset_t signals, std::chrono::seconds most) {
  log_event("stopping");
  ::sigdelset(&signals, SIGHUP);
  ::pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
  server.drain(most);
}

}  // namespace muster::server
