// A peer from Python, in a process of its own that holds the data and runs the job once for every
// line it is sent, so that it can take its turn (peers.py).
#pragma once

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>

#include "peers/side_by_side.h"

namespace muster::bench {

class PythonPeer {
 public:
  // Arguments of peers.py: the job, then what it takes.
  explicit PythonPeer(std::vector<std::string> arguments) {
    int to[2], from[2];
    if (pipe2(to, O_CLOEXEC) != 0 || pipe2(from, O_CLOEXEC) != 0) std::abort();
    child_ = fork();
    if (child_ == 0) {
      dup2(to[0], 0);
      dup2(from[1], 1);
      // Debian's, which sees Debian's packages.
      std::vector<std::string> words{"/usr/bin/python3", MUSTER_BENCH_DIR "/peers/peers.py"};
      words.insert(words.end(), arguments.begin(), arguments.end());
      std::vector<char*> argv;
      for (std::string& word : words) argv.push_back(word.data());
      argv.push_back(nullptr);
      execv(argv[0], argv.data());
      _exit(127);
    }
    close(to[0]);
    close(from[1]);
    requests_ = fdopen(to[1], "w");
    answers_ = fdopen(from[0], "r");
  }
  ~PythonPeer() {
    std::fclose(requests_);  // ends the child
    std::fclose(answers_);
    waitpid(child_, nullptr, 0);
  }
  PythonPeer(const PythonPeer&) = delete;
  PythonPeer& operator=(const PythonPeer&) = delete;

  Spent run() {
    std::fputs("go\n", requests_);
    std::fflush(requests_);
    Spent spent;
    if (std::fscanf(answers_, "%lf %lf %lf", &spent.cpu_s, &spent.wall_s, &result_) != 3) {
      std::fprintf(stderr, "peers.py gave no answer\n");
      std::exit(2);
    }
    return spent;
  }
  // What the last run found, as one number.
  double result() const { return result_; }

 private:
  pid_t child_ = 0;
  FILE* requests_ = nullptr;
  FILE* answers_ = nullptr;
  double result_ = 0;
};

inline Contender python(const std::string& name, const std::shared_ptr<PythonPeer>& peer) {
  return {name, {}, Role::kPeer, [peer] { return peer->run(); }};
}

// Values as raw bytes in a file that lives as long as this.
class DataFile {
 public:
  template <class T>
  explicit DataFile(const T& values) {
    const int file = mkstemp(path_);
    const auto bytes = std::as_bytes(std::span(values));
    if (file < 0 || write(file, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size()))
      std::abort();
    close(file);
  }
  ~DataFile() { unlink(path_); }
  DataFile(const DataFile&) = delete;
  DataFile& operator=(const DataFile&) = delete;

  std::string path() const { return path_; }

 private:
  char path_[32] = "/tmp/muster-bench-XXXXXX";
};

}  // namespace muster::bench
