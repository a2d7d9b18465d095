#include "server/decoding/confine.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <malloc.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <vector>

namespace muster::server {
namespace {

void limit(__rlimit_resource resource, rlim_t most) {
  const rlimit both{most, most};
  ::setrlimit(resource, &both);
}

#if defined(__x86_64__)
constexpr unsigned kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr unsigned kArchitecture = AUDIT_ARCH_AARCH64;
#endif

sock_filter load(size_t offset) {
  return BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<unsigned>(offset));
}

// The next instruction if the value equals `number`, else as many further.
sock_filter unless_equal(unsigned number, unsigned char skip) {
  return BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, skip);
}

sock_filter end(unsigned action) { return BPF_STMT(BPF_RET | BPF_K, action); }

// Numbers below 2^32 are in the lower half of an argument.
size_t argument(size_t number) { return offsetof(seccomp_data, args) + 8 * number; }

std::vector<sock_filter> make_filter() {
  std::vector<sock_filter> out{load(offsetof(seccomp_data, arch)),
                               BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kArchitecture, 1, 0),
                               end(SECCOMP_RET_KILL_PROCESS), load(offsetof(seccomp_data, nr))};
  for (const unsigned number :
       {__NR_read, __NR_write, __NR_brk, __NR_munmap, __NR_mremap, __NR_madvise, __NR_futex,
        __NR_sched_yield, __NR_setitimer, __NR_clock_gettime, __NR_rt_sigreturn,
        __NR_restart_syscall, __NR_exit, __NR_exit_group}) {
    out.push_back(unless_equal(number, 1));
    out.push_back(end(SECCOMP_RET_ALLOW));
  }
  // Memory that is not a file's and cannot be run.
  out.insert(out.end(), {unless_equal(__NR_mprotect, 4), load(argument(2)),
                         BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 0, 1),
                         end(SECCOMP_RET_KILL_PROCESS), end(SECCOMP_RET_ALLOW)});
  out.insert(out.end(), {unless_equal(__NR_mmap, 5), load(argument(2)),
                         BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 3, 0), load(argument(3)),
                         BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, MAP_ANONYMOUS, 0, 1),
                         end(SECCOMP_RET_ALLOW), end(SECCOMP_RET_KILL_PROCESS)});
  return out;
}

}  // namespace

int confine() {
  for (const auto resource : {RLIMIT_NOFILE, RLIMIT_NPROC, RLIMIT_FSIZE, RLIMIT_CORE})
    limit(resource, 0);
  ::prctl(PR_SET_DUMPABLE, 0);
  ::mallopt(M_ARENA_MAX, 1);  // malloc would count the processors when memory runs out
#ifndef MUSTER_SANITIZED
  limit(RLIMIT_DATA, rlim_t{1} << 30);
  std::vector<sock_filter> filter = make_filter();
  const sock_fprog program{static_cast<unsigned short>(filter.size()), filter.data()};
  // All threads: libraries may have started some before main did.
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      ::syscall(__NR_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) != 0)
    return errno;
#endif
  return 0;
}

}  // namespace muster::server
