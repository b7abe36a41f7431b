// Propagation of numbers along the arcs of graphs: x ← T x with (Tx)_v the mean of x over the successors of v, weighted if
// arcs have weights ≥ 0, and x_v itself if it has none (or none of positive weight).
#pragma once

#include "mercer/gram/pairwise.hpp"
#include "mercer/graphs/graph_view.hpp"

namespace mercer {

// values is levels × (number of nodes): level t becomes T^t of what it was. Means are summed in order of size, so that they
// do not depend on the order of nodes.
void propagate(const CarryingGraphs& graphs, double* values, std::int64_t levels, const Execution& execution);

}  // namespace mercer
