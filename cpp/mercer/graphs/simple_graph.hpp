// A graph as kernels of subgraphs see it: undirected, without loops, nodes numbered by ascending degree.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mercer/graphs/graph_list.hpp"

namespace mercer {

// Labels that tell nodes and arcs of a list apart; null where they are not looked at.
struct GraphLabels {
  const std::uint64_t* nodes = nullptr;
  const std::uint64_t* arcs = nullptr;

  bool any() const { return nodes || arcs; }
};

// Neighbours ascend. Because nodes of higher degree have higher numbers, every node has at most √(2m) neighbours above it,
// and Σ over edges u < v of the degree of u is O(m · arboricity) (Chiba and Nishizeki 1985).
struct SimpleGraph {
  std::int32_t n = 0;
  std::vector<std::int64_t> start;  // n + 1: where the neighbours of each node begin
  std::vector<std::int64_t> above;  // where those begin that have a higher number than the node
  std::vector<std::int32_t> to;
  std::vector<std::int32_t> original;      // the node of the list that each node is, numbered within its graph
  std::vector<std::uint64_t> node_labels;  // empty if they are not looked at
  std::vector<std::uint64_t> edge_labels;  // of each entry of `to`; empty if they are not looked at

  std::span<const std::int32_t> neighbors(std::int32_t v) const { return {to.data() + start[at(v)], to.data() + start[at(v) + 1]}; }
  std::span<const std::int32_t> higher(std::int32_t v) const { return {to.data() + above[at(v)], to.data() + start[at(v) + 1]}; }
  std::int64_t degree(std::int32_t v) const { return start[at(v) + 1] - start[at(v)]; }
  std::int64_t edges() const { return static_cast<std::int64_t>(to.size()) / 2; }
  // Place of v among the neighbours of u, −1 if there is no edge; O(log degree).
  std::int64_t edge(std::int32_t u, std::int32_t v) const;

  // Reads graph g of the list: the directions of arcs and loops are dropped. Labels of arcs need undirected graphs.
  // Vectors keep their capacity, so that one object serves many graphs. O(nodes + arcs).
  void read(const GraphList& graphs, std::int64_t g, const GraphLabels& labels);

 private:
  static std::size_t at(std::int32_t v) { return static_cast<std::size_t>(v); }
  std::vector<std::int64_t> begin_, fill_;  // scratch: neighbours in the numbering of the list
  std::vector<std::int32_t> lists_, rank_;
  std::vector<std::int64_t> arcs_;
};

}  // namespace mercer
