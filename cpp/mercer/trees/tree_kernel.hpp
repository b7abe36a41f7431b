// Values of kernels of trees, for blocks and for pairs.
#pragma once

#include <vector>

#include "mercer/items/item_pairs.hpp"
#include "mercer/trees/matching.hpp"

namespace mercer {

// What a thread needs to compare two trees.
struct TreeWorkspace {
  Matching matching;
  std::vector<double> reach;  // see partial_tree.cpp
};

class TreeKernel {
 public:
  virtual ~TreeKernel() = default;
  // k(a, b), to the same bits as k(b, a).
  virtual double value(const TreeView& a, const TreeView& b, TreeWorkspace& workspace) const = 0;
};

// out[i·ld + j] = k(left_i, right_j). Throws std::overflow_error if a value is not finite; so does tree_pairs.
void tree_block(const TreeKernel& kernel, const TreeChoice& left, const TreeChoice& right, bool symmetric, double* out, std::int64_t ld,
                const Execution& execution);

// out[i] = k(left_i, right_i).
void tree_pairs(const TreeKernel& kernel, const TreeChoice& left, const TreeChoice& right, double* out, const Execution& execution);

}  // namespace mercer
