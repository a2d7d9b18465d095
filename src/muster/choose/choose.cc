#include "muster/choose/choose.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <thread>

#include "muster/choose/fold_scores.h"
#include "muster/choose/schedule.h"
#include "muster/choose/tally.h"
#include "muster/core/error.h"
#include "muster/recipe/plan.h"
#include "muster/source/readable.h"

namespace muster {
namespace {

// Of inputs scaled to a mean squared norm of 1; the middle one is what is taken untried.
constexpr double kValuesOfC[] = {1, 10, 100};
constexpr double kUntriedC = 10;
// Recipes that are worse by so many standard errors of the difference are given up.
constexpr double kHopeless = 2;
// A cheaper recipe is as good if it is behind by no more than the standard error of the difference,
// and by no more than this.
constexpr double kTie = 0.005;
constexpr int kMostFolds = 10;
// Errors fall with the number of training items to the power of minus this, about; beyond a factor
// of four that is not relied on.
constexpr double kLearningExponent = 0.4;
constexpr double kLeastShare = 0.25;

// A candidate under way.
struct Contender {
  size_t index;  // in the list of candidates
  Plan plan;     // for the round's number of items
  std::vector<double> values_of_c;
  std::vector<Tally> tallies;  // one per value of C
  double seconds = 0;

  const Tally& best() const { return tallies[best_c()]; }
  double C() const { return values_of_c[best_c()]; }

 private:
  // The smallest of equals.
  size_t best_c() const {
    size_t out = 0;
    for (size_t c = 1; c < tallies.size(); ++c)
      if (tallies[c].score() > tallies[out].score()) out = c;
    return out;
  }
};

std::vector<Candidate> candidates_for(const DataLook& look, const ChooseOptions& options,
                                      size_t items) {
  std::vector<Candidate> out = propose(look, options.effort, items);
  if (options.one_branch)
    std::erase_if(out, [](const Candidate& one) { return one.recipe.branches.size() > 1; });
  for (const std::string& assignment : options.overrides) {
    std::optional<Error> refused;
    size_t reached = 0;
    for (Candidate& one : out) {
      try {
        override_option(one.recipe, assignment);
        ++reached;
      } catch (const Error& error) {
        refused = error;
      }
    }
    if (reached == 0 && refused) throw *refused;
  }
  return out;
}

std::vector<double> values_of_c(const Plan& plan) {
  for (const auto& [name, value] : plan.classifier->full_spec().options)
    if (name == "C" && value != "auto") return {std::stod(value)};
  return {std::begin(kValuesOfC), std::end(kValuesOfC)};
}

// Of always answering the most frequent class.
double chance_of(const Labels& labels) {
  std::map<int, size_t> counts;
  size_t most = 0;
  for (size_t i = 0; i < labels.size(); ++i) most = std::max(most, ++counts[labels.first(i)]);
  return static_cast<double>(most) / static_cast<double>(labels.size());
}

class Choosing {
 public:
  Choosing(const SetSource& source, std::span<const size_t> items, const Labels& labels,
           const ChooseOptions& options, const Progress& progress)
      : source_(source),
        items_(items.begin(), items.end()),
        labels_(labels),
        options_(options),
        progress_(progress),
        rng_(Rng(options.seed).derive("auto")),
        look_(look_at(source, items, labels, options.overrides)),
        candidates_(candidates_for(look_, options, items.size())) {}

  Chosen run() {
    const int folds = usable_folds(labels_, kMostFolds);
    const std::vector<Round> rounds = plan_rounds(look_, options_.effort, folds);
    announce(rounds);
    std::vector<size_t> live = distinct();
    if (rounds.empty() || (live.size() == 1 && options_.effort == Effort::kQuick))
      return untried(live);
    for (size_t r = 0; r < rounds.size(); ++r) {
      live = judge(rounds[r], live, rng_.derive("round").derive(r));
      if (live.empty()) return untried(distinct());
    }
    return finish();
  }

 private:
  void announce(const std::vector<Round>& rounds) const {
    if (!options_.notice || rounds.empty()) return;
    const unsigned threads = std::max(1U, std::thread::hardware_concurrency());
    const double seconds = forecast_seconds(look_, options_.effort, rounds, threads);
    options_.notice(fmt::format("auto: judging {} recipes by cross-validation; about {:.0f} s",
                                candidates_.size(), std::ceil(seconds)));
  }

