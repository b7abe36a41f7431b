// Enumeration of the sets of k nodes that induce a subgraph, all of them or the connected ones.
//
// For every node it is known which members of the set being built it is next to, as bits: the code of a set then grows by
// the bits of the node that joins. Connected sets are found once each by Wernicke's ESU (2006): from a root, only higher
// nodes join, and a node that joins brings in as candidates those neighbours that were not next to the set before. A
// candidate that was tried stays next to the set, so that it is not brought in again.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "mercer/graphs/graphlets_form.hpp"
#include "mercer/graphs/simple_graph.hpp"
#include "mercer/runtime/parallel.hpp"

namespace mercer {

// A node as the set sees it.
struct Near {
  std::int32_t place = 0;    // among the candidates
  std::uint8_t members = 0;  // that are its neighbours
};

// One per thread; nobody is near anything between calls.
struct WalkScratch {
  std::vector<Near> near;
  std::array<std::vector<std::int32_t>, most_nodes> candidates;  // by level

  void fit(std::int32_t n) {
    if (near.size() < static_cast<std::size_t>(n)) near.resize(static_cast<std::size_t>(n));
  }
};

// Neighbours of v above the root.
inline std::span<const std::int32_t> beyond(const SimpleGraph& graph, std::int32_t v, std::int32_t root) {
  const auto list = graph.neighbors(v);
  std::size_t first = 0;
  if (list.size() > 16) first = static_cast<std::size_t>(std::upper_bound(list.begin(), list.end(), root) - list.begin());
  else
    while (first < list.size() && list[first] <= root) ++first;
  return list.subspan(first);
}

// Calls visit.enter(level, node, bits) as nodes join a set at levels 0, …, k − 2, false to stop, and visit.last(node, bits)
// for each node that completes it; bits tell its neighbours among the members.
template <class Visit>
class SubsetWalk {
 public:
  SubsetWalk(const SimpleGraph& graph, int k, WalkScratch& scratch, Visit& visit) : g_(graph), k_(k), s_(scratch), visit_(visit) { s_.fit(graph.n); }

  // Connected sets whose lowest node is the root.
  void connected(std::int32_t root) {
    root_ = root;
    visit_.enter(0, root, 0);
    s_.candidates[1].clear();
    join(0, root);
    extend(1);
    leave(0, root);
  }

  // All sets whose lowest node is the root.
  void all(std::int32_t root) {
    root_ = root;
    visit_.enter(0, root, 0);
    mark(0, root);
    pick(1, root + 1);
    leave(0, root);
  }

 private:
  std::uint8_t& members(std::int32_t v) { return s_.near[static_cast<std::size_t>(v)].members; }

  void join(int level, std::int32_t v) {
    auto& candidates = s_.candidates[static_cast<std::size_t>(level + 1)];
    for (const std::int32_t u : beyond(g_, v, root_)) {
      if (!members(u)) candidates.push_back(u);
      members(u) = static_cast<std::uint8_t>(members(u) | 1u << level);
    }
  }
  void mark(int level, std::int32_t v) {
    for (const std::int32_t u : beyond(g_, v, root_)) members(u) = static_cast<std::uint8_t>(members(u) | 1u << level);
  }
  void leave(int level, std::int32_t v) {
    for (const std::int32_t u : beyond(g_, v, root_)) members(u) = static_cast<std::uint8_t>(members(u) & ~(1u << level));
  }

  void extend(int level) {  // k levels deep
    const auto& mine = s_.candidates[static_cast<std::size_t>(level)];
    if (level == k_ - 1) {
      for (const std::int32_t v : mine) visit_.last(v, members(v));
      return;
    }
    for (std::size_t i = mine.size(); i-- > 0;) {
      const std::int32_t v = mine[i];
      if (!visit_.enter(level, v, members(v))) return;
      s_.candidates[static_cast<std::size_t>(level + 1)].assign(mine.begin(), mine.begin() + static_cast<std::ptrdiff_t>(i));
      join(level, v);
      extend(level + 1);
      leave(level, v);
    }
  }

  void pick(int level, std::int32_t first) {
    if (level == k_ - 1) {
      for (std::int32_t v = first; v < g_.n; ++v) visit_.last(v, members(v));
      return;
    }
    for (std::int32_t v = first; v + (k_ - 1 - level) < g_.n; ++v) {
      if (!visit_.enter(level, v, members(v))) return;
      mark(level, v);
      pick(level + 1, v + 1);
      leave(level, v);
    }
  }

  const SimpleGraph& g_;
  const int k_;
  WalkScratch& s_;
  Visit& visit_;
  std::int32_t root_ = 0;
};

// Adds to counts[code] the connected sets of 5 nodes whose lowest node is the root. The last node is not visited: what
// completes a set of 4 are the candidates, of which a histogram by members is kept, and the neighbours of the fourth.
void count_fives(const SimpleGraph& graph, std::int32_t root, WalkScratch& scratch, TaskLoop& loop, std::vector<std::uint64_t>& counts);

// Steps that an enumeration takes at most, about: the number of sets or of trees in the graph that span one.
double walk_cost(const SimpleGraph& graph, int k, bool connected, bool by_histogram);

// C(n, k), exact below 2⁵³.
double choose(double n, int k);

}  // namespace mercer
