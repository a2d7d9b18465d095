/// @file
/// The front door of muster: everything that a program needs to train, use, save and load models of
/// pictures and of sets of vectors.
///
///     muster::Model model = muster::train("photos/");          // one folder per class
///     muster::Prediction answer = model.predict("new.jpg");
///     std::cout << answer.label() << ' ' << answer.probability() << '\n';
///     model.save("photos.muster");                             // muster::load gives it back
///
///     std::vector<muster::SetView> sets = ...;                 // views of your own memory
///     auto other = muster::train(sets, labels, {.recipe = "bow:words=16/linear-svm"});
///     for (const muster::Answer& answer : other.predict(new_sets)) ...
///
/// Nothing here prints. Whatever goes wrong is a muster::Error with a kind. One seed gives the same
/// results for any number of threads. Models and encoders are immutable: copies share one state,
/// and any number of threads may use one at the same time. Link with muster::muster.
///
/// One header holds all of it on purpose, although it is longer than our files should be: a program
/// includes one file, and a reader finds the whole interface in one place.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "muster/core/error_type.h"
#include "muster/explain/explanation.h"
#include "muster/pipeline/choice.h"
#include "muster/pipeline/typicality.h"
#include "muster/source/input.h"
#include "muster/source/source_options.h"

namespace muster {

/// The version of the library, such as "0.1.0".
std::string version();

// ---- How work is done -------------------------------------------------------------------------

/// Called with the name of a step, how much of it is done and how much there is; from several
/// threads at once. What it throws ends the work.
using Progress = std::function<void(std::string_view step, std::size_t done, std::size_t total)>;
/// Called with a sentence that a person may want to read, such as which picture was left out.
using Notice = std::function<void(const std::string& message)>;

/// Options of everything that may take long.
struct RunOptions {
  int threads = 0;              ///< 0 for all cores; the process as a whole is limited meanwhile
  Progress progress = {};       ///< may be empty
  std::stop_token cancel = {};  ///< a stop request ends the work with an Error of kind kCancelled
  Notice notice = {};           ///< may be empty
  SourceOptions source = {};    ///< where features are kept
};

/// Options of train(). Neither a method nor a recipe means the method "auto": recipes that suit the
/// data are judged by cross-validation, and the best is taken (FitReport::choice).
struct TrainOptions {
  std::string method = {};            ///< a named method (`muster methods` lists them), or "auto"
  std::string recipe = {};            ///< or a recipe, such as "dsift/bow:words=500/linear-svm"
  std::vector<std::string> set = {};  ///< overrides: "option=value" or "stage.option=value"
  std::uint64_t seed = 1;             ///< one seed, one result
  Effort effort = Effort::kNormal;    ///< of "auto"; more takes longer and tries more
  /// For "auto" and data sets on disk: items of a class whose file names agree up to the first '-'
  /// show one object, and recipes are judged on objects that they were not trained on.
  bool by_object = false;
  /// The same for "auto" and items in memory: items with equal texts, one per item, show one
  /// object.
  std::vector<std::string> groups = {};
  /// Keeps the training vectors (kernel machines: their kernel matrix) for add_classes().
  bool keep_training = false;
  /// Keeps one mixture per class, so that typicality goes by likelihood ratio.
  bool class_mixtures = false;
  /// A file made by Model::save_universal() whose mixture is used instead of learning one.
  std::filesystem::path universal = {};
  /// An item that cannot be read is a data error instead of being left out and reported.
  bool strict = false;
  int threads = 0;              ///< as in RunOptions
  Progress progress = {};       ///< as in RunOptions
  std::stop_token cancel = {};  ///< as in RunOptions
  Notice notice = {};           ///< as in RunOptions
  SourceOptions source = {};    ///< as in RunOptions
};

/// Options of fit_encoder(), fit_kernel(), gram(), match(), extract_features() and
/// write_features().
struct RepresentOptions {
  std::vector<std::string> set = {};  ///< overrides: "option=value" or "stage.option=value"
  std::uint64_t seed = 1;             ///< one seed, one result
  int threads = 0;                    ///< as in RunOptions
  Progress progress = {};             ///< as in RunOptions
  std::stop_token cancel = {};        ///< as in RunOptions
  Notice notice = {};                 ///< as in RunOptions
  SourceOptions source = {};          ///< as in RunOptions
};

/// Options of Model::explain().
struct ExplainOptions {
  std::string class_name = {};  ///< to explain; the most probable one if empty
  std::string against = {};     ///< a class whose score is subtracted; none if empty
  /// By leaving out: cells per side that the picture is divided into; 1 to 64.
  int regions = 8;
  /// Leaves regions out even if the model's sums tell.
  bool leave_out = false;
  int map_side = 64;         ///< cells of the map along the longer side; 1 to 1024
  std::size_t patches = 6;   ///< most of Explanation::strongest_for and strongest_against
  std::size_t deciding = 5;  ///< most training items to name
  std::size_t matches = 12;  ///< most matches with each of them
  /// The data that the model was trained on, to find the training items in: for
  /// Explanation::Deciding::file and matches. May be empty.
  std::filesystem::path training = {};
  int threads = 0;              ///< as in RunOptions
  Progress progress = {};       ///< as in RunOptions
  std::stop_token cancel = {};  ///< as in RunOptions
  Notice notice = {};           ///< as in RunOptions
  SourceOptions source = {};    ///< as in RunOptions
};

/// Options of Model::similar() and Model::evaluate_retrieval().
struct SimilarOptions {
  std::size_t top = 10;         ///< how many items to name; 1 or more
  int threads = 0;              ///< as in RunOptions
  Progress progress = {};       ///< as in RunOptions
  std::stop_token cancel = {};  ///< as in RunOptions
  Notice notice = {};           ///< as in RunOptions
  SourceOptions source = {};    ///< as in RunOptions
};

// ---- What comes back --------------------------------------------------------------------------

/// An item that could not be read.
struct LeftOut {
  std::string item;    ///< its name
  std::string reason;  ///< a sentence that names the item
};

/// How a classifier was fitted.
struct FitFacts {
  /// The cost of an error (or what `parameter` says) and the cross-validated score that it reached:
  /// accuracy or, with several labels per item, mean average precision.
  struct Tried {
    double C;      ///< the value
    double score;  ///< between 0 and 1
  };
  /// The spectrum of a kernel matrix that was not positive semi-definite.
  struct Indefinite {
    double smallest_eigenvalue;  ///< below 0
    double largest_eigenvalue;   ///< for comparison
    std::size_t negative;        ///< number of negative eigenvalues
  };
  /// How far an iterative solver came.
  struct Convergence {
    int steps;         ///< of Newton's method
    double violation;  ///< largest error of a probability
    bool reached;      ///< whether that is within the tolerance
  };

