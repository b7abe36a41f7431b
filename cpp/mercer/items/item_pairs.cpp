#include "mercer/items/item_pairs.hpp"

#include <algorithm>

namespace mercer {

namespace {

constexpr std::int64_t tile_rows = 16, tile_columns = 64;

}  // namespace

void fill_block(std::int64_t left, std::int64_t right, bool symmetric, double* out, std::int64_t ld, const Execution& execution,
                const RowOfPairs& row) {
  const std::int64_t down = (left + tile_rows - 1) / tile_rows, across = (right + tile_columns - 1) / tile_columns;
  TaskLoop loop(execution.threads, execution.cancelled);
  loop.run(down * across, Schedule::dynamic, [&](std::int64_t task, int thread) {
    const std::int64_t i0 = task / across * tile_rows, i1 = std::min(i0 + tile_rows, left);
    const std::int64_t j0 = task % across * tile_columns, j1 = std::min(j0 + tile_columns, right);
    for (std::int64_t i = i0; i < i1; ++i) {
      const std::int64_t first = symmetric ? std::max(i, j0) : j0;
      if (first >= j1) continue;
      if (loop.stop()) return;
      row(i, first, j1, out + i * ld + first, thread);
    }
    if (!symmetric) return;
    for (std::int64_t j = std::max(j0, i0 + 1); j < j1; ++j)
      for (std::int64_t i = i0; i < std::min(i1, j); ++i) out[j * ld + i] = out[i * ld + j];
  });
}

void fill_pairs(std::int64_t n, double* out, const Execution& execution, const std::function<double(std::int64_t, int)>& pair) {
  constexpr std::int64_t step = 16;
  TaskLoop loop(execution.threads, execution.cancelled);
  loop.run((n + step - 1) / step, Schedule::dynamic, [&](std::int64_t task, int thread) {
    for (std::int64_t i = task * step; i < std::min(task * step + step, n) && !loop.stop(); ++i) out[i] = pair(i, thread);
  });
}

}  // namespace mercer
