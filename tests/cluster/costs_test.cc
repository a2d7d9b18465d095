// Run by mpirun on several ranks: does what a rank sends in each stage of training agree with what
// a process alone says that it would (forecast/training_cost.h)?
//   costs_test DATA, a folder of classes of small pictures
#include <map>
#include <mutex>

#include "muster/dataset/dataset.h"
#include "muster/forecast/training_cost.h"
#include "muster/pipeline/fit.h"
#include "muster/source/cached_source.h"
#include "support/ranks_main.h"

namespace muster {
namespace {

std::string data_folder;

// Bytes that this rank gave, by stage of the progress.
class SentByStage {
 public:
  Progress watching() {
    return [this](std::string_view step, size_t done, size_t total) {
      const std::lock_guard lock(mutex_);
      if (done == 0 && step != stage_) enter(std::string(step));
      if (done >= total && step == stage_) enter("other");
    };
  }
  std::map<std::string, double> sent() {
    enter("other");
    return sent_;
  }

 private:
  void enter(const std::string& stage) {
    const auto now = static_cast<double>(world().traffic().bytes_given);
    sent_[stage_] += now - before_;
    before_ = now;
    stage_ = stage;
  }

  std::mutex mutex_;
  std::string stage_ = "other";
  double before_ = static_cast<double>(world().traffic().bytes_given);
  std::map<std::string, double> sent_;
};

double mean_over_ranks(double own) {
  double sum = 0;
  for (const std::string& text : gather_texts(std::to_string(own))) sum += std::stod(text);
  return sum / static_cast<double>(world().size());
}

class Costs : public testing::TestWithParam<const char*> {};

TEST_P(Costs, OfEveryStageAreWhatItSends) {
  const Dataset dataset = open_dataset(data_folder);
  const CachedSource source(dataset);
  const std::vector<size_t> items = all_items_of(source);
  const Plan plan = plan_recipe(parse_recipe(GetParam()));
  TrainingCost cost;
  run_own_share(
      [&] { cost = measure_training(plan, source, items, dataset.labels, 3, items.size(), {}); });
  SentByStage watch;
  fit_pipeline(plan, source, items, dataset.labels, 3, watch.watching());
  const std::map<std::string, double> sent = watch.sent();
  const RankForecast expected = forecast(cost, {.ranks = world().size()});
  double all = 0;
  for (size_t s = 0; s < cost.stages.size(); ++s) {
    const std::string& stage = cost.stages[s].stage;
    // On average over the ranks: of one tile or stripe all is from one of them.
    const double found = mean_over_ranks(sent.contains(stage) ? sent.at(stage) : 0);
    EXPECT_NEAR(found, expected.stage_bytes_given[s], 0.1 * expected.stage_bytes_given[s] + 200)
        << stage;
    all += expected.stage_bytes_given[s];
  }
  EXPECT_GT(all, 20'000);
  for (const auto& [stage, bytes] : sent)
    EXPECT_TRUE(bytes < 200 || std::ranges::count(cost.stages, stage, &StageCost::stage) > 0)
        << stage << " sent " << bytes << " bytes that were not foreseen";
}

INSTANTIATE_TEST_SUITE_P(
    AllMethods, Costs,
    testing::Values(
        "dsift:step=6,size=16,24/root/pca:dim=32/places:scale=true/"
        "fisher:components=8,samples=4000/linear-svm",
        "dsift:step=8/root/pca:dim=32/fisher:components=8,samples=4000+"
        "lbp:step=8/root/pca:dim=32/fisher:components=8,samples=4000+"
        "rgb:step=8/fisher:components=8,samples=4000//kernel-svm:weights=alignment,centre=true",
        "dsift/bow:words=100/linear-svm",
        "dsift:size=16/root/emk-fourier:dim=200,gamma=5/linear-svm",
        "dsift:size=16/root/emk-cksvd:dim=60,gamma=5,power=0.5,samples=3000/linear-svm",
        "dsift:size=16/spm:words=60/kernel-svm",
        "dsift:size=16/pca:dim=10/places:weight=2/pmk:pyramids=2/kernel-svm",
        "dsift/root/pca:dim=20/klk:components=8,samples=4000/kernel-svm",
        "dsift/pca:dim=20/gmm-bow:components=10,covariance=full,per_category=true,samples=4000/"
        "standardise/linear-svm",
        "dsift/pls:dim=10/bow:words=40/logistic"));

}  // namespace
}  // namespace muster

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  muster::data_folder = argv[1];
  return muster::run_tests_on_ranks(argc, argv);
}
