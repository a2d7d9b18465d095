// The studio: a folder of class folders that a person fills, trains and tries in the browser. A
// Handler of what its page asks for; muster.h does the work.
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>

#include "server/handler.h"
#include "server/models.h"
#include "server/service.h"
#include "server/studio/catalogue.h"
#include "server/studio/class_folders.h"
#include "server/studio/trainer.h"

namespace muster::server {

class Studio : public Handler {
 public:
  // The model is FOLDER/model.muster.
  Studio(const std::filesystem::path& folder, ServiceOptions limits);

  Task begin(const Request& request) const override;
  std::string allowed(const std::string& path) const override;
  Reply answer(const Request& request, bool ready) override;
  Done work(const Request& request, std::stop_token stop) override;

  // Looks whether the model file has changed. To be called now and then.
  void tick();
  // For Server::publish: how far the training is, and numbers that change when there is something
  // new to ask for. One line.
  std::string news() const;

  const std::filesystem::path& folder() const { return folders_.root(); }

 private:
  friend struct StudioActions;

  std::filesystem::path model_file() const { return folders_.root() / "model.muster"; }
  std::shared_ptr<const ServedModel> model() const;
  // Writes the model and its report; called when a training has ended well.
  void keep(const Model& model);
  void load_model();
  bool start_training(Effort effort, const std::vector<PictureClass>& classes);

  nlohmann::ordered_json state();
  nlohmann::ordered_json model_json(const std::vector<PictureClass>& classes) const;

  const ServiceOptions limits_;
  ClassFolders folders_;
  Catalogue catalogue_;
  mutable std::mutex mutex_;            // of what follows
  std::unique_ptr<Models> models_;      // none before there is a file
  std::string model_problem_, report_;  // the latter as JSON; "" if there is none
  uint64_t model_number_ = 0;           // counts the models that were loaded
  std::filesystem::file_time_type seen_{};
  std::mutex start_mutex_;
  std::atomic<uint64_t> trained_on_ = 0;  // fingerprint of the list when the training began
  Trainer trainer_;                       // last: its thread uses the rest
};

}  // namespace muster::server
