// The GraphHopper kernel: pairs of shortest paths of equal length, node by node.
//
//   k = Σ κ(π_i, π'_i) over shortest paths π, π' with equally many nodes and places i along them
//     = Σ_{v, v'} κ(v, v') ⟨M(v), M(v')⟩,   M(v)_{ij} = number of shortest paths of length j with v at place i, 0 ≤ i ≤ j
//
// From every root s, breadth-first search makes the graph of shortest paths. Node v at depth i is reached by σ(v) paths, the
// sum of those of its predecessors, and D_r(v) paths of r more arcs go on from it, D_0 = 1 and D_r(v) = Σ D_{r−1}(w) over its
// successors w. So the paths from s add σ(v) D_r(v) to M(v)_{i, i+r}; O(n m δ) for all roots, δ the longest length.
// (Feragen, Kasenburg, Petersen, de Bruijne & Borgwardt 2013.)
#pragma once

#include "mercer/graphs/attributed.hpp"

namespace mercer {

// Number of nodes of the longest shortest path of each graph.
std::vector<std::int64_t> longest_paths(const CarryingGraphs& graphs, const Execution& execution);

class GraphHopper : public AttributedGraphs {
 public:
  GraphHopper(const CarryingGraphs& graphs, const double* attributes, std::int64_t width, const Execution& execution);
  double value(std::int64_t i, const AttributedGraphs& other, std::int64_t j, std::span<double> kappa, NodeWorkspace& workspace) const override;

 private:
  struct Places {
    std::int64_t width = 0;      // δ(δ + 1) / 2 for δ nodes of the longest path
    std::vector<double> counts;  // M(v)_{ij} at [v·width + j(j + 1)/2 + i]: shorter paths first, whatever the longest
  };
  std::vector<Places> graphs_;
};

}  // namespace mercer
