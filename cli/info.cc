#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "choice_text.h"
#include "commands.h"
#include "common.h"
#include "info_network.h"
#include "muster/core/options.h"
#include "muster/pipeline/choice_file.h"
#include "muster/report/tables.h"
#include "muster/results/results_json.h"
#include "muster/store/feature_shards.h"
#include "muster/store/file_kind.h"
#include "muster/store/npy.h"
#include "muster/store/npz.h"
#include "muster/store/read_file.h"
#include "muster/store/safetensors.h"

namespace muster::cli {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

constexpr const char* kKnown =
    "a model (.muster), a folder of features, .npy, .npz, .safetensors, results.json or its "
    "folder, "
    "or a neural network (.onnx, .caffemodel)";

struct InfoArguments {
  Common common;
  std::string file;
};

Json arrays_json(const TensorMap& map) {
  Json out = Json::array();
  for (const auto& [name, tensor] : map.tensors)
    out.push_back({{"name", name}, {"type", dtype_name(tensor.dtype)}, {"shape", tensor.shape}});
  return out;
}

void print_arrays(const Json& arrays) {
  size_t width = 0;
  for (const Json& array : arrays) width = std::max(width, array["name"].get<std::string>().size());
  print_result("arrays\n");
  for (const Json& array : arrays)
    print_result("  {:<{}}  {:<4} {}\n", array["name"].get<std::string>(), width,
                 array["type"].get<std::string>(),
                 fmt::join(array["shape"].get<std::vector<size_t>>(), " x "));
}

Json member_json(const ModelInfo& info, const ModelInfo::Member& member) {
  Json out{{"recipe", member.recipe},
           {"seed", member.seed},
           {"multi_label", info.multi_label},
           {"classes", info.class_names},
           {"keeps_training", member.keeps_training},
           {"class_mixtures", member.class_mixtures}};
  if (member.choice) out["choice"] = choice_json(*member.choice);
  if (!member.fit) return out;
  Json table = Json::array();
  for (const FitFacts::Tried& row : member.fit->tried)
    table.push_back({{member.fit->parameter, row.C}, {"score", row.score}});
  out["cross_validation"] = {{"folds", member.fit->folds},
                             {"parameter", member.fit->parameter},
                             {member.fit->parameter, member.fit->C},
                             {"table", table}};
  if (const auto& found = member.fit->indefinite)
    out["indefinite"] = {{"smallest_eigenvalue", found->smallest_eigenvalue},
                         {"largest_eigenvalue", found->largest_eigenvalue},
                         {"negative", found->negative}};
  if (const auto& convergence = member.fit->convergence)
    out["convergence"] = {{"steps", convergence->steps},
                          {"violation", convergence->violation},
                          {"reached", convergence->reached}};
  return out;
}

Json model_json(const std::string& file, const TensorMap& map) {
  const ModelInfo info = load(file).info();
  Json out{{"file", file},
           {"kind", info.fused() ? "fused model" : "model"},
           {"bytes", fs::file_size(file)},
           {"format_version", map.metadata.at(kVersionKey)}};
  if (info.fused()) {
    out["classes"] = info.class_names;
    out["multi_label"] = info.multi_label;
    for (const ModelInfo::Member& member : info.members) {
      out["weights"].push_back(member.weight);
      out["members"].push_back(member_json(info, member));
    }
  } else {
    out.update(member_json(info, info.members[0]));
  }
  out["arrays"] = arrays_json(map);
  return out;
}

void print_pipeline(const Json& model) {
  print_result("recipe: {}\nseed: {}\n", model["recipe"].get<std::string>(),
               model["seed"].get<uint64_t>());
  const auto classes = model["classes"].get<std::vector<std::string>>();
  print_result("{}{}: {}\n", counted(classes.size(), "class"),
               model["multi_label"] ? " (several per item)" : "", fmt::join(classes, ", "));
  if (model.contains("choice")) {
    const Choice choice = parse_choice(model["choice"].dump(), "model");
    print_result("chosen by auto, effort {}:\n{}", model["choice"]["effort"].get<std::string>(),
                 choice_table(choice));
    print_result(
        "{}", estimate_text(choice, model["multi_label"] ? "mean average precision" : "accuracy"));
  } else if (model.contains("cross_validation")) {
    const Json& cv = model["cross_validation"];
    const auto parameter = cv["parameter"].get<std::string>();
    if (cv["folds"] > 0 && !cv["table"].empty()) {
      print_result("cross-validation, {} folds: {}\n", cv["folds"].get<int>(),
                   model["multi_label"] ? "mean average precision" : "accuracy");
      for (const Json& row : cv["table"])
        print_result("  {} = {:<8} {:5.1f} %{}\n", parameter, number_text(row[parameter]),
                     100 * row["score"].get<double>(),
                     row[parameter] == cv[parameter] ? "  <- chosen" : "");
    } else {
      print_result("{} = {}\n", parameter, number_text(cv[parameter]));
    }
  }
  if (model["class_mixtures"])
    print_result("class mixtures: predict --reject goes by likelihood ratio\n");
  if (model.contains("indefinite"))
    print_result(
        "the kernel matrix was indefinite, and treated as the classifier's option says: {} "
        "negative eigenvalues, the smallest {:.3g}, the largest {:.3g}\n",
        model["indefinite"]["negative"].get<size_t>(),
        model["indefinite"]["smallest_eigenvalue"].get<double>(),
        model["indefinite"]["largest_eigenvalue"].get<double>());
  if (model.contains("convergence"))
    print_result("the solver {} in {} Newton steps; largest error of a probability {:.2g}\n",
                 model["convergence"]["reached"] ? "converged" : "did NOT converge",
                 model["convergence"]["steps"].get<int>(),
                 model["convergence"]["violation"].get<double>());
}

void print_model(const Json& model) {
  print_result("{}: a {}, {}, format version {}\n", model["file"].get<std::string>(),
               model["kind"].get<std::string>(), bytes_text(model["bytes"]),
               model["format_version"].get<std::string>());
  if (model.contains("members"))
    for (size_t m = 0; m < model["members"].size(); ++m) {
      print_result("member {}, weight {}\n", m + 1, number_text(model["weights"][m]));
      print_pipeline(model["members"][m]);
    }
  else
    print_pipeline(model);
  print_arrays(model["arrays"]);
}

void show_tensors(const std::string& file, const Common& common) {
  const TensorMap map = read_safetensors(file, ChecksumPolicy::kIfPresent);
  const TensorReader in(map);
  if (has_kind(FileKind::kModel, in) || has_kind(FileKind::kFusedModel, in)) {
    const Json model = model_json(file, map);
    if (common.json)
      print_json(model);
    else
      print_model(model);
    return;
  }
  const Json out{
      {"file", file}, {"kind", "arrays"}, {"metadata", map.metadata}, {"arrays", arrays_json(map)}};
  if (common.json) return print_json(out);
  print_result("{}: named arrays (safetensors), {}\n", file,
               bytes_text(static_cast<double>(fs::file_size(file))));
  for (const auto& [key, value] : map.metadata) print_result("{}: {}\n", key, value);
  print_arrays(out["arrays"]);
}

void show_features(const std::string& folder, const Common& common) {
  const FeatureStore store = FeatureStore::open(folder);
  size_t vectors = 0, dim = 0, empty = 0;
  for (size_t i = 0; i < store.size(); ++i) {
    const VectorSet set = store.load(i);
    vectors += set.size();
    dim = std::max(dim, set.dim());
    empty += set.size() == 0;
  }
  double bytes = 0;
  std::error_code gone;
  for (const auto& entry : fs::directory_iterator(folder, gone))
    if (entry.is_regular_file(gone)) bytes += static_cast<double>(entry.file_size(gone));
  const std::string recipe =
      store.metadata().contains("recipe") ? store.metadata().at("recipe") : "";
  if (common.json)
    return print_json({{"file", folder},
                       {"kind", "features"},
                       {"recipe", recipe},
                       {"items", store.size()},
                       {"vectors", vectors},
                       {"dimension", dim},
                       {"empty_items", empty},
                       {"bytes", bytes}});
  print_result(
      "{}: features of {}, {}\nrecipe: {}\n{} vectors of dimension {}, {:.0f} per item; {} without "
      "any\n",
      folder, counted(store.size(), "item"), bytes_text(bytes), recipe, vectors, dim,
      static_cast<double>(vectors) / static_cast<double>(store.size()), counted(empty, "item"));
}

Json npy_json(const std::string& name, std::span<const std::byte> bytes, const std::string& file) {
  const NpyArray array = parse_npy(bytes, file);
  return {{"name", name},
          {"type", fmt::format("{}{}", array.kind, 8 * array.item_bytes)},
          {"shape", array.shape}};
}

void show_numpy(const std::string& file, bool archive, const Common& common) {
  const std::vector<std::byte> bytes = read_file(file);
  Json arrays = Json::array();
  if (archive) {
    for (const NpzMember& member : parse_npz(bytes, file))
      arrays.push_back(npy_json(member.name, unpack(member, file), file));
  } else {
    arrays.push_back(npy_json(fs::path(file).stem().string(), bytes, file));
  }
  if (common.json)
    return print_json({{"file", file}, {"kind", archive ? "npz" : "npy"}, {"arrays", arrays}});
  print_result("{}: NumPy {}, {}\n", file, archive ? "archive" : "array",
               bytes_text(static_cast<double>(bytes.size())));
  print_arrays(arrays);
}

void show_results(const std::string& file, const Common& common) {
  const std::vector<std::byte> bytes = read_file(file);
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const Json record = Json::parse(text, nullptr, false);
  if (record.is_discarded()) throw data_error("{}: it is not valid JSON; is it complete?", file);
  const Results results = results_from_json(record);
  if (common.json) {
    Json out{{"file", file}, {"kind", "results"}};
    for (const char* key : {"version", "seed", "class_names", "data", "protocol", "machine"})
      if (record.contains(key)) out[key] = record[key];
    out["methods"] = Json::array();
    for (const MethodResult& method : results.methods)
      out["methods"].push_back(
          {{"method", method.method}, {"recipe", method.recipe}, {"splits", method.splits.size()}});
    return print_json(out);
  }
  print_result("{}: results of muster {}, seed {}\n", file, results.version,
               results.seed.value_or(0));
  for (const Facts& facts : {results.data ? facts_of(*results.data) : Facts(), results.protocol})
    for (const auto& [key, value] : facts) print_result("  {}: {}\n", key, value);
  print_result("{}", text_table(results));
}

int info(const InfoArguments& args) {
  const fs::path file = args.file;
  const std::string extension = file.extension().string();
  std::error_code unknown;
  if (!fs::exists(file, unknown))
    throw data_error("'{}' does not exist; expected {}", args.file, kKnown);
  if (fs::is_directory(file, unknown)) {
    if (fs::is_regular_file(file / "results.json", unknown))
      show_results((file / "results.json").string(), args.common);
    else
      show_features(args.file, args.common);
  } else if (extension == ".npy" || extension == ".npz") {
    show_numpy(args.file, extension == ".npz", args.common);
  } else if (extension == ".onnx" || extension == ".caffemodel") {
    show_network(args.file, args.common);
  } else if (extension == ".json") {
    show_results(args.file, args.common);
  } else {  // a model may have any name
    show_tensors(args.file, args.common);
  }
  return 0;
}

}  // namespace

Run add_info(CLI::App& app) {
  auto args = std::make_shared<InfoArguments>();
  app.add_option("FILE", args->file, kKnown)->required();
  args->common.add_to(app);
  return [args] { return info(*args); };
}

}  // namespace muster::cli
