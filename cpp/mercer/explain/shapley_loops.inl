// Compiled once per instruction set, under the rules of row_kernels.inl.
#include <cstdint>

#include "mercer/explain/shapley_loops.hpp"

namespace mercer::MERCER_ISA {
namespace {

constexpr int lanes = shapley_lanes;

Extent extent(const double* __restrict a, const double* __restrict b, std::int64_t players) {
  double reach[lanes], least[lanes], product[lanes];
  for (int i = 0; i < lanes; ++i) reach[i] = 0.0, least[i] = 0.0, product[i] = 1.0;
  for (std::int64_t l = 0; l < players; ++l) {
    const std::int64_t at = l * lanes;
    for (int i = 0; i < lanes; ++i) {
      const double x = a[at + i], y = b[at + i], d = x - y;
      const double p = x < 0 ? -x : x, q = y < 0 ? -y : y, most = p < q ? q : p;
      reach[i] += d < 0 ? -d : d;
      product[i] *= l == 0 ? 1.0 : (most < least[i] ? least[i] : most);  // the smallest so far is left out
      least[i] = l == 0 || most < least[i] ? most : least[i];
    }
  }
  Extent found{0.0, 0.0};
  for (int i = 0; i < lanes; ++i) {
    found.reach = found.reach < reach[i] ? reach[i] : found.reach;
    found.product = found.product < product[i] ? product[i] : found.product;
  }
  return found;
}

// Differences a − b of all players.
inline void subtract(const double* __restrict a, const double* __restrict b, std::int64_t players, double* __restrict out) {
  for (std::int64_t k = 0; k < players * lanes; ++k) out[k] = a[k] - b[k];
}

inline void clear(double* __restrict out, std::int64_t blocks) {
  for (std::int64_t k = 0; k < blocks * lanes; ++k) out[k] = 0.0;
}

// Factors f_l = b_l + t (a_l − b_l) of one node, and the products of all factors before each of them.
inline void forward(const double* __restrict b, const double* __restrict difference, std::int64_t players, double t, double* __restrict factor,
                    double* __restrict before) {
  double product[lanes];
  for (int i = 0; i < lanes; ++i) product[i] = 1.0;
  for (std::int64_t l = 0; l < players; ++l) {
    const std::int64_t at = l * lanes;
    for (int i = 0; i < lanes; ++i) {
      const double f = b[at + i] + t * difference[at + i];
      factor[at + i] = f;
      before[at + i] = product[i];
      product[i] *= f;
    }
  }
}

// Adds to the total of each player the product of all other factors and a weight.
inline void backward(const double* __restrict factor, const double* __restrict before, std::int64_t players, double weight,
                     double* __restrict total) {
  double product[lanes];
  for (int i = 0; i < lanes; ++i) product[i] = weight;
  for (std::int64_t l = players; l-- > 0;) {
    const std::int64_t at = l * lanes;
    for (int i = 0; i < lanes; ++i) {
      total[at + i] += before[at + i] * product[i];
      product[i] *= factor[at + i];
    }
  }
}

// Products of a weight and all factors after each of them.
inline void behind(const double* __restrict factor, std::int64_t players, double weight, double* __restrict after) {
  double product[lanes];
  for (int i = 0; i < lanes; ++i) product[i] = weight;
  for (std::int64_t l = players; l-- > 0;) {
    const std::int64_t at = l * lanes;
    for (int i = 0; i < lanes; ++i) {
      after[at + i] = product[i];
      product[i] *= factor[at + i];
    }
  }
}

// Adds to the totals of all pairs with the first of `players` players the product of the factors of all others. The arrays start
// at this player; `before` is the product of the factors before it.
inline void with_first(const double* __restrict factor, const double* __restrict before, const double* __restrict after, std::int64_t players,
                       double* __restrict total) {
  double product[lanes];
  for (int i = 0; i < lanes; ++i) product[i] = before[i];
  for (std::int64_t k = 1; k < players; ++k) {
    const std::int64_t at = k * lanes;
    for (int i = 0; i < lanes; ++i) {
      total[at - lanes + i] += product[i] * after[at + i];
      product[i] *= factor[at + i];
    }
  }
}

inline void add_products(const double* __restrict left, const double* __restrict right, std::int64_t blocks, double* __restrict sums) {
  for (std::int64_t k = 0; k < blocks * lanes; ++k) sums[k] += left[k] * right[k];
}

inline void add_products_of_pairs(const double* __restrict difference, const double* __restrict total, std::int64_t players,
                                  double* __restrict sums) {
  std::int64_t at = 0;
  for (std::int64_t j = 0; j < players; ++j) {
    for (std::int64_t k = j + 1; k < players; ++k, at += lanes) {
      for (int i = 0; i < lanes; ++i) sums[at + i] += difference[j * lanes + i] * difference[k * lanes + i] * total[at + i];
    }
  }
}

void values(const double* a, const double* b, std::int64_t players, const Quadrature& rule, double* work, double* sums) {
  const std::int64_t size = players * lanes;
  double *difference = work, *factor = work + size, *before = work + 2 * size, *total = work + 3 * size;
  subtract(a, b, players, difference);
  clear(total, players);
  for (std::int64_t q = 0; q < rule.size; ++q) {
    forward(b, difference, players, rule.nodes[q], factor, before);
    backward(factor, before, players, rule.weights[q], total);
  }
  add_products(difference, total, players, sums);
}

void pairs(const double* a, const double* b, std::int64_t players, const Quadrature& rule, double* work, double* sums) {
  const std::int64_t size = players * lanes;
  double *difference = work, *factor = work + size, *before = work + 2 * size, *after = work + 3 * size, *total = work + 4 * size;
  subtract(a, b, players, difference);
  clear(total, players * (players - 1) / 2);
  for (std::int64_t q = 0; q < rule.size; ++q) {
    forward(b, difference, players, rule.nodes[q], factor, before);
    behind(factor, players, rule.weights[q], after);
    double* row = total;
    for (std::int64_t j = 0; j < players; ++j) {
      with_first(factor + j * lanes, before + j * lanes, after + j * lanes, players - j, row);
      row += (players - 1 - j) * lanes;
    }
  }
  add_products_of_pairs(difference, total, players, sums);
}

}  // namespace

extern const ShapleyLoops shapley;
const ShapleyLoops shapley{extent, values, pairs};

}  // namespace mercer::MERCER_ISA
