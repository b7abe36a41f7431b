// A start for large problems: the solution of a sample tells where almost every variable will end.
#pragma once

#include "mercer/dual/dual.hpp"

namespace mercer {

// Solves the problem on a sample whose members stand for n/m variables each, then moves every variable to the end of its box
// that the sample's gradient points to, and mends the sums of the groups where it costs least. β stays feasible.
// Returns the pair steps that were spent.
std::int64_t sample_start(RowSource& source, const DualProblem& problem, double* beta, const DualOptions& options, std::int64_t m);

}  // namespace mercer
