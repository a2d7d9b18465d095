// Fifteen one-vs-all support vector machines on 1,500 vectors of 21,000 components: ours, with C
// given and chosen by cross-validation, beside LIBLINEAR and beside LIBSVM on a precomputed Gram.
//   svm_peers [OUT.json] [ROUNDS]
#include <cblas.h>
#include <libsvm/svm.h>
#include <linear.h>

#include <cmath>

#include "muster/classify/linear_svm.h"
#include "peers/best_openblas.h"
#include "peers/side_by_side.h"

namespace muster::bench {
namespace {

constexpr size_t kClasses = 15, kTrain = 1500, kTest = 750, kDim = 21000;
constexpr double kC = 10;

// Non-negative with a large common part, as averages of local features are; classes overlap.
Matrix<float> vectors(size_t n, uint64_t seed) {
  Matrix<float> out(n, kDim);
  const Rng classes(1);
  std::vector<std::vector<double>> centres;
  for (size_t c = 0; c < kClasses; ++c) {
    Rng rng = classes.derive(c);
    std::vector<double>& centre = centres.emplace_back(kDim);
    for (double& value : centre) value = 1 + 0.03 * rng.normal();
  }
  Rng rng(seed);
  for (size_t i = 0; i < n; ++i)
    for (size_t t = 0; t < kDim; ++t)
      out(i, t) = std::max(0.0f, static_cast<float>(centres[i % kClasses][t] + 0.5 * rng.normal()));
  return out;
}

Labels labels_of(size_t n) {
  Labels out;
  out.class_names.resize(kClasses, "");
  for (size_t i = 0; i < n; ++i) out.of_item.push_back({static_cast<int>(i % kClasses)});
  return out;
}

// What our classifier does to its vectors before it trains, so that all solve for the same C.
struct Prepared {
  std::vector<double> mean = std::vector<double>(kDim);
  double scale = 0;

  explicit Prepared(const Matrix<float>& train) {
    const auto n = static_cast<double>(train.rows());
    for (size_t i = 0; i < train.rows(); ++i)
      for (size_t t = 0; t < kDim; ++t) mean[t] += train(i, t) / n;
    double squares = 0;
    for (size_t i = 0; i < train.rows(); ++i)
      for (size_t t = 0; t < kDim; ++t)
        squares += (train(i, t) - mean[t]) * (train(i, t) - mean[t]);
    scale = std::sqrt(n / squares);
  }
  Matrix<float> apply(const Matrix<float>& rows) const {
    Matrix<float> out(rows.rows(), kDim);
    for (size_t i = 0; i < rows.rows(); ++i)
      for (size_t t = 0; t < kDim; ++t)
        out(i, t) = static_cast<float>((rows(i, t) - mean[t]) * scale);
    return out;
  }
};

using Classes = std::vector<int>;

Classes best_classes(const Matrix<double>& scores) {
  Classes out;
  for (size_t i = 0; i < scores.rows(); ++i)
    out.push_back(
        static_cast<int>(std::ranges::max_element(scores.row(i)) - scores.row(i).begin()));
  return out;
}

size_t num_equal(const Classes& a, const Classes& b) {
  size_t equal = 0;
  for (size_t i = 0; i < a.size(); ++i) equal += a[i] == b[i];
  return equal;
}

std::unique_ptr<Classifier> our_fit(const Matrix<float>& train, bool given_cost) {
  LinearSvmOptions options;
  options.calibrate = false;
  if (given_cost) options.C = kC;
  return fit_linear_svm(options, train, labels_of(kTrain), Rng(1), {});
}

class Liblinear {
 public:
  explicit Liblinear(const Matrix<float>& train) : train_(nodes(train)) {
    set_print_string_function([](const char*) {});
    for (size_t i = 0; i < kTrain; ++i) {
      rows_.push_back(&train_[i * (kDim + 2)]);
      targets_.push_back(static_cast<double>(i % kClasses));
    }
  }
  // In LIBLINEAR's layout; 1 is appended for the bias.
  static std::vector<feature_node> nodes(const Matrix<float>& rows) {
    std::vector<feature_node> out;
    out.reserve(rows.rows() * (kDim + 2));
    for (size_t i = 0; i < rows.rows(); ++i) {
      for (size_t t = 0; t < kDim; ++t) out.push_back({static_cast<int>(t + 1), rows(i, t)});
      out.push_back({static_cast<int>(kDim + 1), 1.0});
      out.push_back({-1, 0.0});
    }
    return out;
  }
  // By the dual, the faster of its two solvers here, with its own tolerance.
  void fit() {
    problem task{};
    task.l = static_cast<int>(kTrain);
    task.n = static_cast<int>(kDim + 1);
    task.y = targets_.data();
    task.x = rows_.data();
    task.bias = 1;
    parameter how{};
    how.solver_type = L2R_L2LOSS_SVC_DUAL;
    how.eps = 0.1;
    how.C = kC;
    how.p = 0.1;
    if (model_) free_and_destroy_model(&model_);
    model_ = train(&task, &how);
  }
  Classes predict(const Matrix<float>& test) const {
    const std::vector<feature_node> rows = nodes(test);
    Classes out;
    for (size_t i = 0; i < test.rows(); ++i)
      out.push_back(static_cast<int>(::predict(model_, &rows[i * (kDim + 2)])));
    return out;
  }
  ~Liblinear() {
    if (model_) free_and_destroy_model(&model_);
  }
  Liblinear(const Liblinear&) = delete;
  Liblinear& operator=(const Liblinear&) = delete;

