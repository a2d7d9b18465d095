// Counters, gauges and histograms for Prometheus.
#pragma once

#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

#include <cstddef>
#include <string>

namespace muster::server {

class Metrics {
 public:
  Metrics();

  void count_request(const std::string& endpoint, int status);
  // From the last byte of the request to the answer, waiting included.
  void count_work(const std::string& model, double seconds, size_t predicted, size_t failed);
  void count_reload(const std::string& model, bool loaded);

  // What holds at this moment, asked for when metrics are read.
  struct Now {
    size_t waiting = 0, queue_capacity = 0, in_flight = 0, connections = 0, upload_bytes = 0;
  };
  // In Prometheus' text format. To be called by one thread.
  std::string text(const Now& now);

 private:
  prometheus::Registry registry_;
  prometheus::Family<prometheus::Counter>&requests_, &items_, &reloads_;
  prometheus::Family<prometheus::Histogram>& seconds_;
  prometheus::Gauge &waiting_, &capacity_, &in_flight_, &connections_, &upload_bytes_, &memory_;
};

}  // namespace muster::server
