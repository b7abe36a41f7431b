// Pairwise evaluation of a kernel program over all, some or paired rows of two sides. The tiles of one call are
// shared out among threads; no tile is larger than the cache, and nothing of size n² is allocated here.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mercer/gram/tile.hpp"
#include "mercer/runtime/parallel.hpp"

namespace mercer {

struct Execution {
  int threads = 1;
  Cancelled cancelled;
};

// out[i·ld + j] = k(x_i, z_j), i < left.n, j < right.n. If `symmetric`, both sides must be the same rows: only
// i ≤ j is evaluated and the rest is mirrored, so that out is symmetric to the bit.
template <class T>
void gram(const Problem<T>& problem, bool symmetric, T* out, std::int64_t ld, const Execution& execution);

// The right panels of a problem, packed once for many calls with other left rows.
template <class T>
class ColumnPanels {
 public:
  ColumnPanels(const Problem<T>& problem, TaskLoop& loop);
  std::int64_t size() const { return static_cast<std::int64_t>(panels_.size()); }
  const Panel<T>& operator[](std::int64_t i) const { return panels_[static_cast<std::size_t>(i)]; }

 private:
  std::vector<Panel<T>> panels_;
};

// gram with right panels that are packed already; they must be those of the same right side and program.
template <class T>
void gram(const Problem<T>& problem, const ColumnPanels<T>& panels, T* out, std::int64_t ld, const Execution& execution);

// out (left.n × columns, row-major) = K V for V (right.n × columns, row-major), tile by tile; sums are in double.
// With `symmetric` each off-diagonal tile serves twice, at the price of left.n × columns doubles per thread.
template <class T>
void matmul(const Problem<T>& problem, bool symmetric, const T* v, std::int64_t columns, double* out, const Execution& execution);

// out (groups × left.n × columns) = K V of each group of right samples alone; group g has the samples starts[g] … starts[g + 1].
// A tile is evaluated once, whatever the number of groups that it meets.
template <class T>
void grouped_matmul(const Problem<T>& problem, std::span<const std::int64_t> starts, const T* v, std::int64_t columns, double* out,
                    const Execution& execution);

// out_j = Σ_i v_i k(x_i, z_j) in double: every right panel is packed once and meets all left rows.
template <class T>
void weighted_sum(const Problem<T>& problem, const double* v, double* out, const Execution& execution);

// out_i = k(x_i, z_i): plain loops over the rows, distances from differences. Needs left.n = right.n; input blocks are
// read at (i, 0).
template <class T>
void paired(const Problem<T>& problem, T* out, const Execution& execution);

}  // namespace mercer
