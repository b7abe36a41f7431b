// Random graphs in the arrays that the core reads.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "mercer/graphs/graph_list.hpp"
#include "reference.hpp"

namespace reference {

struct Graphs {
  bool directed = false;
  std::vector<std::int64_t> offsets{0}, indptr{0};
  std::vector<std::int32_t> neighbors;
  std::vector<std::uint64_t> labels, bonds;
  std::vector<double> weights;  // quarters, so that sums are exact; the same in both directions

  void add(const std::vector<std::set<std::int32_t>>& arcs, Random& random) {
    for (std::size_t v = 0; v < arcs.size(); ++v) {
      for (const std::int32_t u : arcs[v]) {
        neighbors.push_back(u);
        bonds.push_back(random() % 2);
        weights.push_back(0.25 * static_cast<double>((static_cast<std::size_t>(u) + v) % 4));
      }
      indptr.push_back(static_cast<std::int64_t>(neighbors.size()));
      labels.push_back(random() % 2);
    }
    offsets.push_back(static_cast<std::int64_t>(labels.size()));
  }
  mercer::GraphList list() const {
    return {static_cast<std::int64_t>(offsets.size()) - 1, directed, offsets.data(), indptr.data(), neighbors.data()};
  }
};

inline Graphs random_graphs(std::int64_t n, bool directed) {
  Random random(directed);
  Graphs graphs;
  graphs.directed = directed;
  for (std::int64_t g = 0; g < n; ++g) {
    const auto nodes = static_cast<std::size_t>(random() % (g % 50 == 0 ? 60 : 8));
    std::vector<std::set<std::int32_t>> arcs(nodes);
    for (std::size_t e = 0; nodes && e < 2 * nodes * (g % 50 == 0 ? 20 : 1); ++e) {
      const auto u = static_cast<std::size_t>(random() % nodes), v = static_cast<std::size_t>(random() % nodes);
      arcs[u].insert(static_cast<std::int32_t>(v));
      if (!directed) arcs[v].insert(static_cast<std::int32_t>(u));
    }
    graphs.add(arcs, random);
  }
  return graphs;
}

}  // namespace reference
