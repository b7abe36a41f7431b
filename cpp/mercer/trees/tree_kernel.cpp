#include "mercer/trees/tree_kernel.hpp"

#include <cmath>
#include <stdexcept>

namespace mercer {

namespace {

class Pairs {
 public:
  Pairs(const TreeKernel& kernel, int threads) : kernel_(kernel), workspaces_(static_cast<std::size_t>(threads)) {}

  double operator()(const TreeView& x, const TreeView& z, int thread) {
    // The smaller tree first: a value does not depend on the order in which two trees are given.
    const bool swapped = std::pair(z.nodes, z.identity) < std::pair(x.nodes, x.identity);
    const double value = kernel_.value(swapped ? z : x, swapped ? x : z, workspaces_[static_cast<std::size_t>(thread)]);
    if (!std::isfinite(value)) throw std::overflow_error("the value of two trees exceeds the range of 64-bit numbers");
    return value;
  }

 private:
  const TreeKernel& kernel_;
  std::vector<TreeWorkspace> workspaces_;
};

}  // namespace

void tree_block(const TreeKernel& kernel, const TreeChoice& left, const TreeChoice& right, bool symmetric, double* out, std::int64_t ld,
                const Execution& execution) {
  Pairs pairs(kernel, execution.threads);
  fill_block(left.n, right.n, symmetric, out, ld, execution, [&](std::int64_t i, std::int64_t first, std::int64_t last, double* row, int thread) {
    for (std::int64_t j = first; j < last; ++j) row[j - first] = pairs(left[i], right[j], thread);
  });
}

void tree_pairs(const TreeKernel& kernel, const TreeChoice& left, const TreeChoice& right, double* out, const Execution& execution) {
  Pairs pairs(kernel, execution.threads);
  fill_pairs(left.n, out, execution, [&](std::int64_t i, int thread) { return pairs(left[i], right[i], thread); });
}

}  // namespace mercer
