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
  std::uint64_t identity = 0;  // equal for equal trees

  // Of every group: its key, ascending; the number of leaves in it; and where its inner nodes begin among the members.
  const std::uint64_t* keys = nullptr;
  const std::int32_t* leaves = nullptr;
  const std::int32_t* first = nullptr;    // groups + 1 of them
  const std::int32_t* members = nullptr;  // inner nodes by group, ascending within each

  // Of every inner node: its place among the members; its parent, −1 for the root; and where its children begin.
  const std::int32_t* rank = nullptr;
  const std::int32_t* parent = nullptr;
  const std::int32_t* children = nullptr;  // inner + 1 of them

  // Of every child: its key, and its number if it is an inner node, −1 if it is a leaf.
  const std::uint64_t* child_keys = nullptr;
  const std::int32_t* child_nodes = nullptr;
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
