// Cholesky factors of symmetric positive semidefinite matrices of moderate order, without a BLAS: solvers run many small
// ones side by side, and a library's own threads would have to be held back for the whole process.
#pragma once

#include <cstdint>
#include <vector>

#include "mercer/gram/pairwise.hpp"

namespace mercer {

// A = LLᵀ over a set of rows that are independent; the others are left out. A regular matrix is factored as it stands; where a pivot
// vanishes, rounding in those after it would be magnified, so the factor starts again with the largest pivot first.
class Cholesky {
 public:
  // The lower triangle of `matrix` (order n, row-major) may be replaced by L, the strict upper one stays as it is. Pivots below `share` of the
  // largest diagonal entry count as zero; one clearly below zero makes the matrix indefinite.
  Cholesky(double* matrix, std::int64_t n, double share, const Execution& execution);
  bool indefinite() const { return indefinite_; }
  bool dependent(std::int64_t i) const { return !independent_[static_cast<std::size_t>(i)]; }
  // x ← A⁻¹x over the independent rows; entries of the others become 0.
  void solve(double* x) const;
  // Whether all rows are independent.
  bool regular() const { return columns_.empty(); }
  // Ax, of the matrix as it was.
  std::vector<double> multiply(const std::vector<double>& x) const;

 private:
  bool factor_plain(double zero, const Execution& execution);
  bool factor_corner(std::int64_t first, std::int64_t last, double zero);
  void solve_row(std::int64_t i, std::int64_t first, std::int64_t last);
  void update_trailing(std::int64_t first, std::int64_t last, const Execution& execution);
  void factor_pivoted(double zero, double negative);
  double entry(std::int64_t i, std::int64_t j) const;  // of the matrix as it was

  double* l_;
  std::int64_t n_;
  bool indefinite_ = false;
  std::vector<double> diagonal_;
  std::vector<char> independent_;
  std::vector<std::int64_t> order_;  // independent rows, if pivoted
  std::vector<double> columns_;      // L of all rows over `order_`, row-major with n columns, if pivoted
};

}  // namespace mercer
