// Pictures of strangers are decoded in processes that have no privileges (confine.h), so that
// whoever finds a hole in a codec has next to nothing: no files, no network, no other process, and
// nothing of the server's memory.
#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <vector>

#include "muster/muster.h"

namespace muster::server {

// As many processes as calls at the same time, each kept for the next call. One that dies or is
// silent for too long is replaced, and its picture is refused. Thread-safe.
class DecodingProcesses : public PictureDecoder {
 public:
  // Starts one, by `program --decode`; a runtime error if that cannot be done.
  explicit DecodingProcesses(std::filesystem::path program = "/proc/self/exe");
  ~DecodingProcesses() override;

  Pixels decode(const EncodedPicture& picture, int longest_side_px) const override;

  // 0, or why the system does not filter their calls.
  int filter_error() const { return filter_error_; }
  // Of the processes that wait for work.
  std::vector<int> idle_ids() const;

 private:
  class Process;

  std::unique_ptr<Process> take() const;
  void give_back(std::unique_ptr<Process> process) const;

  std::filesystem::path program_;
  int filter_error_ = 0;
  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<Process>> idle_;
};

// For a server's process; its log says so if the system does not filter their calls.
std::unique_ptr<DecodingProcesses> start_decoding();

}  // namespace muster::server
