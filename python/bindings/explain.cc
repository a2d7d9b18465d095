#include "explain.h"

#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include "results.h"

namespace muster::python {
namespace {

const char* name_of(EvidenceBy by) {
  switch (by) {
    case EvidenceBy::kExact:
      return "exact";
    case EvidenceBy::kFirstOrder:
      return "first order";
    case EvidenceBy::kLeavingOut:
      break;
  }
  return "leaving out";
}

py::array_t<std::int64_t> indices(const std::vector<std::size_t>& values) {
  return array_of(std::vector<std::int64_t>(values.begin(), values.end()), {extent(values.size())});
}

void add_vectors(const Explanation& from, py::dict& out) {
  std::vector<double> evidence;
  std::vector<std::int64_t> feature_of;
  std::vector<float> places;
  for (const Explanation::Vector& vector : from.vectors) {
    evidence.push_back(vector.value);
    feature_of.push_back(static_cast<std::int64_t>(vector.feature));
    places.insert(places.end(), {vector.x, vector.y, vector.size});
  }
  const py::ssize_t size = extent(from.vectors.size());
  out["evidence"] = array_of(std::move(evidence), {size});
  out["feature_of"] = array_of(std::move(feature_of), {size});
  out["places"] = py::none();
  out["map"] = py::none();
  if (!from.has_places) return;
  out["places"] = array_of(std::move(places), {size, 3});
  out["map"] = array_of(from.map.values, {extent(from.map.rows), extent(from.map.cols)});
}

py::list deciding_of(const Explanation& from) {
  py::list out;
  for (const Explanation::Deciding& one : from.deciding) {
    py::list matches;
    for (const Explanation::Match& match : one.matches)
      matches.append(py::make_tuple(match.vector, match.x, match.y, match.weight));
    py::dict item;
    item["name"] = one.name;
    item["classes"] = one.classes;
    item["kernel"] = one.kernel;
    item["value"] = one.value;
    item["file"] = one.file.string();
    item["matches"] = matches;
    out.append(item);
  }
  return out;
}

}  // namespace

py::dict explain_item(const Model& model, const ItemViews& items, const std::string& class_name,
                      const std::string& against, int regions, bool leave_out, int map_side,
                      std::size_t patches, std::size_t deciding,
                      const std::filesystem::path& training, Work& work) {
  if (items.size() != 1) throw Error(ErrorKind::kUsage, "explain takes one item");
  ExplainOptions options{.class_name = class_name,
                         .against = against,
                         .regions = regions,
                         .leave_out = leave_out,
                         .map_side = map_side,
                         .patches = patches,
                         .deciding = deciding,
                         .training = training};
  const Explanation found =
      work_on(work, false, std::move(options),
              [&](const ExplainOptions& with) { return model.explain(items.inputs()[0], with); });
  py::dict out;
  out["class_name"] = found.class_name;
  out["against"] = found.against;
  out["probability"] = found.probability;
  out["score"] = found.score;
  out["by"] = name_of(found.by);
  out["rest"] = found.rest;
  out["features"] = found.features;
  add_vectors(found, out);
  out["strongest_for"] = indices(found.strongest_for);
  out["strongest_against"] = indices(found.strongest_against);
  out["deciding"] = deciding_of(found);
  return out;
}

}  // namespace muster::python
