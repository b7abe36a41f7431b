// Trees as kernels that compare them node by node read them: every node has a key (its label, or its production), and
// nodes match where their keys are equal.
#pragma once

#include <cstdint>
#include <vector>

#include "mercer/trees/subtrees.hpp"

namespace mercer {

// One tree. Inner nodes, those with children, are numbered from 0 in preorder; leaves are counted only. Nodes with the
// same key form a group.
struct TreeView {
  std::int32_t inner = 0, groups = 0;
  std::int64_t nodes = 0;
  std::uint64_t identity = 0;           // equal for equal trees
  const std::uint64_t* keys = nullptr;  // of the groups, ascending
  const std::int32_t* first = nullptr;  // group g has the inner nodes members[first[g]], …, members[first[g + 1] − 1], ascending
  const std::int32_t* leaves = nullptr; // number of leaves in each group
  const std::int32_t* members = nullptr;
  const std::int32_t* rank = nullptr;     // of an inner node: its place among the members
  const std::int32_t* parent = nullptr;   // of an inner node; −1 for the root
  const std::int32_t* children = nullptr; // inner node v has the children children[v], …, children[v + 1] − 1 of the two lists below
  const std::uint64_t* child_keys = nullptr;
  const std::int32_t* child_nodes = nullptr;  // the number of an inner node, −1 for a leaf
};

class TreeList {
 public:
  // keys[v] is the key of node v; without `leaves` the groups hold inner nodes only. O(nodes log nodes).
  TreeList(const Preorder& nodes, const std::uint64_t* keys, const std::int64_t* offsets, std::int64_t n, bool leaves);
  TreeList(const TreeList&) = delete;
  TreeList& operator=(const TreeList&) = delete;

  std::int64_t size() const { return static_cast<std::int64_t>(views_.size()); }
  const TreeView& operator[](std::int64_t i) const { return views_[static_cast<std::size_t>(i)]; }

 private:
  void add(const Preorder& nodes, const std::uint64_t* keys, std::int64_t begin, std::int64_t end, bool leaves);

  std::vector<TreeView> views_;
  std::vector<std::uint64_t> keys_, child_keys_;
  std::vector<std::int32_t> first_, leaves_, members_, rank_, parent_, children_, child_nodes_;
};

// Some trees of a list, or all of them.
struct TreeChoice {
  const TreeList* list;
  const std::int64_t* rows;  // nullptr for all
  std::int64_t n;

  const TreeView& operator[](std::int64_t i) const { return (*list)[rows ? rows[i] : i]; }
};

}  // namespace mercer
