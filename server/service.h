// What the server does with a request, without HTTP: from a Request to a Reply.
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <stop_token>
#include <string>

#include "server/handler.h"
#include "server/models.h"
#include "server/routes.h"

namespace muster::server {

struct ServiceOptions {
  std::string token;                        // that requests must carry; "" for none
  size_t max_parts = 64;                    // items in one request
  uint64_t max_pixels = 50'000'000;         // of one picture
  std::filesystem::path training{};         // the data that the model was trained on; may be empty
  const PictureDecoder* decoder = nullptr;  // of pictures that clients send; null for this process
};

// Thread-safe.
class Service : public Handler {
 public:
  Service(const Models& models, ServiceOptions options)
      : models_(models), options_(std::move(options)) {}

  // Before the body is read: throws 401 without the right token, 404 for an unknown model, 400 for
  // a bad query, 415 for a body in a form that is not taken.
  void check(const Route& route, const Request& request) const;

  // Routes that are not work, but for the metrics. `ready` says whether new work is taken.
  Reply answer(const Route& route, bool ready) const;

  // Uses the calling thread only; a stop request ends it before its next item with 503. Throws
  // HttpError.
  Done work(const Route& route, const Request& request, std::stop_token stop) const;

  Task begin(const Request& request) const override;
  std::string allowed(const std::string& path) const override { return allowed_method(path); }
  Reply answer(const Request& request, bool ready) override {
    return answer(find_route(request.method, request.path), ready);
  }
  Done work(const Request& request, std::stop_token stop) override {
    return work(find_route(request.method, request.path), request, stop);
  }

 private:
  std::shared_ptr<const ServedModel> model_of(const Route& route, const Request& request) const;

  const Models& models_;
  ServiceOptions options_;
};

// ---- The two kinds of work, in files of their own -----------------------------------------------

// POST /predict: the body is one item, or several as multipart/form-data.
Service::Done predict_items(const ServedModel& model, const Request& request,
                            const ServiceOptions& options, std::stop_token stop);
// POST /v2/models/NAME/infer.
Service::Done infer_tensors(const ServedModel& model, const Request& request,
                            const ServiceOptions& options, std::stop_token stop);
// GET /v2/models/NAME.
nlohmann::ordered_json infer_metadata(const ServedModel& model);

}  // namespace muster::server
