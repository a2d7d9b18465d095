// Which request to the studio does what.
#include <fmt/format.h>

#include <charconv>
#include <nlohmann/json.hpp>

#include "server/assets.h"
#include "server/multipart.h"
#include "server/replies.h"
#include "server/studio/guard.h"
#include "server/studio/names.h"
#include "server/studio/studio.h"

namespace muster::server {

using nlohmann::ordered_json;

namespace {

constexpr int kLargestSidePx = 1600;

const std::string& parameter(const Request& request, const char* name) {
  const auto found = request.query.find(name);
  if (found == request.query.end())
    throw HttpError(400, fmt::format("{} needs the parameter '{}'", request.path, name));
  return found->second;
}

Effort effort_of(const std::string& text) {
  for (const Effort effort : {Effort::kQuick, Effort::kNormal, Effort::kThorough})
    if (text == effort_name(effort)) return effort;
  throw HttpError(400, fmt::format("effort = '{}': allowed are quick, normal, thorough", text));
}

int side_of(const std::string& text) {
  int side = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), side);
  if (error != std::errc() || end != text.data() + text.size() || side < 1 || side > kLargestSidePx)
    throw HttpError(400, fmt::format("side = '{}': allowed are 1 to {}", text, kLargestSidePx));
  return side;
}

// A classifier needs two classes to tell apart.
void require_two_classes(const Catalogue::Snapshot& snapshot) {
  size_t usable = 0;
  for (const PictureClass& one : snapshot.classes)
    usable += std::ranges::any_of(one.pictures, [&](const Picture& picture) {
      const auto known = snapshot.known.find(one.name + "/" + picture.file);
      return known == snapshot.known.end() || known->second.problem.empty();
    });
  if (usable < 2)
    throw HttpError(409, "there is nothing to tell apart yet: fill two classes with pictures");
}

}  // namespace

struct StudioActions {
  static Reply state(Studio& studio, const Request&) { return json_reply(studio.state()); }

  static Reply add_class(Studio& studio, const Request& request) {
    studio.folders_.add_class(parameter(request, "name"));
    return changed(studio);
  }

  static Reply rename_class(Studio& studio, const Request& request) {
    studio.folders_.rename_class(parameter(request, "name"), parameter(request, "to"));
    return changed(studio);
  }

  static Reply remove_class(Studio& studio, const Request& request) {
    studio.folders_.remove_class(parameter(request, "name"));
    return changed(studio);
  }

  // Each part of the body is a picture; one that cannot be used has an error in its place.
  static Reply add_pictures(Studio& studio, const Request& request) {
    const std::string& class_name = parameter(request, "class");
    ordered_json out = ordered_json::array();
    for (const Part& part : parse_multipart(request.body, multipart_boundary(request.content_type),
                                            studio.limits_.max_parts))
      out.push_back(add_picture(studio, class_name, part));
    studio.catalogue_.changed();
    return json_reply({{"pictures", std::move(out)}});
  }

  static Reply move_picture(Studio& studio, const Request& request) {
    const std::string file = studio.folders_.move_picture(
        parameter(request, "class"), parameter(request, "file"), parameter(request, "to"));
    studio.catalogue_.changed();
    return json_reply({{"file", file}});
  }

  static Reply remove_picture(Studio& studio, const Request& request) {
    studio.folders_.remove_picture(parameter(request, "class"), parameter(request, "file"));
    return changed(studio);
  }

  static Reply undo(Studio& studio, const Request&) {
    const std::string what = studio.folders_.undo();
    studio.catalogue_.changed();
    return json_reply({{"restored", what}});
  }

  // A small picture; `stamp` in the address changes with the file, so that it may be kept.
  static Reply picture(Studio& studio, const Request& request) {
    const auto path =
        studio.folders_.path_of(parameter(request, "class"), parameter(request, "file"));
    const std::string content = read_whole(path);
    const std::vector<std::byte> small =
        thumbnail(EncodedPicture{std::as_bytes(std::span(content)), path.filename().string(),
                                 studio.limits_.max_pixels, studio.limits_.decoder},
                  side_of(parameter(request, "side")));
    Reply reply{200, "image/jpeg",
                std::string(reinterpret_cast<const char*>(small.data()), small.size())};
    reply.headers.emplace_back("Cross-Origin-Resource-Policy", "same-origin");
    if (request.query.contains("stamp"))
      reply.headers.emplace_back("Cache-Control", "private, max-age=86400, immutable");
    return reply;
  }

  static Reply train(Studio& studio, const Request& request) {
    const Effort effort = effort_of(parameter(request, "effort"));
    const Catalogue::Snapshot snapshot = studio.catalogue_.snapshot();
    require_two_classes(snapshot);
    if (!studio.start_training(effort, snapshot.classes))
      throw HttpError(409, "a training is under way; wait for it, or stop it");
    return json_reply({{"started", true}});
  }