  // Overrides, and few items, may leave recipes that do not differ: the first of these.
  std::vector<size_t> distinct() const {
    std::vector<size_t> out;
    for (size_t i = 0; i < candidates_.size(); ++i)
      if (std::ranges::none_of(
              out, [&](size_t j) { return candidates_[j].recipe == candidates_[i].recipe; }))
        out.push_back(i);
    return out;
  }

  // Without anything to judge by, what is proposed for data of this size.
  Chosen untried(const std::vector<size_t>& live) const {
    const size_t index = live[live.size() / 2];
    Chosen out{candidates_[index].recipe, {}, {}};
    const std::vector<double> fixed = values_of_c(plan_recipe(out.recipe));
    settle_c(out.recipe, fixed.size() == 1 ? fixed[0] : kUntriedC);
    out.choice.effort = options_.effort;
    out.choice.seed = options_.seed;
    out.choice.tried.push_back(
        {candidates_[index].name, out.recipe.text(), fixed.size() == 1 ? fixed[0] : kUntriedC});
    out.choice.tried.back().chosen = true;
    return out;
  }

  static void settle_c(Recipe& recipe, double C) {
    const std::string stage = plan_recipe(recipe).classifier->entry->name;
    override_option(recipe, fmt::format("{}.C={}", stage, number_text(C)));
  }

  // The items of a round that can be read.
  void draw(const Round& round, const Plan& plan, const Rng& rng) {
    const std::vector<size_t> some = some_of_each(labels_, round.items, rng.derive("items"));
    std::vector<size_t> wanted;
    for (const size_t i : some) wanted.push_back(items_[i]);
    std::vector<uint8_t> bad(source_.size());
    for (const BranchPlan& branch : plan.branches)
      for (const ItemFailure& failure : source_.prepare(branch.extraction.get(), wanted, progress_))
        bad[failure.item] = 1;
    round_items_.clear();

    std::vector<size_t> positions;
    for (const size_t i : some) {
      if (bad[items_[i]]) continue;
      positions.push_back(i);
      round_items_.push_back(items_[i]);
    }
    round_labels_ = labels_.select(positions);
  }

  // Leaves the contenders that came through in contenders_; returns which these are.
  std::vector<size_t> judge(const Round& round, const std::vector<size_t>& live, const Rng& rng) {
    const std::vector<Candidate> sized = candidates_for(look_, options_, round.items);
    contenders_.clear();
    draw(round, plan_recipe(sized[live[0]].recipe), rng);
    const int folds = usable_folds(round_labels_, round.folds);
    if (folds == 0) return {};
    for (const size_t index : live) {
      Contender one{index, plan_recipe(sized[index].recipe), {}, {}, records_[index].seconds};
      one.values_of_c = values_of_c(one.plan);
      for (size_t c = 0; c < one.values_of_c.size(); ++c) one.tallies.emplace_back(round_labels_);
      contenders_.push_back(std::move(one));
    }
    folds_ = folds;
    divisions_.clear();
    for (int repeat = 0; repeat < round.repeats && (repeat == 0 || contenders_.size() > 1);
         ++repeat) {
      const Rng stream = rng.derive("repeat").derive(static_cast<uint64_t>(repeat));
      divisions_.push_back(divide(round_labels_, folds, stream.derive("folds")));
      for (size_t f = 0; f < divisions_.back().size(); ++f)
        judge_fold(static_cast<size_t>(repeat), divisions_.back()[f],
                   stream.derive("fold").derive(f));
      if (divisions_.back().empty()) return {};
      record();
      give_up_the_hopeless();
    }
    keep_best(round.keep);
    std::vector<size_t> out;
    for (const Contender& one : contenders_) out.push_back(one.index);
    return out;
  }

  // What is known of each contender, for the table; of those given up it is the last that was.
  void record() {
    for (const Contender& one : contenders_) {
      Recipe recipe = candidates_[one.index].recipe;
      settle_c(recipe, one.C());
      records_[one.index] = {candidates_[one.index].name,
                             recipe.text(),
                             one.C(),
                             one.best().score(),
                             one.best().error(),
                             round_items_.size(),
                             static_cast<int>(one.best().repeats()),
                             one.seconds};
    }
  }

  void judge_fold(size_t repeat, const FoldItems& fold, const Rng& rng) {
    FoldJudge judge(source_, round_items_, round_labels_, fold, rng, progress_);
    for (Contender& one : contenders_) {
      const FoldJudge::Scored scored = judge.scores(one.plan, one.values_of_c);
      for (size_t c = 0; c < one.tallies.size(); ++c)
        one.tallies[c].add(repeat, fold.held_out, scored.by_c[c]);
      one.seconds += scored.seconds;
    }
  }

