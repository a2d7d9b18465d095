#include "server/studio/catalogue.h"

#include <algorithm>
#include <chrono>
#include <fstream>

#include "muster/muster.h"
#include "server/http.h"
#include "server/log.h"

namespace muster::server {
namespace {

using namespace std::chrono_literals;

constexpr int kCheckedSidePx = 64;

std::string id_of(const std::string& class_name, const std::string& file) {
  return class_name + "/" + file;
}

Catalogue::Known look_at(const std::filesystem::path& path, const std::string& name,
                         const ServiceOptions& limits) {
  const std::string content = read_whole(path);
  Catalogue::Known known{fingerprint_of(content), ""};
  try {
    thumbnail(
        EncodedPicture{std::as_bytes(std::span(content)), name, limits.max_pixels, limits.decoder},
        kCheckedSidePx);
  } catch (const std::exception& error) {
    known.problem = error.what();
  }
  return known;
}

}  // namespace

uint64_t fingerprint_of(std::string_view content) {
  return std::hash<std::string_view>{}(content) ^ (content.size() << 40);
}

std::string read_whole(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary | std::ios::ate);
  std::string out(static_cast<size_t>(std::max<std::streamoff>(in.tellg(), 0)), '\0');
  in.seekg(0);
  return in.read(out.data(), static_cast<std::streamsize>(out.size())) ? out : "";
}

Catalogue::Catalogue(const ClassFolders& folders, const ServiceOptions& limits)
    : folders_(folders), limits_(limits) {
  scan();
  watcher_ = std::jthread([this](std::stop_token stop) { watch(stop); });
}

Catalogue::~Catalogue() {
  watcher_.request_stop();
  wake_.notify_all();
}

void Catalogue::watch(std::stop_token stop) {
  while (!stop.stop_requested()) {
    bool more = false;
    if_possible([&] {
      more = scan();
      for (const auto end = std::chrono::steady_clock::now() + 500ms;
           more && !stop.stop_requested() && std::chrono::steady_clock::now() < end;) {
        check_next();
        const std::lock_guard lock(mutex_);
        more = !unchecked_.empty();
        if (!more) ++revision_;
      }
    });
    if (more) continue;
    std::unique_lock lock(mutex_);
    wake_.wait_for(lock, stop, 1s, [this] { return look_now_; });
    look_now_ = false;
  }
}

bool Catalogue::scan() {
  std::vector<PictureClass> now;
  bool gone = false;
  try {
    now = folders_.list();
  } catch (const HttpError&) {
    gone = true;
  }
  const std::lock_guard lock(mutex_);
  if (gone != gone_ || now != classes_) ++revision_;
  gone_ = gone;
  classes_ = std::move(now);
  std::map<std::string, Entry> entries;
  unchecked_.clear();
  for (const PictureClass& one : classes_)
    for (const Picture& picture : one.pictures) {
      const std::string id = id_of(one.name, picture.file);
      if (auto found = entries_.find(id);
          found != entries_.end() && found->second.picture == picture)
        entries.insert(std::move(*found));
      else
        unchecked_.emplace(id, picture);
    }
  entries_ = std::move(entries);
  return !unchecked_.empty();
}

void Catalogue::check_next() {
  std::pair<std::string, Picture> next;
  {
    const std::lock_guard lock(mutex_);
    if (unchecked_.empty()) return;
    next = *unchecked_.begin();
  }
  Known known = look_at(folders_.root() / next.first, next.second.file, limits_);
  const std::lock_guard lock(mutex_);
  unchecked_.erase(next.first);
  if (!known.problem.empty()) ++revision_;
  entries_[next.first] = {next.second, std::move(known)};
}

uint64_t Catalogue::revision() const {
  const std::lock_guard lock(mutex_);
  return gone_ ? 0 : revision_;
}

void Catalogue::changed() {
  {
    const std::lock_guard lock(mutex_);
    ++revision_;
    look_now_ = true;
  }
  wake_.notify_all();
}

Catalogue::Snapshot Catalogue::snapshot() {
  Snapshot out;
  {
    const std::lock_guard lock(mutex_);
    out.revision = revision_;  // before the look: a later change is seen
  }
  out.classes = folders_.list();
  const std::lock_guard lock(mutex_);
  std::map<uint64_t, std::vector<std::string>> by_fingerprint;
  for (const PictureClass& one : out.classes)
    for (const Picture& picture : one.pictures) {
      const std::string id = id_of(one.name, picture.file);
      const auto found = entries_.find(id);
      if (found == entries_.end() || found->second.picture != picture) {
        ++out.unchecked;
        continue;
      }
      out.known.emplace(id, found->second.known);
      by_fingerprint[found->second.known.fingerprint].push_back(id);
    }
  for (const auto& [fingerprint, ids] : by_fingerprint)
    for (const std::string& id : ids)
      for (const std::string& other : ids)
        if (other != id) out.same[id].push_back(other);
  return out;
}

std::optional<std::string> Catalogue::find(const std::string& class_name,
                                           std::string_view content) {
  const uint64_t fingerprint = fingerprint_of(content);
  const std::string prefix = class_name + "/";
  const std::lock_guard lock(mutex_);
  for (auto at = entries_.lower_bound(prefix);
       at != entries_.end() && at->first.starts_with(prefix); ++at)
    if (at->second.known.fingerprint == fingerprint && at->second.picture.bytes == content.size())
      return at->second.picture.file;
  return std::nullopt;
}

}  // namespace muster::server
