// Many dual problems over one matrix: the machines of a multiclass classifier, folds, values of C.
#pragma once

#include <cstdint>
#include <vector>

#include "mercer/dual/dual.hpp"

namespace mercer {

// One problem on some of the samples.
struct Machine {
  Rows members;  // rows of the matrix, one per variable
  DualProblem problem;
  double* beta;
};

// Solves all of them, side by side if the source allows it. K is computed once if it fits in the cache, else by each machine for itself.
std::vector<DualResult> solve_machines(RowSource& source, const std::vector<Machine>& machines, const DualOptions& options);

}  // namespace mercer
