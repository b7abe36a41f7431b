// The inner loops of Shapley values of product kernels, compiled once per instruction set.
#pragma once

#include <cstdint>

namespace mercer {

// A lane is one point of the expansion. All arrays of the loops are blocks of `shapley_lanes` adjacent lanes, one block for each
// player (or pair of players): enough independent products to hide the latency of a multiplication, few enough for the first cache.
constexpr int shapley_lanes = 16;

struct Quadrature {
  const double* nodes;  // in (0, 1)
  const double* weights;
  std::int64_t size;
};

// Bounds of a block of lanes, the largest over all lanes, with m_l = max(|a_l|, |b_l|).
struct Extent {
  double reach;    // Σ_l |a_l − b_l|
  double product;  // of all m_l but the smallest
};

struct ShapleyLoops {
  Extent (*extent)(const double* a, const double* b, std::int64_t players);
  // sums_j += Σ_q w_q (a_j − b_j) Π_{l≠j} (t_q a_l + (1 − t_q) b_l) for each of `players` players j. `work`: 4·players blocks.
  void (*values)(const double* a, const double* b, std::int64_t players, const Quadrature& rule, double* work, double* sums);
  // sums_jk += Σ_q w_q (a_j − b_j)(a_k − b_k) Π_{l≠j,k} (t_q a_l + (1 − t_q) b_l) for the pairs j < k in the order (0, 1), (0, 2), …
  // `work`: 4·players + players·(players − 1)/2 blocks.
  void (*pairs)(const double* a, const double* b, std::int64_t players, const Quadrature& rule, double* work, double* sums);
};

// The loops for the instruction set in use.
const ShapleyLoops& shapley_loops();

}  // namespace mercer
