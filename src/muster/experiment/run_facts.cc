#include "muster/experiment/run_facts.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "muster/core/options.h"
#include "muster/store/checksum.h"

namespace muster {
namespace {

namespace fs = std::filesystem;

std::string cpu_model() {
  std::ifstream file("/proc/cpuinfo");
  std::string line;
  while (std::getline(file, line))
    if (line.starts_with("model name") && line.find(": ") != std::string::npos)
      return line.substr(line.find(": ") + 2);
  return "unknown";
}

}  // namespace

MachineFacts machine_facts() {
  return {cpu_model(), std::thread::hardware_concurrency(), __VERSION__};
}

std::string data_key(const Dataset& dataset, std::span<const size_t> items) {
  Checksum sum;
  const auto add = [&](std::string_view text) { sum.update(std::as_bytes(std::span(text))); };
  for (size_t item : items) {
    std::error_code ignored;
    add(dataset.items[item].name);
    add(fmt::format("\t{}\t", fs::file_size(dataset.items[item].path, ignored)));
    for (int label : dataset.labels.of_item[item])
      add(dataset.labels.class_names[static_cast<size_t>(label)] + ",");
    if (!dataset.labels.difficult.empty())
      for (int label : dataset.labels.difficult[item])
        add("-" + dataset.labels.class_names[static_cast<size_t>(label)] + ",");
    add("\n");
  }
  return fmt::format("{:016x}", sum.digest());
}

Facts protocol_facts(const ProtocolOptions& protocol) {
  Facts out;
  ProtocolOptions copy = protocol;
  Fields fields;
  copy.fields(fields);
  for (const Field& field : fields.list()) out.emplace_back(field.name(), field.text());
  return out;
}

}  // namespace muster
