// Values between items of two lists, each computed on its own: what kernels of strings and trees run on.
#pragma once

#include <cstdint>
#include <functional>

#include "mercer/gram/pairwise.hpp"

namespace mercer {

// row(i, first, last, out, thread) writes k(item i, item j) of first ≤ j < last to out[j − first]; last − first ≤ 64.
using RowOfPairs = std::function<void(std::int64_t i, std::int64_t first, std::int64_t last, double* out, int thread)>;

// out[i·ld + j] = k(item i, item j) for i < left, j < right, by tiles that threads share out among themselves. If
// `symmetric`, both lists are the same: j ≥ i only is asked for, and the rest is mirrored.
void fill_block(std::int64_t left, std::int64_t right, bool symmetric, double* out, std::int64_t ld, const Execution& execution,
                const RowOfPairs& row);

// out[i] = pair(i, thread) for i < n.
void fill_pairs(std::int64_t n, double* out, const Execution& execution, const std::function<double(std::int64_t i, int thread)>& pair);

}  // namespace mercer
