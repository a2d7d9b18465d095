#include "muster/cluster/world.h"

#include <cstdlib>
#include <thread>

#include "muster/core/error.h"
#include "muster/core/module.h"

namespace muster {
namespace {

constexpr const char* kFile = "muster-mpi.so";

class Alone final : public Cluster {
 public:
  size_t rank() const override { return 0; }
  size_t size() const override { return 1; }
  size_t ranks_here() const override { return 1; }
  std::string host() const override { return ""; }
  std::optional<PartsOfRanks> gather(std::span<const std::byte> own, double) override {
    return PartsOfRanks{{own.begin(), own.end()}};
  }
  PartsOfRanks collect(std::span<const std::byte> own) override {
    return {{own.begin(), own.end()}};
  }
  void sum(std::span<int64_t>) override {}
  void broadcast(std::vector<std::byte>&) override {}
  std::optional<std::vector<int>> farewell(int code, double) override { return {{code}}; }
  [[noreturn]] void abort(int code) override { std::_Exit(code); }
  Traffic traffic() const override { return {}; }
};

Cluster* joined = nullptr;  // lives until the process ends
std::thread::id joined_by;

// Of mpirun (Open MPI), of a step of srun, and of launchers that speak PMI.
constexpr const char* kSizes[] = {"OMPI_COMM_WORLD_SIZE", "SLURM_STEP_NUM_TASKS", "PMI_SIZE"};
constexpr const char* kRanks[] = {"OMPI_COMM_WORLD_RANK", "SLURM_PROCID", "PMI_RANK"};

size_t first_number(std::span<const char* const> variables, size_t otherwise) {
  for (const char* variable : variables)
    if (const char* text = std::getenv(variable)) return std::strtoul(text, nullptr, 10);
  return otherwise;
}

// A program that runs under mpirun itself may start muster by the way.
bool wants_to_be_alone() {
  const char* text = std::getenv("MUSTER_ALONE");
  return text && *text && std::string_view(text) != "0";
}

}  // namespace

Cluster& world() {
  static Alone alone;
  return joined ? *joined : alone;
}

size_t launched_ranks() { return wants_to_be_alone() ? 1 : first_number(kSizes, 1); }
size_t launched_rank() { return wants_to_be_alone() ? 0 : first_number(kRanks, 0); }

void join_world() {
  MUSTER_CHECK(!joined);
  const std::filesystem::path file = find_module(kFile, "MUSTER_MPI_MODULE");
  if (file.empty())
    throw usage_error(
        "{} processes were started, and {} was not found, by which they work together; install the "
        "Debian package muster-mpi, or build with libopenmpi-dev installed",
        launched_ranks(), kFile);
  const auto* module = static_cast<const ClusterModule*>(
      call_module(file, kClusterModuleSymbol, "cluster", /*for_others=*/true));
  if (!module || module->version != kClusterModuleVersion)
    throw runtime_failure("cluster: {} is not of this version of muster; install both together",
                          file.string());
  Cluster* cluster = module->join();
  if (cluster->size() != launched_ranks())
    throw usage_error(
        "{} processes were started, and {} of them found each other by {}; start them with its "
        "mpirun, or with srun --mpi=pmix",
        launched_ranks(), cluster->size(), module->library);
  joined = cluster;
  joined_by = std::this_thread::get_id();
}

bool on_world_thread() { return std::this_thread::get_id() == joined_by; }

std::string text_of_first_rank(const std::string& own) {
  if (world().size() == 1) return own;
  const auto given = std::as_bytes(std::span(own));
  std::vector<std::byte> bytes(given.begin(), given.end());
  world().broadcast(bytes);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void require_alike(const std::string& text, const std::string& what, const std::string& advice) {
  if (world().size() == 1) return;
  const std::string own = world().host() + '\n' + text;
  const PartsOfRanks all = *world().gather(std::as_bytes(std::span(own)));
  const auto text_of = [&](size_t rank) {
    return std::string(reinterpret_cast<const char*>(all[rank].data()), all[rank].size());
  };
  const std::string first = text_of(0);
  for (size_t rank = 1; rank < all.size(); ++rank) {
    const std::string other = text_of(rank);
    const auto host = [](const std::string& one) { return one.substr(0, one.find('\n')); };
    if (other.substr(other.find('\n')) != first.substr(first.find('\n')))
      throw usage_error("{} of rank {} on {} is not that of rank 0 on {}; {}", what, rank,
                        host(other), host(first), advice);
  }
}

}  // namespace muster
