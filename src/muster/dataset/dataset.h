// From a folder or a list to labelled items: which files there are and what is known of each. Reads
// names, lists and annotations only, never a picture. Splits into training and test belong to
// evaluate/; here is only what the data itself says about them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "muster/core/labels.h"
#include "muster/core/vector_set.h"

namespace muster {

enum class Part { kNone, kTrain, kTest };
enum class ItemKind { kImages, kVectorSets };

struct Item {
  std::string path;   // plain text: a filesystem::path takes a kilobyte
  std::string name;   // relative to the dataset's root, '/'-separated
  std::string group;  // items of one object share it: class/file name up to the first '-' (ETH-80)
  Part part = Part::kNone;
};

struct Dataset {
  std::vector<Item> items;
  Labels labels;  // one entry per item; class names in byte order
  ItemKind kind = ItemKind::kImages;
  std::filesystem::path root;
  std::vector<std::string> notes;  // what was passed over, and why
};

// Recognised, in this order:
//   a file                      a list: path<TAB>label[,label...] per line, relative to its folder
//   labels.tsv in the folder    that list
//   JPEGImages/ or PNGImages/   PASCAL VOC (multi-label; difficult objects marked)
//   train/ and test/            class folders inside each
//   anything else               class folders: root/class/*
// Items are pictures (jpg jpeg png tif tiff bmp webp pgm ppm) or vector sets (npy npz), never a
// mix; case of the extension does not matter; hidden files are ignored. Items are sorted by name
// (bytes). Whatever is not as described is a data error that says what was expected.
Dataset open_dataset(const std::filesystem::path& path);

// The same from the text of a list file. Does not look at the files named there; they must exist
// only once they are read.
Dataset parse_list(const std::string& text, const std::filesystem::path& root,
                   const std::string& name);

// The .npy and .npz files of a folder (or the one file given) in sorted order, places files left
// out.
std::vector<std::filesystem::path> set_files(const std::filesystem::path& directory);

// A set of vectors from .npy (with places in name.places.npy if that exists) or .npz (members
// `vectors`, else the first array, and `places`). Places are n x 2 (x, y) or n x 3 (x, y, scale).
// NaN, another shape or type is a data error.
VectorSet load_vector_set(const std::filesystem::path& path);

}  // namespace muster
