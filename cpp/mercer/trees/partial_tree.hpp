// The partial tree kernel.
#pragma once

#include "mercer/trees/tree_kernel.hpp"

namespace mercer {

// Reads trees whose keys are labels, leaves among them.
class PartialTree : public TreeKernel {
 public:
  PartialTree(double decay, double mu, double terminal_factor)
      : decay_(decay), mu_(mu), one_leaf_(mu * decay * decay), two_leaves_(terminal_factor * one_leaf_) {}
  double value(const TreeView& a, const TreeView& b, TreeWorkspace& workspace) const override;

 private:
  double decay_, mu_, one_leaf_, two_leaves_;  // the last two: δ where one node, or both, are leaves
};

}  // namespace mercer
