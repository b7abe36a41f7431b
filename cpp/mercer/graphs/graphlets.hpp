// Graphlets: how many sets of k nodes induce a subgraph of each isomorphism class.
//
// Exact without labels: formulas for k = 2, 3, 4 (graphlets_counts), for k = 5 an enumeration (graphlets_walk). With labels
// of nodes or edges as a part of the class, an enumeration for k ≤ 5. Sampled, for k ≤ 8: T sets of k nodes are drawn
// uniformly and independently, and hits / T · C(n, k) estimates a count without bias; the stream of random numbers depends
// on the graph and the seed only. A graph with at most T sets of nodes is counted exactly instead.
//
// Keys are those of classes (graphlets_form): stable, and the same in every list of graphs.
#pragma once

#include <cstdint>
#include <vector>

#include "mercer/gram/pairwise.hpp"
#include "mercer/graphs/simple_graph.hpp"

namespace mercer {

struct GraphletRule {
  int k = 3;
  bool connected = true;
  GraphLabels labels;
  std::int64_t samples = 0;  // T; 0 counts exactly
  std::uint64_t seed = 0;
  double most_steps = 1e18;  // of an enumeration in one graph
};

struct GraphletRows {
  std::vector<std::int64_t> indptr;
  std::vector<std::uint64_t> keys;     // ascending within a row, each once
  std::vector<double> counts;          // hits where sets were drawn; exact below 2⁵³
  std::vector<std::int32_t> examples;  // with labels: k nodes for every entry, in canonical order
  std::vector<double> sets;            // C(n, k) of each graph
  std::vector<std::int64_t> drawn;     // sets that were drawn from each graph, 0 if it was counted exactly
  std::int64_t refused = -1;           // a graph whose enumeration would take more steps than allowed; nothing else is set then
  double steps = 0;                    // that it would take
};

GraphletRows graphlet_rows(const GraphList& graphs, const GraphletRule& rule, const Execution& execution);

}  // namespace mercer
