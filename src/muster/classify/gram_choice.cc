#include "muster/classify/gram_choice.h"

namespace muster {

GramChoice train_on_best(const GramTrainer& trainer, const GramCandidates& candidates,
                         bool definite) {
  const auto treated = [&](Matrix<double> gram) {
    return definite ? DefiniteGram(std::move(gram))
                    : DefiniteGram(std::move(gram), trainer.treatment, trainer.stage);
  };
  std::vector<DefiniteGram> grams;
  for (size_t c = 0; c < candidates.count; ++c) grams.push_back(treated(candidates.gram(c)));
  GramOfFold of_fold;
  if (candidates.gram_of_fold)
    of_fold = [&](size_t c, std::span<const size_t> held_out) {
      return Matrix<double>(treated(candidates.gram_of_fold(c, held_out)).gram());
    };
  std::vector<MatrixView<const double>> views;
  for (const DefiniteGram& gram : grams) views.push_back(gram.gram());
  const KernelChoice choice = trainer.choose(views, of_fold);
  return {trainer.fit(grams[choice.index], choice), choice.index};
}

}  // namespace muster
