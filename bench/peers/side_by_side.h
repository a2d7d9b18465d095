// Runs contenders in turn over the same work, so that whatever else the machine does hits all of
// them alike; a claim is a ratio of medians from one run, with its spread. On one thread ratios are
// of CPU time, which waiting for a core does not change; if threads are compared, of wall time.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "muster/core/parallel.h"

namespace muster::bench {

// A bound is what no program for the job can beat: the arithmetic or memory traffic alone.
enum class Role { kOurs, kPeer, kBound, kOther };

struct Spent {
  double cpu_s = 0, wall_s = 0;
};

struct Contender {
  std::string name;
  std::function<void()> run;  // all the work, once
  Role role = Role::kOther;
  // In place of `run` if another process does the work and measures itself.
  std::function<Spent()> measured = {};
};

struct Timing {
  std::string name;
  std::vector<double> cpu_s, wall_s;  // one per round
  Role role = Role::kOther;

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

inline Spent measure(const Contender& contender, int repeats = 1) {
  Spent sum;
  if (contender.measured) {
    for (int i = 0; i < repeats; ++i) {
      const Spent spent = contender.measured();
      sum = {sum.cpu_s + spent.cpu_s, sum.wall_s + spent.wall_s};
    }
    return sum;
  }
  const double wall = clock_seconds(CLOCK_MONOTONIC);
  const double cpu = clock_seconds(CLOCK_PROCESS_CPUTIME_ID);
  for (int i = 0; i < repeats; ++i) contender.run();
  return {clock_seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu, clock_seconds(CLOCK_MONOTONIC) - wall};
}

// CPU clocks may tick in steps of 4 ms: what is quicker than this is run several times per round.
inline constexpr double kLeastSeconds = 0.2;

// One untimed round, then `rounds` rounds in which each contender takes its turn.
inline std::vector<Timing> alternate(const std::vector<Contender>& contenders, int rounds) {
  std::vector<Timing> timings;
  std::vector<int> repeats;
  for (const Contender& contender : contenders) {
    const double first = std::max(1e-6, measure(contender).wall_s);
    repeats.push_back(static_cast<int>(std::ceil(std::min(kLeastSeconds / first, 1e5))));
    timings.push_back({contender.name, {}, {}, contender.role});
  }
  for (int round = 0; round < rounds; ++round) {
    for (size_t i = 0; i < contenders.size(); ++i) {
      const Spent spent = measure(contenders[i], repeats[i]);
      timings[i].cpu_s.push_back(spent.cpu_s / repeats[i]);
      timings[i].wall_s.push_back(spent.wall_s / repeats[i]);
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

// Runnable processes over the last minute: how quiet the machine was.
inline double load_average() {
  double load[1] = {0};
  return getloadavg(load, 1) == 1 ? load[0] : 0;
}

inline std::string widest_vectors() {
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f")) return "AVX-512";
  return __builtin_cpu_supports("avx2") ? "AVX2" : "SSE";
}

inline nlohmann::json machine_facts() {
  return {{"cpu", cpu_model()},
          {"cores", std::thread::hardware_concurrency()},
          {"vectors", widest_vectors()},
          {"load_average", load_average()},
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

NLOHMANN_JSON_SERIALIZE_ENUM(Role, {{Role::kOurs, "ours"},
                                    {Role::kPeer, "peer"},
                                    {Role::kBound, "bound"},
                                    {Role::kOther, "other"}})

inline nlohmann::json to_json(const std::vector<Timing>& timings) {
  nlohmann::json out = nlohmann::json::array();
  for (const Timing& t : timings)
    out.push_back({{"name", t.name}, {"role", t.role}, {"cpu_s", t.cpu_s}, {"wall_s", t.wall_s}});
  return out;
}

inline void write_json(const std::string& path, const nlohmann::json& content) {
  std::ofstream out(path);
  out << content.dump(1) << "\n";
  if (!out.flush()) std::fprintf(stderr, "%s: cannot be written\n", path.c_str());
}

// The bytes of a result, to be compared.
template <class T>
std::string bytes_of(const T& values) {
  const auto bytes = std::as_bytes(std::span(values));
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

inline std::string rounded(double value, int digits) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*g", digits, value);
  return text;
}

struct Job {
  std::string name;   // scripts/performance knows it by this
  std::string title;  // with its sizes
  std::string unit;
  double units = 1;  // in one run of a contender
};

// All jobs of a program: raw times of each round, whether results agree, and threads.
class Record {
 public:
  // Contenders on one thread; the first is ours.
  std::vector<Timing> race(const Job& job, const std::vector<Contender>& contenders, int rounds) {
    std::vector<Timing> timings;
    {
      const ThreadLimit one_thread(1);
      timings = alternate(contenders, rounds);
    }
    std::printf("\n%s: %s, one thread, %d rounds\n", job.name.c_str(), job.title.c_str(), rounds);
    print_table(timings, job.units, job.unit.c_str());
    jobs_.push_back({{"job", job.name},
                     {"title", job.title},
                     {"unit", job.unit},
                     {"units", job.units},
                     {"contenders", to_json(timings)}});
    return timings;
  }

  // About the last job: whether the contenders' results are the same, and how that was found.
  void agree(bool same, const std::string& how) {
    std::printf("%s: %s\n", same ? "results agree" : "RESULTS DIFFER", how.c_str());
    jobs_.back()["agreement"] = {{"same", same}, {"how", how}};
    all_agree_ &= same;
  }

  // About the last job: our work on one and on two threads in turn, by wall time. `result` gives
  // the bytes of what the work made.
  void compare_threads(const std::function<void()>& work,
                       const std::function<std::string()>& result, int rounds) {
    std::string results[2];
    std::vector<double> wall_s[2], cpu_s[2];
    for (int round = -1; round < rounds; ++round)
      for (int i = 0; i < 2; ++i) {
        const ThreadLimit limit(i + 1);
        const Spent spent = measure({"", work});
        results[i] = result();
        if (round < 0) continue;
        wall_s[i].push_back(spent.wall_s);
        cpu_s[i].push_back(spent.cpu_s);
      }
    const bool same = results[0] == results[1];
    const auto fastest = [](const std::vector<double>& of) { return std::ranges::min(of); };
    std::printf("two threads: %.2f times one (fastest rounds), results %s\n",
                fastest(wall_s[0]) / fastest(wall_s[1]), same ? "identical" : "DIFFER");
    jobs_.back()["threads"] = {{"one_wall_s", wall_s[0]},
                               {"two_wall_s", wall_s[1]},
                               {"two_cpu_s", cpu_s[1]},
                               {"identical", same}};
    all_agree_ &= same;
  }

  // A figure of the last job that is not a contender's time.
  void note(const std::string& key, nlohmann::json value) { jobs_.back()[key] = std::move(value); }

  // The exit code: 1 if results differ.
  int finish(const char* path) const {
    if (path) write_json(path, {{"machine", machine_}, {"jobs", jobs_}});
    return all_agree_ ? 0 : 1;
  }

 private:
  nlohmann::json machine_ = machine_facts();
  nlohmann::json jobs_ = nlohmann::json::array();
  bool all_agree_ = true;
};

// Arguments of every program here: [OUT.json] [ROUNDS].
struct Arguments {
  char** all;
  const char* out;
  std::optional<int> rounds;

  Arguments(int argc, char** argv) : all(argv), out(argc > 1 ? argv[1] : nullptr) {
    if (argc > 2) rounds = std::atoi(argv[2]);
  }
  int rounds_or(int usual) const { return rounds.value_or(usual); }
};

// The jobs of a program, which main.cc runs.
void race(Record& record, const Arguments& args);

}  // namespace muster::bench
