#include "muster/cluster/division_meter.h"

#include <algorithm>

#include "muster/cluster/shared_for.h"
#include "muster/core/error.h"
#include "muster/core/parallel.h"

namespace muster {
namespace {

using Clock = std::chrono::steady_clock;

thread_local DivisionMeter* meter = nullptr;

}  // namespace

DivisionMeter::DivisionMeter() {
  MUSTER_CHECK(!meter && !divides_here());
  meter = this;
}

DivisionMeter::~DivisionMeter() { meter = nullptr; }

void do_divided(size_t parts, const std::function<void()>& loop,
                const std::function<uint64_t()>& bytes_shared) {
  if (!meter || meter->inside_ || in_parallel_loop()) return loop();
  DividedLoop noted{Clock::now()};
  noted.parts = std::max<size_t>(parts, 1);
  meter->inside_ = true;
  try {
    loop();
  } catch (...) {
    meter->inside_ = false;
    throw;
  }
  meter->inside_ = false;
  noted.seconds = std::chrono::duration<double>(Clock::now() - noted.start).count();
  if (bytes_shared) noted.bytes_shared = bytes_shared();
  meter->loops_.push_back(noted);
}

void note_summed(uint64_t bytes) {
  if (!meter || meter->inside_ || in_parallel_loop()) return;
  DividedLoop noted{Clock::now()};
  noted.bytes_summed = bytes;
  meter->loops_.push_back(noted);
}

}  // namespace muster
