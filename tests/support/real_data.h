// Tests on real image sets: in the folder MUSTER_DATA names, by default ../shared/data beside the
// source.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <set>

namespace muster {

inline std::filesystem::path data_dir() {
  if (const char* given = std::getenv("MUSTER_DATA")) return given;
  return std::filesystem::path(MUSTER_SOURCE_DIR) / ".." / "shared" / "data";
}

}  // namespace muster

#define MUSTER_NEED_DATA(name)                               \
  if (!std::filesystem::exists(::muster::data_dir() / name)) \
  GTEST_SKIP() << "no " << ::muster::data_dir() / name       \
               << "; set MUSTER_DATA to the folder of image sets"
