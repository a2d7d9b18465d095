#include <memory>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "common.h"
#include "muster/store/atomic_file.h"

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
  std::vector<Model> members;
  for (const std::string& file : args.models) members.push_back(load(file));
  const Model fused = muster::fuse(members, args.weights);
  fused.save(args.out);
  const ModelInfo info = fused.info();
  std::vector<double> weights;
  for (const ModelInfo::Member& member : info.members) weights.push_back(member.weight);
  if (args.common.json)
    print_json({{"model", args.out},
                {"members", info.members.size()},
                {"weights", weights},
                {"classes", info.class_names}});
  else
    print_result("fused {} models of {}\nmodel: {}\n", info.members.size(),
                 counted(info.class_names.size(), "class"), args.out);
  return 0;
}

}  // namespace

Run add_fuse(CLI::App& app) {
  auto args = std::make_shared<FuseArguments>();
  app.add_option("MODEL", args->models, "models with the same classes")->required();
  app.add_option("-o,--output", args->out, "the model file to write")->required();
  app.add_option("--weights", args->weights, "one per model, separated by commas; equal without it")
      ->delimiter(',')
      ->check(real_number(1e-6, 1e6));
  args->common.add_to(app);
  return [args] { return fuse(*args); };
}

}  // namespace muster::cli
