#include "muster/api/run.h"

#include "muster/core/error.h"

namespace muster {
namespace {

constexpr size_t kNamedLeftOut = 10;

int checked_threads(int threads) {
  if (threads < 0 || threads > 4096)
    throw usage_error("threads = {}: allowed are 0 (all cores) to 4096", threads);
  return threads;
}

}  // namespace

Run::Run(RunOptions options, std::string what)
    : options_(std::move(options)),
      what_(std::move(what)),
      limit_(checked_threads(options_.threads)),
      progress_([this](std::string_view step, size_t done, size_t total) {
        if (options_.cancel.stop_requested()) throw cancelled_error(what_);
        if (options_.progress) options_.progress(step, done, total);
      }) {
  if (options_.cancel.stop_requested()) throw cancelled_error(what_);
}

void Run::say_left_out(std::span<const std::string> reasons) const {
  for (size_t i = 0; i < reasons.size() && i < kNamedLeftOut; ++i) say("left out: " + reasons[i]);
  if (reasons.size() > kNamedLeftOut)
    say(fmt::format("... and {} more left out", reasons.size() - kNamedLeftOut));
}

std::vector<LeftOut> named(const SetSource& source, std::span<const ItemFailure> failures) {
  std::vector<LeftOut> out;
  for (const ItemFailure& failure : failures)
    out.push_back({source.name(failure.item), failure.reason});
  return out;
}

std::vector<std::string> reasons_of(std::span<const ItemFailure> failures) {
  std::vector<std::string> out;
  for (const ItemFailure& failure : failures) out.push_back(failure.reason);
  return out;
}

ItemKind common_kind(const SetSource& source, const std::string& what) {
  if (source.size() == 0) throw usage_error("{}: no items were given; give one or more", what);
  const ItemKind kind = source.kind(0);
  for (size_t i = 1; i < source.size(); ++i)
    if (source.kind(i) != kind)
      throw data_error("{}: {} and {} are of two kinds; give pictures or vector sets, not both",
                       what, source.name(0), source.name(i));
  return kind;
}

}  // namespace muster
