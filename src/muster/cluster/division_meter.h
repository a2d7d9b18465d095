// What one process does in the loops that ranks would divide, and what they would send for it: from
// this a forecast for any number of ranks is made without starting them.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <vector>

namespace muster {

// One such loop, or one sum.
struct DividedLoop {
  std::chrono::steady_clock::time_point start;
  double seconds = 0;
  size_t parts = 1;           // which go to ranks whole
  uint64_t bytes_shared = 0;  // made by the ranks in turn: each gives its part of them to all
  uint64_t bytes_summed = 0;  // given by each rank: its part of sums
};

// Notes them while it lives, for the thread that made it, which must not be one of several ranks.
// One at a time per thread.
class DivisionMeter {
 public:
  DivisionMeter();
  ~DivisionMeter();
  DivisionMeter(const DivisionMeter&) = delete;
  DivisionMeter& operator=(const DivisionMeter&) = delete;

  const std::vector<DividedLoop>& loops() const { return loops_; }

 private:
  friend void do_divided(size_t, const std::function<void()>&, const std::function<uint64_t()>&);
  friend void note_summed(uint64_t bytes);

  std::vector<DividedLoop> loops_;
  bool inside_ = false;  // a loop that ranks would divide; nothing in it is divided again
};

// For loops that are not divided here, but would be among ranks: does the work, and notes it and
// the bytes that the ranks would share if there is a meter. `parts` may be none.
void do_divided(size_t parts, const std::function<void()>& loop,
                const std::function<uint64_t()>& bytes_shared = {});
void note_summed(uint64_t bytes);

}  // namespace muster
