// Every kind of file that muster writes in the safetensors layout, with its format version: the one
// place that names them (docs/file-format.md). A kind is two entries of the metadata. Results are
// JSON, which carries muster's own version instead; .npy, .npz and LIBSVM text are formats of
// others.
#pragma once

#include <string>

#include "muster/core/tensors.h"

namespace muster {

enum class FileKind {
  kModel,             // a fitted pipeline
  kFusedModel,        // several models under one set of weights, each under a prefix of its own
  kUniversalMixture,  // a universal mixture with the reductions before it
  kEncoder,           // a fitted branch that turns sets into vectors
  kKernel,            // a fitted branch that compares sets, with those that it was fitted to
  kFeatureShard,  // local features of some items; the feature cache consists of such shards, too
};

// The metadata key that holds the kind's name; all kinds hold their version under kVersionKey.
const char* kind_key(FileKind kind);
const char* kind_name(FileKind kind);
const char* kind_version(FileKind kind);
inline constexpr const char* kVersionKey = "format_version";

// Writes the name and the version under the writer's prefix.
void put_kind(FileKind kind, const TensorWriter& out);

// Whether the file says that it is of this kind, in whatever version.
bool has_kind(FileKind kind, const TensorReader& in);

// Throws a data error that names `path` and says what to do unless the file is of this kind and of
// the version that this muster reads.
void require_kind(FileKind kind, const TensorReader& in, const std::string& path);

}  // namespace muster
