#include "muster/api/model_state.h"
#include "muster/core/error.h"
#include "muster/pipeline/kernel_fusion.h"

namespace muster {

std::vector<ShareOfKernel> Model::kernel_shares() const {
  if (state_->ensemble.fused())
    throw usage_error("weights: the model is fused; take the weights of one of its members");
  const Pipeline& pipeline = state_->ensemble.members()[0];
  if (pipeline.plan().on_vectors())
    throw usage_error(
        "weights: {} has no kernels to weigh; use a recipe that ends in kernel-svm, such as dspm",
        pipeline.plan().branches[0].short_name());
  const std::vector<std::string> names = pipeline.plan().branch_names();
  std::vector<ShareOfKernel> out;
  for (BranchShare& share : muster::kernel_shares(pipeline.branches()))
    out.push_back({names[out.size()], share.share, std::move(share.parts)});
  return out;
}

}  // namespace muster
