// EXPECT_ERROR(statement, kind, substring): the statement throws a muster::Error of this kind whose
// message contains the substring.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "muster/core/error.h"

#define EXPECT_ERROR(statement, expected_kind, text)                    \
  try {                                                                 \
    statement;                                                          \
    ADD_FAILURE() << "no error from " #statement;                       \
  } catch (const ::muster::Error& error) {                              \
    EXPECT_EQ(error.kind(), ::muster::ErrorKind::expected_kind);        \
    EXPECT_THAT(std::string(error.what()), ::testing::HasSubstr(text)); \
  }