  static Reply cancel(Studio& studio, const Request&) {
    studio.trainer_.cancel();
    return json_reply({{"cancelled", true}});
  }

  static Reply download(Studio& studio, const Request&) {
    if (!studio.model()) throw HttpError(409, "no model has been trained yet; train one first");
    Reply reply{200, "application/octet-stream", read_whole(studio.model_file())};
    if (reply.body.empty()) throw HttpError(500, "the model's file cannot be read");
    reply.headers.emplace_back("Content-Disposition", "attachment; filename=\"model.muster\"");
    return reply;
  }

 private:
  static Reply changed(Studio& studio) {
    studio.catalogue_.changed();
    return json_reply({{"changed", true}});
  }

  static ordered_json add_picture(Studio& studio, const std::string& class_name, const Part& part) {
    const std::string given = part.file_name.empty() ? "picture" : part.file_name;
    try {
      thumbnail(EncodedPicture{std::as_bytes(std::span(part.body)), given,
                               studio.limits_.max_pixels, studio.limits_.decoder},
                1);  // can it be read?
    } catch (const Error& error) {
      return {{"given", given}, {"error", error.what()}};
    }
    if (const auto same = studio.catalogue_.find(class_name, part.body))
      return {{"given", given}, {"file", *same}, {"known", true}};
    const std::string file =
        studio.folders_.add_picture(class_name, picture_name(given, part.body), part.body);
    return {{"given", given}, {"file", file}};
  }
};

namespace {

struct Action {
  const char* path;
  const char* method;
  Reply (*run)(Studio&, const Request&);
};

constexpr Action kActions[] = {
    {"/studio/state", "GET", &StudioActions::state},
    {"/studio/picture", "GET", &StudioActions::picture},
    {"/studio/model", "GET", &StudioActions::download},
    {"/studio/classes/add", "POST", &StudioActions::add_class},
    {"/studio/classes/rename", "POST", &StudioActions::rename_class},
    {"/studio/classes/remove", "POST", &StudioActions::remove_class},
    {"/studio/pictures/add", "POST", &StudioActions::add_pictures},
    {"/studio/pictures/move", "POST", &StudioActions::move_picture},
    {"/studio/pictures/remove", "POST", &StudioActions::remove_picture},
    {"/studio/undo", "POST", &StudioActions::undo},
    {"/studio/train", "POST", &StudioActions::train},
    {"/studio/cancel", "POST", &StudioActions::cancel},
};

struct Asset {
  const char* path;
  const char* content_type;
  std::string_view body;
};

const Asset* find_asset(std::string_view path) {
  static const Asset kAssets[] = {
      {"/", "text/html; charset=utf-8", kStudioHtml},
      {"/studio.js", "text/javascript; charset=utf-8", kStudioScript},
      {"/studio.css", "text/css; charset=utf-8", kStudioStyle},
  };
  for (const Asset& one : kAssets)
    if (path == one.path) return &one;
  return nullptr;
}

const Action* find_action(std::string_view path) {
  for (const Action& one : kActions)
    if (path == one.path) return &one;
  return nullptr;
}

constexpr const char* kEvents = "/studio/events";
constexpr const char* kPredict = "/predict";

}  // namespace

std::string Studio::allowed(const std::string& path) const {
  if (const Action* action = find_action(path)) return action->method;
  if (path == kPredict) return "POST";
  return path == kEvents || find_asset(path) ? "GET" : "";
}

Handler::Task Studio::begin(const Request& request) const {
  const std::string method = allowed(request.path);
  if (method.empty()) throw HttpError(404, fmt::format("there is no {}", request.path));
  if (request.method != method && !(request.method == "HEAD" && method == "GET"))
    throw HttpError(405, fmt::format("{} takes {}, not {}", request.path, method, request.method));
  if (find_asset(request.path)) {
    refuse_foreign_host(request);
    return {"studio-page", How::kAtOnce};
  }
  refuse_foreign_page(request);
  if (request.path == kEvents) return {"studio-events", How::kEvents};
  return {request.path == kPredict ? "predict" : "studio", How::kWork};
}

Reply Studio::answer(const Request& request, bool) {
  const Asset* asset = find_asset(request.path);
  if (!asset) throw HttpError(500, fmt::format("nothing answers {}", request.path));
  return page_reply(asset->content_type, asset->body);
}

Handler::Done Studio::work(const Request& request, std::stop_token stop) {
  try {
    if (const Action* action = find_action(request.path)) return {action->run(*this, request)};
    const std::shared_ptr<const ServedModel> served = model();
    if (!served) throw HttpError(409, "no model has been trained yet; train one first");
    return predict_items(*served, request, limits_, stop);
  } catch (const Error& error) {
    throw HttpError(status_of(error.kind()), error.what());
  } catch (const std::bad_alloc&) {
    throw HttpError(503, "the server is out of memory; come again later");
  }
}

}  // namespace muster::server
