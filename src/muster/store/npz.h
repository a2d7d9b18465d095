// NumPy's .npz: a zip archive of .npy members, stored or deflated. Archives over 4 GB (zip64) are
// refused.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "muster/core/matrix.h"

namespace muster {

// One member, not yet unpacked; `packed` points into the archive.
struct NpzMember {
  std::string name;  // without .npy
  bool deflated = false;
  size_t unpacked_bytes = 0;
  uint32_t crc = 0;
  std::span<const std::byte> packed;
};

// The members in the order of the archive. Every offset is checked; a damaged archive is a data
// error.
std::vector<NpzMember> parse_npz(std::span<const std::byte> archive, const std::string& name);

// The bytes of the .npy file inside, its checksum verified; `archive_name` is for messages.
std::vector<std::byte> unpack(const NpzMember& member, const std::string& archive_name);

// As npy_to_matrix; T is float or double.
template <class T>
Matrix<T> npz_to_matrix(const NpzMember& member, const std::string& archive_name);

// Members are .npy bytes (npy_bytes of npy.h) under their names; stored, not compressed. Atomic,
// and the same bytes whenever it is written.
using NpzArrays = std::vector<std::pair<std::string, std::vector<std::byte>>>;
void write_npz(const std::filesystem::path& path, const NpzArrays& arrays);

}  // namespace muster
