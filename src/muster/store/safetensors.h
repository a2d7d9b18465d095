// Named arrays in one file, in the safetensors layout: 8-byte little-endian length of the header,
// JSON header, raw little-endian arrays without holes (docs/file-format.md). Equal TensorMaps give
// equal bytes. The metadata entry "muster.checksum" guards header and arrays against damage; it is
// added on writing and taken out on reading.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "muster/core/tensors.h"
#include "muster/store/atomic_file.h"

namespace muster {

enum class ChecksumPolicy {
  kRequired,   // our own files: one without a checksum is refused
  kIfPresent,  // files of other programs
};

// Atomic. Arrays of 8-byte elements come first, then 4, 2, 1, so that every array is aligned.
void write_safetensors(const std::filesystem::path& path, const TensorMap& map,
                       WrittenBy by = WrittenBy::kFirstRank);

// The bytes of such a file; `name` is for messages.
std::vector<std::byte> format_safetensors(const TensorMap& map, const std::string& name);

// Arrays point into the bytes of the file, which stay while one of them lives. The checksum is
// verified, so all bytes are read once. Everything the header says is checked before use; a file
// that is cut short, bit-flipped or malformed is a data error.
TensorMap read_safetensors(const std::filesystem::path& path,
                           ChecksumPolicy policy = ChecksumPolicy::kRequired);
// The same, memory-mapped: for files that do not fit in memory all at once, and that nobody but
// muster writes (mapped_file.h).
TensorMap map_safetensors(const std::filesystem::path& path);

// The same from memory that `owner` keeps alive; `name` is for messages.
TensorMap parse_safetensors(std::span<const std::byte> bytes,
                            const std::shared_ptr<const void>& owner, const std::string& name,
                            ChecksumPolicy policy = ChecksumPolicy::kRequired);
// The same from a copy of the bytes.
TensorMap parse_safetensors(std::span<const std::byte> bytes, const std::string& name);

}  // namespace muster
