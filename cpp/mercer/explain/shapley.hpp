// Shapley values of expansions of product kernels, Σ_i c_i Π_l k_l(x_l, z_il), against a background sample.
#pragma once

#include <cstdint>

#include "mercer/explain/shapley_loops.hpp"
#include "mercer/runtime/parallel.hpp"

namespace mercer {

// Factors k_l(x_l, z_il) of all rows: rows × players × points, contiguous.
struct Factors {
  const double* values;
  std::int64_t rows;
};

struct Expansion {
  const double* coef;  // points × outputs, contiguous
  std::int64_t players, points, outputs;
};

enum class Order { values, pairs };

// Adds to `out` (explained.rows × units × outputs) the sum over all background rows of the integrals that the quadrature rule computes
// (see ShapleyLoops). Units are players, or pairs of players. The result does not depend on the number of threads.
void shapley_products(Order order, Factors explained, Factors background, const Expansion& expansion, const Quadrature& rule, double* out,
                      int threads, const Cancelled& cancelled);

}  // namespace mercer
