#include <memory>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "common.h"

namespace muster::cli {
namespace {

using Json = nlohmann::ordered_json;

struct SimilarArguments {
  std::string model, data;
  std::vector<std::string> queries;
  size_t top = 10;
  bool evaluate = false;
  Common common;
  CacheChoice cache{.folder = "none"};
};

std::vector<std::string> reasons_of(const std::vector<LeftOut>& left_out) {
  std::vector<std::string> out;
  for (const LeftOut& item : left_out) out.push_back(item.reason);
  return out;
}

int evaluate(const SimilarArguments& args, const SimilarOptions& options) {
  const RetrievalEvaluation result = load(args.model).evaluate_retrieval(args.data, options);
  if (args.common.json)
    print_json({{"model", args.model},
                {"items", result.items},
                {"left_out", reasons_of(result.left_out)},
                {"queries", result.queries},
                {"map", result.mean_average_precision},
                {"top", args.top},
                {"precision_at_top", result.precision_at_top}});
  else
    print_result(
        "{} queries among {}: mean average precision {:.1f} %, right ones among the first {} "
        "{:.1f} %\n",
        result.queries, counted(result.items, "item"), 100 * result.mean_average_precision,
        args.top, 100 * result.precision_at_top);
  return 0;
}

void print_answer(const std::string& query, const SimilarItems::Answer& answer) {
  print_result("{}\n", printable_name(query));
  for (const SimilarItems::Item& item : answer.items)
    print_result("  {:.4f}\t{}\t{}\n", item.similarity, printable_name(item.name),
                 printable_name(fmt::format("{}", fmt::join(item.labels, ","))));
}

int similar(const SimilarArguments& args) {
  SimilarOptions options;
  args.common.apply_to(options);
  args.cache.apply_to(options.source);
  options.top = args.top;
  if (args.evaluate && !args.queries.empty())
    throw Error(ErrorKind::kUsage,
                "similar: with --evaluate every item of DATA is a query; name no others");
  if (!args.evaluate && args.queries.empty())
    throw Error(ErrorKind::kUsage,
                "similar: name one QUERY or more, or ask for --evaluate, by which every item of "
                "DATA is one");
  if (args.evaluate) return evaluate(args, options);
  const SimilarItems found = load(args.model).similar(args.data, args.queries, options);
  Json results = Json::array();
  bool failed = false;
  for (size_t q = 0; q < args.queries.size(); ++q) {
    const SimilarItems::Answer& answer = found.answers[q];
    Json items = Json::array();
    for (const SimilarItems::Item& item : answer.items)
      items.push_back(
          {{"item", item.name}, {"labels", item.labels}, {"similarity", item.similarity}});
    if (answer.error) {
      failed = true;
      flush_results();
      put_message("muster: " + printable_name(answer.error->what()));
      results.push_back({{"query", args.queries[q]}, {"error", answer.error->what()}});
    } else if (args.common.json) {
      results.push_back({{"query", args.queries[q]}, {"similar", std::move(items)}});
    } else {
      print_answer(args.queries[q], answer);
    }
  }
  if (args.common.json) print_json(results);
  return failed ? static_cast<int>(ErrorKind::kData) : 0;
}

}  // namespace

Run add_similar(CLI::App& app) {
  auto args = std::make_shared<SimilarArguments>();
  app.add_option("MODEL", args->model, "a model made by muster train, fuse or add-class")
      ->required();
  app.add_option("DATA", args->data,
                 "where to look: a data set, or a folder of pictures or sets; its classes need not "
                 "be the model's")
      ->required();
  app.add_option("QUERY", args->queries, "pictures or .npy sets to find similar ones of");
  app.add_option("--top", args->top, "how many items to name per query")
      ->check(whole_number(1, 1000000));
  app.add_flag("--evaluate", args->evaluate,
               "measure instead: every item of DATA is a query, and those that share its label are "
               "the right ones; mean average precision, and the share of right ones among the "
               "first --top");
  args->cache.add_to(app);
  args->common.add_to(app);
  return [args] { return similar(*args); };
}

}  // namespace muster::cli
