#include <algorithm>

#include "muster/core/check_set.h"
#include "muster/dataset/dataset.h"
#include "muster/dataset/file_names.h"
#include "muster/store/npy.h"
#include "muster/store/npz.h"
#include "muster/store/read_file.h"

namespace muster {
namespace fs = std::filesystem;

namespace {

// n x 2 becomes n x 3 with scale 0, which is what methods that know only x and y ignore.
Matrix<float> three_columns(Matrix<float> places, size_t num_vectors, const std::string& file) {
  if (places.rows() != num_vectors || (places.cols() != 2 && places.cols() != 3))
    throw data_error(
        "'{}': places are {} x {}; expected {} x 2 (x, y) or {} x 3 (x, y, scale), one per vector",
        file, places.rows(), places.cols(), num_vectors, num_vectors);
  if (places.cols() == 3) return places;
  Matrix<float> out(places.rows(), 3);
  for (size_t r = 0; r < out.rows(); ++r) std::ranges::copy(places.row(r), out.row(r).begin());
  return out;
}

VectorSet load_npz(const fs::path& path) {
  const std::string name = path.string();
  const std::vector<std::byte> bytes = read_file(path);
  const std::vector<NpzMember> members = parse_npz(bytes, name);
  const auto find = [&](std::string_view member) {
    return std::ranges::find(members, member, &NpzMember::name);
  };
  auto vectors = find("vectors");
  if (vectors == members.end())
    vectors = std::ranges::find_if(members, [](const NpzMember& m) { return m.name != "places"; });
  if (vectors == members.end()) throw data_error("'{}' holds no array of vectors", name);
  VectorSet set;
  set.vectors = npz_to_matrix<float>(*vectors, name);
  set.places = Matrix<float>(set.size(), 0);
  if (const auto places = find("places"); places != members.end())
    set.places = three_columns(npz_to_matrix<float>(*places, name), set.size(), name);
  return set;
}

}  // namespace

VectorSet load_vector_set(const fs::path& path) {
  if (item_kind(path) != ItemKind::kVectorSets)
    throw data_error("'{}' is not a vector set; expected a .npy or .npz file", path.string());
  const std::string extension = path.extension().string();
  VectorSet set;
  if (extension == ".npz" || extension == ".NPZ") {
    set = load_npz(path);
  } else {
    set.vectors = read_npy<float>(path);
    set.places = Matrix<float>(set.size(), 0);
    const fs::path places = fs::path(path).replace_extension(".places.npy");
    std::error_code unknown;  // such as a name that is too long with this ending
    if (fs::exists(places, unknown))
      set.places = three_columns(read_npy<float>(places), set.size(), places.string());
  }
  if (set.dim() == 0)
    throw data_error("'{}': its vectors have no components; expected n x d with d >= 1",
                     path.string());
  check_set(set, path.string());
  return set;
}

std::vector<fs::path> set_files(const fs::path& directory) {
  std::error_code unknown;
  if (fs::is_regular_file(directory, unknown) && item_kind(directory) == ItemKind::kVectorSets)
    return {directory};
  if (!is_folder(directory))
    throw data_error(
        "the folder '{}' does not exist; expected a folder of .npy files, one set each",
        directory.string());
  std::vector<fs::path> sets = sorted_entries(directory);
  std::erase_if(sets, [](const fs::path& file) {
    return is_folder(file) || item_kind(file) != ItemKind::kVectorSets;
  });
  if (sets.empty())
    throw data_error("'{}' holds no .npy or .npz files; expected one n x d array per set",
                     directory.string());
  return sets;
}

}  // namespace muster
