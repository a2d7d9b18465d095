#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "server/base64.h"
#include "server/infer_request.h"
#include "server/log.h"
#include "server/service.h"

namespace muster::server {
namespace {

using nlohmann::ordered_json;

constexpr const char *kPictures = "pictures", *kSets = "sets";
constexpr const char* kOutputs[] = {"labels", "probabilities", "classes"};

[[noreturn]] void refuse(const Tensor& input, const std::string& what) {
  throw HttpError(400, fmt::format("input '{}': {}", input.name, what));
}

const Tensor& the_input(const InferRequest& request, bool of_pictures) {
  const char* wanted = of_pictures ? kPictures : kSets;
  if (request.inputs.size() != 1 || request.inputs[0].name != wanted)
    throw HttpError(400, fmt::format("the model takes one input, '{}'; the request has {} inputs, "
                                     "the first of them '{}'",
                                     wanted, request.inputs.size(), request.inputs[0].name));
  const Tensor& input = request.inputs[0];
  const char* datatype = of_pictures ? "BYTES" : "FP32";
  if (input.datatype != datatype)
    refuse(input, fmt::format("its datatype is {}; the model takes {}", input.datatype, datatype));
  return input;
}

void check_count(const Tensor& input, uint64_t count, size_t most) {
  if (count == 0) refuse(input, "it holds no items");
  if (count > most)
    throw HttpError(413, fmt::format("input '{}': {} items are more than the {} allowed at once",
                                     input.name, count, most));
}

// JSON has no bytes: a picture is given in base 64, or, if it is text (PNM may be), as it is.
std::vector<std::string> pictures_of(const Tensor& input, size_t most) {
  const bool column = input.shape.size() == 2 && input.shape[1] == 1;
  if (input.shape.size() != 1 && !column)
    refuse(input, fmt::format("its shape is [{}]; the model takes [n], one element per picture",
                              fmt::join(input.shape, ", ")));
  check_count(input, input.shape[0], most);
  std::vector<std::string> files;
  for (const std::string& text : input.strings) files.push_back(decode_base64(text).value_or(text));
  return files;
}

std::vector<Input> sets_of(const Tensor& input, size_t most) {
  const std::vector<uint64_t>& shape = input.shape;
  if (shape.size() != 2 && shape.size() != 3)
    refuse(input, fmt::format("its shape is [{}]; the model takes [n, d] for one set of n vectors, "
                              "or [sets, n, d]",
                              fmt::join(shape, ", ")));
  const uint64_t sets = shape.size() == 3 ? shape[0] : 1;
  const size_t rows = shape[shape.size() - 2], dim = shape[shape.size() - 1];
  check_count(input, sets, most);
  std::vector<Input> out;
  for (size_t i = 0; i < sets; ++i)
    out.push_back(SetView{input.numbers.data() + i * rows * dim, rows, dim});
  return out;
}

ordered_json tensor(const char* name, const char* datatype, std::vector<uint64_t> shape,
                    ordered_json data) {
  return {{"name", name}, {"datatype", datatype}, {"shape", shape}, {"data", std::move(data)}};
}

ordered_json output(const std::string& name, const std::vector<Answer>& answers,
                    const std::vector<std::string>& classes) {
  ordered_json data = ordered_json::array();
  if (name == "classes") return tensor("classes", "BYTES", {classes.size()}, classes);
  for (const Answer& answer : answers) {
    if (name == "labels")
      data.push_back(answer->label());
    else
      for (const double p : answer->probabilities()) data.push_back(p);
  }
  if (name == "labels") return tensor("labels", "BYTES", {answers.size()}, std::move(data));
  return tensor("probabilities", "FP64", {answers.size(), classes.size()}, std::move(data));
}

std::vector<std::string> wanted_outputs(const InferRequest& request) {
  if (request.outputs.empty()) return {std::begin(kOutputs), std::end(kOutputs)};
  for (const std::string& name : request.outputs)
    if (std::ranges::find(kOutputs, name) == std::end(kOutputs))
      throw HttpError(400, fmt::format("unknown output '{}'; choose from: {}", name,
                                       fmt::join(kOutputs, ", ")));
  return request.outputs;
}

}  // namespace

Service::Done infer_tensors(const ServedModel& model, const Request& request,
                            const ServiceOptions& limits, std::stop_token stop) {
  const InferRequest asked = parse_infer_request(request.body);
  const std::vector<std::string> wanted = wanted_outputs(asked);
  const Tensor& input = the_input(asked, model.info.of_pictures);
  std::vector<std::string> files;
  std::vector<Input> inputs;
  if (model.info.of_pictures) {
    files = pictures_of(input, limits.max_parts);
    for (const std::string& file : files)
      inputs.push_back(
          EncodedPicture{std::as_bytes(std::span(file)), "", limits.max_pixels, limits.decoder});
  } else {
    inputs = sets_of(input, limits.max_parts);
  }
  const std::vector<Answer> answers = model.predict(inputs, stop);
  Service::Done done;
  done.model = model.name;
  for (const Answer& answer : answers) ++(answer ? done.predicted : done.failed);
  for (const Answer& answer : answers)
    if (const Error* error = answer.error()) {  // tensors have no place for it
      done.reply = error_reply(422, error->what());
      return done;
    }
  ordered_json out{{"model_name", model.name}};
  if (asked.id) out["id"] = *asked.id;
  out["outputs"] = ordered_json::array();
  for (const std::string& name : wanted)
    out["outputs"].push_back(output(name, answers, model.info.class_names));
  done.reply.body = dump(out) + "\n";
  return done;
}

ordered_json infer_metadata(const ServedModel& model) {
  const auto described = [](const char* name, const char* datatype, std::vector<int64_t> shape) {
    return ordered_json{{"name", name}, {"datatype", datatype}, {"shape", shape}};
  };
  const auto classes = static_cast<int64_t>(model.info.class_names.size());
  return {{"name", model.name},
          {"platform", "muster"},
          {"inputs",
           {model.info.of_pictures ? described(kPictures, "BYTES", {-1})
                                   : described(kSets, "FP32", {-1, -1, -1})}},
          {"outputs",
           {described("labels", "BYTES", {-1}), described("probabilities", "FP64", {-1, classes}),
            described("classes", "BYTES", {classes})}}};
}

}  // namespace muster::server
