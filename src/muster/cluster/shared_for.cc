#include "muster/cluster/shared_for.h"

#include <cstring>
#include <optional>
#include <utility>

#include "muster/cluster/division_meter.h"
#include "muster/cluster/world.h"
#include "muster/core/error.h"
#include "muster/core/parallel.h"

namespace muster {
namespace {

// Rows are packed and sent in blocks of about this size: it bounds the memory that this takes.
constexpr size_t kBlockBytes = size_t{4} << 20;
// How long a rank with an error waits for the others to come to the end of their shares.
constexpr double kPatienceSeconds = 3;

// Set while this rank does its own share. World calls are of one thread, and so is this.
bool sharing = false;

// The texts that all ranks gave, or nothing if they did not come in time.
std::optional<std::vector<std::string>> exchange_texts(const std::string& own, double seconds) {
  const auto parts = world().gather(std::as_bytes(std::span(own)), seconds);
  if (!parts) return std::nullopt;
  std::vector<std::string> out;
  for (const auto& part : *parts)
    out.emplace_back(reinterpret_cast<const char*>(part.data()), part.size());
  return out;
}

// Of an error: its kind, then its message. Nothing is wrong if it is empty.
void agree_on_error(const std::optional<Error>& own) {
  std::string text;
  if (own) text = fmt::format("{} {}", static_cast<int>(own->kind()), own->what());
  const auto all = exchange_texts(text, own ? kPatienceSeconds : Cluster::kForever);
  if (!all) throw *own;  // the others are busy: the command ends without them
  for (const std::string& one : *all) {
    if (one.empty()) continue;
    const size_t space = one.find(' ');
    throw Error(static_cast<ErrorKind>(std::stoi(one.substr(0, space))), one.substr(space + 1));
  }
}

// Rows [begin, end): packs those of this rank, and unpacks those of all.
class RowBlock {
 public:
  RowBlock(size_t begin, size_t end, const std::function<size_t(size_t)>& owner,
           const std::vector<SharedRows>& rows)
      : begin_(begin), end_(end), owner_(owner), rows_(rows) {}

  void exchange() {
    const size_t self = world().rank();
    std::vector<std::byte> own;
    for (size_t i = begin_; i < end_; ++i) {
      if (owner_(i) != self) continue;
      for (const SharedRows& row : rows_) {
        const SharedBytes block = row(i);
        for (size_t r = 0; r < block.rows; ++r) {
          const std::byte* from = block.data + r * block.stride_bytes;
          own.insert(own.end(), from, from + block.row_bytes);
        }
      }
    }
    const PartsOfRanks parts = *world().gather(own);
    std::vector<size_t> next(parts.size());
    for (size_t i = begin_; i < end_; ++i) {
      const size_t rank = owner_(i);
      for (const SharedRows& row : rows_) {
        const SharedBytes block = row(i);
        require_same(next[rank] + block.size() <= parts[rank].size());
        for (size_t r = 0; r < block.rows; ++r, next[rank] += block.row_bytes)
          if (rank != self && block.row_bytes > 0)
            std::memcpy(block.data + r * block.stride_bytes, parts[rank].data() + next[rank],
                        block.row_bytes);
      }
    }
    for (size_t rank = 0; rank < parts.size(); ++rank)
      require_same(next[rank] == parts[rank].size());
  }

 private:
  static void require_same(bool same) {
    if (!same)
      throw runtime_failure(
          "the ranks came to different results; this happens if their processors differ: use "
          "machines of one kind");
  }

  size_t begin_, end_;
  const std::function<size_t(size_t)>& owner_;
  const std::vector<SharedRows>& rows_;
};

}  // namespace

bool divides_here() {
  return world().size() > 1 && on_world_thread() && !sharing && !in_parallel_loop();
}

void run_own_share(const std::function<void()>& work) {
  std::optional<Error> failure;
  sharing = true;
  try {
    work();
  } catch (const Error& error) {
    failure = error;
  } catch (...) {
    sharing = false;
    throw;
  }
  sharing = false;
  agree_on_error(failure);
}

void exchange_rows(size_t n, const std::function<size_t(size_t i)>& owner,
                   const std::vector<SharedRows>& rows) {
  size_t begin = 0, bytes = 0;
  for (size_t i = 0; i < n; ++i) {
    for (const SharedRows& row : rows) bytes += row(i).size();
    if (bytes < kBlockBytes && i + 1 < n) continue;
    RowBlock(begin, i + 1, owner, rows).exchange();
    begin = i + 1;
    bytes = 0;
  }
}

void shared_for(size_t n, size_t grain, const std::vector<SharedRows>& rows,
                const std::function<void(size_t begin, size_t end)>& body) {
  grain = std::max<size_t>(grain, 1);
  const size_t chunks = (n + grain - 1) / grain;
  if (!divides_here() || n == 0) {
    do_divided(
        chunks, [&] { parallel_for(n, grain, body); }, [&] { return bytes_of_rows(n, rows); });
    return;
  }
  const size_t size = world().size(), self = world().rank();
  const size_t own = chunks / size + (self < chunks % size ? 1 : 0);
  run_own_share([&] {
    parallel_for(own, 1, [&](size_t k, size_t) {
      const size_t begin = (k * size + self) * grain;
      body(begin, std::min(n, begin + grain));
    });
  });
  exchange_rows(
      n, [&](size_t i) { return i / grain % size; }, rows);
}

uint64_t bytes_of_rows(size_t n, const std::vector<SharedRows>& rows) {
  uint64_t bytes = 0;
  for (size_t i = 0; i < n; ++i)
    for (const SharedRows& row : rows) bytes += row(i).size();
  return bytes;
}

size_t rank_of_item(size_t item) { return group_of_item(item) % world().size(); }

std::vector<std::string> gather_texts(const std::string& own) {
  if (!divides_here()) return {own};
  return *exchange_texts(own, Cluster::kForever);
}

}  // namespace muster
