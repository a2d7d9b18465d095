// Small problems that kernels between sets solve for every pair or once per kernel: the pyramid
// match, the best one-to-one matching (LEMON, scipy), the quadratic programme of kernel weights
// (dlib).
//   pair_peers [OUT.json] [ROUNDS]
#include <dlib/matrix.h>
#include <dlib/optimization/optimization_solve_qp_using_smo.h>
#include <lemon/network_simplex.h>
#include <lemon/smart_graph.h>

#include <cmath>

#include "muster/core/rng.h"
#include "muster/kernelweights/simplex_qp.h"
#include "muster/matching/assignment.h"
#include "peers/best_openblas.h"
#include "peers/python_peer.h"
#include "pmk/clustered_sets.h"

namespace muster::bench {
namespace {

void race_pyramid_match(Record& record, int rounds) {
  constexpr size_t kSets = 500;
  const std::vector<VectorSet> sets = clustered_sets(kSets, 1140);
  const auto kernel = pyramid_match(sets);
  Represented represented;
  for (const VectorSet& set : sets) represented.push_back(kernel->represent(set));
  Matrix<double> gram(kSets, kSets);
  const auto ours = [&] { kernel->gram(represented, represented, gram, {}); };
  record.race({"pmk Gram", "500 sets of 1,140 points in 12 dimensions, every pair once", "pair",
               kSets * (kSets + 1) / 2},
              {{"muster pmk", ours, Role::kOurs}}, rounds);
  // LIBPMK is not packaged; its figure was given to us from another machine.
  record.note("quoted", {{{"name", "LIBPMK"}, {"seconds_per_unit", 0.088e-3}}});
  record.compare_threads(
      ours, [&] { return bytes_of(gram.values()); }, rounds);
}

constexpr size_t kSide = 100, kProblems = 20;

// Distances between points in a square.
std::vector<Matrix<double>> matching_problems() {
  std::vector<Matrix<double>> out;
  Rng rng(1);
  for (size_t p = 0; p < kProblems; ++p) {
    Matrix<double> a(kSide, 2), b(kSide, 2), &costs = out.emplace_back(kSide, kSide);
    for (double& value : a.values()) value = rng.uniform();
    for (double& value : b.values()) value = rng.uniform();
    for (size_t i = 0; i < kSide; ++i)
      for (size_t j = 0; j < kSide; ++j)
        costs(i, j) = std::hypot(a(i, 0) - b(j, 0), a(i, 1) - b(j, 1));
  }
  return out;
}

double lemon_cost(const Matrix<double>& costs) {
  lemon::SmartDigraph graph;
  graph.reserveNode(2 * kSide);
  graph.reserveArc(kSide * kSide);
  for (size_t v = 0; v < 2 * kSide; ++v) graph.addNode();
  lemon::SmartDigraph::ArcMap<double> cost(graph);
  lemon::SmartDigraph::NodeMap<int> supply(graph);
  for (size_t i = 0; i < kSide; ++i) {
    supply[graph.nodeFromId(static_cast<int>(i))] = 1;
    supply[graph.nodeFromId(static_cast<int>(kSide + i))] = -1;
    for (size_t j = 0; j < kSide; ++j)
      cost[graph.addArc(graph.nodeFromId(static_cast<int>(i)),
                        graph.nodeFromId(static_cast<int>(kSide + j)))] = costs(i, j);
  }
  lemon::NetworkSimplex<lemon::SmartDigraph, int, double> simplex(graph);
  simplex.costMap(cost).supplyMap(supply).run();
  return simplex.totalCost();
}

double our_cost(const Matrix<double>& costs) {
  double sum = 0;
  const std::vector<size_t> column = optimal_assignment(costs);
  for (size_t i = 0; i < kSide; ++i) sum += costs(i, column[i]);
  return sum;
}

void race_matching(Record& record, int rounds) {
  const std::vector<Matrix<double>> problems = matching_problems();
  std::vector<double> all;
  for (const Matrix<double>& problem : problems)
    all.insert(all.end(), problem.values().begin(), problem.values().end());
  const DataFile file(all);
  const auto scipy = std::make_shared<PythonPeer>(std::vector<std::string>{
      "matching", file.path(), std::to_string(kProblems), std::to_string(kSide)});
  double ours = 0, lemon = 0;
  const auto sum = [&](double (*cost)(const Matrix<double>&)) {
    double total = 0;
    for (const Matrix<double>& problem : problems) total += cost(problem);
    return total;
  };
  record.race({"matching", "best one-to-one matching of 100 and 100 points", "matching", kProblems},
              {{"muster optimal_assignment", [&] { ours = sum(our_cost); }, Role::kOurs},
               {"LEMON network simplex", [&] { lemon = sum(lemon_cost); }, Role::kPeer},
               python("scipy linear_sum_assignment", scipy)},
              4 * rounds);
  const double worst = std::max(std::abs(ours - lemon), std::abs(ours - scipy->result())) / ours;
  record.agree(worst < 1e-9, "largest relative difference of the cost " + rounded(worst, 2));
}

constexpr size_t kKernels = 21;
constexpr int kPrograms = 100;

double objective(const Matrix<double>& quadratic, const std::vector<double>& linear,
                 const std::vector<double>& u) {
  double value = 0;
  for (size_t i = 0; i < kKernels; ++i) {
    value -= 2 * linear[i] * u[i];
    for (size_t j = 0; j < kKernels; ++j) value += u[i] * quadratic(i, j) * u[j];
  }
  return value;
}

void race_quadratic_programme(Record& record, int rounds) {
  Rng rng(1);
  Matrix<double> factor(kKernels, 40), quadratic(kKernels, kKernels);
  for (double& value : factor.values()) value = rng.uniform();
  std::vector<double> linear(kKernels);
  dlib::matrix<double> dlib_quadratic(kKernels, kKernels), dlib_linear(kKernels, 1), alpha;
  for (size_t i = 0; i < kKernels; ++i) {
    for (size_t j = 0; j < kKernels; ++j) {
      for (size_t k = 0; k < factor.cols(); ++k)
        quadratic(i, j) += factor(i, k) * factor(j, k) / 40;
      dlib_quadratic(static_cast<long>(i), static_cast<long>(j)) = quadratic(i, j);
    }
    dlib_linear(static_cast<long>(i)) = linear[i] = 0.3 + 0.1 * rng.uniform();
  }
  std::vector<double> ours;
  const auto smo = [&] {
    for (int i = 0; i < kPrograms; ++i) {
      alpha = dlib::ones_matrix<double>(kKernels, 1) / static_cast<double>(kKernels);
      dlib::solve_qp_using_smo(dlib_quadratic, dlib_linear, alpha, 1e-6, 100000UL);
    }
  };
  record.race({"simplex QP", "kernel weights, 21 variables", "programme", kPrograms},
              {{"muster solve_simplex_qp",
                [&] {
                  for (int i = 0; i < kPrograms; ++i) ours = solve_simplex_qp(quadratic, linear);
                },
                Role::kOurs},
               {"dlib solve_qp_using_smo, gap 1e-6", smo, Role::kPeer}},
              4 * rounds);
  const std::vector<double> theirs(alpha.begin(), alpha.end());
  const double difference =
      objective(quadratic, linear, ours) - objective(quadratic, linear, theirs);
  record.agree(std::abs(difference) < 1e-5, "our objective less dlib's " + rounded(difference, 2));
}

}  // namespace

void race(Record& record, const Arguments& args) {
  restart_with_best_openblas(args);
  const int rounds = args.rounds_or(5);
  race_pyramid_match(record, rounds);
  race_matching(record, rounds);
  race_quadratic_programme(record, rounds);
}

}  // namespace muster::bench
