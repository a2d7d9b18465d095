// Runs contenders in turn over the same work, on one thread, so that whatever else the machine does
// hits all of them alike; a claim is a ratio of medians from one run, with its spread. Ratios are
// of the process's CPU time, which waiting for a core does not change; wall time is kept beside it.
#pragma once

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

namespace muster::bench {

struct Contender {
  std::string name;
  std::function<void()> run;  // all the work, once
};

struct Timing {
  std::string name;
  std::vector<double> cpu_s, wall_s;  // one a round

  double quantile(double q) const {
    std::vector<double> sorted = cpu_s;
    std::ranges::sort(sorted);
    return sorted[static_cast<size_t>(q * static_cast<double>(sorted.size() - 1) + 0.5)];
  }
  double median() const { return quantile(0.5); }
};

inline double clock_seconds(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// One untimed round, then `rounds` rounds in which each contender runs once.
inline std::vector<Timing> alternate(const std::vector<Contender>& contenders, int rounds) {
  std::vector<Timing> timings;
  for (const Contender& contender : contenders) {
    contender.run();
    timings.push_back({contender.name, {}, {}});
  }
  for (int round = 0; round < rounds; ++round) {
    for (size_t i = 0; i < contenders.size(); ++i) {
      const double wall = clock_seconds(CLOCK_MONOTONIC);
      const double cpu = clock_seconds(CLOCK_PROCESS_CPUTIME_ID);
      contenders[i].run();
      timings[i].cpu_s.push_back(clock_seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu);
      timings[i].wall_s.push_back(clock_seconds(CLOCK_MONOTONIC) - wall);
    }
  }
  return timings;
}

inline std::string cpu_model() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);)
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  return "unknown";
}

inline nlohmann::json machine_facts() {
  return {{"cpu", cpu_model()},
          {"cores", std::thread::hardware_concurrency()},
          {"threads_used", 1},
          {"compiler", __VERSION__}};
}

// A table on stdout: CPU milliseconds per `unit` and how many times the first contender is faster.
inline void print_table(const std::vector<Timing>& timings, double units, const char* unit) {
  std::printf("%-34s %12s %10s %10s %8s\n", "", (std::string("ms/") + unit).c_str(), "5 %", "95 %",
              "ratio");
  for (const Timing& t : timings) {
    std::printf("%-34s %12.4f %10.4f %10.4f %8.2f\n", t.name.c_str(), 1e3 * t.median() / units,
                1e3 * t.quantile(0.05) / units, 1e3 * t.quantile(0.95) / units,
                t.median() / timings[0].median());
  }
}

inline nlohmann::json to_json(const std::vector<Timing>& timings) {
  nlohmann::json out = nlohmann::json::array();
  for (const Timing& t : timings) {
    out.push_back({{"name", t.name},
                   {"median_cpu_s", t.median()},
                   {"ratio_to_first", t.median() / timings[0].median()},
                   {"cpu_s", t.cpu_s},
                   {"wall_s", t.wall_s}});
  }
  return out;
}

inline void write_json(const std::string& path, const nlohmann::json& content) {
  std::ofstream out(path);
  out << content.dump(1) << "\n";
  if (!out.flush()) std::fprintf(stderr, "%s: cannot be written\n", path.c_str());
}

}  // namespace muster::bench
