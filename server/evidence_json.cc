#include "server/evidence_json.h"

#include <nlohmann/json.hpp>

#include "server/base64.h"

namespace muster::server {
namespace {

using nlohmann::ordered_json;

constexpr int kThumbnailSide = 128;

const char* name_of(EvidenceBy by) {
  if (by == EvidenceBy::kExact) return "exact";
  return by == EvidenceBy::kFirstOrder ? "first-order" : "leaving-out";
}

ordered_json patches(const Explanation& explanation, const std::vector<size_t>& which) {
  ordered_json out = ordered_json::array();
  for (const size_t i : which) {
    const Explanation::Vector& one = explanation.vectors[i];
    out.push_back({{"x", one.x}, {"y", one.y}, {"size", one.size}, {"value", one.value}});
  }
  return out;
}

// A training item that decided, with a small copy of its picture if the file is there.
ordered_json deciding_item(const Explanation::Deciding& one) {
  ordered_json out{
      {"item", one.name}, {"classes", one.classes}, {"kernel", one.kernel}, {"value", one.value}};
  if (one.file.empty()) return out;
  try {
    const std::vector<std::byte> small = thumbnail(one.file, kThumbnailSide);
    out["thumbnail"] = "data:image/jpeg;base64," +
                       encode_base64({reinterpret_cast<const char*>(small.data()), small.size()});
  } catch (const Error&) {  // the file has gone since, or is a vector set
  }
  return out;
}

}  // namespace

ordered_json evidence_json(const Explanation& explanation) {
  ordered_json out{{"class", explanation.class_name},
                   {"score", explanation.score},
                   {"by", name_of(explanation.by)},
                   {"rest", explanation.rest}};
  if (explanation.has_places) {
    out["map"] = {{"rows", explanation.map.rows},
                  {"cols", explanation.map.cols},
                  {"values", explanation.map.values}};
    out["strongest_for"] = patches(explanation, explanation.strongest_for);
    out["strongest_against"] = patches(explanation, explanation.strongest_against);
  } else {
    out["vectors"] = ordered_json::array();
    for (const Explanation::Vector& one : explanation.vectors) out["vectors"].push_back(one.value);
  }
  if (!explanation.deciding.empty()) {
    out["deciding"] = ordered_json::array();
    for (const Explanation::Deciding& one : explanation.deciding)
      out["deciding"].push_back(deciding_item(one));
  }
  return out;
}

}  // namespace muster::server
