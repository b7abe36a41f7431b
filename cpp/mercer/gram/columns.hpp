// Sums over all pairs of rows that the derivatives of kernels with parameters for each column are made of.
#pragma once

#include <cstdint>
#include <vector>

#include "mercer/gram/pairwise.hpp"
#include "mercer/gram/row_kernels.hpp"

namespace mercer {

struct ColumnPairs {
  Strided<double> x, z;  // n × and m × any number of columns
  std::int64_t n = 0, m = 0;
  Strided<double> v;                 // weights of the pairs, n × m
  bool symmetric = false;            // x and z are the same rows: every pair is computed once, with the sum of its two weights
  std::vector<std::int64_t> chosen;  // columns of x and z, in the order of the terms
};

// sums_k (one for each column of `terms`, or null) and three totals (or null, without weights of the columns) of
// `KernelTable::column_slopes` over all pairs. The bits do not depend on the number of threads; nothing of size n·m is allocated.
void column_slopes(const ColumnPairs& pairs, const ColumnTerms& terms, double* totals, double* sums, const Execution& execution);

// The sums of `KernelTable::interaction_slopes` over all pairs: degree + 1, then one for each column, then one for each
// numerical column.
void interaction_slopes(const ColumnPairs& pairs, const InteractionTerms& terms, double* sums, const Execution& execution);

}  // namespace mercer
