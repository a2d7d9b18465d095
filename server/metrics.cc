#include "server/metrics.h"

#include <prometheus/text_serializer.h>
#include <unistd.h>

#include <fstream>

namespace muster::server {
namespace {

const prometheus::Histogram::BucketBoundaries kSeconds = {0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2,
                                                          0.5,   1,     2,    5,    10,   30,  60};

auto& counters(prometheus::Registry& registry, const char* name, const char* help) {
  return prometheus::BuildCounter().Name(name).Help(help).Register(registry);
}

auto& gauge(prometheus::Registry& registry, const char* name, const char* help) {
  return prometheus::BuildGauge().Name(name).Help(help).Register(registry).Add({});
}

double resident_bytes() {
  std::ifstream in("/proc/self/statm");
  double pages = 0, resident = 0;
  in >> pages >> resident;
  return resident * static_cast<double>(::sysconf(_SC_PAGESIZE));
}

}  // namespace

Metrics::Metrics()
    : requests_(counters(registry_, "muster_requests_total", "Requests by endpoint and status")),
      items_(counters(registry_, "muster_items_total", "Items by model and outcome")),
      reloads_(counters(registry_, "muster_model_reloads_total",
                        "Times that a model's file was loaded again, by outcome")),
      seconds_(prometheus::BuildHistogram()
                   .Name("muster_request_seconds")
                   .Help("Seconds from the end of the upload to the answer, by model")
                   .Register(registry_)),
      waiting_(gauge(registry_, "muster_queue_length", "Requests that wait for a worker")),
      capacity_(gauge(registry_, "muster_queue_capacity", "Requests that may wait for a worker")),
      in_flight_(
          gauge(registry_, "muster_requests_in_flight", "Requests that are not answered yet")),
      connections_(gauge(registry_, "muster_connections", "Open connections")),
      upload_bytes_(gauge(registry_, "muster_upload_bytes", "Bytes of request bodies in memory")),
      memory_(gauge(registry_, "process_resident_memory_bytes", "Resident memory in bytes")) {}

void Metrics::count_request(const std::string& endpoint, int status) {
  requests_.Add({{"endpoint", endpoint}, {"status", std::to_string(status)}}).Increment();
}

void Metrics::count_work(const std::string& model, double seconds, size_t predicted,
                         size_t failed) {
  seconds_.Add({{"model", model}}, kSeconds).Observe(seconds);
  if (predicted > 0)
    items_.Add({{"model", model}, {"outcome", "predicted"}})
        .Increment(static_cast<double>(predicted));
  if (failed > 0)
    items_.Add({{"model", model}, {"outcome", "failed"}}).Increment(static_cast<double>(failed));
}

void Metrics::count_reload(const std::string& model, bool loaded) {
  reloads_.Add({{"model", model}, {"outcome", loaded ? "loaded" : "failed"}}).Increment();
}

std::string Metrics::text(const Now& now) {
  waiting_.Set(static_cast<double>(now.waiting));
  capacity_.Set(static_cast<double>(now.queue_capacity));
  in_flight_.Set(static_cast<double>(now.in_flight));
  connections_.Set(static_cast<double>(now.connections));
  upload_bytes_.Set(static_cast<double>(now.upload_bytes));
  memory_.Set(resident_bytes());
  return prometheus::TextSerializer().Serialize(registry_.Collect());
}

}  // namespace muster::server
