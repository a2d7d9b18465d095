#include "muster/store/file_kind.h"

#include "muster/core/error.h"

namespace muster {
namespace {

struct KindFacts {
  const char* key;
  const char* name;
  const char* version;
  const char* noun;          // for messages, with its article
  const char* how_to_make;   // what to do if the file is of another kind
  const char* how_to_renew;  // what to do if the file is of another version
};

const KindFacts& facts(FileKind kind) {
  static constexpr KindFacts kModel{"kind",
                                    "muster model",
                                    "1",
                                    "a muster model",
                                    "make one with muster train",
                                    "train the model again or use the muster that wrote it"};
  static constexpr KindFacts kFusedModel{"kind",
                                         "muster fused model",
                                         "1",
                                         "a fused muster model",
                                         "make one with muster fuse",
                                         "fuse the models again or use the muster that wrote it"};
  static constexpr KindFacts kUniversalMixture{"kind",
                                               "muster universal mixture",
                                               "1",
                                               "a universal mixture",
                                               "make one with muster train --save-universal FILE",
                                               "train the mixture again"};
  static constexpr KindFacts kEncoder{"kind",
                                      "muster encoder",
                                      "1",
                                      "a muster encoder",
                                      "make one with muster::fit_encoder",
                                      "fit the encoder again or use the muster that wrote it"};
  static constexpr KindFacts kKernel{"kind",
                                     "muster kernel",
                                     "1",
                                     "a muster kernel",
                                     "make one with muster::fit_kernel",
                                     "fit the kernel again or use the muster that wrote it"};
  static constexpr KindFacts kFeatureShard{"content",
                                           "features",
                                           "1",
                                           "a shard of features",
                                           "make a folder of shards with muster extract",
                                           "extract the features again"};
  switch (kind) {
    case FileKind::kModel:
      return kModel;
    case FileKind::kFusedModel:
      return kFusedModel;
    case FileKind::kUniversalMixture:
      return kUniversalMixture;
    case FileKind::kEncoder:
      return kEncoder;
    case FileKind::kKernel:
      return kKernel;
    case FileKind::kFeatureShard:
      return kFeatureShard;
  }
  MUSTER_CHECK(false);
  return kModel;
}

}  // namespace

const char* kind_key(FileKind kind) { return facts(kind).key; }
const char* kind_name(FileKind kind) { return facts(kind).name; }
const char* kind_version(FileKind kind) { return facts(kind).version; }

void put_kind(FileKind kind, const TensorWriter& out) {
  out.put_text(kind_key(kind), kind_name(kind));
  out.put_text(kVersionKey, kind_version(kind));
}

bool has_kind(FileKind kind, const TensorReader& in) {
  return in.has_text(kind_key(kind)) && in.text(kind_key(kind)) == kind_name(kind);
}

void require_kind(FileKind kind, const TensorReader& in, const std::string& path) {
  if (!has_kind(kind, in))
    throw data_error("'{}' is not {}; {}", path, facts(kind).noun, facts(kind).how_to_make);
  const std::string version = in.has_text(kVersionKey) ? in.text(kVersionKey) : "none";
  if (version != kind_version(kind))
    throw data_error("'{}' has format version {}, and this muster reads version {}; {}", path,
                     version, kind_version(kind), facts(kind).how_to_renew);
}

}  // namespace muster
