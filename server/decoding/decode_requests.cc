#include "server/decoding/decode_requests.h"

#include <malloc.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <string>
#include <vector>

#include "muster/muster.h"
#include "server/decoding/confine.h"
#include "server/decoding/wire.h"

namespace muster::server {
namespace {

constexpr int kSocket = 0;
constexpr int kKeptBytes = 16 << 20;

bool receive(void* out, size_t size) {
  for (auto* at = static_cast<char*>(out); size > 0;) {
    const ssize_t count = ::read(kSocket, at, size);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    at += count;
    size -= static_cast<size_t>(count);
  }
  return true;
}

bool send(const void* data, size_t size) {
  for (const auto* at = static_cast<const char*>(data); size > 0;) {
    const ssize_t count = ::write(kSocket, at, size);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    at += count;
    size -= static_cast<size_t>(count);
  }
  return true;
}

// SIGALRM ends the process after so long; 0 ends the waiting.
void end_after(int seconds) {
  itimerval when{};
  when.it_value.tv_sec = seconds;
  ::setitimer(ITIMER_REAL, &when, nullptr);
}

bool send_reason(std::string reason) {
  reason.resize(std::min(reason.size(), kLongestReason));
  const DecodedPicture head{.bytes = reason.size(), .failed = 1};
  return send(&head, sizeof head) && send(reason.data(), reason.size());
}

bool answer(const AskedPicture& asked) {
  std::string name(asked.name_bytes, '\0');
  std::vector<std::byte> bytes(asked.bytes);
  if (!receive(name.data(), name.size()) || !receive(bytes.data(), bytes.size())) return false;
  try {
    const Pixels pixels =
        decode_picture({bytes, name, asked.max_pixels}, static_cast<int>(asked.longest_side_px));
    const DecodedPicture head{pixels.rgb.size(), pixels.width, pixels.height};
    return send(&head, sizeof head) && send(pixels.rgb.data(), pixels.rgb.size());
  } catch (const Error& error) {
    return send_reason(error.what());
  } catch (const std::bad_alloc&) {
    return send_reason(name + ": decoding it takes too much memory; shrink the picture");
  }
}

}  // namespace

int decode_requests() {
  // Kept from picture to picture: asking the system for memory again costs as much as decoding.
  for (const int parameter : {M_MMAP_THRESHOLD, M_TRIM_THRESHOLD}) ::mallopt(parameter, kKeptBytes);
  const int32_t filter_error = confine();
  AskedPicture asked;
  bool more = send(&filter_error, sizeof filter_error);
  while (more && receive(&asked, sizeof asked)) {
    end_after(kDecodingSeconds);
    more = answer(asked);
    end_after(0);
  }
  ::_exit(more ? 0 : 1);  // what libraries do at exit needs calls that are given up
}

}  // namespace muster::server
