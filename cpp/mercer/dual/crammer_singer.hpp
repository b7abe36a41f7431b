// The multiclass support vector machine of Crammer & Singer (2001, jmlr.org/papers/v2/crammer01a.html), without bias. One
// coefficient per sample and class; its dual, in the signs of the decision values f_m(x) = Σ_i β_im k(x_i, x):
//
//     minimise  ½ Σ_m β_mᵀ K β_m + Σ_im e_im β_im    subject to    Σ_m β_im = 0,   β_im ≤ C_i [m = y_i],
//
// where e_im = 1 − [m = y_i]. The optimum is minus that of the primal ½ Σ_m ‖w_m‖² + Σ_i C_i max_m (e_im + f_m(x_i) − f_{y_i}(x_i)).
#pragma once

#include <cstdint>

#include "mercer/dual/dual.hpp"

namespace mercer {

struct CrammerSingerProblem {
  std::int64_t n = 0, classes = 0;
  const std::int64_t* label = nullptr;  // y_i, 0 ≤ y_i < classes
  const double* bound = nullptr;        // C_i, positive and finite
};

struct CrammerSingerResult {
  double objective = 0;         // at β
  double gap = 0;               // objective plus that of the primal at the same w: what β can be above the optimum, for PSD K
  double violation = 0;         // max over samples of max_m G_im − min {G_im : β_im below its bound}, G = Kβ + e
  std::int64_t iterations = 0;  // steps, of one sample each
  DualStatus status = DualStatus::converged;
};

// Solves from β (n × classes, by rows, feasible up to rounding), in place. The result is feasible to the bit: every row sums
// to zero in any order. Of the options, max_iter counts steps of one sample, working_set counts samples; polishing, shrinking
// and sampling do not apply. Throws Interrupted, and std::invalid_argument if the problem is none.
CrammerSingerResult solve_crammer_singer(RowSource& source, const CrammerSingerProblem& problem, double* beta, const DualOptions& options);

}  // namespace mercer
