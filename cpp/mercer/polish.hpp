// The end of a dual solution: the linear system of the free variables, solved exactly.
#pragma once

#include <cstdint>
#include <vector>

#include "mercer/dual.hpp"

namespace mercer {

enum class Polish { done, indefinite, failed };

// Moves the free variables of β to where the gradient plus kinks is the same over each group, the others held fast. What would
// leave its box stops at the bound, and the rest is solved again. Nothing at a bound becomes free. β stays feasible; if the
// system does not settle, β is left as it was.
Polish polish(RowSource& source, const DualProblem& problem, double* beta, const Execution& execution);

}  // namespace mercer
