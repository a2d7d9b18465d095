#include "server/studio/studio.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "server/log.h"
#include "server/studio/names.h"
#include "server/studio/report_json.h"

namespace muster::server {
namespace fs = std::filesystem;
using nlohmann::ordered_json;

namespace {

// Changes with every file that is added, moved, removed or written again.
uint64_t list_fingerprint(const std::vector<PictureClass>& classes) {
  std::string text;
  for (const PictureClass& one : classes)
    for (const Picture& picture : one.pictures)
      text += fmt::format("{}/{}/{}\n", one.name, picture.file, picture.bytes);
  return fingerprint_of(text);
}

ordered_json status_json(const Trainer::Status& status) {
  return {{"state", state_name(status.state)},
          {"number", status.number},
          {"effort", effort_name(status.effort)},
          {"step", status.step},
          {"done", status.done},
          {"total", status.total},
          {"seconds", std::round(10 * status.seconds) / 10},
          {"message", status.message}};
}

ordered_json picture_json(const Catalogue::Snapshot& snapshot, const std::string& class_name,
                          const Picture& picture) {
  ordered_json out{{"file", picture.file}, {"stamp", std::to_string(picture.changed_ns)}};
  const std::string id = class_name + "/" + picture.file;
  if (const auto known = snapshot.known.find(id);
      known != snapshot.known.end() && !known->second.problem.empty())
    out["problem"] = known->second.problem;
  if (const auto same = snapshot.same.find(id); same != snapshot.same.end())
    out["same"] = same->second;
  return out;
}

}  // namespace

Studio::Studio(const fs::path& folder, ServiceOptions limits)
    : limits_(std::move(limits)),
      folders_(folder),
      catalogue_(folders_, limits_),
      trainer_(folders_.root(), [this](const Model& model) { keep(model); }) {
  tick();
}

std::shared_ptr<const ServedModel> Studio::model() const {
  const std::lock_guard lock(mutex_);
  return models_ ? models_->all().front() : nullptr;
}

// The report first: without its model it is not shown.
void Studio::keep(const Model& model) {
  const std::vector<std::byte> bytes = model.bytes();
  ordered_json report = report_json(model.report(), model.class_names());
  report["model"] =
      fingerprint_of(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  report["pictures"] = trained_on_.load();
  try {
    folders_.list();  // says so if the folder is gone
    write_whole(folders_.kept("report.json"), dump(report));
  } catch (const HttpError& error) {
    throw Error(ErrorKind::kRuntime, error.what());
  }
  model.save(model_file());
  load_model();
}

// By the thread that trained, or by tick().
void Studio::load_model() {
  const std::lock_guard lock(mutex_);
  std::error_code error;
  const fs::file_time_type changed = fs::last_write_time(model_file(), error);
  if (error) {  // there is none, or it has been removed
    seen_ = {};
    if (models_) ++model_number_;
    models_.reset();
    return;
  }
  if (changed == seen_) return;
  seen_ = changed;
  ++model_number_;
  model_problem_.clear();
  report_.clear();
  try {
    models_ = std::make_unique<Models>(std::vector<fs::path>{model_file()});
  } catch (const Error& problem) {  // an older model stays
    model_problem_ = problem.what();
    log_event("model kept", {{"error", model_problem_}});
    return;
  }
  const std::string report = read_whole(folders_.kept("report.json"));
  const ordered_json parsed = ordered_json::parse(report, nullptr, false);
  if (parsed.is_object() && parsed.value("model", ordered_json()) ==
                                ordered_json(fingerprint_of(read_whole(model_file()))))
    report_ = report;
}

bool Studio::start_training(Effort effort, const std::vector<PictureClass>& classes) {
  const std::lock_guard lock(start_mutex_);
  if (trainer_.status().state == Trainer::State::kRunning) return false;
  trained_on_ = list_fingerprint(classes);
  return trainer_.start(effort);
}

void Studio::tick() { load_model(); }

std::string Studio::news() const {
  ordered_json out{{"revision", catalogue_.revision()},
                   {"training", status_json(trainer_.status())}};
  const std::lock_guard lock(mutex_);
  out["model"] = model_number_;
  return dump(out);
}

ordered_json Studio::model_json(const std::vector<PictureClass>& classes) const {
  const std::shared_ptr<const ServedModel> served = model();
  if (!served) return nullptr;
  ordered_json out{{"classes", served->info.class_names},
                   {"recipe", served->info.members[0].recipe},
                   {"of_pictures", served->info.of_pictures}};
  const std::lock_guard lock(mutex_);
  if (!report_.empty()) {
    ordered_json report = ordered_json::parse(report_);
    out["stale"] = report["pictures"] != ordered_json(list_fingerprint(classes));
    report.erase("pictures");
    report.erase("model");
    out["report"] = std::move(report);
  } else if (served->info.members[0].choice) {
    out["report"] = choice_json(*served->info.members[0].choice);
  }
  return out;
}

ordered_json Studio::state() {
  const Catalogue::Snapshot snapshot = catalogue_.snapshot();
  ordered_json classes = ordered_json::array();
  for (const PictureClass& one : snapshot.classes) {
    ordered_json pictures = ordered_json::array();
    for (const Picture& picture : one.pictures)
      pictures.push_back(picture_json(snapshot, one.name, picture));
    classes.push_back({{"name", one.name}, {"pictures", std::move(pictures)}});
  }
  ordered_json out{{"folder", folders_.root().string()},
                   {"revision", snapshot.revision},
                   {"unchecked", snapshot.unchecked},
                   {"undo", folders_.last_removed()},
                   {"classes", std::move(classes)},
                   {"model", model_json(snapshot.classes)},
                   {"training", status_json(trainer_.status())}};
  const std::lock_guard lock(mutex_);
  out["model_number"] = model_number_;
  if (!model_problem_.empty()) out["model_problem"] = model_problem_;
  return out;
}

}  // namespace muster::server
