// A symmetric matrix in memory times a few columns: what block Lanczos and the like spend their time on.
#pragma once

#include <cstdint>

#include "mercer/runtime/parallel.hpp"

namespace mercer {

// out (n × b) = A V with A n × n and V n × b, all row by row and contiguous. Of A only the diagonal and what is above are read,
// once, in place, whatever b is: that is what the product waits for. BLAS would first copy A into panels.
void symmetric_product(const double* a, std::int64_t n, const double* v, std::int64_t b, double* out, int threads, const Cancelled& cancelled);

}  // namespace mercer
