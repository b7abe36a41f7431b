// Many graphs in compressed rows.
#pragma once

#include <cstdint>

namespace mercer {

// Graph i has the nodes offsets[i], …, offsets[i+1]−1; node v has the arcs indptr[v], …, indptr[v+1]−1, each to the node
// neighbors[a] of the same graph, counted from its first. Neighbours ascend, each once. Graphs that are not directed have
// every arc in both directions, loops once.
struct GraphList {
  std::int64_t n = 0;  // graphs
  bool directed = false;
  const std::int64_t* offsets = nullptr;
  const std::int64_t* indptr = nullptr;
  const std::int32_t* neighbors = nullptr;

  std::int64_t nodes() const { return offsets[n]; }
  std::int64_t arcs() const { return indptr[nodes()]; }
  std::int64_t nodes(std::int64_t graph) const { return offsets[graph + 1] - offsets[graph]; }
  std::int64_t degree(std::int64_t node) const { return indptr[node + 1] - indptr[node]; }
};

}  // namespace mercer
