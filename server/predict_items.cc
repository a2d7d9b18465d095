#include <fmt/format.h>

#include <charconv>
#include <nlohmann/json.hpp>

#include "server/evidence_json.h"
#include "server/log.h"
#include "server/multipart.h"
#include "server/service.h"

namespace muster::server {
namespace {

using nlohmann::ordered_json;

constexpr size_t kMostTop = 1'000'000;

// How many classes to name; 0 for the usual ones.
size_t top_of(const Request& request) {
  const auto asked = request.query.find("top");
  if (asked == request.query.end()) return 0;
  const std::string& text = asked->second;
  size_t top = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), top);
  if (error != std::errc() || end != text.data() + text.size() || top < 1 || top > kMostTop)
    throw HttpError(400, fmt::format("top = '{}': allowed are 1 to {}", text, kMostTop));
  return top;
}

bool explain_of(const Request& request) {
  const auto asked = request.query.find("explain");
  if (asked == request.query.end() || asked->second == "0") return false;
  if (asked->second == "1") return true;
  throw HttpError(400, fmt::format("explain = '{}': allowed are 0 and 1", asked->second));
}

struct Item {
  std::string name;
  std::span<const std::byte> bytes;
};

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

std::vector<Item> items_of(const Request& request, size_t max_parts) {
  if (!media_type(request.content_type).starts_with("multipart/"))
    return {{"item 1", bytes_of(request.body)}};
  std::vector<Item> items;
  for (const Part& part :
       parse_multipart(request.body, multipart_boundary(request.content_type), max_parts)) {
    const std::string& name = part.file_name.empty() ? part.name : part.file_name;
    items.push_back(
        {name.empty() ? fmt::format("item {}", items.size() + 1) : name, bytes_of(part.body)});
  }
  if (items.empty()) throw HttpError(400, "the multipart body holds no part; send a file");
  return items;
}

bool is_npy(std::span<const std::byte> bytes) {
  constexpr std::string_view kMagic = "\x93NUMPY";
  return bytes.size() >= kMagic.size() &&
         std::equal(kMagic.begin(), kMagic.end(), reinterpret_cast<const char*>(bytes.data()));
}

Input input_of(const Item& item, const ServiceOptions& limits) {
  if (is_npy(item.bytes)) return EncodedSet{item.bytes, item.name};
  return EncodedPicture{item.bytes, item.name, limits.max_pixels, limits.decoder};
}

ordered_json to_json(const Item& item, const Prediction& prediction, size_t top) {
  ordered_json ranked = ordered_json::array();
  for (const Ranked& one : top > 0 ? prediction.top(top) : prediction.labels())
    ranked.push_back({{"class", one.name}, {"probability", one.probability}});
  ordered_json out{{"item", item.name},
                   {"class", prediction.label()},
                   {"probability", prediction.probability()},
                   {"top", std::move(ranked)}};
  if (prediction.typicality()) out["typicality"] = *prediction.typicality();
  return out;
}

// Of the most probable class. If the training data are not where they were, without them.
ordered_json explained(const ServedModel& model, const Input& input,
                       const std::filesystem::path& training, std::stop_token stop) {
  ExplainOptions options;
  options.threads = 1;
  options.cancel = stop;
  options.matches = 0;
  options.training = training;
  try {
    return evidence_json(model.model.explain(input, options));
  } catch (const Error& error) {
    if (training.empty() || error.kind() != ErrorKind::kData) throw;
  }
  options.training.clear();
  return evidence_json(model.model.explain(input, options));
}

}  // namespace

Service::Done predict_items(const ServedModel& model, const Request& request,
                            const ServiceOptions& limits, std::stop_token stop) {
  const size_t top = top_of(request);
  const bool explain = explain_of(request);
  if (request.body.empty()) throw HttpError(400, "the body is empty; send a picture or a .npy set");
  const std::vector<Item> items = items_of(request, limits.max_parts);
  std::vector<Input> inputs;
  for (const Item& item : items) inputs.push_back(input_of(item, limits));
  const std::vector<Answer> answers = model.predict(inputs, stop);
  Service::Done done;
  done.model = model.name;
  ordered_json predictions = ordered_json::array();
  for (size_t i = 0; i < items.size(); ++i) {
    if (const Error* error = answers[i].error()) {
      ++done.failed;
      predictions.push_back({{"item", items[i].name}, {"error", error->what()}});
    } else {
      ++done.predicted;
      predictions.push_back(to_json(items[i], *answers[i], top));
      if (explain)
        predictions.back()["explanation"] = explained(model, inputs[i], limits.training, stop);
    }
  }
  if (done.predicted == 0) {  // one message is more use than a list of one
    done.reply = error_reply(422, answers[0].error()->what());
    return done;
  }
  done.reply.body = dump({{"model", model.name}, {"predictions", std::move(predictions)}}) + "\n";
  return done;
}

}  // namespace muster::server
