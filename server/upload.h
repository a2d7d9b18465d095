// The body of a request while it arrives. Only its latest part is in memory, the rest in a file
// without a name: an upload that never becomes a request costs next to no memory.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "muster/source/scratch_file.h"

namespace muster::server {

class Upload {
 public:
  // Makes room for a body of so many bytes, if that many stay in memory.
  void expect(size_t bytes);
  void append(std::string_view piece);
  // All that arrived; the upload is empty afterwards. A failing disk is a runtime error.
  std::string take();

 private:
  std::unique_ptr<ScratchFile> file_;
  size_t in_file_ = 0;
  std::string in_memory_;  // all of it if there is no room on disk
};

}  // namespace muster::server
