// What gram(), fit_kernel() and fit_encoder() share: the one branch of a recipe without a
// classifier.
#pragma once

#include "muster/api/run.h"
#include "muster/pipeline/branch.h"
#include "muster/recipe/plan.h"
#include "muster/store/file_kind.h"

namespace muster {

// Without a feature stage if the items are vector sets. A classifier, several branches or a recipe
// that stops at sets are usage errors in the name of `what`.
BranchPlan plan_representation(const std::string& what, const std::string& recipe,
                               const std::vector<std::string>& overrides, ItemKind kind,
                               const Run& run);

// Such a branch, fitted: an encoder if it ends in its set feature, else a kernel with the sets that
// it was fitted to.
struct FittedRepresentation {
  BranchPlan plan;
  FittedBranch branch;

  std::string recipe() const { return Plan{{plan}, std::nullopt}.recipe().text(); }
  // A picture where it was fitted to vector sets, or the other way round, is a data error.
  void check_kinds(const SetSource& source, const std::string& noun) const;
  // A file of this kind, kEncoder or kKernel, as named arrays; `file` is for messages.
  TensorMap tensors(FileKind kind) const;
  static FittedRepresentation load(FileKind kind, const TensorMap& map, const std::string& file);
};

// As plan_representation(); a kernel that learns its weights from labels is a usage error.
BranchPlan plan_kernel(const std::string& recipe, const std::vector<std::string>& overrides,
                       ItemKind kind, const Run& run);
// The kernel, fitted to all items of the source and with their representations. A width that is
// left to the data takes the scale of theirs, which the run's notice is told of gamma=auto.
FittedRepresentation fit_to(BranchPlan plan, const SetSource& source, uint64_t seed,
                            const Run& run);

// As the front door gives them.
Vectors to_vectors(const Matrix<float>& rows);

enum class ArrayFormat { kNpy, kLibsvm };
// By extension (.npy; .libsvm or .txt); another one is a usage error.
ArrayFormat array_format(const std::filesystem::path& path);

}  // namespace muster