  std::string parameter = "C";             ///< the option that cross-validation chose a value of
  double C = 0;                            ///< the one used
  int folds = 0;                           ///< of cross-validation; 0 if there was none
  std::vector<Tried> tried;                ///< rising C
  std::optional<Indefinite> indefinite;    ///< none if it was definite
  std::optional<Convergence> convergence;  ///< none if the solver does not say

  /// The cross-validated score of the C used; none without cross-validation.
  std::optional<double> cross_validated() const;
};

/// What a classifier that was trained without an item says of it, with one label per item.
struct HeldOutAnswer {
  std::string item;       ///< its name
  std::string label;      ///< its label
  std::string predicted;  ///< the most probable class
  double probability;     ///< of that class
};

/// What happened in train() or add_classes().
struct FitReport {
  std::size_t items = 0;              ///< that were learned from
  std::vector<LeftOut> left_out;      ///< items that could not be read
  std::vector<std::string> warnings;  ///< such as a solver that did not converge
  std::optional<FitFacts> fit;        ///< none for a classifier that keeps no record
  std::optional<Choice> choice;       ///< what "auto" tried; none if the method was given
  /// What the chosen recipe said of items in cross-validation: mistakes are often wrong labels.
  /// Empty without a choice, if nothing was judged, and with several labels per item.
  std::vector<HeldOutAnswer> held_out;
  std::map<std::string, double> seconds;  ///< by stage: choose, features, fit, encode, classifier
};

/// A class and how probable it is.
struct Ranked {
  std::string name;    ///< of the class
  double probability;  ///< between 0 and 1
};

/// What a model says of one item. Owns all it needs, so it may outlive the model.
class Prediction {
 public:
  /// @cond internal
  struct Parts {
    std::shared_ptr<const std::vector<std::string>> class_names;
    bool multi_label = false;
    std::vector<double> probabilities, scores;
    std::optional<double> typicality;
    TypicalityBy typicality_by = TypicalityBy::kBestScore;
  };
  explicit Prediction(Parts parts) : parts_(std::move(parts)) {}
  /// @endcond

