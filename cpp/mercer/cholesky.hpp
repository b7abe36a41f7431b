// Cholesky factors of symmetric positive semidefinite matrices of moderate order, without a BLAS: solvers run many small
// ones side by side, and a library's own threads would have to be held back for the whole process.
#pragma once

#include <cstdint>
#include <vector>

#include "mercer/pairwise.hpp"

namespace mercer {

// A = LLᵀ for the rows that are independent of those before them; dependent ones are left out.
class Cholesky {
 public:
  // The lower triangle of `matrix` (order n, row-major) is replaced by L, the rest stays as it is. Pivots below `share` of the largest diagonal
  // entry count as zero; one below −share of it makes the matrix indefinite.
  Cholesky(double* matrix, std::int64_t n, double share, const Execution& execution);
  bool indefinite() const { return indefinite_; }
  bool dependent(std::int64_t i) const { return dependent_[static_cast<std::size_t>(i)]; }
  // x ← A⁻¹x; entries of dependent rows become 0.
  void solve(double* x) const;
  // xᵀAx, of the matrix as it was.
  double quadratic(const double* x) const;

 private:
  void factor_corner(std::int64_t first, std::int64_t last, double zero);
  void solve_row(std::int64_t i, std::int64_t first, std::int64_t last);
  void update_trailing(std::int64_t first, std::int64_t last, const Execution& execution);

  double* l_;
  std::int64_t n_;
  bool indefinite_ = false;
  std::vector<double> diagonal_;
  std::vector<bool> dependent_;
};

}  // namespace mercer