 private:
  std::vector<feature_node> train_;
  std::vector<feature_node*> rows_;
  std::vector<double> targets_;
  model* model_ = nullptr;
};

// The Gram by OpenBLAS, then C-SVC per class.
class Libsvm {
 public:
  explicit Libsvm(const Matrix<float>& train) : train_(train) {
    svm_set_print_string_function([](const char*) {});
  }
  void fit() {
    Matrix<float> gram(kTrain, kTrain);
    cblas_ssyrk(CblasRowMajor, CblasLower, CblasNoTrans, kTrain, kDim, 1, train_.data(), kDim, 0,
                gram.data(), kTrain);
    std::vector<svm_node> nodes(kTrain * (kTrain + 1));
    std::vector<svm_node*> rows;
    for (size_t i = 0; i < kTrain; ++i) {
      svm_node* row = &nodes[i * (kTrain + 1)];
      row[0] = {0, static_cast<double>(i + 1)};
      for (size_t j = 0; j < kTrain; ++j)
        row[j + 1] = {static_cast<int>(j + 1), j <= i ? gram(i, j) : gram(j, i)};
      rows.push_back(row);
    }
    svm_parameter how{};
    how.svm_type = C_SVC;
    how.kernel_type = PRECOMPUTED;
    how.cache_size = 100;
    how.eps = 0.01;
    how.C = kC;
    how.shrinking = 1;
    for (size_t c = 0; c < kClasses; ++c) {
      std::vector<double> targets(kTrain);
      for (size_t i = 0; i < kTrain; ++i) targets[i] = i % kClasses == c ? 1 : -1;
      svm_problem task{static_cast<int>(kTrain), targets.data(), rows.data()};
      svm_model* trained = svm_train(&task, &how);
      const double sign = trained->label[0];
      std::ranges::fill(coefficients_.row(c), 0.0f);
      for (int s = 0; s < trained->l; ++s)
        coefficients_(c, static_cast<size_t>(trained->sv_indices[s] - 1)) =
            static_cast<float>(sign * trained->sv_coef[0][s]);
      offsets_[c] = -sign * trained->rho[0];
      svm_free_and_destroy_model(&trained);
    }
  }
  Classes predict(const Matrix<float>& test) const {
    Matrix<double> scores(test.rows(), kClasses);
    for (size_t i = 0; i < test.rows(); ++i) {
      std::ranges::copy(offsets_, scores.row(i).begin());
      for (size_t j = 0; j < kTrain; ++j) {
        const double product = cblas_sdot(kDim, test.row(i).data(), 1, train_.row(j).data(), 1);
        for (size_t c = 0; c < kClasses; ++c) scores(i, c) += coefficients_(c, j) * product;
      }
    }
    return best_classes(scores);
  }

 private:
  const Matrix<float>& train_;
  Matrix<float> coefficients_{kClasses, kTrain};
  std::vector<double> offsets_ = std::vector<double>(kClasses);
};

}  // namespace

void race(Record& record, const Arguments& args) {
  restart_with_best_openblas(args);
  const int rounds = args.rounds_or(3);
  const Matrix<float> train = vectors(kTrain, 2), test = vectors(kTest, 3);
  const Prepared prepared(train);
  const Matrix<float> prepared_train = prepared.apply(train), prepared_test = prepared.apply(test);
  std::unique_ptr<Classifier> ours;
  Liblinear liblinear(prepared_train);
  Libsvm libsvm(prepared_train);
  record.race({"one-vs-all SVMs", "15 classes, 1,500 vectors of 21,000 components", "training"},
              {{"muster linear-svm", [&] { ours = our_fit(train, true); }, Role::kOurs},
               {"Gram (OpenBLAS) and LIBSVM", [&] { libsvm.fit(); }, Role::kPeer},
               {"LIBLINEAR, dual", [&] { liblinear.fit(); }, Role::kPeer},
               {"muster, C by 10-fold cross-validation", [&] { our_fit(train, false); }}},
              rounds);
  const Classes truth = [] {
    Classes out(kTest);
    for (size_t i = 0; i < kTest; ++i) out[i] = static_cast<int>(i % kClasses);
    return out;
  }();
  const Classes mine = best_classes(ours->scores(test)), theirs = liblinear.predict(prepared_test),
                gram = libsvm.predict(prepared_test);
  const size_t same = num_equal(mine, theirs), right = num_equal(mine, truth),
               gram_right = num_equal(gram, truth);
  // LIBSVM's loss is the hinge, not its square.
  record.agree(same >= kTest * 98 / 100 && right + kTest / 50 >= gram_right,
               std::to_string(same) + " of 750 held-out labels equal LIBLINEAR's; right: muster " +
                   std::to_string(right) + ", LIBLINEAR " +
                   std::to_string(num_equal(theirs, truth)) + ", LIBSVM " +
                   std::to_string(gram_right));
  record.compare_threads([&] { ours = our_fit(train, true); },
                         [&] { return bytes_of(ours->scores(test).values()); }, rounds);
}

}  // namespace muster::bench