  /// The most probable class.
  const std::string& label() const;
  /// How probable that class is.
  double probability() const;
  /// How probable a class is; a usage error if the model does not know it.
  double probability(std::string_view class_name) const;
  /// The `count` most probable classes, the most probable first; all if there are fewer.
  std::vector<Ranked> top(std::size_t count) const;
  /// With one label per item, the most probable class; with several, every label that is more
  /// likely than not, the most probable first, which may be none.
  std::vector<Ranked> labels() const;
  /// The share of known items that are less like the classes than this one: near 0 for an item that
  /// belongs to none of them. None if the model keeps nothing to tell it by.
  std::optional<double> typicality() const { return parts_.typicality; }
  /// What typicality() goes by.
  TypicalityBy typicality_by() const { return parts_.typicality_by; }
  /// In the order of Model::class_names().
  const std::vector<double>& probabilities() const { return parts_.probabilities; }
  /// The classifier's own scores (of a fused model the probabilities), in the same order.
  const std::vector<double>& scores() const { return parts_.scores; }

 private:
  Parts parts_;
};

/// Of one item in a batch: a prediction, or why there is none.
class Answer {
 public:
  /// An item that was predicted.
  Answer(Prediction prediction) : prediction_(std::move(prediction)) {}
  /// An item that could not be.
  Answer(Error error) : error_(std::move(error)) {}

  /// Whether there is a prediction.
  explicit operator bool() const { return prediction_.has_value(); }
  /// The prediction; throws the error if there is none.
  const Prediction& value() const;
  /// As value().
  const Prediction& operator*() const { return value(); }
  /// As value().
  const Prediction* operator->() const { return &value(); }
  /// Null if there is a prediction.
  const Error* error() const { return error_ ? &*error_ : nullptr; }

 private:
  std::optional<Prediction> prediction_;
  std::optional<Error> error_;
};

/// How good a model is on labelled items.
struct Evaluation {
  /// One of the items: its name, its true labels and what the model says of it.
  struct Item {
    std::string name;                ///< as the data set or the program names it
    std::vector<std::string> truth;  ///< its true labels
    Prediction prediction;           ///< what the model says of it
  };
  /// How well items with a label are ranked above those without; none if the data cannot tell.
  struct Label {
    std::string name;                                  ///< of the label
    std::optional<double> auc;                         ///< area under the ROC curve; 0.5 is chance
    std::optional<double> average_precision;           ///< by area
    std::optional<double> average_precision_11_point;  ///< as PASCAL VOC 2007 defines it
    /// Estimated from the items that were judged (Yilmaz & Aslam 2006), the others keeping their
    /// ranks; none if all were.
    std::optional<double> inferred_average_precision;
  };

  std::vector<std::string> class_names;  ///< in the order of the confusion table
  std::vector<Item> items;               ///< those that could be read
  std::vector<LeftOut> left_out;         ///< items that could not be read

  // With one label per item:
  double accuracy = 0;                              ///< share of items that are predicted right
  double mean_class_accuracy = 0;                   ///< over the classes that occur
  std::vector<std::vector<std::size_t>> confusion;  ///< [true class][predicted class]

