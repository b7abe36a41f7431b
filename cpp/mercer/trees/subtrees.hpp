// Complete subtrees: a node with everything below it.
#pragma once

#include <cstdint>

namespace mercer {

// Nodes of many trees, each in preorder: the first child of node v is v + 1, the sibling after node c is c + sizes[c].
struct Preorder {
  const std::uint64_t* labels;
  const std::int32_t* sizes;
  const std::int32_t* n_children;
  std::int64_t nodes;
};

// Whether sizes and numbers of children are those of trees that begin at these offsets, n of them. O(nodes).
bool are_trees(const Preorder& nodes, const std::int64_t* offsets, std::int64_t n);

// keys[v], inner[v] of every node v: keys are equal where the subtrees of two nodes are, the same labels in the same
// places; inner counts the nodes with children in the subtree. Of m different subtrees two have the same key with
// probability about m²/2⁶⁵, if their labels do not. O(nodes).
void subtrees(const Preorder& nodes, std::uint64_t* keys, std::int32_t* inner);

}  // namespace mercer
