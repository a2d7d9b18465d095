#include "server/service.h"

#include <fmt/format.h>

#include <new>
#include <nlohmann/json.hpp>

#include "server/assets.h"
#include "server/log.h"
#include "server/multipart.h"
#include "server/replies.h"

namespace muster::server {
namespace {

using nlohmann::ordered_json;

// Takes the same time wherever they differ.
bool equal_in_constant_time(std::string_view given, std::string_view token) {
  unsigned char difference = given.size() == token.size() ? 0 : 1;
  for (size_t i = 0; i < given.size(); ++i)
    difference |= static_cast<unsigned char>(given[i] ^ token[i % token.size()]);
  return difference == 0;
}

void check_token(const Request& request, const std::string& token) {
  constexpr std::string_view kScheme = "Bearer ";
  const std::string_view given = request.authorization;
  if (!given.starts_with(kScheme) || !equal_in_constant_time(given.substr(kScheme.size()), token))
    throw HttpError(401,
                    "this server wants the header 'Authorization: Bearer TOKEN' with its token");
}

// curl calls whatever it sends a form unless it is told otherwise.
void check_infer_type(const std::string& content_type) {
  const std::string type = media_type(content_type);
  if (!type.empty() && type != "application/json" && type != "application/x-www-form-urlencoded")
    throw HttpError(415,
                    fmt::format("Content-Type {}: an inference request is application/json", type));
}

void check_body_form(const Route& route, const Request& request) {
  if (!request.content_encoding.empty() && request.content_encoding != "identity")
    throw HttpError(
        415, fmt::format("Content-Encoding {}: send the body as it is", request.content_encoding));
  if (route.endpoint == Endpoint::kInfer)
    check_infer_type(request.content_type);
  else if (media_type(request.content_type).starts_with("multipart/"))
    multipart_boundary(request.content_type);
}

ordered_json describe(const ServedModel& model) {
  return {{"name", model.name},
          {"kind", model.info.of_pictures ? "pictures" : "vector sets"},
          {"multi_label", model.info.multi_label},
          {"classes", model.info.class_names},
          {"recipe", model.info.members[0].recipe}};
}

}  // namespace

std::shared_ptr<const ServedModel> Service::model_of(const Route& route,
                                                     const Request& request) const {
  std::string name = route.model;
  if (const auto asked = request.query.find("model"); asked != request.query.end())
    name = asked->second;
  if (auto model = models_.find(name)) return model;
  const std::string known = fmt::format("{}", fmt::join(models_.names(), ", "));
  if (name.empty())
    throw HttpError(400, "several models are served; name one with ?model=NAME: " + known);
  throw HttpError(404, fmt::format("unknown model '{}'; choose from: {}", name, known));
}

void Service::check(const Route& route, const Request& request) const {
  if (route.needs_token() && !options_.token.empty()) check_token(request, options_.token);
  if (route.endpoint == Endpoint::kPredict)
    for (const auto& [name, value] : request.query)
      if (name != "top" && name != "model" && name != "explain")
        throw HttpError(
            400, fmt::format("unknown parameter '{}'; choose from: top, model, explain", name));
  if (route.is_work() || !route.model.empty()) model_of(route, request);
  if (route.is_work()) check_body_form(route, request);
}

Handler::Task Service::begin(const Request& request) const {
  const Route route = find_route(request.method, request.path);
  check(route, request);
  if (route.endpoint == Endpoint::kMetrics) return {route.name(), How::kMetrics};
  return {route.name(), route.is_work() ? How::kWork : How::kAtOnce};
}

Reply Service::answer(const Route& route, bool ready) const {
  switch (route.endpoint) {
    case Endpoint::kPage:
      return page_reply("text/html; charset=utf-8", kPageHtml);
    case Endpoint::kPageScript:
      return page_reply("text/javascript; charset=utf-8", kPageScript);
    case Endpoint::kPageStyle:
      return page_reply("text/css; charset=utf-8", kPageStyle);
    case Endpoint::kDocs:
      return page_reply("text/html; charset=utf-8", kDocsHtml);
    case Endpoint::kOpenApi:
      return page_reply("application/json", kOpenApi);
    case Endpoint::kModels: {
      ordered_json out = ordered_json::array();
      for (const auto& model : models_.all()) out.push_back(describe(*model));
      return json_reply({{"models", std::move(out)}});
    }
    case Endpoint::kServerMetadata:
      return json_reply(
          {{"name", "muster"}, {"version", version()}, {"extensions", ordered_json::array()}});
    case Endpoint::kLive:
      return json_reply({{"live", true}});
    case Endpoint::kReady: {
      Reply reply = json_reply({{"live", true}, {"ready", ready}});
      reply.status = ready ? 200 : 503;
      return reply;
    }
    case Endpoint::kModelReady:
      return json_reply({{"name", route.model}, {"ready", true}});
    case Endpoint::kModelMetadata:
      return json_reply(infer_metadata(*model_of(route, {})));
    case Endpoint::kMetrics:
    case Endpoint::kPredict:
    case Endpoint::kInfer:
      break;
  }
  throw HttpError(500, fmt::format("nothing answers {}", route.name()));
}

Service::Done Service::work(const Route& route, const Request& request,
                            std::stop_token stop) const {
  const std::shared_ptr<const ServedModel> model = model_of(route, request);
  try {
    return route.endpoint == Endpoint::kInfer ? infer_tensors(*model, request, options_, stop)
                                              : predict_items(*model, request, options_, stop);
  } catch (const Error& error) {
    throw HttpError(status_of(error.kind()), error.kind() == ErrorKind::kCancelled
                                                 ? "the request took too long; send less at once"
                                                 : error.what());
  } catch (const std::bad_alloc&) {
    throw HttpError(503, "the server is out of memory; come again later");
  }
}

}  // namespace muster::server
