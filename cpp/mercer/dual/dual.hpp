// The dual problem of the support vector family, in signed coefficients β = yα:
//
//     minimise  ½ βᵀKβ + qᵀβ + Σ kink_t |β_t|    subject to    lower ≤ β ≤ upper,   Σ_{t in g} β_t fixed for each group g.
//
// The problem min ½αᵀQα + pᵀα with Q_ij = y_i y_j K_ij and yᵀα = Δ is this one with q = yp and the box of yα. Regression
// needs one variable per sample: the kink is ε. The ν form has two groups, the samples before `split` and the rest.
// Where it starts fixes the sums: β must be feasible.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

#include "mercer/rows/row_source.hpp"
#include "mercer/runtime/progress.hpp"

namespace mercer {

struct DualProblem {
  std::int64_t n = 0;
  const double *linear = nullptr, *lower = nullptr, *upper = nullptr;
  const double* kink = nullptr;  // ≥ 0, or null
  std::int64_t split = 0;        // first variable of the second group; n if there is one group
};

struct DualOptions {
  double tol = 1e-3;           // of the largest KKT violation
  std::int64_t max_iter = -1;  // pair steps; negative: max(10⁷, 1000 n), which only hopeless problems reach
  std::int64_t cache_bytes = 200 << 20;
  std::int64_t working_set = 2048;
  std::int64_t most_polished = 0;  // free variables up to which their system is solved exactly; 0: never
  bool shrinking = true;
  bool sampling = true;  // large problems that start at zero start from the solution of a sample
  bool widening = true;  // problems with wide boxes that start at zero are solved in narrower ones first
  Execution execution;
  Progress* progress = nullptr;

  // With a limit where the user gave none: one that only hopeless problems reach.
  DualOptions bounded(std::int64_t n, std::int64_t iterations = 0) const {
    DualOptions options = *this;
    if (max_iter < 0) options.max_iter = iterations + std::max<std::int64_t>(10'000'000, 1000 * n);
    return options;
  }
  // Whether the steps are used up, or somebody has asked to end.
  bool exhausted(std::int64_t iterations) const { return (max_iter >= 0 && iterations >= max_iter) || (progress && progress->halted()); }
};

enum class DualStatus : std::int32_t {
  converged,
  max_iter,
  not_psd,    // the tolerance is met, but a direction of negative curvature was seen
  precision,  // rounding of the gradient does not allow the tolerance
};

struct DualResult {
  std::vector<double> gradient;  // Kβ + q: in double where β ≠ 0 or where it decides the stop test, else as exact as the rows
  double bias[2] = {0, 0};       // multiplier of each group: gradient + kinks + bias = 0 at free variables
  double objective = 0;          // at β
  double gap = 0;                // objective minus a lower bound of the optimum, for PSD K
  double violation = 0;          // max over I_up, min over I_low; at most 0 is optimal
  std::int64_t iterations = 0, rounds = 0, free = 0;
  bool polished = false;
  DualStatus status = DualStatus::converged;
};

// Solves from β (n numbers, feasible), in place. Throws Interrupted.
DualResult solve_dual(RowSource& source, const DualProblem& problem, double* beta, const DualOptions& options);

// The slopes of the objective in both directions of every variable, infinite where a bound is in the way:
// rise = gradient + kink slope upwards, fall = the same downwards.
struct Slopes {
  std::vector<double> rise, fall;
  Slopes(const DualProblem& problem, const double* beta, const double* gradient);
  // After variable t has come to β; its gradient is taken from the slopes as they are.
  void refresh(const DualProblem& problem, std::int64_t t, double before, double beta);
};

// Extremes over one group; its violation is high − low.
Extremes extremes(const DualProblem& problem, const Slopes& slopes, int group);
double violation(const DualProblem& problem, const Slopes& slopes);
bool is_free(const DualProblem& problem, std::int64_t t, double beta);

}  // namespace mercer
