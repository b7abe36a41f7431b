// Support vector machines on explicit features F (n × r), K = FFᵀ: dual coordinate descent with a certificate.
//
//     minimise  ½ ‖Fᵀβ‖² + qᵀβ + Σ kink_t |β_t|    subject to    lower ≤ β ≤ upper,   Σ_t β_t = s,
//
// the problem of dual.hpp with one group; s is the sum of the start. The unpenalised bias b of the primal is the multiplier of
// the sum. It is found by the method of multipliers: a pass of coordinate steps lowers the augmented Lagrangian, in which the
// sum may be off by σ,
//
//     L(β; b) = ½ ‖Fᵀβ − σμ‖² + qᵀβ + Σ kink_t |β_t| + bσ + ½ρσ²,    σ = Σβ − s,
//
// and b += ρσ follows; ρ doubles while σ falls slowly. μ is the mean row: where σ = 0 it changes nothing, and steps are longer
// because the curvature of a coordinate, ‖f_t − μ‖² + ρ, is smaller than ‖f_t‖². One step reads one row and costs O(r). If
// several certificates in a row bring no progress, b moves only after passes whose largest step shows that L is minimised to an
// accuracy relative to ρσ, as in the inexact method of multipliers (Rockafellar 1976).
//
// A variable that stayed at a bound (or at its kink) in several visits is visited more and more rarely, yet at least every 32
// passes: no variable is ever left out, so the passes stay essentially cyclic, for which coordinate descent converges.
//
// The certificate is a true duality gap. The sum is mended first, so that β is feasible; the passes later go on from where they
// were. Then every slope is computed in double, and the primal value at w = Fᵀβ is taken with its best bias, found by sorting
// the breakpoints of a piecewise linear function.
//
// w is kept in double: steps do not blur it, so that a certificate needs one pass over the rows, and reading rows takes longer
// than the conversion of their numbers.
#pragma once

#include <cstdint>
#include <vector>

#include "mercer/dual/dual.hpp"

namespace mercer {

// Rows of features, read where they are.
template <class T>
struct FeatureRows {
  const T* data = nullptr;
  std::int64_t stride = 0, n = 0, r = 0;
  const T* operator[](std::int64_t i) const { return data + i * stride; }
};

// One problem on some of the rows: `members` has the row of each variable. One group only: problem.split is not read.
struct FeatureMachine {
  Rows members;
  DualProblem problem;
  double* beta;  // feasible at the start, replaced by the solution
};

struct FeatureOptions {
  double tol = 1e-3;           // of the gap, relative to the larger modulus of the primal and the dual value
  std::int64_t max_iter = -1;  // passes; negative: 10 000, a safety limit
  std::uint64_t seed = 0;      // of the order of the steps
  Execution execution;
  Progress* progress = nullptr;
};

struct FeatureResult {
  std::vector<double> weights;   // w = Fᵀβ
  std::vector<double> gradient;  // Fw + q over the members
  double bias = 0;               // the best one for w
  double objective = 0;          // at β
  double gap = 0;                // objective minus a lower bound of the optimum
  double violation = 0;          // as in DualResult
  std::int64_t iterations = 0;   // passes
  std::int64_t steps = 0;        // visits of a variable
  std::int64_t free = 0;
  DualStatus status = DualStatus::converged;
};

// Solves all machines, one thread each; a single one computes its certificate with all threads. Results do not depend on the
// number of threads. Throws Interrupted.
template <class T>
std::vector<FeatureResult> solve_on_features(const FeatureRows<T>& features, const std::vector<FeatureMachine>& machines,
                                             const FeatureOptions& options);

}  // namespace mercer
