#include "muster/choose/candidates.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace muster {
namespace {

int power_of_two_near(double value) {
  return 1 << std::max(0, static_cast<int>(std::lround(std::log2(std::max(value, 1.0)))));
}

// The patches of pictures of a size: about as many on small pictures as on large ones, and about as
// large beside the picture.
struct Grid {
  int step;
  std::vector<int> sizes;

  std::string options() const {
    return fmt::format("step={},size={}", step, fmt::join(sizes, ","));
  }
  // Texture and colour need fewer patches: larger ones, further apart.
  Grid coarse() const { return {step * 4 / 3, {sizes[1], sizes.back()}}; }
  // In a picture of so many pixels on its longest side, and three quarters of that on the other.
  double patches(int side_px) const {
    double sum = 0;
    for (const int size : sizes) {
      const double across = std::max(0, side_px - size) / step + 1;
      sum += across * (std::max(0, side_px * 3 / 4 - size) / step + 1);
    }
    return sum;
  }
};

Grid grid_for(int side_px) {
  if (side_px <= 48) return {2, {8, 12, 16}};
  if (side_px <= 96) return {3, {8, 12, 16, 24}};
  if (side_px <= 180) return {5, {12, 16, 24, 32}};
  return {6, {16, 24, 32, 40}};
}

// How many vectors a mixture is learned from: enough for each of its Gaussians. And for PCA.
int samples_for(int components) { return std::clamp(250 * components, 5000, 100000); }
constexpr int kPcaSamples = 20000;

constexpr double kMillion = 1e6;
constexpr double kPictureDims = 67;  // of pca and places
// Multiplications per vector and Gaussian and dimension (two products, two statistics), and of
// making, rounding and reducing a feature.
constexpr double kPerGaussian = 8, kPerFeature = 20000;

// Of a network at 256 pixels: millions of multiplications of one run, of the order of SqueezeNet's,
// and cells; and what these are reduced to.
constexpr double kNetworkRun = 500, kNetworkCells = 200;
constexpr int kNetworkDims = 64;

// The mixture grows by splitting, each size for some iterations.
double learn_cost(int components, double dim) {
  return 20 * kPerGaussian / 2 * samples_for(components) * components * dim / kMillion;
}

CostedBranch fisher_of(const std::string& feature, const Grid& fine, int side_px, int components) {
  const Grid grid = feature == "dsift" ? fine : fine.coarse();
  const char* root = feature == "rgb" ? "" : "/root";
  return {
      fmt::format("{}:{}{}/pca:dim=64,samples={}/places:scale=true/"
                  "fisher:components={},em_iterations=10,samples={}",
                  feature, grid.options(), root, kPcaSamples, components, samples_for(components)),
      grid.patches(side_px) * (kPerFeature + kPerGaussian * components * kPictureDims) / kMillion,
      learn_cost(components, kPictureDims)};
}

// The cells of a network: their mean and their Fisher vector, as in the preset neural, but at one
// size.
std::vector<CostedBranch> network_parts(int side_px, int components) {
  const int side = side_px > 180 ? 384 : 256, fewer = std::min(components, 64);
  const double share = side * side / (256.0 * 256.0), dim = kNetworkDims;
  return {{fmt::format("dnn:sides={}/mean:levels=1", side), kNetworkRun * share, 0},
          {fmt::format("dnn:sides={}/root/pca:dim={},samples={}/fisher:components={},"
                       "em_iterations=10,samples={}",
                       side, kNetworkDims, kPcaSamples, fewer, samples_for(fewer)),
           kNetworkCells * share * (kPerFeature + kPerGaussian * fewer * dim) / kMillion,
           learn_cost(fewer, dim)}};
}

Candidate candidate(std::string name, std::vector<CostedBranch> parts) {
  std::vector<std::string> branches;
  for (const CostedBranch& part : parts) branches.push_back(part.recipe);
  const char* join = branches.size() > 1 ? "//" : "/";
  return {std::move(name),
          parse_recipe(fmt::format("{}{}linear-svm", fmt::join(branches, "+"), join)),
          std::move(parts)};
}

std::vector<Candidate> for_pictures(const DataLook& look, Effort effort, size_t items) {
  const Grid grid = grid_for(look.side_px);
  const int most = effort == Effort::kThorough ? 256 : 128;
  // A Gaussian for every five pictures: with many more, a mixture describes single pictures.
  const int middle = std::clamp(power_of_two_near(static_cast<double>(items) / 5), 8, most);
  const int few = middle / 2, many = std::min(2 * middle, most);
  const auto part = [&](const char* feature, int components) {
    return fisher_of(feature, grid, look.side_px, components);
  };
  const auto named = [](const char* what, int components) {
    return fmt::format("{}, {} Gaussians", what, components);
  };
  const CostedBranch gradients = part("dsift", middle), texture = part("lbp", middle),
                     colour = part("rgb", middle);
  std::vector<Candidate> out;
  if (effort != Effort::kQuick)
    out.push_back(candidate(named("gradients", few), {part("dsift", few)}));
  out.push_back(candidate(named("gradients", middle), {gradients}));
  if (effort != Effort::kQuick)
    out.push_back(candidate(named("gradients", many), {part("dsift", many)}));
  if (!look.colour || effort == Effort::kThorough)
    out.push_back(candidate(named("gradients and texture", middle), {gradients, texture}));
  if (look.colour) {
    if (effort != Effort::kQuick)
      out.push_back(candidate(named("gradients and colour", middle), {gradients, colour}));
    out.push_back(
        candidate(named("gradients, texture and colour", middle), {gradients, texture, colour}));
  }
  if (!look.network) return out;
  std::vector<CostedBranch> parts = network_parts(look.side_px, middle);
  out.push_back(candidate("network", parts));
  parts.push_back(gradients);
  if (effort != Effort::kQuick)
    out.push_back(candidate(named("network and gradients", middle), parts));
  parts.push_back(texture);
  if (look.colour) parts.push_back(colour);
  out.push_back(candidate(named(look.colour ? "network, gradients, texture and colour"
                                            : "network, gradients and texture",
                                middle),
                          parts));
  return out;
}

std::vector<Candidate> for_sets(const DataLook& look, Effort effort, size_t items) {
  const auto vectors = static_cast<double>(std::max<size_t>(look.vectors, 1));
  const size_t dim = std::clamp<size_t>(look.dim, 1, 64);
  // As for pictures; and enough vectors for each Gaussian, since sets may be small.
  const int middle =
      std::clamp(power_of_two_near(std::min(static_cast<double>(items) / 3,
                                            static_cast<double>(items) * vectors / 50)),
                 4, effort == Effort::kThorough ? 256 : 128);
  const std::string scaled = fmt::format("pca:dim={},whiten=true,samples={}", dim, kPcaSamples);
  const std::string placed = scaled + (look.places ? "/places:weight=2" : "");
  const auto fisher = [&](const std::string& before, int components) {
    return CostedBranch{fmt::format("{}/fisher:components={},em_iterations=10,samples={}", before,
                                    components, samples_for(components)),
                        vectors * kPerGaussian * components * static_cast<double>(dim) / kMillion,
                        learn_cost(components, static_cast<double>(dim))};
  };
  const auto named = [](int components) { return fmt::format("{} Gaussians", components); };
  const CostedBranch match{scaled + "/emk-fourier:gamma=auto",
                           vectors * 1000 * static_cast<double>(dim) / kMillion, 0};
  std::vector<Candidate> out;
  if (effort != Effort::kQuick)
    out.push_back(candidate(named(middle / 2), {fisher(placed, middle / 2)}));
  out.push_back(candidate(named(middle), {fisher(placed, middle)}));
  if (effort != Effort::kQuick)
    out.push_back(candidate(named(2 * middle), {fisher(placed, 2 * middle)}));
  if (look.places && effort != Effort::kQuick)
    out.push_back(candidate(named(middle) + ", no places", {fisher(scaled, middle)}));
  out.push_back(candidate("match kernel", {match}));
  out.push_back(candidate(named(middle) + " and match kernel", {fisher(placed, middle), match}));
  return out;
}

}  // namespace

std::vector<Candidate> propose(const DataLook& look, Effort effort, size_t items) {
  return look.kind == ItemKind::kImages ? for_pictures(look, effort, items)
                                        : for_sets(look, effort, items);
}

}  // namespace muster
