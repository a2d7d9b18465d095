// muster._muster: the front door, muster/muster.h, for the Python package around it. Nothing here
// is for users: what the classes of the package need, and no more.
#include <muster/muster.h>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <algorithm>
#include <array>

#include "explain.h"
#include "inputs.h"
#include "results.h"
#include "work.h"

namespace muster::python {
namespace {

using Path = std::filesystem::path;
using Overrides = std::vector<std::string>;

// ---- Errors

void raise(const Error& error) {
  const auto set = [&](const char* name) {
    PyErr_SetString(py::module_::import("muster._errors").attr(name).ptr(), error.what());
  };
  switch (error.kind()) {
    case ErrorKind::kUsage:
      return set("UsageError");
    case ErrorKind::kData:
      return set("DataError");
    case ErrorKind::kRuntime:
      return set("RuntimeFailure");
    case ErrorKind::kCancelled:
      return PyErr_SetNone(PyExc_KeyboardInterrupt);
  }
}

void translate(std::exception_ptr pointer) {
  try {
    if (pointer) std::rethrow_exception(pointer);
  } catch (const Error& error) {
    raise(error);
  }
}

py::bytes bytes_of(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::span<const std::byte> view_of(const py::bytes& bytes) {
  return std::as_bytes(std::span(std::string_view(bytes)));
}

// ---- Models

constexpr std::array<const char*, 3> kEfforts = {"quick", "normal", "thorough"};

Effort effort_of(const std::string& name) {
  const auto found = std::ranges::find(kEfforts, name);
  if (found == kEfforts.end())
    throw Error(ErrorKind::kUsage, "effort='" + name + "'; allowed are quick, normal, thorough");
  return static_cast<Effort>(found - kEfforts.begin());
}

template <class Labels>
Model train_on(const ItemViews& items, const Labels& labels, const std::string& method,
               const Overrides& set, std::uint64_t seed, const std::string& effort,
               const std::vector<std::string>& groups, bool keep_training, bool class_mixtures,
               const Path& universal, bool strict, const Path& cache, Work& work) {
  TrainOptions options{.method = method,
                       .set = set,
                       .seed = seed,
                       .effort = effort_of(effort),
                       .groups = groups,
                       .keep_training = keep_training,
                       .class_mixtures = class_mixtures,
                       .universal = universal,
                       .strict = strict};
  options.source.disk.folder = cache;
  return work_on(work, false, std::move(options),
                 [&](const TrainOptions& with) { return train(items.inputs(), labels, with); });
}

// Probabilities and scores, one row per item. The first item that fails is an error.
py::tuple predict(const Model& model, const ItemViews& items, Work& work) {
  const std::vector<Answer> answers =
      work_on(work, items.few(), RunOptions(),
              [&](const RunOptions& options) { return model.predict(items.inputs(), options); });
  const std::size_t classes = model.class_names().size();
  const std::vector<py::ssize_t> shape = {extent(answers.size()), extent(classes)};
  py::array_t<double> probabilities(shape), scores(shape);
  double *to_probabilities = probabilities.mutable_data(), *to_scores = scores.mutable_data();
  for (const Answer& answer : answers) {
    to_probabilities = std::ranges::copy(answer->probabilities(), to_probabilities).out;
    to_scores = std::ranges::copy(answer->scores(), to_scores).out;
  }
  return py::make_tuple(probabilities, scores);
}

py::object fit_facts(const std::optional<FitFacts>& facts) {
  if (!facts) return py::none();
  py::list tried;
  for (const FitFacts::Tried& one : facts->tried) tried.append(py::make_tuple(one.C, one.score));
  py::dict out;
  out["parameter"] = facts->parameter;
  out["C"] = facts->C;
  out["folds"] = facts->folds;
  out["tried"] = tried;
  out["cross_validated"] = facts->cross_validated();
  return out;
}

py::object choice_of(const std::optional<Choice>& choice) {
  if (!choice) return py::none();
  py::list tried;
  for (const Choice::Tried& one : choice->tried) {
    py::dict row;
    row["name"] = one.name;
    row["recipe"] = one.recipe;
    row["C"] = one.C;
    row["score"] = one.score;
    row["error"] = one.error;
    row["items"] = one.items;
    row["repeats"] = one.repeats;
    row["seconds"] = one.seconds;
    row["chosen"] = one.chosen;
    tried.append(row);
  }
  py::dict out;
  out["effort"] = kEfforts[static_cast<std::size_t>(choice->effort)];
  out["folds"] = choice->folds;
  out["tried"] = tried;
  out["estimate"] = choice->estimate;
  out["error"] = choice->error;
  return out;
}

py::dict report_of(const Model& model) {
  const FitReport& report = model.report();
  py::list left_out;
  for (const LeftOut& item : report.left_out)
    left_out.append(py::make_tuple(item.item, item.reason));
  py::dict out;
  out["items"] = report.items;
  out["left_out"] = left_out;
  out["seconds"] = report.seconds;
  out["fit"] = fit_facts(report.fit);
  out["choice"] = choice_of(report.choice);
  return out;
}

void bind_model(py::module_& m) {
  py::class_<Model>(m, "Model")
      .def("predict", predict, py::arg("items"), py::arg("work"))
      .def("explain", explain_item, py::arg("items"), py::arg("class_name"), py::arg("against"),
           py::arg("regions"), py::arg("leave_out"), py::arg("map_side"), py::arg("patches"),
           py::arg("deciding"), py::arg("training"), py::arg("work"))
      .def("save", &Model::save, py::arg("path"))
      .def("bytes", [](const Model& model) { return bytes_of(model.bytes()); })
      .def("report", report_of)
      .def_property_readonly("class_names", &Model::class_names)
      .def_property_readonly("recipe", &Model::recipe)
      .def_property_readonly("seed",
                             [](const Model& model) { return model.info().members[0].seed; })
      .def_property_readonly("multi_label",
                             [](const Model& model) { return model.info().multi_label; })
      .def("__deepcopy__", [](const Model& model, const py::dict&) { return model; })
      .def(py::pickle([](const Model& model) { return bytes_of(model.bytes()); },
                      [](const py::bytes& bytes) { return load(view_of(bytes)); }));
  m.def("train", train_on<std::vector<std::string>>, py::arg("items"), py::arg("labels"),
        py::arg("method"), py::arg("set"), py::arg("seed"), py::arg("effort"), py::arg("groups"),
        py::arg("keep_training"), py::arg("class_mixtures"), py::arg("universal"),
        py::arg("strict"), py::arg("cache"), py::arg("work"));
  m.def("train_multi_label", train_on<std::vector<std::vector<std::string>>>, py::arg("items"),
        py::arg("labels"), py::arg("method"), py::arg("set"), py::arg("seed"), py::arg("effort"),
        py::arg("groups"), py::arg("keep_training"), py::arg("class_mixtures"),
        py::arg("universal"), py::arg("strict"), py::arg("cache"), py::arg("work"));
  m.def("load", py::overload_cast<const Path&>(load), py::arg("path"),
        py::call_guard<py::gil_scoped_release>());
}

// ---- Encoders and kernels

RepresentOptions represent_options(const Overrides& set, std::uint64_t seed, const Path& cache) {
  RepresentOptions options{.set = set, .seed = seed};
  options.source.disk.folder = cache;
  return options;
}

Encoder fit_encoder_to(const std::string& recipe, const ItemViews& items,
                       const std::optional<std::vector<std::string>>& labels, const Overrides& set,
                       std::uint64_t seed, const Path& cache, Work& work) {
  return work_on(work, false, represent_options(set, seed, cache),
                 [&](const RepresentOptions& options) {
                   return labels ? fit_encoder(recipe, items.inputs(), *labels, options)
                                 : fit_encoder(recipe, items.inputs(), options);
                 });
}

py::array_t<float> encode(const Encoder& encoder, const ItemViews& items, Work& work) {
  return array_of(work_on(work, items.few(), RunOptions(), [&](const RunOptions& options) {
    return encoder.encode(items.inputs(), options);
  }));
}

Kernel fit_kernel_to(const std::string& recipe, const ItemViews& items, const Overrides& set,
                     std::uint64_t seed, const Path& cache, Work& work) {
  return work_on(
      work, false, represent_options(set, seed, cache),
      [&](const RepresentOptions& options) { return fit_kernel(recipe, items.inputs(), options); });
}

// Few enough values that any kernel is done with them before somebody could interrupt it.
bool few_pairs(const Kernel& kernel, const ItemViews& items) {
  return items.few() && items.size() * kernel.size() <= 1000;
}

template <class Job>
py::array_t<double> kernel_values(Work& work, bool is_short, const Job& job) {
  return array_of(work_on(work, is_short, RunOptions(), job));
}

void bind_steps(py::module_& m) {
  py::class_<Encoder>(m, "Encoder")
      .def("encode", encode, py::arg("items"), py::arg("work"))
      .def_property_readonly("dim", &Encoder::dim)
      .def_property_readonly("recipe", &Encoder::recipe)
      .def("__deepcopy__", [](const Encoder& encoder, const py::dict&) { return encoder; })
      .def(py::pickle([](const Encoder& encoder) { return bytes_of(encoder.bytes()); },
                      [](const py::bytes& bytes) { return Encoder::load(view_of(bytes)); }));
  m.def("fit_encoder", fit_encoder_to, py::arg("recipe"), py::arg("items"), py::arg("labels"),
        py::arg("set"), py::arg("seed"), py::arg("cache"), py::arg("work"));

  py::class_<Kernel>(m, "Kernel")
      .def(
          "training_gram",
          [](const Kernel& kernel, Work& work) {
            return kernel_values(
                work, false, [&](const RunOptions& with) { return kernel.training_gram(with); });
          },
          py::arg("work"))
      .def(
          "against_training",
          [](const Kernel& kernel, const ItemViews& items, Work& work) {
            return kernel_values(work, few_pairs(kernel, items), [&](const RunOptions& with) {
              return kernel.against_training(items.inputs(), with);
            });
          },
          py::arg("items"), py::arg("work"))
      .def(
          "gram",
          [](const Kernel& kernel, const ItemViews& rows, const ItemViews* cols, Work& work) {
            return kernel_values(work, false, [&](const RunOptions& with) {
              return cols ? kernel.gram(rows.inputs(), cols->inputs(), with)
                          : kernel.gram(rows.inputs(), with);
            });
          },
          py::arg("rows"), py::arg("cols").none(true), py::arg("work"))
      .def("__len__", &Kernel::size)
      .def_property_readonly("recipe", &Kernel::recipe)
      .def("__deepcopy__", [](const Kernel& kernel, const py::dict&) { return kernel; })
      .def(py::pickle([](const Kernel& kernel) { return bytes_of(kernel.bytes()); },
                      [](const py::bytes& bytes) { return Kernel::load(view_of(bytes)); }));
  m.def("fit_kernel", fit_kernel_to, py::arg("recipe"), py::arg("items"), py::arg("set"),
        py::arg("seed"), py::arg("cache"), py::arg("work"));
}

// ---- Pictures and data sets

// Rows of all items one after the other, which are freed as they are taken.
py::array_t<float> joined(std::vector<LocalFeatures>& sets, Vectors LocalFeatures::*part) {
  std::size_t rows = 0, dim = 0;
  for (const LocalFeatures& set : sets) {
    rows += (set.*part).rows;
    dim = std::max(dim, (set.*part).dim);
  }
  py::array_t<float> out({extent(rows), extent(dim)});
  float* to = out.mutable_data();
  for (LocalFeatures& set : sets) {
    to = std::ranges::copy((set.*part).values, to).out;
    (set.*part).values = {};
  }
  return out;
}

// Vectors, places, and how many there are of each item.
py::tuple extract(const std::string& recipe, const ItemViews& items, const Overrides& set,
                  const Path& cache, Work& work) {
  std::vector<LocalFeatures> found =
      work_on(work, false, represent_options(set, 0, cache), [&](const RepresentOptions& options) {
        return extract_features(recipe, items.inputs(), options);
      });
  std::vector<std::int64_t> counts;
  for (const LocalFeatures& one : found)
    counts.push_back(static_cast<std::int64_t>(one.vectors.rows));
  const py::ssize_t size = extent(counts.size());
  py::array_t<float> places = joined(found, &LocalFeatures::places);
  return py::make_tuple(joined(found, &LocalFeatures::vectors), places,
                        array_of(std::move(counts), {size}));
}

const char* split_name(LabelledData::Split split) {
  switch (split) {
    case LabelledData::Split::kTrain:
      return "train";
    case LabelledData::Split::kTest:
      return "test";
    case LabelledData::Split::kNone:
      break;
  }
  return "";
}

py::dict dataset_at(const Path& path) {
  const LabelledData data = read_dataset(path);
  py::list paths, names, labels, groups, split;
  for (const LabelledData::Item& item : data.items) {
    paths.append(item.path);
    names.append(item.name);
    labels.append(item.labels);
    groups.append(item.group);
    split.append(split_name(item.split));
  }
  py::dict out;
  out["paths"] = paths;
  out["names"] = names;
  out["labels"] = labels;
  out["groups"] = groups;
  out["split"] = split;
  out["class_names"] = data.class_names;
  out["multi_label"] = data.multi_label;
  out["of_pictures"] = data.of_pictures;
  out["notes"] = data.notes;
  return out;
}

}  // namespace

PYBIND11_MODULE(_muster, m) {
  py::register_exception_translator(translate);
  m.def("version", version);
  py::class_<Work>(m, "Work")
      .def(py::init<int, py::object>(), py::arg("threads"), py::arg("progress"))
      .def_property_readonly("notices", &Work::notices);
  py::class_<ItemViews>(m, "ItemViews")
      .def(py::init<const py::sequence&>(), py::arg("items"))
      .def(py::init<py::array_t<float>, const py::array_t<std::int64_t>&,
                    const py::array_t<std::int64_t>&, std::optional<py::array_t<float>>,
                    std::optional<py::array_t<float>>>(),
           py::arg("values"), py::arg("starts"), py::arg("stops"), py::arg("places"),
           py::arg("weights"))
      .def("__len__", &ItemViews::size)
      .def_property_readonly("dim", &ItemViews::dim);
  bind_model(m);
  bind_steps(m);
  m.def("extract", extract, py::arg("recipe"), py::arg("items"), py::arg("set"), py::arg("cache"),
        py::arg("work"));
  m.def("read_dataset", dataset_at, py::arg("path"));
}

}  // namespace muster::python
