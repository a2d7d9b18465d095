// PASCAL VOC folders: JPEGImages/ with ImageSets/Main/CLASS_SPLIT.txt or Annotations/*.xml (2007 to
// 2012), PNGImages/ with ImageSets/CLASS_SPLIT.txt (2006).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "muster/dataset/dataset.h"

namespace muster {

struct VocObject {
  std::string name;
  bool difficult = false;
};

// The objects of an annotation: <object><name>..</name><difficult>0|1</difficult>..</object>.
// `file` is for messages.
std::vector<VocObject> parse_voc_annotation(const std::string& xml, const std::string& file);

// True if the folder has pictures as VOC names their folder.
bool is_voc(const std::filesystem::path& root);

// Always multi-label. Labels from ImageSets/Main/CLASS_{train,val,trainval,test}.txt (lines "id
// 1|0|-1", 0 = difficult) if there are such files, else from the annotations, where a class is
// difficult for an image if all its objects there are. train, val and trainval become Part::kTrain,
// test Part::kTest.
Dataset open_voc(const std::filesystem::path& root);

}  // namespace muster