  // With several labels per item:
  std::vector<Label> labels;                   ///< in the order of class_names; empty otherwise
  double mean_auc = 0;                         ///< over the labels that have one
  double mean_average_precision = 0;           ///< by area
  double mean_average_precision_11_point = 0;  ///< as PASCAL VOC 2007 defines it
  /// Over the labels that have one; none if every item was judged for every label.
  std::optional<double> mean_inferred_average_precision;
};

/// Items that are like others.
struct SimilarItems {
  /// One of them.
  struct Item {
    std::string name;                 ///< as the data set or the program names it
    std::vector<std::string> labels;  ///< none if it has none, and for items in memory
    double similarity;                ///< 1 for items that are alike
  };
  /// What was found for one query.
  struct Answer {
    std::vector<Item> items;     ///< the most similar first, of equally similar ones the first
    std::optional<Error> error;  ///< why there are none: the query could not be read
  };

  std::vector<Answer> answers;    ///< in the order of the queries
  std::vector<LeftOut> left_out;  ///< items to look among that could not be read
};

/// How well items of the same label find each other: every item is a query to all others.
struct RetrievalEvaluation {
  std::size_t items = 0;    ///< that were looked at
  std::size_t queries = 0;  ///< those of them that share a label with another one
  /// Over the queries, by area; the items that share a label with the query are the right ones.
  double mean_average_precision = 0;
  double precision_at_top = 0;    ///< the share of right ones among the SimilarOptions::top first
  std::vector<LeftOut> left_out;  ///< items that could not be read
};

/// What a model holds.
struct ModelInfo {
  /// A trained method. A model that was not fused has one.
  struct Member {
    std::string recipe;            ///< every option spelled out
    std::uint64_t seed = 0;        ///< that it was trained with
    double weight = 1;             ///< in a fused model
    bool keeps_training = false;   ///< whether add_classes() can extend it
    bool class_mixtures = false;   ///< whether typicality goes by likelihood ratio
    std::optional<FitFacts> fit;   ///< none for a classifier that keeps no record
    std::optional<Choice> choice;  ///< how the recipe was chosen; none if it was given
  };

  std::vector<Member> members;           ///< one, or several of a fused model
  std::vector<std::string> class_names;  ///< in the order of all scores
  bool multi_label = false;              ///< whether an item may have any number of labels
  bool of_pictures = false;              ///< else of vector sets

  /// Whether it was made by fuse().
  bool fused() const { return members.size() > 1; }
};

/// Vectors of one dimension, one per row.
struct Vectors {
  std::size_t rows = 0;       ///< number of vectors
  std::size_t dim = 0;        ///< numbers per vector
  std::vector<float> values;  ///< row by row

  /// Vector i.
  std::span<const float> row(std::size_t i) const { return {values.data() + i * dim, dim}; }
};

/// Kernel values of all pairs.
struct KernelMatrix {
  std::size_t rows = 0;        ///< items on the one side
  std::size_t cols = 0;        ///< items on the other side
  std::vector<double> values;  ///< row by row

  /// The value of row i and column j.
  double operator()(std::size_t i, std::size_t j) const { return values[i * cols + j]; }
};

/// How much of the kernel of a model comes from one branch of its recipe, on average over the
/// training items.
struct ShareOfKernel {
  std::string branch;         ///< its stages
  double share = 0;           ///< all branches together have 1
  std::vector<double> parts;  ///< of that, by part (the cells of a spatial pyramid); they sum to 1
};

/// Two vectors, one of each set, that a kernel pairs.
struct MatchedPair {
  std::size_t a;  ///< row of the first set
  std::size_t b;  ///< row of the second set
  int level;      ///< of the pyramid at which the two first share a bin; 0 is the finest
  double weight;  ///< what the pair adds to the kernel before normalisation
};

/// Which vectors of two sets belong together, as a kernel sees it.
struct Matches {
  std::string recipe;                  ///< every option spelled out
  std::array<std::size_t, 2> sizes{};  ///< vectors of the two sets
  std::array<Vectors, 2> places{};     ///< where they lie: x, y, scale; empty if it is not known
  /// Every vector of the smaller set once, by level, then by rows.
  std::vector<MatchedPair> pairs;
  bool costs = false;  ///< whether weights are costs, of which the smallest is the best
};

/// What write_features() did.
struct ExtractReport {
  std::string recipe;             ///< every option spelled out
  std::size_t kept = 0;           ///< items whose features were there before
  std::size_t added = 0;          ///< items whose features were added
  std::size_t vectors_added = 0;  ///< local features of the latter
  std::vector<LeftOut> left_out;  ///< items that could not be read
};

// ---- Models -----------------------------------------------------------------------------------

/// A trained model. Immutable and thread-safe; a copy shares its state.
class Model {
 public:
  /// The labels of one item. An item that cannot be read, or is of the other kind than the model's
  /// (a set of vectors for a model of pictures), is a data error.
  Prediction predict(const Input& item) const;
  /// The same for many, over threads, in their order: what predict(one) gives, bit for bit. An item
  /// that fails has an error in its place and does not keep the others from being predicted. No
  /// items give no answers.
  std::vector<Answer> predict(Inputs items, const RunOptions& options = {}) const;