  // The first of equals, which is the cheapest of them.
  const Contender& leader() const {
    return *std::ranges::max_element(contenders_, {},
                                     [](const Contender& one) { return one.best().score(); });
  }

  void give_up_the_hopeless() {
    const Tally best = leader().best();
    std::erase_if(contenders_, [&](const Contender& one) {
      const Tally::Difference behind = best.minus(one.best());
      return behind.mean > 0 && behind.mean > kHopeless * behind.error;
    });
  }

  void keep_best(size_t count) {
    if (contenders_.size() <= count) return;
    std::vector<double> scores;
    for (const Contender& one : contenders_) scores.push_back(one.best().score());
    std::ranges::sort(scores, std::greater());
    const double least = scores[count - 1];
    size_t kept = 0;
    std::erase_if(contenders_, [&](const Contender& one) {
      return one.best().score() < least || ++kept > count;
    });
  }

  // The cheapest of those that are as good as the best.
  const Contender& decide() const {
    const Contender& best = leader();
    const Contender* out = &best;
    for (const Contender& one : contenders_) {
      const Tally::Difference behind = best.best().minus(one.best());
      if (behind.mean > std::min(behind.error, kTie)) continue;
      if (candidates_[one.index].cost() < candidates_[out->index].cost()) out = &one;
    }
    return *out;
  }

  // What the choice as a whole is worth on new items.
  double estimate(const Contender& decided) const {
    if (!round_labels_.single_label()) return decided.best().score();
    const double share = (1 - 1.0 / folds_) * static_cast<double>(round_items_.size()) /
                         static_cast<double>(items_.size());
    return with_all_items(score_without_luck(), share, chance_of(round_labels_));
  }

  // The score of items by recipes and values of C that were chosen without them.
  double score_without_luck() const {
    double right = 0;
    size_t count = 0;
    for (size_t repeat = 0; repeat < divisions_.size(); ++repeat)
      for (const FoldItems& fold : divisions_[repeat]) {
        const Tally* best = nullptr;
        double best_score = -1;
        for (const Contender& one : contenders_)
          for (const Tally& tally : one.tallies)
            if (const double score = tally.score_without(fold.held_out); score > best_score) {
              best_score = score;
              best = &tally;
            }
        for (const size_t item : fold.held_out) right += best->right(repeat, item);
        count += fold.held_out.size();
      }
    return right / static_cast<double>(count);
  }

  Chosen finish() {
    const Contender& decided = decide();
    Chosen out{candidates_[decided.index].recipe, {}, {}};
    settle_c(out.recipe, decided.C());
    out.choice.effort = options_.effort;
    out.choice.seed = options_.seed;
    out.choice.folds = folds_;
    records_[decided.index].chosen = true;
    for (auto& [index, tried] : records_) out.choice.tried.push_back(std::move(tried));
    out.choice.estimate = estimate(decided);
    out.choice.error = decided.best().error();
    out.held_out = decided.best().held_out(folds_);
    for (size_t& item : out.held_out->items) item = round_items_[item];
    return out;
  }

  const SetSource& source_;
  std::vector<size_t> items_;
  const Labels& labels_;
  const ChooseOptions& options_;
  const Progress& progress_;
  const Rng rng_;
  const DataLook look_;
  const std::vector<Candidate> candidates_;  // for all items
  // Of the round under way:
  std::vector<size_t> round_items_;
  Labels round_labels_;
  int folds_ = 0;
  std::vector<std::vector<FoldItems>> divisions_;  // by repeat
  std::vector<Contender> contenders_;
  std::map<size_t, Choice::Tried> records_;  // by candidate
};

}  // namespace

double with_all_items(double score, double share, double chance) {
  const double falls = 1 - std::pow(std::clamp(share, kLeastShare, 1.0), kLearningExponent);
  const double learned = std::clamp((score - chance) / std::max(1 - chance, 1e-9), 0.0, 1.0);
  return score + (1 - score) * falls * learned;
}

Chosen choose_recipe(const SetSource& source, std::span<const size_t> items, const Labels& labels,
                     const ChooseOptions& options, const Progress& progress) {
  return Choosing(source, items, labels, options, progress).run();
}

}  // namespace muster
