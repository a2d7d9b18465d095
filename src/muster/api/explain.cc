#include <cmath>
#include <unordered_map>

#include "muster/api/model_state.h"
#include "muster/api/run.h"
#include "muster/core/error.h"
#include "muster/draw/draw_evidence.h"
#include "muster/explain/deciding.h"
#include "muster/explain/place_map.h"
#include "muster/image/decode.h"
#include "muster/source/cached_source.h"
#include "muster/source/input_source.h"
#include "muster/store/npy.h"

namespace muster {
namespace {

constexpr int kDrawnSidePx = 600, kThumbnailSidePx = 300;

constexpr double kMostOverlap = 0.25;  // of two of the strongest patches

void check_range(const char* option, int value, int low, int high) {
  if (value < low || value > high)
    throw usage_error("explain: {} = {}: allowed are {} to {}", option, value, low, high);
}

Question question_of(const ExplainOptions& options, const std::vector<std::string>& names,
                     std::span<const double> probabilities) {
  Question out;
  out.class_index =
      options.class_name.empty()
          ? static_cast<size_t>(std::ranges::max_element(probabilities) - probabilities.begin())
          : class_index(names, options.class_name);
  if (options.against.empty()) return out;
  out.against = class_index(names, options.against);
  if (*out.against == out.class_index)
    throw usage_error("explain: '{}' against itself says nothing; name another class",
                      options.against);
  return out;
}

void put_vectors(const ItemVectors& vectors, std::span<const double> values, Explanation& out) {
  out.has_places = vectors.has_places();
  for (size_t f = 0; f < vectors.num_features(); ++f) {
    out.features.push_back(vectors.feature_name(f));
    const VectorSet& set = vectors.set(f);
    for (size_t i = 0; i < set.size(); ++i) {
      Explanation::Vector& vector = out.vectors.emplace_back();
      vector.feature = f;
      vector.value = values[vectors.begin(f) + i];
      if (!set.has_places()) continue;
      vector.x = set.places(i, 0);
      vector.y = set.places(i, 1);
      vector.size = set.places(i, 2);
    }
  }
}

// Of the larger one of two patches, the part that the other covers; widths and heights as of a
// square picture, which is near enough.
double overlap(const Explanation::Vector& a, const Explanation::Vector& b) {
  const double side = (a.size + b.size) / 2.0, larger = std::max(a.size, b.size);
  if (larger <= 0) return a.x == b.x && a.y == b.y ? 1 : 0;
  const double smaller = std::min(a.size, b.size);
  const double wide = std::clamp(side - std::abs(a.x - b.x), 0.0, smaller);
  const double high = std::clamp(side - std::abs(a.y - b.y), 0.0, smaller);
  return wide * high / (larger * larger);
}

// The strongest vectors of one sign.
std::vector<size_t> strongest(const Explanation& explanation, double sign, size_t most) {
  const std::vector<Explanation::Vector>& all = explanation.vectors;
  std::vector<size_t> order;
  for (size_t i = 0; i < all.size(); ++i)
    if (sign * all[i].value > 0) order.push_back(i);
  std::ranges::stable_sort(order, std::greater<>(), [&](size_t i) { return sign * all[i].value; });
  std::vector<size_t> out;
  for (const size_t i : order) {
    if (out.size() == most) break;
    const bool covered = explanation.has_places && std::ranges::any_of(out, [&](size_t other) {
                           return overlap(all[i], all[other]) > kMostOverlap;
                         });
    if (!covered) out.push_back(i);
  }
  return out;
}

// The strongest pairs: of the finest level, of the most weight, with the most evidence.
std::vector<Explanation::Match> strongest_matches(const Explanation& explanation,
                                                  std::vector<Correspondence> found,
                                                  const VectorSet& other, size_t most) {
  std::ranges::stable_sort(found, [&](const Correspondence& x, const Correspondence& y) {
    if (x.level != y.level) return x.level < y.level;
    if (x.weight != y.weight) return x.weight > y.weight;
    return explanation.vectors[x.a].value > explanation.vectors[y.a].value;
  });
  found.resize(std::min(most, found.size()));
  std::vector<Explanation::Match> out;
  for (const Correspondence& match : found) {
    const bool placed = other.has_places();
    out.push_back({match.a, placed ? other.places(match.b, 0) : 0,
                   placed ? other.places(match.b, 1) : 0, match.weight});
  }
  return out;
}

// Where the training items are, and how they match; those that are not found are passed over.
void find_training(const Ensemble& ensemble, const ItemVectors& vectors,
                   const ExplainOptions& options, const Run& run, Explanation& out) {
  if (options.training.empty() || out.deciding.empty()) return;
  const Dataset dataset = open_dataset(options.training);
  const DatasetSource source(dataset);
  std::unordered_map<std::string, size_t> item_of;
  for (size_t i = 0; i < dataset.items.size(); ++i) item_of[dataset.items[i].name] = i;
  size_t missing = 0;
  for (Explanation::Deciding& one : out.deciding) {
    const auto found = item_of.find(one.name);
    if (found == item_of.end()) {
      ++missing;
      continue;
    }
    one.file = dataset.items[found->second].path;
    const VectorSet other = source.load(ensemble.extractions()[0], found->second);
    one.matches =
        strongest_matches(out, matches_with(ensemble, vectors, other), other, options.matches);
  }
  if (missing > 0)
    run.say(fmt::format("{}: {} of {} training items that decided are not there",
                        options.training.string(), missing, out.deciding.size()));
}

void put_deciding(const Ensemble& ensemble, const ItemVectors& vectors, const Question& question,
                  const ExplainOptions& options, const Run& run, Explanation& out) {
  const KeptTraining* kept = ensemble.members()[0].training();
  for (const DecidingItem& one :
       deciding_items(ensemble, vectors, question, options.deciding, run.progress())) {
    Explanation::Deciding& to = out.deciding.emplace_back();
    to.kernel = one.kernel;
    to.value = one.value;
    to.name = kept && !kept->names.empty() ? kept->names[one.item]
                                           : fmt::format("training item {}", one.item + 1);
    if (!kept) continue;
    for (const int label : kept->labels.of_item[one.item])
      to.classes.push_back(kept->labels.class_names[static_cast<size_t>(label)]);
  }
  find_training(ensemble, vectors, options, run, out);
}

const char* sentence_of(EvidenceBy by) {
  switch (by) {
    case EvidenceBy::kExact:
      return "exact: the parts of all patches add up to the score";
    case EvidenceBy::kFirstOrder:
      return "to first order: what follows the sum over patches is not linear";
    case EvidenceBy::kLeavingOut:
      return "by leaving out regions and computing the score again";
  }
  return "";
}

std::vector<EvidencePatch> patches_of(const Explanation& explanation,
                                      const std::vector<size_t>& numbers) {
  std::vector<EvidencePatch> out;
  for (const size_t i : numbers) {
    const Explanation::Vector& vector = explanation.vectors[i];
    out.push_back({vector.x, vector.y, vector.size, vector.value});
  }
  return out;
}

DecidingPicture drawn(const Explanation& explanation, const Explanation::Deciding& one) {
  DecodeOptions decode;
  decode.longest_side_px = kThumbnailSidePx;
  DecidingPicture out{
      read_image(one.file, decode), fmt::format("{} {:+.2g}", one.name, one.value), {}};
  for (const Explanation::Match& match : one.matches) {
    const Explanation::Vector& vector = explanation.vectors[match.vector];
    out.lines.push_back({vector.x, vector.y, match.x, match.y});
  }
  return out;
}

}  // namespace

Explanation Model::explain(const Input& item, const ExplainOptions& options) const {
  check_range("regions", options.regions, 1, 64);
  check_range("map_side", options.map_side, 1, 1024);
  const Run run(run_options(options), "explain");
  const Ensemble& ensemble = state_->ensemble;
  const InputSource source(Inputs(std::span(&item, 1)));
  const ItemVectors vectors(ensemble, source, 0);
  const Kept all(vectors.size(), true);
  const KeptVectorsSource whole(vectors, {&all, 1});
  const Predictions said = ensemble.predict(whole, all_items_of(whole), {});
  const Question question = question_of(options, class_names(), said.probabilities.row(0));
  const Evidence evidence = find_evidence(ensemble, vectors, question,
                                          {options.regions, options.leave_out}, run.progress());
  Explanation out;
  out.class_name = class_names()[question.class_index];
  out.against = options.against;
  out.probability = said.probabilities(0, question.class_index);
  out.score = evidence.score;
  out.by = evidence.by;
  out.rest = evidence.rest;
  put_vectors(vectors, evidence.values, out);
  if (out.has_places) {
    const Matrix<double> map = place_map(vectors, evidence.values, options.map_side);
    out.map = {map.rows(), map.cols(), {map.values().begin(), map.values().end()}};
  }
  out.strongest_for = strongest(out, 1, options.patches);
  out.strongest_against = strongest(out, -1, options.patches);
  put_deciding(ensemble, vectors, question, options, run, out);
  return out;
}

std::vector<std::byte> draw_explanation(const Explanation& explanation, const Input& picture) {
  const InputSource source(Inputs(std::span(&picture, 1)));
  const Image image = source.picture(0, kDrawnSidePx);
  if (explanation.map.values.empty())
    throw usage_error("{}: the explanation has no places; it is not one of a picture",
                      source.name(0));
  EvidenceDrawing drawing;
  const std::string than =
      explanation.against.empty() ? "" : fmt::format(" against {}", explanation.against);
  drawing.title = {fmt::format("{}{}: score {:.3f}, probability {:.3f}", explanation.class_name,
                               than, explanation.score, explanation.probability),
                   sentence_of(explanation.by)};
  drawing.map = Matrix<double>(MatrixView<const double>(
      explanation.map.values.data(), explanation.map.rows, explanation.map.cols));
  drawing.for_class = patches_of(explanation, explanation.strongest_for);
  drawing.against_it = patches_of(explanation, explanation.strongest_against);
  for (const Explanation::Deciding& one : explanation.deciding)
    if (!one.file.empty()) drawing.deciding.push_back(drawn(explanation, one));
  return encode_png(draw_evidence(image, drawing));
}

void write_evidence(const std::filesystem::path& path, const Explanation& explanation) {
  Matrix<double> values(explanation.vectors.size(), 1);
  for (size_t i = 0; i < values.rows(); ++i) values(i, 0) = explanation.vectors[i].value;
  write_npy(path, values);
}

}  // namespace muster
