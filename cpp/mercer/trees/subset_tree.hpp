// The subset tree kernel.
#pragma once

#include "mercer/trees/tree_kernel.hpp"

namespace mercer {

// Reads trees whose keys are productions. Leaves, if the groups hold them, add decay for every pair of equal ones.
class SubsetTree : public TreeKernel {
 public:
  explicit SubsetTree(double decay) : decay_(decay) {}
  double value(const TreeView& a, const TreeView& b, TreeWorkspace& workspace) const override;

 private:
  double decay_;
};

}  // namespace mercer
