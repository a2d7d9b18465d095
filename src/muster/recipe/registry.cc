#include "muster/recipe/registry.h"

#include "muster/baselines/knn.h"
#include "muster/baselines/naive_bayes.h"
#include "muster/classify/kernel_svm.h"
#include "muster/classify/klr.h"
#include "muster/classify/linear_svm.h"
#include "muster/classify/logistic.h"
#include "muster/core/error.h"
#include "muster/density/klk.h"
#include "muster/density/pdf_kl.h"
#include "muster/density/pdf_product.h"
#include "muster/density/ppk.h"
#include "muster/features/dsift.h"
#include "muster/features/lbp.h"
#include "muster/features/rgb.h"
#include "muster/features/sift.h"
#include "muster/matching/exponent.h"
#include "muster/matching/greedy.h"
#include "muster/matching/match.h"
#include "muster/matching/matching.h"
#include "muster/matching/pdf_parzen.h"
#include "muster/matching/principal_angles.h"
#include "muster/matching/sum_match.h"
#include "muster/pyramid/l1_embedding.h"
#include "muster/pyramid/pmk.h"
#include "muster/pyramid/spm.h"
#include "muster/pyramid/vg_pmk.h"
#include "muster/recipe/registry_helpers.h"
#include "muster/reduce/pca.h"
#include "muster/reduce/pls.h"
#include "muster/reduce/vector_scaling.h"
#include "muster/setfeature/bow.h"
#include "muster/setfeature/emk_cksvd.h"
#include "muster/setfeature/emk_fourier.h"
#include "muster/setfeature/emk_kpca.h"
#include "muster/setfeature/fisher.h"
#include "muster/setfeature/gmm_bow.h"
#include "muster/setfeature/kernel_codebook.h"
#include "muster/setfeature/mean.h"
#include "muster/setfeature/supervector.h"
#include "muster/setfeature/vlad.h"
#include "muster/setkernel/empirical_map.h"
#include "muster/setkernel/feature_kernel.h"
#include "muster/setkernel/normalise.h"
#include "muster/setkernel/subpoly.h"

