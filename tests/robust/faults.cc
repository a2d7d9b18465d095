// For tests only, to be preloaded: makes the n-th call of one function of the system fail.
//   MUSTER_FAULT=write:3:28   the third write fails with error number 28; a negative number means
//                             that it does only a part of the work (read, write, pwrite)
//   MUSTER_FAULT=count        nothing fails
// At the end, the number of calls of each function is written to the file MUSTER_FAULT_COUNTS.
// Counting begins with main().
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include <atomic>

namespace {

enum Function { kOpen, kRead, kWrite, kPwrite, kFsync, kRename, kMmap, kMalloc, kNumFunctions };
constexpr const char* kNames[kNumFunctions] = {"open",  "read",   "write", "pwrite",
                                               "fsync", "rename", "mmap",  "malloc"};

std::atomic<bool> counting = false;
std::atomic<long> calls[kNumFunctions];
int failing = -1, error_number = 0;
long failing_call = 0;

enum class Fate { kWorks, kFails, kInPart };

Fate fate_of(Function function) {
  if (!counting) return Fate::kWorks;
  const long call = ++calls[function];
  if (function != failing || call != failing_call) return Fate::kWorks;
  if (error_number < 0) return Fate::kInPart;
  errno = error_number;
  return Fate::kFails;
}

template <class F>
F* next(const char* name) {
  return reinterpret_cast<F*>(dlsym(RTLD_NEXT, name));
}

void write_counts() {
  counting = false;
  const char* file = getenv("MUSTER_FAULT_COUNTS");
  if (!file) return;
  char text[512];
  int length = 0;
  for (int f = 0; f < kNumFunctions; ++f)
    length += snprintf(text + length, sizeof(text) - static_cast<size_t>(length), "%s %ld\n",
                       kNames[f], calls[f].load());
  const long descriptor = syscall(SYS_openat, AT_FDCWD, file, O_WRONLY | O_CREAT | O_TRUNC, 0644);
  syscall(SYS_write, descriptor, text, length);
  syscall(SYS_close, descriptor);
}

int (*true_main)(int, char**, char**);

int counted_main(int argc, char** argv, char** environment) {
  const char* fault = getenv("MUSTER_FAULT");
  char name[16] = "";
  if (fault && sscanf(fault, "%15[a-z]:%ld:%d", name, &failing_call, &error_number) == 3)
    for (int f = 0; f < kNumFunctions; ++f)
      if (strcmp(name, kNames[f]) == 0) failing = f;
  atexit(write_counts);
  counting = true;
  return true_main(argc, argv, environment);
}

// Pipes and events by which the threads of a server speak to each other do not fail.
bool is_between_threads(int descriptor) {
  struct stat status {};
  if (descriptor <= STDERR_FILENO || fstat(descriptor, &status) != 0) return false;
  return S_ISFIFO(status.st_mode) || (status.st_mode & S_IFMT) == 0;
}

int opened(const char* path, int flags, mode_t mode) {
  if (fate_of(kOpen) == Fate::kFails) return -1;
  return static_cast<int>(syscall(SYS_openat, AT_FDCWD, path, flags, mode));
}

}  // namespace

extern "C" {

int __libc_start_main(int (*main)(int, char**, char**), int argc, char** argv, void (*init)(),
                      void (*fini)(), void (*loader_fini)(), void* stack_end) {
  true_main = main;
  using Start =
      int(int (*)(int, char**, char**), int, char**, void (*)(), void (*)(), void (*)(), void*);
  return next<Start>("__libc_start_main")(counted_main, argc, argv, init, fini, loader_fini,
                                          stack_end);
}

int open(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const auto mode = static_cast<mode_t>(va_arg(arguments, int));
  va_end(arguments);
  return opened(path, flags, mode);
}

int open64(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const auto mode = static_cast<mode_t>(va_arg(arguments, int));
  va_end(arguments);
  return opened(path, flags | O_LARGEFILE, mode);
}

ssize_t read(int descriptor, void* to, size_t size) {
  const Fate fate = is_between_threads(descriptor) ? Fate::kWorks : fate_of(kRead);
  if (fate == Fate::kFails) return -1;
  return syscall(SYS_read, descriptor, to, fate == Fate::kInPart && size > 1 ? size / 2 : size);
}

ssize_t write(int descriptor, const void* from, size_t size) {
  const Fate fate = is_between_threads(descriptor) ? Fate::kWorks : fate_of(kWrite);
  if (fate == Fate::kFails) return -1;
  return syscall(SYS_write, descriptor, from, fate == Fate::kInPart && size > 1 ? size / 2 : size);
}

ssize_t pwrite(int descriptor, const void* from, size_t size, off_t offset) {
  const Fate fate = fate_of(kPwrite);
  if (fate == Fate::kFails) return -1;
  return syscall(SYS_pwrite64, descriptor, from,
                 fate == Fate::kInPart && size > 1 ? size / 2 : size, offset);
}

ssize_t pwrite64(int descriptor, const void* from, size_t size, off_t offset) {
  return pwrite(descriptor, from, size, offset);
}

int fsync(int descriptor) {
  if (fate_of(kFsync) == Fate::kFails) return -1;
  return static_cast<int>(syscall(SYS_fsync, descriptor));
}

int rename(const char* from, const char* to) noexcept {
  if (fate_of(kRename) == Fate::kFails) return -1;
  return static_cast<int>(syscall(SYS_renameat, AT_FDCWD, from, AT_FDCWD, to));
}

void* mmap(void* address, size_t size, int protection, int flags, int descriptor,
           off_t offset) noexcept {
  // Of files; memory for the heap is malloc's affair.
  if (descriptor >= 0 && fate_of(kMmap) == Fate::kFails) return reinterpret_cast<void*>(-1);
  return reinterpret_cast<void*>(
      syscall(SYS_mmap, address, size, protection, flags, descriptor, offset));
}

void* malloc(size_t size) noexcept {
  static void* (*const real)(size_t) = next<void*(size_t)>("malloc");
  return fate_of(kMalloc) == Fate::kFails ? nullptr : real(size);
}

}  // extern "C"