  /// What in the item speaks for a class: evidence per vector and per place, and the training items
  /// that decided. The score that is explained is the model's own for the class, of a fused model
  /// its probability. Items are as in predict(); a class that the model does not know is a usage
  /// error.
  Explanation explain(const Input& item, const ExplainOptions& options = {}) const;

  /// How good the model is on a labelled data set, of which the test part is taken if it has one.
  /// Classes that the model does not know are a data error.
  Evaluation evaluate(const std::filesystem::path& data, const RunOptions& options = {}) const;
  /// The same for items in memory with one label each.
  Evaluation evaluate(Inputs items, std::span<const std::string> labels,
                      const RunOptions& options = {}) const;
  /// The same with any number of labels per item.
  Evaluation evaluate(Inputs items, std::span<const std::vector<std::string>> labels,
                      const RunOptions& options = {}) const;

  /// The items of a data set (or of a folder of pictures or sets) that are most like each query, by
  /// what the model makes of them before it classifies: the cosine of vectors, or the normalised
  /// kernel. Items of classes that the model does not know are welcome. Memory is that of the
  /// queries and of a block of items. A query that is in the data itself finds itself first.
  SimilarItems similar(const std::filesystem::path& data, Inputs queries,
                       const SimilarOptions& options = {}) const;
  /// The same among items in memory.
  SimilarItems similar(Inputs items, Inputs queries, const SimilarOptions& options = {}) const;
  /// How good that is on a labelled data set, of which the test part is taken if it has one.
  RetrievalEvaluation evaluate_retrieval(const std::filesystem::path& data,
                                         const SimilarOptions& options = {}) const;

  /// Writes the model to a file: completely or not at all. The bytes depend on the model alone.
  void save(const std::filesystem::path& path) const;
  /// What save() would write.
  std::vector<std::byte> bytes() const;
  /// Writes the universal mixture that the model rests on, for TrainOptions::universal. A usage
  /// error for a model without one (its recipe has none of fisher, supervector, ppk, klk).
  void save_universal(const std::filesystem::path& path) const;

  /// In byte order, as all lists of scores are.
  const std::vector<std::string>& class_names() const;
  /// The recipe with every option spelled out; of a fused model the first member's.
  std::string recipe() const;
  /// What the model holds.
  ModelInfo info() const;
  /// How it was trained; empty for a model that was loaded or fused.
  const FitReport& report() const;

  /// How much each kernel weighs, in the order of the recipe's branches. A usage error for a model
  /// without kernels (its classifier takes vectors) and for a fused one.
  std::vector<ShareOfKernel> kernel_shares() const;