namespace muster {
namespace {

using K = FeatureKernelKind;
constexpr Traits kNone{};
constexpr Traits kNeedsPlaces{.needs_places = true};
// Between vectors of D components. A dot product of means sees every vector by itself; the others
// see the whole.
constexpr Traits kLinear{.cost = "D"};
constexpr Traits kOfVectors{.co_occurrence = true, .cost = "D"};
constexpr Traits kOfHistograms{.non_negative = true, .co_occurrence = true, .cost = "D"};
// Between sets of m vectors of d components.
constexpr Traits kAllPairs{.cost = "d m^2"};
constexpr Traits kBestPairs{.psd = Psd::kNo, .cost = "d m^2"};
constexpr Traits kGreedyPairs{.psd = Psd::kNo, .co_occurrence = true, .cost = "d m^2"};
constexpr Traits kOptimalPairs{.psd = Psd::kNo, .co_occurrence = true, .cost = "d m^2 + m^3"};
constexpr Traits kSpans{.psd = Psd::kConditional,
                        .co_occurrence = true,
                        .model_free = false,
                        .unequal_sizes = false,
                        .cost = "d m^2 + m^3"};
constexpr Traits kPyramids{.co_occurrence = true, .cost = "d m log R"};
constexpr Traits kTree{.co_occurrence = true, .cost = "d m log m"};
constexpr Traits kCells{.co_occurrence = true, .cost = "d m words"};
constexpr Traits kDistance{.psd = Psd::kNo,
                           .distance = true,
                           .co_occurrence = true,
                           .unequal_sizes = false,
                           .cost = "d m log R"};
// Between densities fitted to the sets.
constexpr Traits kDensities{.co_occurrence = true, .model_free = false, .cost = "d^3"};
constexpr Traits kDivergences{
    .psd = Psd::kConditional, .co_occurrence = true, .model_free = false, .cost = "d^2"};
// k Gaussians per set.
constexpr Traits kMixtures{.co_occurrence = true, .model_free = false, .cost = "d k"};
constexpr Traits kCounts{.non_negative = true};
// Of kernels.
constexpr Traits kKeepsPsd{.psd = Psd::kConditional};
constexpr Traits kMakesPsd{.psd = Psd::kAlways};
constexpr Traits kBreaksPsd{.psd = Psd::kNo};

std::vector<StageEntry> make_stages() {
  return {
      // Pictures become sets.
      extractor("dsift", "SIFT on a dense grid", "Lowe 2004, 6", make_dsift),
      extractor("rgb", "mean and deviation of red, green and blue in 4 x 4 cells, on a dense grid",
                "UGM 4.1", make_rgb),
      extractor("lbp", "local binary patterns in 2 x 2 cells, on a dense grid", "DSPM 5", make_lbp),
      extractor("sift", "SIFT at interest points (DoG, Harris or Harris-affine)", "GEN 2, PMK 5",
                make_sift),
      network_extractor("dnn", "cells of a neural network's feature map, of a model that you name",
                        "Cimpoi et al. 2015"),
      // Sets become sets.
      reducer("pca", "principal components of the training vectors", "GEN 3.2.1", kNone, fit_pca,
              load_pca),
      reducer("pls", "directions in which the vectors vary with the class", "GEN 3.2.2", kNone,
              fit_pls, load_pls),
      plain_reducer("l2", "every vector scaled to length 1", "Lowe 2004, 6.1", kNone, make_l2),
      plain_reducer("root", "RootSIFT: square root of the L1-normalised vector",
                    "Arandjelovic & Zisserman 2012", kNone, make_root),
      plain_reducer<PlacesOptions>("places", "appends the place (x, y) to every vector", "PMK 5",
                                   kNeedsPlaces, make_places),
      // Sets become vectors.
      set_feature("mean", "mean of the vectors", "Cimpoi et al. 2015", kNone, fit_mean, load_mean),
      set_feature("bow", "histogram of the nearest visual words", "EMK 2", kNone, fit_bow,
                  load_bow),
      set_feature("kernel-codebook", "soft assignment to visual words by distance", "EMK 3.1",
                  kNone, fit_kernel_codebook, load_kernel_codebook),
      set_feature("emk-fourier", "match kernel by random Fourier features", "EMK 3.2", kNone,
                  fit_emk_fourier, load_emk_fourier),
      set_feature("emk-cksvd", "match kernel by learned basis vectors (constrained kernel SVD)",
                  "EMK 3.1", kNone, fit_emk_cksvd, load_emk_cksvd),
      set_feature("emk-kpca", "match kernel by kernel PCA", "EMK 3.1", kNone, fit_emk_kpca,
                  load_emk_kpca),
      set_feature("gmm-bow", "mean responsibilities of a mixture of Gaussians", "GEN 3", kNone,
                  fit_gmm_bow, load_gmm_bow),
      set_feature("fisher", "gradients of the means and variances of a universal mixture",
                  "Perronnin et al. 2010", kNone, fit_fisher, load_fisher, make_fisher),
      set_feature("supervector", "means of a universal mixture adapted to the set", "UGM 2.2",
                  kNone, fit_supervector, load_supervector, make_supervector),
      set_feature("vlad", "sums of differences from the nearest visual words", "Jegou et al. 2010",
                  kNone, fit_vlad, load_vlad),
      // Vectors become vectors.
      vector_scaling("standardise", "every dimension to zero mean and unit variance", "GEN 3.4.1"),
      // Vectors become kernels.
      feature_kernel<NoOptions>("linear", "dot product of set features", "EMK 2", kLinear,
                                K::kLinear),
      feature_kernel<WidthOptions>("rbf", "Gaussian kernel of set features", "EMK 4", kOfVectors,
                                   K::kRbf),
      feature_kernel<WidthOptions>("chi2", "exponential chi-square kernel of set features",
                                   "Zhang et al. 2007, 4.2", kOfHistograms, K::kChi2),
      feature_kernel<NoOptions>("intersection", "histogram intersection of set features", "PMK 3",
                                kOfHistograms, K::kIntersection),
      // Sets become kernels.
      set_kernel("sum-match", "mean local kernel over all pairs of vectors, exactly", "EMK 2",
                 kAllPairs, fit_sum_match, load_sum_match),
      set_kernel("match",
                 "mean of the best local kernel of every vector, in both directions (Wallraven)",
                 "PMK 2", kBestPairs, fit_match, load_match),
      set_kernel("exponent", "mean power of the local kernel over all pairs of vectors (Lyu)",
                 "PMK 2", kAllPairs, fit_exponent, load_exponent),
      set_kernel("greedy", "local kernel summed over the best remaining pairs (Boughorbel)",
                 "PMK 2", kGreedyPairs, fit_greedy, load_greedy),
      set_kernel("principal-angles",
                 "product of squared cosines of the angles between spans (Wolf & Shashua)", "PMK 2",
                 kSpans, fit_principal_angles, load_principal_angles),
      set_kernel("matching", "exact optimal partial matching, as similarity or as cost", "PMK 4.1",
                 kOptimalPairs, fit_matching, load_matching),
      set_kernel("pmk", "pyramid match: histograms over nested grids, intersected level by level",
                 "PMK 3", kPyramids, fit_pmk, load_pmk),
      set_kernel("vg-pmk", "pyramid match over the nodes of a hierarchical k-means tree",
                 "Grauman & Darrell 2006", kTree, fit_vg_pmk, load_vg_pmk),
      set_kernel("spm",
                 "spatial pyramid match: words intersected cell by cell, weights given or learned",
                 "DSPM 3", kCells, fit_spm, load_spm),
      set_kernel("l1-embedding", "weighted L1 distance of histogram pyramids", "PMK 4.1", kDistance,
                 fit_l1_embedding, load_l1_embedding),
      set_kernel("pdf-bhattacharyya", "Bhattacharyya affinity of one Gaussian per set", "GEN 4.2",
                 kDensities, fit_pdf_bhattacharyya, load_pdf_bhattacharyya),
      set_kernel("pdf-mixture", "expected likelihood of a small mixture of Gaussians per set",
                 "GEN 4.2", kDensities, fit_pdf_mixture, load_pdf_mixture),
      set_kernel("pdf-kl", "exponential of the Kullback-Leibler divergence of one Gaussian per set",
                 "GEN 4.1", kDivergences, fit_pdf_kl, load_pdf_kl),
      set_kernel("pdf-parzen", "kernels of Parzen densities: a Gaussian window at every vector",
                 "GEN 4.3", kAllPairs, fit_pdf_parzen, load_pdf_parzen),
      set_kernel("ppk", "probability product of mixtures adapted from a universal one", "UGM 3.1",
                 kMixtures, fit_ppk, load_ppk, make_ppk),
      set_kernel("klk", "exponential of the divergence of mixtures adapted from a universal one",
                 "UGM 3.2", kMixtures, fit_klk, load_klk, make_klk),
      // Kernels become kernels.
      kernel_transform("subpoly", "sign(k) |k|^p, for kernels with a large diagonal", "PMK 4.2",
                       kBreaksPsd, make_subpoly, load_subpoly),
      kernel_transform("empirical-map", "kernel values with all training sets as a vector: K K^T",
                       "PMK 4.2", kMakesPsd, make_empirical_map, load_empirical_map),
      kernel_transform("normalise", "k(x, y) / sqrt(k(x, x) k(y, y))", "PMK 3", kKeepsPsd,
                       make_normalise, load_normalise),
      // Vectors or kernels become scores.
      linear_classifier("linear-svm", "linear support vector machine, squared hinge", "EMK 4",
                        fit_linear_svm, fit_linear_svm_sharded, load_linear_svm),
      linear_classifier("logistic", "L2-regularised logistic regression, one-vs-all",
                        "Fan et al. 2008", fit_logistic, fit_logistic_sharded, load_logistic),
      gram_classifier<KernelSvmOptions>("kernel-svm", "support vector machine on a kernel matrix",
                                        "EMK 4", choose_kernel, fit_kernel_svm, load_kernel_svm),
      gram_classifier<KlrOptions>("klr", "kernel logistic regression on a kernel matrix", "UGM 4.1",
                                  choose_klr_kernel, fit_klr, load_klr),
      either_classifier("knn", "vote of the nearest training items, by vectors or a kernel",
                        "EMK 3, PMK 5", fit_knn, load_knn, fit_knn_on_gram, load_knn_on_gram),
      vector_classifier("naive-bayes", "naive Bayes on histograms of words",
                        "Csurka et al. 2004, GEN 1", fit_naive_bayes, load_naive_bayes, kCounts),
  };
}

std::vector<Preset> make_presets() {
  return {
      {"bow-linear", "bag of words, linear SVM", "EMK 4", "dsift/bow:words=1000/linear-svm"},
      {"bow-rbf", "bag of words, Gaussian kernel SVM", "EMK 4",
       "dsift/bow:words=1000/rbf/kernel-svm"},
      {"kernel-codebook", "soft-assigned bag of words, linear SVM", "EMK 3.1",
       "dsift/kernel-codebook:words=1000/linear-svm"},
      {"emk-fourier", "match kernel by 1000 random Fourier features, linear SVM", "EMK 3.2",
       "dsift:size=16,32/root/emk-fourier:dim=1000,gamma=5/linear-svm"},
      {"emk-cksvd", "match kernel by 1000 learned basis vectors, linear SVM", "EMK 3.1",
       "dsift:size=16,32/root/emk-cksvd:dim=1000,gamma=5,power=0.5/linear-svm"},
      {"emk-kpca", "match kernel by kernel PCA, linear SVM", "EMK 3.1",
       "dsift:size=16,32/root/emk-kpca:dim=1000,gamma=5/linear-svm"},
      {"sum-match", "exact sum match kernel, kernel SVM; slow", "EMK 2",
       "dsift/root/sum-match:gamma=6/kernel-svm"},
      {"pmk", "pyramid match of dense SIFT with places, as on Caltech-101", "PMK 4.2",
       "dsift:size=32/pca:dim=10/places:weight=2/pmk:pyramids=3/kernel-svm"},
      {"pmk-harris", "pyramid match of SIFT at Harris points, as on ETH-80", "PMK 4.2",
       "sift:detector=harris-multiscale,contrast=0.00000001/pca:dim=10/pmk:pyramids=8/kernel-svm"},
      {"vg-pmk", "pyramid match over a tree of visual words", "Grauman & Darrell 2006",
       "dsift/pca:dim=20/places/vg-pmk:branch=11,levels=3/kernel-svm"},
      {"spm", "spatial pyramid match of 200 words, dyadic weights", "DSPM 3.1",
       "dsift:size=16,32/spm/kernel-svm"},
      {"dspm", "spatial pyramid match of 200 words per patch size, weights of all cells learned",
       "DSPM 3.2",
       "dsift:size=16/spm+dsift:size=32/spm//kernel-svm:weights=qp,lambda=auto,toward=given"},
      {"fusion",
       "Fisher vectors of gradients, texture and colour, the three kernels weighed by the labels",
       "DSPM 5",
       "dsift:step=6,size=16,24,32,40/root/pca:dim=64/places:scale=true/fisher:components=128+"
       "lbp:step=6,size=16,24,32,40/root/pca:dim=64/places:scale=true/fisher:components=128+"
       "rgb:step=6,size=16,24,32,40/pca:dim=64/places:scale=true/fisher:components=128//"
       "kernel-svm:weights=alignment,centre=true"},
      {"neural",
       "cells of a network that you name, at two sizes, by their mean and their Fisher vector",
       "Cimpoi et al. 2015",
       "dnn:sides=256/mean:levels=1+dnn:sides=256/root/pca:dim=64/fisher:components=64+"
       "dnn:sides=384/mean:levels=1+dnn:sides=384/root/pca:dim=64/fisher:components=64//"
       "linear-svm"},
      {"neural-fusion", "the same with Fisher vectors of gradients, texture and colour",
       "Cimpoi et al. 2015, DSPM 5",
       "dnn:sides=256/mean:levels=1+dnn:sides=256/root/pca:dim=64/fisher:components=64+"
       "dnn:sides=384/mean:levels=1+dnn:sides=384/root/pca:dim=64/fisher:components=64+"
       "dsift:step=8,size=16,24,32/root/pca:dim=64/places:scale=true/fisher:components=64+"
       "lbp:step=8,size=24,40/root/pca:dim=64/places:scale=true/fisher:components=64+"
       "rgb:step=8,size=24,40/pca:dim=64/places:scale=true/fisher:components=64//linear-svm"},
      {"gen-kmeans", "bag of 1000 words learned per category, standardised, linear SVM",
       "GEN 3.4.1", "dsift/pls:dim=40/bow:words=1000,per_category=true/standardise/linear-svm"},
      {"gen-gmm", "bag of 250 Gaussians learned per category, standardised, linear SVM",
       "GEN 3.4.2",
       "dsift/pca:dim=40/gmm-bow:components=250,covariance=full,per_category=true/standardise/"
       "linear-svm"},
      {"gen-pdf", "Bhattacharyya kernel of one Gaussian per picture, kernel SVM", "GEN 4.4",
       "dsift/pls:dim=40/pdf-bhattacharyya/kernel-svm"},
      {"fisher", "Fisher vectors of RootSIFT at four sizes with places, linear SVM",
       "Perronnin et al. 2010",
       "dsift:step=6,size=16,24,32,40/root/pca:dim=64/places:scale=true/fisher:components=128/"
       "linear-svm"},
      {"supervector", "adapted means of 128 Gaussians, linear SVM", "UGM 2.2",
       "dsift/root/pca:dim=50/supervector:components=128/linear-svm"},
      {"ugm-ppk", "probability product kernel of mixtures of 128 adapted Gaussians", "UGM 4.1",
       "dsift/root/pca:dim=50/ppk:components=128/kernel-svm"},
      {"ugm-klk", "Kullback-Leibler kernel of mixtures of 128 adapted Gaussians", "UGM 4.1",
       "dsift/root/pca:dim=50/klk:components=128/kernel-svm"},
  };
}

template <class Entry>
const Entry& find_named(const std::vector<Entry>& entries, std::string_view name,
                        const char* what) {
  std::vector<std::string> known;
  for (const Entry& entry : entries) {
    if (entry.name == name) return entry;
    known.push_back(entry.name);
  }
  throw usage_error("unknown {} '{}'{}; choose from: {}", what, name, did_you_mean(name, known),
                    fmt::join(known, ", "));
}

}  // namespace

std::string StageEntry::kind() const {
  constexpr const char* kNames[] = {
      "feature",          "reduction",  "set feature", "vector kernel",  "set kernel",
      "kernel transform", "classifier", "classifier",  "vector scaling", "classifier"};
  return kNames[functions.index()];
}

const std::vector<StageEntry>& all_stages() {
  static const std::vector<StageEntry> stages = make_stages();
  return stages;
}

const std::vector<Preset>& all_presets() {
  static const std::vector<Preset> presets = make_presets();
  return presets;
}

const StageEntry& find_stage(std::string_view name) {
  return find_named(all_stages(), name, "stage");
}
const Preset& find_preset(std::string_view name) {
  return find_named(all_presets(), name, "method");
}

Recipe recipe_of_method(std::string_view method) {
  if (method.find('/') != std::string_view::npos) return parse_recipe(method);
  return parse_recipe(find_preset(method).recipe);
}

}  // namespace muster
