#include "profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "muster/cluster/shared_for.h"
#include "muster/cluster/world.h"
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
  double sent_mib = 0;  // to other ranks
  double waiting_seconds = 0;
};

constexpr double kMiB = 1 << 20;

class Profile {
 public:
  Profile() { begin(kBetweenSteps); }

  void step(std::string_view name, size_t done, size_t total) {
    const std::lock_guard lock(mutex_);
    // Ticks of several threads may come in another order than they were counted in.
    if (done == 0 && name != stages_[current_].name) {
      end();
      begin(name);
    }
    if (done < total || name != stages_[current_].name) return;
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
    traffic_ = world().traffic();
    start_ = Clock::now();
  }

  void end() {
    Stage& stage = stages_[current_];
    stage.seconds += std::chrono::duration<double>(Clock::now() - start_).count();
    stage.peak_memory_mib = std::max(stage.peak_memory_mib, peak_memory_since_reset_mib());
    const Traffic now = world().traffic();
    stage.sent_mib += static_cast<double>(now.bytes_given - traffic_.bytes_given) / kMiB;
    stage.waiting_seconds += now.waiting_seconds - traffic_.waiting_seconds;
  }

  std::mutex mutex_;
  std::vector<Stage> stages_;
  size_t current_ = 0;
  Clock::time_point start_;
  Traffic traffic_;
};

Profile* profile = nullptr;  // lives until the process ends

using Json = nlohmann::ordered_json;

// One line per rank; all of them come here.
Json of_all_ranks(double seconds, double peak) {
  const Traffic traffic = world().traffic();
  const Json own{{"host", world().host()},
                 {"seconds", seconds},
                 {"peak_memory_mib", peak},
                 {"sent_mib", static_cast<double>(traffic.bytes_given) / kMiB},
                 {"received_mib", static_cast<double>(traffic.bytes_taken) / kMiB},
                 {"calls", traffic.calls},
                 {"waiting_seconds", traffic.waiting_seconds}};
  Json out = Json::array();
  for (const std::string& text : gather_texts(own.dump())) out.push_back(Json::parse(text));
  return out;
}

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
  Json stages = Json::array();
  for (const Stage& stage : profile->stages()) {
    seconds += stage.seconds;
    peak = std::max(peak, stage.peak_memory_mib);
    stages.push_back({{"stage", stage.name},
                      {"seconds", stage.seconds},
                      {"peak_memory_mib", stage.peak_memory_mib}});
    if (world().size() == 1) continue;
    stages.back()["sent_mib"] = stage.sent_mib;
    stages.back()["waiting_seconds"] = stage.waiting_seconds;
  }
  Json out{{"seconds", seconds}, {"peak_memory_mib", peak}, {"stages", std::move(stages)}};
  if (world().size() > 1) out["ranks"] = of_all_ranks(seconds, peak);
  return out;
}

void print_profile() {
  if (!profile) return;
  const Json all = profile_so_far();
  const auto row = [&](const std::string& name, const Json& of) {
    const double seconds = of["seconds"], whole = all["seconds"];
    std::string line =
        fmt::format("{:<20} {:>10.3f} {:>6.1f} {:>14.0f}", name, seconds,
                    whole > 0 ? 100 * seconds / whole : 0.0, of["peak_memory_mib"].get<double>());
    if (of.contains("sent_mib"))
      line += fmt::format(" {:>10.2f} {:>10.3f}", of["sent_mib"].get<double>(),
                          of["waiting_seconds"].get<double>());
    put_message(line);
  };
  const char* sent_and_waiting = world().size() > 1 ? "   sent MiB    waiting" : "";
  put_message(fmt::format("{:<20} {:>10} {:>6} {:>14}{}", "stage", "seconds", "%", "peak MiB",
                          sent_and_waiting));
  for (const auto& stage : all["stages"]) row(stage["stage"].get<std::string>(), stage);
  row("all", all);
  if (!all.contains("ranks")) return;
  for (size_t r = 0; r < all["ranks"].size(); ++r) row(fmt::format("rank {}", r), all["ranks"][r]);
}

}  // namespace muster::cli
