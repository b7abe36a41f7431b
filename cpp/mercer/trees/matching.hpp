// Σ δ(u, v) over the pairs of inner nodes of two trees that match, where δ(u, v) is a function of the δ of children of
// u and v: the recursion of tree kernels, without recursion (Moschitti 2006, Making tree kernels practical).
//
// Groups of equal keys are sorted, so a merge finds the matching pairs in time linear in the groups. Nodes u of the first
// tree are taken in descending preorder, children before parents. The δ(u, ·) of one u stand in a row, in the order of
// the members of the group that u meets in the second tree; δ(u, v) is then found from the rank of v. A row is of use to
// the parent of u only, and is kept only if that matches something too. In this order the rows that wait for a node are
// those of its children, on top of a stack, and give way to its own: a chain needs the memory of two rows.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "mercer/trees/tree_list.hpp"

namespace mercer {

class Matching {
 public:
  // Numbers of pairs of nodes with equal keys in which both nodes are leaves, and in which one is.
  struct LeafPairs {
    std::int64_t both = 0, one = 0;
  };

  // Finds what matches; to be called before `sum`.
  LeafPairs match(const TreeView& a, const TreeView& b) {
    LeafPairs found;
    matched_.assign((static_cast<std::size_t>(a.inner) + 63) / 64, 0);
    if (rows_.size() < static_cast<std::size_t>(a.inner)) rows_.resize(static_cast<std::size_t>(a.inner));
    std::int32_t i = 0, j = 0;
    while (i < a.groups && j < b.groups) {
      const std::uint64_t p = a.keys[i], q = b.keys[j];
      if (p == q) {
        const std::int64_t inner_a = a.first[i + 1] - a.first[i], inner_b = b.first[j + 1] - b.first[j];
        found.both += static_cast<std::int64_t>(a.leaves[i]) * b.leaves[j];
        found.one += a.leaves[i] * inner_b + inner_a * b.leaves[j];
        for (std::int32_t m = a.first[i]; inner_b > 0 && m < a.first[i + 1]; ++m) {
          const auto u = static_cast<std::size_t>(a.members[m]);
          rows_[u].group = j;
          matched_[u / 64] |= std::uint64_t{1} << (u % 64);
        }
      }
      i += p <= q;
      j += q <= p;
    }
    return found;
  }

  // δ(u, v) of children of the nodes at hand, whose keys are equal.
  double operator()(const TreeView& b, std::int32_t u, std::int32_t v) const {
    return values_[static_cast<std::size_t>(rows_[static_cast<std::size_t>(u)].base + b.rank[v])];
  }

  // Σ delta(u, v) over all matching pairs.
  template <class Delta>
  double sum(const TreeView& a, const TreeView& b, const Delta& delta) {
    double total = 0;
    std::int64_t top = 0;
    for (std::size_t w = matched_.size(); w-- > 0;)
      for (std::uint64_t left = matched_[w]; left != 0;) {
        const int bit = 63 - std::countl_zero(left);
        left ^= std::uint64_t{1} << bit;
        const auto u = static_cast<std::int32_t>(64 * w) + bit;
        Row& row = rows_[static_cast<std::size_t>(u)];
        const std::int32_t first = b.first[row.group], last = b.first[row.group + 1];
        const std::int64_t low = bottom(a, u, b, top);
        const bool keep = a.parent[u] >= 0 && is_matched(a.parent[u]);
        const auto needed = static_cast<std::size_t>(top + last - first);
        if (keep && values_.size() < needed) values_.resize(std::max(needed, values_.size() + values_.size() / 2));
        for (std::int32_t m = first; m < last; ++m) {
          const double value = delta(u, b.members[m]);
          total += value;
          if (keep) values_[static_cast<std::size_t>(top + m - first)] = value;
        }
        if (keep && low < top) std::copy_n(values_.begin() + top, last - first, values_.begin() + low);
        row.base = low - first;
        top = keep ? low + last - first : low;
      }
    return total;
  }

 private:
  struct Row {
    std::int64_t base;   // δ(u, v) stands at base + rank(v)
    std::int32_t group;  // of the second tree
  };

  bool is_matched(std::int32_t u) const { return matched_[static_cast<std::size_t>(u) / 64] >> (u % 64) & 1; }

  // Where the rows of the children of u begin: that of its last child lies deepest.
  std::int64_t bottom(const TreeView& a, std::int32_t u, const TreeView& b, std::int64_t top) const {
    for (std::int32_t c = a.children[u + 1]; c-- > a.children[u];) {
      const std::int32_t child = a.child_nodes[c];
      if (child < 0 || !is_matched(child)) continue;
      const Row& row = rows_[static_cast<std::size_t>(child)];
      return row.base + b.first[row.group];
    }
    return top;
  }

  std::vector<std::uint64_t> matched_;  // a bit for every inner node of the first tree
  std::vector<Row> rows_;
  std::vector<double> values_;
};

}  // namespace mercer
