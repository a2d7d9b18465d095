// Several processes, ranks, that do one job together: each runs the same command and does the same,
// except for loops that are divided among them (shared_for.h). By itself a process is alone; under
// mpirun or srun the module muster-mpi.so, the only code that knows MPI, joins it to the others.
// Standard library only, so that the module needs nothing else of muster.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace muster {

// Bytes of each rank, by rank.
using PartsOfRanks = std::vector<std::vector<std::byte>>;

// What a rank had to do with the others so far.
struct Traffic {
  uint64_t calls = 0;
  uint64_t bytes_given = 0;    // by this rank, once, to whoever gets them
  uint64_t bytes_taken = 0;    // from other ranks
  double waiting_seconds = 0;  // in calls, until they were done
};

// All ranks make the same calls in the same order. For the thread that joined.
class Cluster {
 public:
  static constexpr double kForever = std::numeric_limits<double>::infinity();

  virtual ~Cluster() = default;
  virtual size_t rank() const = 0;
  virtual size_t size() const = 0;
  // Ranks on this machine, with this one.
  virtual size_t ranks_here() const = 0;
  virtual std::string host() const = 0;

  // Every rank gives some bytes and gets those of all. Nothing if not all have called within so
  // many seconds; nothing but abort() and farewell() may follow then.
  virtual std::optional<PartsOfRanks> gather(std::span<const std::byte> own,
                                             double seconds = kForever) = 0;
  // The same, but only rank 0 gets them; the others get nothing.
  virtual PartsOfRanks collect(std::span<const std::byte> own) = 0;
  // Each value becomes the sum of those of all ranks, on all of them; as many on every rank.
  virtual void sum(std::span<int64_t> values) = 0;
  // Everyone's become those of rank 0.
  virtual void broadcast(std::vector<std::byte>& bytes) = 0;

  // The last call of every rank: the exit codes of all, or nothing if not all came to their end
  // within so many seconds.
  virtual std::optional<std::vector<int>> farewell(int code, double seconds) = 0;
  // Ends all ranks at once.
  [[noreturn]] virtual void abort(int code) = 0;

  virtual Traffic traffic() const = 0;
};

// What the module gives; another version than the caller's is refused.
struct ClusterModule {
  int version;
  const char* library;  // its name and version, for people
  // Once per process. What goes wrong ends the process with the library's words.
  Cluster* (*join)();
};
inline constexpr int kClusterModuleVersion = 2;
inline constexpr const char* kClusterModuleSymbol = "muster_cluster_module";

}  // namespace muster
