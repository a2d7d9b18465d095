// The module muster-mpi.so: Cluster by MPI. Loaded under mpirun and srun only; the one file that
// knows MPI.
#include <mpi.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "muster/cluster/cluster.h"

namespace muster {
namespace {

using Clock = std::chrono::steady_clock;

// Counts of MPI calls are int; more is sent in rounds of at most this many bytes per rank.
constexpr size_t kRoundBytes = size_t{8} << 20;
// A rank that waits tests in a loop for so long, then sleeps between tests: ranks may share cores.
constexpr double kSpinSeconds = 100e-6;
constexpr long kLongestSleepNs = 500'000;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

class MpiCluster final : public Cluster {
 public:
  MpiCluster() {
    int provided = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_dup(MPI_COMM_WORLD, &work_);
    MPI_Comm_dup(MPI_COMM_WORLD, &end_);
    MPI_Comm_rank(work_, &rank_);
    MPI_Comm_size(work_, &size_);
    MPI_Comm here = MPI_COMM_NULL;
    MPI_Comm_split_type(work_, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here);
    MPI_Comm_size(here, &here_);
    MPI_Comm_free(&here);
    char name[MPI_MAX_PROCESSOR_NAME + 1] = {};
    int length = 0;
    MPI_Get_processor_name(name, &length);
    host_ = name;
  }

  size_t rank() const override { return static_cast<size_t>(rank_); }
  size_t size() const override { return static_cast<size_t>(size_); }
  size_t ranks_here() const override { return static_cast<size_t>(here_); }
  std::string host() const override { return host_; }
  Traffic traffic() const override { return traffic_; }

  std::optional<PartsOfRanks> gather(std::span<const std::byte> own, double seconds) override {
    const Call call(traffic_, own.size());
    const auto sizes = sizes_of(own.size(), seconds);
    if (!sizes) return std::nullopt;
    PartsOfRanks parts(size());
    in_rounds(*sizes, own, [&](const void* from, int count, Round& round) {
      MPI_Request request;
      MPI_Iallgatherv(from, count, MPI_BYTE, round.bytes.data(), round.counts.data(),
                      round.starts.data(), MPI_BYTE, work_, &request);
      wait(request);
      round.append_to(parts);
    });
    note_taken(*sizes);
    return parts;
  }

  PartsOfRanks collect(std::span<const std::byte> own) override {
    const Call call(traffic_, own.size());
    const auto sizes = *sizes_of(own.size(), kForever);
    PartsOfRanks parts(rank_ == 0 ? size() : 0);
    in_rounds(sizes, own, [&](const void* from, int count, Round& round) {
      MPI_Request request;
      MPI_Igatherv(from, count, MPI_BYTE, round.bytes.data(), round.counts.data(),
                   round.starts.data(), MPI_BYTE, 0, work_, &request);
      wait(request);
      if (rank_ == 0) round.append_to(parts);
    });
    if (rank_ == 0) note_taken(sizes);
    return parts;
  }

  void sum(std::span<int64_t> values) override {
    constexpr size_t kRoundValues = kRoundBytes / sizeof(int64_t);
    const Call call(traffic_, values.size_bytes());
    for (size_t begin = 0; begin < values.size(); begin += kRoundValues) {
      const std::span<int64_t> part =
          values.subspan(begin, std::min(kRoundValues, values.size() - begin));
      MPI_Request request;
      MPI_Iallreduce(MPI_IN_PLACE, part.data(), static_cast<int>(part.size()), MPI_INT64_T, MPI_SUM,
                     work_, &request);
      wait(request);
    }
    traffic_.bytes_taken += values.size_bytes();
  }

  void broadcast(std::vector<std::byte>& bytes) override {
    const Call call(traffic_, rank_ == 0 ? bytes.size() : 0);
    uint64_t total = bytes.size();
    MPI_Request request;
    MPI_Ibcast(&total, 1, MPI_UINT64_T, 0, work_, &request);
    wait(request);
    bytes.resize(total);
    for (size_t begin = 0; begin < total; begin += kRoundBytes) {
      MPI_Ibcast(bytes.data() + begin, static_cast<int>(std::min(kRoundBytes, total - begin)),
                 MPI_BYTE, 0, work_, &request);
      wait(request);
    }
    if (rank_ != 0) traffic_.bytes_taken += total;
  }

