// A Newton step on the free variables of a dual problem: where pairs would creep, one linear system arrives.
#pragma once

#include <cstdint>
#include <vector>

#include "mercer/dual/dual.hpp"

namespace mercer {

// The free variables of β and the system they form.
struct FreeSystem {
  std::vector<std::int64_t> free;  // ascending
  std::vector<double> kernel;      // K over them, row-major; used up by `newton_step`
  std::vector<double> slope;       // gradient plus kink of each
};

std::vector<std::int64_t> free_variables(const DualProblem& problem, const double* beta);
double kink_slope(const DualProblem& problem, std::int64_t t, double beta);

struct NewtonReport {
  bool indefinite = false;  // K has a negative eigenvalue over the free variables
  bool moved = false;
  bool exact = false;  // the whole step was taken: the slopes of the free variables are now equal
};

// Moves β towards where the slopes are equal over each group, everything else held fast. What would leave its box (or cross
// its kink) stops there, the sums of the groups are kept, and the step is as long as it lowers the objective most. Nothing that
// stands at a bound moves. Pivots below `zero` of the largest count as zero.
NewtonReport newton_step(const DualProblem& problem, FreeSystem& system, double* beta, double zero, const Execution& execution);

}  // namespace mercer
