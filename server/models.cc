#include "server/models.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <fstream>

namespace muster::server {
namespace {

// A model that was loaded by its path stays mapped to the file, and would change or fail with a
// file that is overwritten in its place.
std::shared_ptr<const ServedModel> load_whole(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary | std::ios::ate);
  std::error_code ignored;
  if (!in || !std::filesystem::is_regular_file(file, ignored))
    throw Error(
        ErrorKind::kData,
        fmt::format("{}: cannot be opened; name a model made by muster train", file.string()));
  std::vector<std::byte> bytes(static_cast<size_t>(std::max<std::streamoff>(in.tellg(), 0)));
  in.seekg(0);
  if (!in.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size())))
    throw Error(ErrorKind::kData, fmt::format("{}: cannot be read to its end", file.string()));
  try {
    Model model = load(std::span<const std::byte>(bytes));
    ModelInfo info = model.info();
    return std::make_shared<ServedModel>(
        ServedModel{file.stem().string(), std::move(model), std::move(info)});
  } catch (const Error& error) {
    throw Error(error.kind(), fmt::format("{}: {}", file.string(), error.what()));
  }
}

}  // namespace

Models::Stamp Models::stamp_of(const std::filesystem::path& file) {
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0) return {};
  return {status.st_mtim.tv_sec, status.st_mtim.tv_nsec, static_cast<uint64_t>(status.st_size),
          status.st_ino};
}

Models::Models(const std::vector<std::filesystem::path>& files) {
  for (const std::filesystem::path& file : files) {
    const Stamp stamp = stamp_of(file);  // before the content: a later change is seen
    slots_.push_back({file, stamp, load_whole(file)});
    for (size_t i = 0; i + 1 < slots_.size(); ++i)
      if (slots_[i].model->name == slots_.back().model->name)
        throw Error(ErrorKind::kUsage,
                    fmt::format("{} and {}: both would be served as '{}'; rename one of the files",
                                slots_[i].file.string(), file.string(), slots_[i].model->name));
  }
}

std::shared_ptr<const ServedModel> Models::find(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  if (name.empty()) return slots_.size() == 1 ? slots_[0].model : nullptr;
  for (const Slot& slot : slots_)
    if (slot.model->name == name) return slot.model;
  return nullptr;
}

std::vector<std::shared_ptr<const ServedModel>> Models::all() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::shared_ptr<const ServedModel>> out;
  for (const Slot& slot : slots_) out.push_back(slot.model);
  return out;
}

std::vector<std::string> Models::names() const {
  std::vector<std::string> out;
  for (const auto& model : all()) out.push_back(model->name);
  return out;
}

std::vector<Models::Change> Models::reload(bool all_of_them) {
  std::vector<Change> changes;
  for (Slot& slot : slots_) {
    const Stamp stamp = stamp_of(slot.file);
    if (stamp == slot.stamp && !all_of_them) continue;
    slot.stamp = stamp;  // also of a bad file, which is not tried again until it changes
    Change change{slot.file.stem().string(), slot.file.string(), ""};
    try {
      std::shared_ptr<const ServedModel> fresh = load_whole(slot.file);
      const std::lock_guard lock(mutex_);
      slot.model.swap(fresh);
    } catch (const std::exception& error) {
      change.error = error.what();
    }
    changes.push_back(std::move(change));
  }
  return changes;
}

}  // namespace muster::server
