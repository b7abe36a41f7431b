// The shortest path kernel with a kernel of nodes:
//
//   k = Σ κ(u, u') κ(v, v') over ordered pairs u ≠ v, u' ≠ v' with d(u, v) = d(u', v') < ∞
//
// For one distance let P and P' be the 0/1 matrices of the pairs: k is the sum over distances of ⟨P (κ P'ᵀ), κ⟩. Every pair of
// nodes has one distance, so that all products together take O(n n'(n + n')).
#pragma once

#include "mercer/graphs/attributed.hpp"

namespace mercer {

class AttributedPaths : public AttributedGraphs {
 public:
  // Nodes with different labels are not compared if there are labels; distances count weights if there are any.
  AttributedPaths(const CarryingGraphs& graphs, const double* attributes, std::int64_t width, const Execution& execution);
  double value(std::int64_t i, const AttributedGraphs& other, std::int64_t j, std::span<double> kappa, NodeWorkspace& workspace) const override;

 private:
  struct Group {  // nodes at one distance from a node
    double distance;
    std::int32_t node;
    std::int64_t first, last;
  };
  struct Paths {
    std::vector<std::uint64_t> labels;
    std::vector<Group> groups;  // by distance, then by node
    std::vector<std::int32_t> ends;
  };
  std::vector<Paths> graphs_;
};

}  // namespace mercer
