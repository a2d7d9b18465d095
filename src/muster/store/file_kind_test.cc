#include "muster/store/file_kind.h"

#include <gtest/gtest.h>

#include "support/expect_error.h"

namespace muster {
namespace {

constexpr FileKind kAllKinds[] = {FileKind::kModel, FileKind::kFusedModel,
                                  FileKind::kUniversalMixture, FileKind::kFeatureShard};

TEST(FileKind, EachKindIsItselfAndNoOther) {
  for (const FileKind written : kAllKinds) {
    TensorMap map;
    put_kind(written, TensorWriter(map));
    EXPECT_EQ(map.metadata.size(), 2u);
    const TensorReader in(map);
    for (const FileKind kind : kAllKinds) {
      EXPECT_EQ(has_kind(kind, in), kind == written);
      if (kind == written)
        EXPECT_NO_THROW(require_kind(kind, in, "f"));
      else
        EXPECT_ERROR(require_kind(kind, in, "a-file"), kData, "'a-file' is not a");
    }
  }
}

TEST(FileKind, AMemberCarriesItsKindUnderItsPrefix) {
  TensorMap map;
  put_kind(FileKind::kFusedModel, TensorWriter(map));
  put_kind(FileKind::kModel, TensorWriter(map).scope("member").scope("0"));
  const TensorReader in(map);
  EXPECT_TRUE(has_kind(FileKind::kFusedModel, in));
  EXPECT_FALSE(has_kind(FileKind::kModel, in));
  EXPECT_TRUE(has_kind(FileKind::kModel, in.scope("member").scope("0")));
  EXPECT_EQ(map.metadata.at("member.0.format_version"), kind_version(FileKind::kModel));
}

TEST(FileKind, AnotherVersionIsRefusedWithAdvice) {
  for (const FileKind kind : kAllKinds) {
    TensorMap map;
    put_kind(kind, TensorWriter(map));
    map.metadata[kVersionKey] = "99";
    EXPECT_ERROR(require_kind(kind, TensorReader(map), "f"), kData,
                 "'f' has format version 99, and this muster reads version 1; ");
    map.metadata.erase(kVersionKey);
    EXPECT_ERROR(require_kind(kind, TensorReader(map), "f"), kData, "format version none");
  }
}

}  // namespace
}  // namespace muster
