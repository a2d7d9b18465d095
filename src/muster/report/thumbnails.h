// Small pictures of the most confident mistakes, for the report.
#pragma once

#include <map>
#include <string>

#include "muster/dataset/dataset.h"
#include "muster/results/results.h"

namespace muster {

// Item name -> data URI, for the mistakes that the page shows; empty for vector sets. Pictures that
// cannot be read any more are passed over.
std::map<std::string, std::string> mistake_thumbnails(const Results& results,
                                                      const Dataset& dataset);

}  // namespace muster
