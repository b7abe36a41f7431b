#include "mercer/graphs/simple_graph.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace mercer {

std::int64_t SimpleGraph::edge(std::int32_t u, std::int32_t v) const {
  const auto list = neighbors(u);
  const auto found = std::lower_bound(list.begin(), list.end(), v);
  return found != list.end() && *found == v ? start[at(u)] + (found - list.begin()) : -1;
}

void SimpleGraph::read(const GraphList& graphs, std::int64_t g, const GraphLabels& labels) {
  const std::int64_t base = graphs.offsets[g];
  n = static_cast<std::int32_t>(graphs.offsets[g + 1] - base);
  const auto nodes = static_cast<std::size_t>(n);
  const std::int64_t* arcs = graphs.indptr + base;

  // Neighbours in the numbering of the list, without loops; of a directed graph also those that point at a node.
  begin_.assign(nodes + 1, 0);
  lists_.clear();
  arcs_.clear();
  if (!graphs.directed) {
    for (std::int32_t v = 0; v < n; ++v) {
      for (std::int64_t a = arcs[v]; a < arcs[v + 1]; ++a)
        if (graphs.neighbors[a] != v) {
          lists_.push_back(graphs.neighbors[a]);
          if (labels.arcs) arcs_.push_back(a);
        }
      begin_[at(v) + 1] = static_cast<std::int64_t>(lists_.size());
    }
  } else {
    fill_.assign(nodes + 1, 0);
    for (std::int32_t v = 0; v < n; ++v)
      for (std::int64_t a = arcs[v]; a < arcs[v + 1]; ++a) ++fill_[at(v)], ++fill_[at(graphs.neighbors[a])];
    std::int64_t total = 0;
    for (std::size_t v = 0; v <= nodes; ++v) total += std::exchange(fill_[v], total);
    std::vector<std::int32_t> both(static_cast<std::size_t>(total));
    for (std::int32_t v = 0; v < n; ++v)
      for (std::int64_t a = arcs[v]; a < arcs[v + 1]; ++a) {
        const std::int32_t u = graphs.neighbors[a];
        both[static_cast<std::size_t>(fill_[at(v)]++)] = u;
        both[static_cast<std::size_t>(fill_[at(u)]++)] = v;
      }
    for (std::int32_t v = 0; v < n; ++v) {
      const auto first = both.begin() + (v ? fill_[at(v) - 1] : 0), last = both.begin() + fill_[at(v)];
      std::sort(first, last);
      std::unique_copy(first, last, std::back_inserter(lists_));
      lists_.erase(std::remove(lists_.begin() + begin_[at(v)], lists_.end(), v), lists_.end());
      begin_[at(v) + 1] = static_cast<std::int64_t>(lists_.size());
    }
  }

  // Ranks by degree, ties in the order of the list: a counting sort.
  std::int64_t most = 0;
  for (std::int32_t v = 0; v < n; ++v) most = std::max(most, begin_[at(v) + 1] - begin_[at(v)]);
  fill_.assign(static_cast<std::size_t>(most) + 2, 0);
  for (std::int32_t v = 0; v < n; ++v) ++fill_[static_cast<std::size_t>(begin_[at(v) + 1] - begin_[at(v)]) + 1];
  for (std::size_t d = 1; d < fill_.size(); ++d) fill_[d] += fill_[d - 1];
  rank_.resize(nodes);
  original.resize(nodes);
  for (std::int32_t v = 0; v < n; ++v) {
    rank_[at(v)] = static_cast<std::int32_t>(fill_[static_cast<std::size_t>(begin_[at(v) + 1] - begin_[at(v)])]++);
    original[at(rank_[at(v)])] = v;
  }

  // Handing out nodes in ascending order makes every list ascend.
  start.assign(nodes + 1, 0);
  for (std::int32_t r = 0; r < n; ++r) start[at(r) + 1] = start[at(r)] + begin_[at(original[at(r)]) + 1] - begin_[at(original[at(r)])];
  to.resize(lists_.size());
  above.assign(start.begin(), start.end() - 1);
  fill_.assign(start.begin(), start.end() - 1);
  edge_labels.resize(labels.arcs ? lists_.size() : 0);
  for (std::int32_t r = 0; r < n; ++r) {
    const std::int32_t v = original[at(r)];
    above[at(r)] = fill_[at(r)];  // what has come so far is lower
    for (std::int64_t k = begin_[at(v)]; k < begin_[at(v) + 1]; ++k) {
      const auto place = static_cast<std::size_t>(fill_[at(rank_[at(lists_[static_cast<std::size_t>(k)])])]++);
      to[place] = r;
      if (labels.arcs) edge_labels[place] = labels.arcs[arcs_[static_cast<std::size_t>(k)]];
    }
  }
  node_labels.resize(labels.nodes ? nodes : 0);
  if (labels.nodes)
    for (std::int32_t r = 0; r < n; ++r) node_labels[at(r)] = labels.nodes[base + original[at(r)]];
}

}  // namespace mercer
