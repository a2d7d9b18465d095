// A results record becomes its page:  make_page RECORD.json PAGE.html
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>

#include "muster/report/html.h"
#include "muster/results/results_json.h"

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  std::ifstream in(argv[1]);
  const auto record = nlohmann::ordered_json::parse(in);
  std::ofstream out(argv[2]);
  out << muster::html_report(muster::results_from_json(record));
  return out.flush() ? 0 : 1;
}
