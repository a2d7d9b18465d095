#include "server/event_streams.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "server/log.h"

namespace muster::server {
namespace {

constexpr size_t kBlockBytes = 4096;

}  // namespace

MHD_Response* EventStreams::open(MHD_Connection* connection) {
  const std::lock_guard lock(mutex_);
  if (closed_ || open_.size() >= most_) return nullptr;
  open_.push_back({this, connection});
  MHD_Response* response = MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, kBlockBytes, &read,
                                                             &open_.back(), &forget);
  if (!response) {
    open_.pop_back();
    return nullptr;
  }
  MHD_add_response_header(response, "Content-Type", "text/event-stream");
  MHD_add_response_header(response, "Cache-Control", "no-store");
  MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
  return response;
}

// By the thread of the sockets, which the library lets suspend a connection here.
ssize_t EventStreams::read(void* stream, uint64_t, char* buffer, size_t most) {
  auto& self = *static_cast<Stream*>(stream);
  EventStreams& all = *self.streams;
  const std::lock_guard lock(all.mutex_);
  if (all.closed_) return MHD_CONTENT_READER_END_OF_STREAM;
  const bool ready = if_possible([&] {
    if (self.rest.empty() && self.seen != all.number_) {
      self.rest = "data: " + all.latest_ + "\n\n";
      self.seen = all.number_;
    } else if (self.rest.empty() && self.poked) {
      self.rest = ":\n\n";
    }
  });
  if (!ready) return MHD_CONTENT_READER_END_WITH_ERROR;
  self.poked = false;
  if (self.rest.empty()) {
    self.asleep = true;
    MHD_suspend_connection(self.connection);
    return 0;
  }
  const size_t count = std::min(most, self.rest.size());
  std::memcpy(buffer, self.rest.data(), count);
  self.rest.erase(0, count);
  return static_cast<ssize_t>(count);
}

void EventStreams::forget(void* stream) {
  EventStreams& all = *static_cast<Stream*>(stream)->streams;
  const std::lock_guard lock(all.mutex_);
  all.open_.remove_if([stream](const Stream& one) { return &one == stream; });
}

// Connections that sleep stay there until they are resumed, which must be without the lock: the
// library has locks of its own.
void EventStreams::wake_all(std::unique_lock<std::mutex> lock) {
  std::vector<MHD_Connection*> sleepers;
  sleepers.reserve(open_.size());  // without memory they sleep on
  for (Stream& one : open_)
    if (std::exchange(one.asleep, false)) sleepers.push_back(one.connection);
  lock.unlock();
  for (MHD_Connection* connection : sleepers) MHD_resume_connection(connection);
}

void EventStreams::publish(const std::string& data) {
  std::unique_lock lock(mutex_);
  if (number_ > 0 && data == latest_) return;
  latest_ = data;
  ++number_;
  wake_all(std::move(lock));
}

void EventStreams::keep_alive() {
  std::unique_lock lock(mutex_);
  for (Stream& one : open_) one.poked = true;
  wake_all(std::move(lock));
}

void EventStreams::close() {
  std::unique_lock lock(mutex_);
  closed_ = true;
  wake_all(std::move(lock));
}

}  // namespace muster::server