  /// @cond internal
  class State;
  explicit Model(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  const State& state() const { return *state_; }
  /// @endcond

 private:
  std::shared_ptr<const State> state_;
};

/// Learns a model from a labelled data set on disk: class folders, train and test folders (of which
/// the first is taken), a list file or a VOC folder of pictures or of .npy sets. Items that cannot
/// be read are left out and reported.
Model train(const std::filesystem::path& data, const TrainOptions& options = {});
/// The same from items in memory with one label each. Views are used where they are: no copy of the
/// data is made.
Model train(Inputs items, std::span<const std::string> labels, const TrainOptions& options = {});
/// The same with any number of labels per item.
Model train(Inputs items, std::span<const std::vector<std::string>> labels,
            const TrainOptions& options = {});

/// A model that was saved. A file that is damaged, or of a version that this muster does not read,
/// is a data error that says what to do.
Model load(const std::filesystem::path& path);
/// The same from what Model::bytes() gave.
Model load(std::span<const std::byte> bytes);

/// One model whose probabilities are the weighted means of the members', which must know the same
/// classes. Without weights all count alike.
Model fuse(std::span<const Model> members, std::span<const double> weights = {});

/// A model that knows new classes as well: only its classifier is trained again. `data` is a folder
/// of items of one new class, named by the folder or by `class_name`, or a labelled data set. The
/// model must have kept its training data (TrainOptions::keep_training, or any kernel machine).
Model add_classes(const Model& model, const std::filesystem::path& data,
                  const std::string& class_name = "", const RunOptions& options = {});

/// An explanation of a picture, drawn: the picture with its strongest patches, the map over it, the
/// patches by themselves, and the training pictures that decided if their files are known. The
/// bytes of a PNG file. A vector set is a usage error.
std::vector<std::byte> draw_explanation(const Explanation& explanation, const Input& picture);
/// The pixels of a picture, upright, its longest side shrunk to at most so many pixels; 0 keeps the
/// size. A picture that cannot be decoded is a data error.
Pixels decode_picture(const EncodedPicture& picture, int longest_side_px = 0);
/// A picture as a small JPEG file: upright, its longest side shrunk to at most so many pixels. A
/// picture that cannot be read is a data error, a vector set a usage error.
std::vector<std::byte> thumbnail(const Input& picture, int longest_side_px);
/// Writes the evidence of each vector to a .npy file: n x 1, float64, in the set's order.
void write_evidence(const std::filesystem::path& path, const Explanation& explanation);

// ---- The steps by themselves ------------------------------------------------------------------

/// One vector per set. Immutable and thread-safe; a copy shares its state.
class Encoder {
 public:
  /// One row per item, over threads. An item that cannot be read is a data error.
  Vectors encode(Inputs items, const RunOptions& options = {}) const;
  /// The length of a vector.
  std::size_t dim() const;
  /// The recipe with every option spelled out.
  std::string recipe() const;
  /// Writes the encoder to a file: completely or not at all.
  void save(const std::filesystem::path& path) const;
  /// What save() would write.
  std::vector<std::byte> bytes() const;
  /// An encoder that was saved.
  static Encoder load(const std::filesystem::path& path);
  /// The same from what bytes() gave.
  static Encoder load(std::span<const std::byte> bytes);

  /// @cond internal
  class State;
  explicit Encoder(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  /// @endcond

 private:
  std::shared_ptr<const State> state_;
};

/// Fits a recipe that ends in a set feature, such as "dsift/fisher:components=64", to items.
Encoder fit_encoder(const std::string& recipe, Inputs items, const RepresentOptions& options = {});
/// The same for stages that learn from labels, such as a vocabulary per class.
Encoder fit_encoder(const std::string& recipe, Inputs items, std::span<const std::string> labels,
                    const RepresentOptions& options = {});

/// Throws what write_vectors() and write_gram() would throw, before any work: the file's name ends
/// in something else than .npy, .txt or .libsvm (a usage error), or it cannot be written.
void check_array_file(const std::filesystem::path& path);
/// Writes vectors to a file: .npy (float32), or .txt or .libsvm for the text format of LIBSVM, all
/// labels 0.
void write_vectors(const std::filesystem::path& path, const Vectors& vectors);

/// The kernel matrix between all items by a recipe without a classifier, such as "pmk:pyramids=3";
/// a recipe that stops at a set feature means its dot product. Stages are fitted to the items.
KernelMatrix gram(const std::string& recipe, Inputs items, const RepresentOptions& options = {});
/// The same between rows, which stages are fitted to, and columns.
KernelMatrix gram(const std::string& recipe, Inputs rows, Inputs cols,
                  const RepresentOptions& options = {});

/// A kernel that was fitted to some items, which it keeps in its own form. Immutable and
/// thread-safe; a copy shares its state.
class Kernel {
 public:
  /// The values between all items that it was fitted to: what muster::gram() gives.
  KernelMatrix training_gram(const RunOptions& options = {}) const;
  /// One row per item, one column per item that it was fitted to.
  KernelMatrix against_training(Inputs items, const RunOptions& options = {}) const;
  /// The values between all pairs of any items.
  KernelMatrix gram(Inputs items, const RunOptions& options = {}) const;
  /// The same between rows and columns.
  KernelMatrix gram(Inputs rows, Inputs cols, const RunOptions& options = {}) const;
  /// How many items it was fitted to.
  std::size_t size() const;
  /// The recipe with every option spelled out.
  std::string recipe() const;
  /// Writes the kernel to a file: completely or not at all.
  void save(const std::filesystem::path& path) const;
  /// What save() would write.
  std::vector<std::byte> bytes() const;
  /// A kernel that was saved.
  static Kernel load(const std::filesystem::path& path);
  /// The same from what bytes() gave.
  static Kernel load(std::span<const std::byte> bytes);