  std::optional<std::vector<int>> farewell(int code, double seconds) override {
    std::vector<int> codes(size());
    MPI_Request request;
    MPI_Iallgather(&code, 1, MPI_INT, codes.data(), 1, MPI_INT, end_, &request);
    if (!wait(request, seconds)) return std::nullopt;
    MPI_Finalize();
    return codes;
  }

  [[noreturn]] void abort(int code) override {
    MPI_Abort(MPI_COMM_WORLD, code);
    std::_Exit(code);
  }

 private:
  // Counts one call, and the time it takes.
  class Call {
   public:
    Call(Traffic& traffic, size_t bytes) : traffic_(traffic), start_(Clock::now()) {
      ++traffic_.calls;
      traffic_.bytes_given += bytes;
    }
    ~Call() { traffic_.waiting_seconds += seconds_since(start_); }
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

   private:
    Traffic& traffic_;
    Clock::time_point start_;
  };

  // Some bytes of every rank, side by side.
  struct Round {
    std::vector<int> counts, starts;
    std::vector<std::byte> bytes;

    void append_to(PartsOfRanks& parts) const {
      for (size_t r = 0; r < parts.size(); ++r)
        parts[r].insert(parts[r].end(), bytes.begin() + starts[r],
                        bytes.begin() + starts[r] + counts[r]);
    }
  };

  // False if it is not done in so many seconds.
  bool wait(MPI_Request& request, double seconds = kForever) {
    const Clock::time_point start = Clock::now();
    long sleep_ns = 20'000;
    for (int done = 0;;) {
      MPI_Test(&request, &done, MPI_STATUS_IGNORE);
      if (done) return true;
      const double waited = seconds_since(start);
      if (waited > seconds) return false;
      if (waited < kSpinSeconds) continue;
      const timespec pause{0, sleep_ns};
      nanosleep(&pause, nullptr);
      sleep_ns = std::min(2 * sleep_ns, kLongestSleepNs);
    }
  }

  std::optional<std::vector<uint64_t>> sizes_of(uint64_t own, double seconds) {
    // Kept if the call is given up, since MPI may still write to it.
    own_size_ = own;
    all_sizes_.assign(size(), 0);
    MPI_Request request;
    MPI_Iallgather(&own_size_, 1, MPI_UINT64_T, all_sizes_.data(), 1, MPI_UINT64_T, work_,
                   &request);
    if (!wait(request, seconds)) return std::nullopt;
    return all_sizes_;
  }

  template <class Send>
  void in_rounds(const std::vector<uint64_t>& sizes, std::span<const std::byte> own,
                 const Send& send) {
    const uint64_t most = *std::max_element(sizes.begin(), sizes.end());
    for (uint64_t begin = 0; begin < most; begin += kRoundBytes) {
      Round round;
      int total = 0;
      for (const uint64_t size : sizes) {
        round.starts.push_back(total);
        round.counts.push_back(
            static_cast<int>(std::min<uint64_t>(kRoundBytes, size - std::min(size, begin))));
        total += round.counts.back();
      }
      round.bytes.resize(static_cast<size_t>(total));
      send(own.data() + std::min<uint64_t>(begin, own.size()), round.counts[rank()], round);
    }
  }

  void note_taken(const std::vector<uint64_t>& sizes) {
    for (size_t r = 0; r < sizes.size(); ++r)
      if (r != rank()) traffic_.bytes_taken += sizes[r];
  }

  MPI_Comm work_ = MPI_COMM_NULL, end_ = MPI_COMM_NULL;
  int rank_ = 0, size_ = 1, here_ = 1;
  std::string host_;
  Traffic traffic_;
  uint64_t own_size_ = 0;
  std::vector<uint64_t> all_sizes_;
};

Cluster* join() { return new MpiCluster; }

}  // namespace
}  // namespace muster

extern "C" __attribute__((visibility("default"))) const void* muster_cluster_module() {
  static char library[MPI_MAX_LIBRARY_VERSION_STRING] = {};
  if (int length = 0; library[0] == 0) {
    MPI_Get_library_version(library, &length);
    if (char* comma = std::strchr(library, ',')) *comma = 0;  // "Open MPI v4.1.4, package: ..."
  }
  static const muster::ClusterModule module{muster::kClusterModuleVersion, library, muster::join};
  return &module;
}
