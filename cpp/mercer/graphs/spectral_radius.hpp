// Upper bounds of spectral radii of adjacency matrices, certified and close.
//
// For a matrix A ≥ 0 and any vector w > 0, ρ(A) ≤ max_i (Aw)_i / w_i (Collatz and Wielandt), and ρ(A) is the largest of the
// radii of the strongly connected components, for each of which the bound tends to it as w follows the power method.
#pragma once

#include <vector>

#include "mercer/gram/pairwise.hpp"
#include "mercer/graphs/graph_view.hpp"

namespace mercer {

// An upper bound for each graph; weights must be ≥ 0.
std::vector<double> spectral_radii(const CarryingGraphs& graphs, const Execution& execution);

}  // namespace mercer
