// A tall matrix in memory times a few columns, from both sides: what conjugate gradients on normal equations spend their time on.
#pragma once

#include <cstdint>

#include "mercer/runtime/parallel.hpp"

namespace mercer {

// out (t × r) = rows of Vᵀ with AᵀSAV for A n × r, a diagonal S and V given as t rows of length r, all contiguous. `scale` holds the
// diagonal of S; null stands for ones. A is read once, whatever t is, and sums are in double.
template <class T>
void normal_product(const T* a, std::int64_t n, std::int64_t r, const double* scale, const double* v, std::int64_t t, double* out, int threads,
                    const Cancelled& cancelled);

}  // namespace mercer
