// One graph of many, with what its nodes and arcs carry.
#pragma once

#include <cstdint>
#include <span>

#include "mercer/graphs/graph_list.hpp"

namespace mercer {

struct GraphView {
  std::int64_t n;
  const std::int64_t* indptr;  // node v has the arcs indptr[v], …, indptr[v + 1] − 1
  const std::int32_t* neighbors;
  const std::uint64_t* node_labels;  // from the first node of this graph on; null if they do not count
  const std::uint64_t* edge_labels;  // of all arcs, as `neighbors`; null if they do not count
  const double* weights;             // likewise; null if all are 1

  std::span<const std::int32_t> row(std::int64_t v) const { return {neighbors + indptr[v], static_cast<std::size_t>(indptr[v + 1] - indptr[v])}; }
};

struct CarryingGraphs {
  const GraphList& list;
  const std::uint64_t* node_labels = nullptr;
  const std::uint64_t* edge_labels = nullptr;
  const double* weights = nullptr;

  GraphView operator[](std::int64_t i) const {
    const std::int64_t first = list.offsets[i];
    return {list.nodes(i), list.indptr + first, list.neighbors, node_labels ? node_labels + first : nullptr, edge_labels, weights};
  }
};

}  // namespace mercer
