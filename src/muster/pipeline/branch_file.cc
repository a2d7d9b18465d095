#include "muster/pipeline/branch.h"

namespace muster {
namespace {

std::shared_ptr<const SetFeature> load_feature(const BranchPlan& plan, size_t width,
                                               const TensorReader& in) {
  SetFeature feature = plan.set_feature->as<SetFeatureStage>().load(*plan.set_feature->options, in);
  in.require(feature.input_dim() == width, "a set feature of another dimension");
  if (!plan.vector_scaling) return std::make_shared<SetFeature>(std::move(feature));
  Standardiser standardiser =
      plan.vector_scaling->as<VectorScalingStage>().load(in.scope("standardise"));
  in.require(standardiser.dim() == feature.dim(), "a vector scaling of another dimension");
  return std::make_shared<SetFeature>(feature.standardised(std::move(standardiser)));
}

}  // namespace

void save_branch(const FittedBranch& branch, const TensorWriter& out) {
  for (size_t s = 0; s < branch.reducers.size(); ++s)
    branch.reducers[s]->save(out.scope("reducer").scope(std::to_string(s)));
  out.put("scale", branch.scale);
  if (branch.feature) {
    branch.feature->save(out.scope("feature"));
    return;
  }
  branch.kernel->save(out.scope("kernel"));
  branch.kernel->save_represented(branch.training, out.scope("training"));
}

FittedBranch load_branch(const BranchPlan& plan, bool on_vectors, size_t input_dim,
                         const TensorReader& in) {
  FittedBranch branch;
  branch.extraction = plan.extraction;
  branch.input_dim = input_dim;
  size_t width = input_dim;
  for (size_t s = 0; s < plan.reducers.size(); ++s) {
    branch.reducers.push_back(plan.reducers[s].as<ReducerStage>().load(
        *plan.reducers[s].options, width, in.scope("reducer").scope(std::to_string(s))));
    in.require(branch.reducers.back()->input_dim() == width, "a reduction of another dimension");
    width = branch.reducers.back()->output_dim();
  }
  branch.scale = in.number("scale");
  in.require(branch.scale >= 0, "a negative scale");
  if (on_vectors) {
    branch.feature = load_feature(plan, width, in.scope("feature"));
    return branch;
  }
  const TensorReader of_kernels = in.with_input_dim(width);
  TensorReader kernel = of_kernels.scope("kernel");
  std::vector<TensorReader> of_transform;  // each holds what it transforms
  for (size_t t = 0; t < plan.transforms.size(); ++t) {
    of_transform.insert(of_transform.begin(), kernel);
    kernel = kernel.scope("base");
  }
  if (plan.set_kernel) {
    branch.kernel = plan.set_kernel->as<SetKernelStage>().load(*plan.set_kernel->options, kernel);
  } else {
    auto feature = load_feature(plan, width, kernel.scope("feature"));
    const StageEntry& entry =
        plan.feature_kernel ? *plan.feature_kernel->entry : find_stage("linear");
    branch.kernel = std::get<FeatureKernelStage>(entry.functions).load(std::move(feature), kernel);
  }
  for (size_t t = 0; t < plan.transforms.size(); ++t)
    branch.kernel = plan.transforms[t].as<KernelTransformStage>().load(
        *plan.transforms[t].options, branch.kernel, of_transform[t]);
  branch.training = branch.kernel->load_represented(of_kernels.scope("training"));
  in.require(!branch.training.empty(), "a kernel machine without training sets");
  return branch;
}

}  // namespace muster
