#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "common.h"
#include "muster/store/atomic_file.h"

namespace muster::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kLinesShown = 3;  // of the strongest patches, either way

struct ExplainArguments {
  Common common;
  ExplainOptions options;
  std::string model, item, out, training;
};

const char* name_of(EvidenceBy by) {
  if (by == EvidenceBy::kExact) return "exact";
  return by == EvidenceBy::kFirstOrder ? "first-order" : "leaving-out";
}

// A picture is drawn, the evidence of a set is an array; found out before any work.
void check_name(const ExplainArguments& args, bool of_pictures) {
  if (args.out.empty()) return;
  if (of_pictures && !args.out.ends_with(".png"))
    throw usage_error("explain: -o {}: the model is of pictures; the name must end in .png",
                      args.out);
  if (!of_pictures && !args.out.ends_with(".npy"))
    throw usage_error("explain: -o {}: the model is of vector sets; the name must end in .npy",
                      args.out);
}

Json vectors_json(const Explanation& explanation) {
  Json feature = Json::array(), x = Json::array(), y = Json::array(), size = Json::array(),
       value = Json::array();
  for (const Explanation::Vector& vector : explanation.vectors) {
    feature.push_back(vector.feature);
    x.push_back(vector.x);
    y.push_back(vector.y);
    size.push_back(vector.size);
    value.push_back(vector.value);
  }
  Json out{{"feature", feature}, {"value", value}};
  if (explanation.has_places) out.update({{"x", x}, {"y", y}, {"size", size}});
  return out;
}

Json deciding_json(const Explanation& explanation) {
  Json out = Json::array();
  for (const Explanation::Deciding& one : explanation.deciding) {
    Json matches = Json::array();
    for (const Explanation::Match& match : one.matches)
      matches.push_back(
          {{"vector", match.vector}, {"x", match.x}, {"y", match.y}, {"weight", match.weight}});
    out.push_back({{"item", one.name},
                   {"classes", one.classes},
                   {"kernel", one.kernel},
                   {"value", one.value},
                   {"matches", matches}});
  }
  return out;
}

Json to_json(const ExplainArguments& args, const Explanation& explanation) {
  Json out{{"item", args.item}, {"class", explanation.class_name}};
  if (!explanation.against.empty()) out["against"] = explanation.against;
  out.update({{"probability", explanation.probability},
              {"score", explanation.score},
              {"evidence", name_of(explanation.by)},
              {"rest", explanation.rest},
              {"features", explanation.features},
              {"vectors", vectors_json(explanation)},
              {"strongest_for", explanation.strongest_for},
              {"strongest_against", explanation.strongest_against}});
  if (explanation.has_places)
    out["map"] = {{"rows", explanation.map.rows},
                  {"cols", explanation.map.cols},
                  {"values", explanation.map.values}};
  out["deciding"] = deciding_json(explanation);
  if (!args.out.empty()) out["out"] = args.out;
  return out;
}

void print_vectors(const Explanation& explanation, const std::vector<size_t>& numbers,
                   const char* side) {
  for (size_t i = 0; i < std::min(kLinesShown, numbers.size()); ++i) {
    const Explanation::Vector& vector = explanation.vectors[numbers[i]];
    if (explanation.has_places)
      print_result("  {:8} {:+.4g} at {:.2f}, {:.2f}, size {:.2f}\n", side, vector.value, vector.x,
                   vector.y, vector.size);
    else
      print_result("  {:8} {:+.4g} vector {}\n", side, vector.value, numbers[i]);
  }
}

void print_text(const ExplainArguments& args, const Explanation& explanation) {
  print_result("{}: {}{}, score {:.3f}, probability {:.3f}\n", args.item, explanation.class_name,
               explanation.against.empty() ? "" : " against " + explanation.against,
               explanation.score, explanation.probability);
  print_result("evidence of {}: {}\n", counted(explanation.vectors.size(), "vector"),
               name_of(explanation.by));
  print_vectors(explanation, explanation.strongest_for, "for");
  print_vectors(explanation, explanation.strongest_against, "against");
  for (const Explanation::Deciding& one : explanation.deciding)
    print_result("  decided  {:+.4g} {} ({})\n", one.value, one.name, fmt::join(one.classes, ", "));
  if (!args.out.empty()) print_result("explanation: {}\n", args.out);
}

int explain(ExplainArguments& args) {
  const Model model = load(args.model);
  const bool of_pictures = model.info().of_pictures;
  check_name(args, of_pictures);
  args.common.apply_to(args.options);
  args.options.training = args.training;
  const Explanation explanation = model.explain(args.item, args.options);
  if (!args.out.empty() && of_pictures)
    write_file_atomically(args.out, draw_explanation(explanation, args.item));
  else if (!args.out.empty())
    write_evidence(args.out, explanation);
  if (args.common.json)
    print_json(to_json(args, explanation));
  else
    print_text(args, explanation);
  return 0;
}

}  // namespace

Run add_explain(CLI::App& app) {
  auto args = std::make_shared<ExplainArguments>();
  app.add_option("MODEL", args->model, "a model made by muster train, fuse or add-class")
      ->required();
  app.add_option("ITEM", args->item, "a picture or a .npy set")->required();
  app.add_option("-o,--output", args->out,
                 "X.png: the picture with a map of the evidence; of a vector set X.npy: the "
                 "evidence of each vector (n x 1)");
  app.add_option("--class", args->options.class_name,
                 "the class to explain; the most probable one if not given");
  app.add_option("--against", args->options.against,
                 "explain what tells the class from this one: the difference of their scores");
  app.add_option("--training", args->training,
                 "the data that the model was trained on: kernel methods show the training "
                 "pictures that decided");
  app.add_option("--regions", args->options.regions,
                 "cells per side that are left out one by one, if the model's sums do not tell "
                 "(default 8)")
      ->check(whole_number(1, 64));
  app.add_flag("--leave-out", args->options.leave_out,
               "leave out regions even if the model's sums tell");
  args->common.add_to(app);
  return [args] { return explain(*args); };
}

}  // namespace muster::cli
