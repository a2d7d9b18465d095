#include "server/upload.h"

#include <algorithm>
#include <span>
#include <utility>

#include "muster/muster.h"

namespace muster::server {
namespace {

constexpr size_t kInMemory = size_t{256} << 10;

}  // namespace

void Upload::expect(size_t bytes) { in_memory_.reserve(std::min(bytes, kInMemory)); }

void Upload::append(std::string_view piece) {
  if (in_memory_.size() + piece.size() > kInMemory) {
    if (!file_) file_ = std::make_unique<ScratchFile>();
    if (file_->append(std::as_bytes(std::span(in_memory_)))) {
      in_file_ += in_memory_.size();
      in_memory_.clear();
    }
  }
  in_memory_.append(piece);
}

std::string Upload::take() {
  if (in_file_ == 0) return std::exchange(in_memory_, std::string());
  std::string out(in_file_ + in_memory_.size(), '\0');
  if (!file_->read(0, std::as_writable_bytes(std::span(out).first(in_file_))))
    throw Error(ErrorKind::kRuntime, "the disk does not give the body of a request back");
  in_memory_.copy(out.data() + in_file_, in_memory_.size());
  *this = Upload();
  return out;
}

}  // namespace muster::server
