#include "progress_bar.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <memory>
#include <mutex>

namespace muster::cli {
namespace {

using Clock = std::chrono::steady_clock;

std::string duration_text(double seconds) {
  if (seconds < 60) return fmt::format("{:.0f} s", seconds);
  return fmt::format("{:.0f} min {:.0f} s", std::floor(seconds / 60), std::fmod(seconds, 60));
}

class Bar {
 public:
  ~Bar() { clear(); }

  void update(std::string_view step, size_t done, size_t total) {
    const std::lock_guard lock(mutex_);
    const auto now = Clock::now();
    if (step != step_ || done < done_) {
      clear();
      step_ = step;
      start_ = now;
      drawn_ = {};
    }
    done_ = done;
    const bool finished = done >= total;
    if (!finished && now - drawn_ < std::chrono::milliseconds(100)) return;
    drawn_ = now;
    if (finished)
      clear();
    else
      draw(done, total, std::chrono::duration<double>(now - start_).count());
  }

 private:
  void draw(size_t done, size_t total, double seconds) {
    constexpr size_t kWidth = 30;
    const double share = total > 0 ? static_cast<double>(done) / static_cast<double>(total) : 0;
    const auto filled = static_cast<size_t>(share * kWidth);
    std::string line = fmt::format("{:<16} [{}{}] {:3.0f} %", step_, std::string(filled, '#'),
                                   std::string(kWidth - filled, ' '), 100 * share);
    if (done > 0 && seconds > 0.5) {
      const double rate = static_cast<double>(done) / seconds;
      line += fmt::format("  {:.3g}/s  {} left", rate,
                          duration_text(static_cast<double>(total - done) / rate));
    }
    std::fputs(("\r\x1b[K" + line).c_str(), stderr);
    std::fflush(stderr);
    shown_ = true;
  }

  void clear() {
    if (!shown_) return;
    std::fputs("\r\x1b[K", stderr);
    std::fflush(stderr);
    shown_ = false;
  }

  std::mutex mutex_;
  std::string step_;
  size_t done_ = 0;
  Clock::time_point start_ = Clock::now(), drawn_;
  bool shown_ = false;
};

}  // namespace

Progress make_progress_bar() {
  return [bar = std::make_shared<Bar>()](std::string_view step, size_t done, size_t total) {
    bar->update(step, done, total);
  };
}

}  // namespace muster::cli
