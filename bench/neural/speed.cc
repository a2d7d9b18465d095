// What extraction costs beside the network's own run: SqueezeNet at side 256 on pictures of
// scene-15, from the decoded picture, and from the JPEG file.
//   neural_speed [OUT.json] [ROUNDS]      with MUSTER_DNN_MODULE, if the module is not installed
#include <filesystem>

#include "muster/dnn/network_model.h"
#include "muster/features/dnn.h"
#include "muster/image/decode.h"
#include "peers/side_by_side.h"

namespace muster::bench {
namespace {

namespace fs = std::filesystem;

constexpr int kSide = 256;
constexpr size_t kPictures = 30;

// Of every class in turn.
std::vector<fs::path> picture_files(const fs::path& root) {
  std::vector<fs::path> out;
  for (const auto& entry : fs::directory_iterator(root)) {
    if (!entry.is_directory()) continue;
    std::vector<fs::path> files;
    for (const auto& file : fs::directory_iterator(entry)) files.push_back(file.path());
    std::ranges::sort(files);
    out.insert(out.end(), files.begin(), files.begin() + 2);
  }
  std::ranges::sort(out);
  out.resize(std::min(out.size(), kPictures));
  return out;
}

}  // namespace

void race(Record& record, const Arguments& args) {
  const char* folder = std::getenv("MUSTER_DATA");
  const fs::path data = folder ? folder : MUSTER_DEFAULT_DATA;
  DnnOptions options;
  options.model = (data / "models" / "squeezenet1.1.onnx").string();
  options.sides = {kSide};
  resolve_dnn(options);
  const auto extractor = make_dnn(options);
  const std::vector<fs::path> files = picture_files(data / "scene-15");
  std::vector<Image> pictures;
  for (const fs::path& file : files) pictures.push_back(read_image(file, {kSide}));
  // The sizes that the network sees of them.
  std::vector<std::pair<int, int>> sizes;
  for (const Image& picture : pictures) {
    const VectorSet set = extractor->extract(picture);
    const auto cells = [&](size_t axis) {
      float least = 1;
      for (size_t i = 0; i < set.size(); ++i) least = std::min(least, set.places(i, axis));
      return static_cast<int>(std::lround(0.5f / least));
    };
    sizes.emplace_back(16 * (cells(0) + 1), 16 * (cells(1) + 1));
  }
  const std::vector<float> input(size_t{3} * kSide * kSide, 1.0f);
  record.race({"extract, SqueezeNet", "pictures of scene-15 at side 256", "picture",
               static_cast<double>(files.size())},
              {{"the network's own run",
                [&] {
                  for (const auto& [width, height] : sizes)
                    options.opened->run(std::span(input).first(size_t{3} * width * height), height,
                                        width, options.layer);
                },
                Role::kBound},
               {"muster, from pixels",
                [&] {
                  for (const Image& picture : pictures) (void)extractor->extract(picture);
                },
                Role::kOurs},
               {"muster, from JPEG files",
                [&] {
                  for (const fs::path& file : files)
                    (void)extractor->extract(read_image(file, {kSide}));
                },
                Role::kOurs}},
              args.rounds_or(7));
}

}  // namespace muster::bench
