#include <memory>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "common.h"
#include "muster/pipeline/model.h"

namespace muster::cli {
namespace {

struct FuseArguments {
  Common common;
  std::vector<std::string> models;
  std::vector<double> weights;
  std::string out;
};

int fuse(const FuseArguments& args) {
  check_output(args.out);
  if (args.models.size() < 2) throw usage_error("fuse: name two models or more");
  std::vector<double> weights = args.weights;
  if (weights.empty()) weights.assign(args.models.size(), 1);
  if (weights.size() != args.models.size())
    throw usage_error("fuse: --weights gives {} numbers for {} models; give one a model",
                      weights.size(), args.models.size());
  std::vector<Pipeline> members;
  std::vector<double> member_weights;
  std::vector<std::string> names;
  for (size_t m = 0; m < args.models.size(); ++m) {
    const Model model = Model::load(args.models[m]);
    double total = 0;
    for (const double weight : model.weights()) total += weight;
    // The members of a model that is fused already share its weight.
    for (size_t i = 0; i < model.members().size(); ++i) {
      members.push_back(model.members()[i]);
      member_weights.push_back(weights[m] * model.weights()[i] / total);
      names.push_back(args.models[m]);
    }
  }
  const Model fused = Model::fuse(std::move(members), std::move(member_weights), names);
  fused.save(args.out);
  if (args.common.json)
    print_json({{"model", args.out},
                {"members", fused.members().size()},
                {"weights", fused.weights()},
                {"classes", fused.class_names()}});
  else
    fmt::print("fused {} models of {}\nmodel: {}\n", fused.members().size(),
               counted(fused.class_names().size(), "class"), args.out);
  return 0;
}

}  // namespace

Run add_fuse(CLI::App& app) {
  auto args = std::make_shared<FuseArguments>();
  app.add_option("MODEL", args->models, "models with the same classes")->required();
  app.add_option("-o,--output", args->out, "the model file to write")->required();
  app.add_option("--weights", args->weights, "one a model, separated by commas; equal without it")
      ->delimiter(',')
      ->check(CLI::Range(1e-6, 1e6));
  args->common.add_to(app);
  return [args] { return fuse(*args); };
}

}  // namespace muster::cli
