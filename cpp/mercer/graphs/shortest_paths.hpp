// Shortest paths between all nodes of a graph, and their ends as features.
//
// The feature (a, b, d) of a graph counts the ordered pairs (u, v), u ≠ v, with label a at u, label b at v and distance
// d(u, v) = d < ∞. Without labels the feature is d alone, and its key the bits of d. Distances are numbers of arcs, or sums
// of weights ≥ 0 added up from u to v, minimal as floating-point numbers; they are equal if they are equal to the bit.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mercer/graphs/graph_view.hpp"
#include "mercer/items/keyed_rows.hpp"

namespace mercer {

// Distances from one node at a time; keeps its memory from one source to the next.
class Distances {
 public:
  struct Reached {
    std::int32_t node;
    double distance;
  };
  // The nodes that can be reached from a node, itself first, in order of distance: breadth first, or Dijkstra's order if
  // the graph has weights.
  std::span<const Reached> from(const GraphView& graph, std::int32_t source);

 private:
  void breadth_first(const GraphView& graph, std::int32_t source);
  void dijkstra(const GraphView& graph, std::int32_t source);

  std::vector<Reached> reached_, heap_;
  std::vector<double> best_;
};

// Labels of nodes are read if the graphs have them, and weights likewise.
KeyedRows keyed_paths(const CarryingGraphs& graphs, const Execution& execution);

// Ends (numbered over all graphs) and length of a path that has a wanted key; −1 if there is none.
struct FoundPath {
  std::int64_t first, last;
  double distance;
};
std::vector<FoundPath> find_paths(const CarryingGraphs& graphs, std::span<const std::uint64_t> wanted, const Cancelled& cancelled);

}  // namespace mercer
