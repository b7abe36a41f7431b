// Shapley values of expansions of product kernels, Σ_i c_i Π_l k_l(x_l, z_il), against a background sample.
#pragma once

#include <cstdint>
#include <vector>

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

// Quadrature rules with more and more nodes. For factors in [0, 1] and s = Σ_l |a_l − b_l|, derivative 2q of the integrand is at most
// s^(2q), which bounds the error of q nodes: a block of points takes the first rule whose limit is at least s. Blocks where the factors
// of all players but one have a product below `negligible` are left out. One rule without limit, and zero, give exact results.
struct Rules {
  std::vector<Quadrature> rules;
  std::vector<double> limits;
  double negligible;
};

// Adds to `out` (explained.rows × units × outputs) the sum over all background rows of the integrals that the quadrature rules
// compute (see ShapleyLoops). Units are players, or pairs of players. The result does not depend on the number of threads.
void shapley_products(Order order, Factors explained, Factors background, const Expansion& expansion, const Rules& rules, double* out, int threads,
                      const Cancelled& cancelled);

}  // namespace mercer
