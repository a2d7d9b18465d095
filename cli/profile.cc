#include "profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "muster/core/memory.h"
#include "output.h"

namespace muster::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* kBetweenSteps = "other";

struct Stage {
  std::string name;
  double seconds = 0;
  double peak_memory_mib = 0;
};

class Profile {
 public:
  Profile() { begin(kBetweenSteps); }

  void step(std::string_view name, size_t done, size_t total) {
    const std::lock_guard lock(mutex_);
    if (name != stages_[current_].name) {
      end();
      begin(name);
    }
    if (done < total) return;
    end();
    begin(kBetweenSteps);
  }

  std::vector<Stage> stages() {
    const std::lock_guard lock(mutex_);
    end();
    begin(kBetweenSteps);
    return stages_;
  }

 private:
  void begin(std::string_view name) {
    current_ = 0;
    while (current_ < stages_.size() && stages_[current_].name != name) ++current_;
    if (current_ == stages_.size()) stages_.push_back({std::string(name)});
    reset_peak_memory();
    start_ = Clock::now();
  }

  void end() {
    Stage& stage = stages_[current_];
    stage.seconds += std::chrono::duration<double>(Clock::now() - start_).count();
    stage.peak_memory_mib = std::max(stage.peak_memory_mib, peak_memory_since_reset_mib());
  }

  std::mutex mutex_;
  std::vector<Stage> stages_;
  size_t current_ = 0;
  Clock::time_point start_;
};

Profile* profile = nullptr;  // lives until the process ends

}  // namespace

void start_profile() {
  if (!profile) profile = new Profile;
}

bool profiling() { return profile; }

void profile_step(std::string_view step, size_t done, size_t total) {
  if (profile) profile->step(step, done, total);
}

nlohmann::ordered_json profile_so_far() {
  double seconds = 0, peak = 0;
  nlohmann::ordered_json stages = nlohmann::ordered_json::array();
  for (const Stage& stage : profile->stages()) {
    seconds += stage.seconds;
    peak = std::max(peak, stage.peak_memory_mib);
    stages.push_back({{"stage", stage.name},
                      {"seconds", stage.seconds},
                      {"peak_memory_mib", stage.peak_memory_mib}});
  }
  return {{"seconds", seconds}, {"peak_memory_mib", peak}, {"stages", std::move(stages)}};
}

void print_profile() {
  if (!profile) return;
  const nlohmann::ordered_json all = profile_so_far();
  const auto row = [&](const std::string& name, const nlohmann::ordered_json& of) {
    const double seconds = of["seconds"], whole = all["seconds"];
    put_message(fmt::format("{:<20} {:>10.3f} {:>6.1f} {:>14.0f}", name, seconds,
                            whole > 0 ? 100 * seconds / whole : 0.0,
                            of["peak_memory_mib"].get<double>()));
  };
  put_message(fmt::format("{:<20} {:>10} {:>6} {:>14}", "stage", "seconds", "%", "peak MiB"));
  for (const auto& stage : all["stages"]) row(stage["stage"].get<std::string>(), stage);
  row("all", all);
}

}  // namespace muster::cli