  /// @cond internal
  class State;
  explicit Kernel(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  /// @endcond

 private:
  std::shared_ptr<const State> state_;
};

/// Fits a recipe as gram() takes it to items, to compare others with them.
Kernel fit_kernel(const std::string& recipe, Inputs items, const RepresentOptions& options = {});

/// Writes such a matrix to a file that may be larger than memory: .npy, or .txt or .libsvm for the
/// text format of LIBSVM with precomputed kernels. Without columns it is that of all pairs of rows.
/// A .npy file is made in strips that take at most `memory_bytes`; the items come on top.
void write_gram(const std::filesystem::path& path, const std::string& recipe, Inputs rows,
                std::optional<Inputs> cols = std::nullopt, const RepresentOptions& options = {},
                std::size_t memory_bytes = std::size_t{512} << 20);

/// The local features of one picture.
struct LocalFeatures {
  Vectors vectors;  ///< one per feature
  /// Where each lies: x, y and scale, in [0, 1] of the picture. Without columns if the feature does
  /// not say.
  Vectors places;
  int width = 0;   ///< pixels per row of the picture that was looked at
  int height = 0;  ///< its rows
};

/// The features of pictures by a recipe of a feature and reductions that learn nothing, such as
/// "dsift:size=16,24/root", over threads. An item that cannot be read is a data error.
std::vector<LocalFeatures> extract_features(const std::string& recipe, Inputs items,
                                            const RepresentOptions& options = {});

/// A labelled data set on disk, as train() sees it. Names and labels only: no item is read.
struct LabelledData {
  /// Which part an item belongs to, if the data say.
  enum class Split { kNone, kTrain, kTest };
  /// A picture or a vector set.
  struct Item {
    std::string path;                 ///< of its file
    std::string name;                 ///< relative to the data set
    std::vector<std::string> labels;  ///< one, unless `multi_label`
    std::string group;                ///< items of one object share it
    Split split = Split::kNone;       ///< which part it belongs to
  };

  std::vector<Item> items;               ///< sorted by name
  std::vector<std::string> class_names;  ///< in byte order
  bool multi_label = false;              ///< whether an item may have any number of labels
  bool of_pictures = false;              ///< else of vector sets
  std::vector<std::string> notes;        ///< what was passed over, and why
};

/// The items of class folders, train and test folders, a list file or a VOC folder.
LabelledData read_dataset(const std::filesystem::path& data);

/// Which vectors of two items belong together, by a recipe that ends in pmk, vg-pmk, matching or
/// greedy. Stages are fitted to the two.
Matches match(const Input& a, const Input& b, const std::string& recipe,
              const RepresentOptions& options = {});

/// Writes the local features of a data set to a folder, for SourceOptions::features, by a recipe of
/// a feature and reductions that learn nothing, such as "dsift/root"; without one, by the feature
/// of the method fisher. What the folder has already is kept, so work that was cancelled
/// goes on; a folder made by another recipe is a usage error.
ExtractReport write_features(const std::filesystem::path& data, const std::filesystem::path& folder,
                             const std::string& recipe = "", const RepresentOptions& options = {});

/// The .npy and .npz files of a folder (or the one file given) in sorted order, without the files
/// of places that belong to them: one set each.
std::vector<std::filesystem::path> list_sets(const std::filesystem::path& folder);

}  // namespace muster
