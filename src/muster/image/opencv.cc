#include "muster/image/opencv.h"

#include <mutex>
#include <opencv2/core.hpp>
#include <opencv2/core/utils/logger.hpp>

namespace muster {

void prepare_opencv() {
  static std::once_flag once;
  std::call_once(once, [] {
    cv::setNumThreads(0);
    cv::utils::logging::setLogLevel(cv::utils::logging::LOG_LEVEL_SILENT);
  });
}

}  // namespace muster
