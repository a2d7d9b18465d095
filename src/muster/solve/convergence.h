#pragma once

namespace muster {

// How far the solver of the final fit came: its Newton steps (the most of any problem) and the
// largest violation of the optimality conditions that was left, which `reached` compares with the
// tolerance.
struct Convergence {
  int steps = 0;
  double violation = 0;
  bool reached = true;
  bool operator==(const Convergence&) const = default;
};

}  // namespace muster
