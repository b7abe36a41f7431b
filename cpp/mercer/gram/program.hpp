// A kernel program: the postfix form of a kernel expression over vectors.
//
// A *source* pushes a tile of numbers computed from pairs of rows (inner products, squared distances, sums over
// coordinates); a *map* changes the top of the stack entry by entry; a *join* replaces the two top entries by one.
// A well-formed program leaves exactly one tile: k(x_i, z_j). Example, 0.5 exp(-γ‖x−z‖²) + ⟨x,z⟩:
//     sqdist(0)  exp(-γ)  affine(0.5, 0)  dot(0)  add
#pragma once

#include <cstdint>
#include <vector>

namespace mercer {

enum class Op : std::int32_t {
  // sources: `arg` is the operand (input: the given block; constant: none)
  dot,            // Σ x_k z_k
  sqdist,         // Σ (x_k − z_k)²
  l1,             // Σ |x_k − z_k|
  chi2,           // Σ (x_k − z_k)² / (x_k + z_k), 0/0 = 0
  additive_chi2,  // Σ 2 x_k z_k / (x_k + z_k), 0/0 = 0
  min_sum,        // Σ min(x_k, z_k)
  mismatch,       // Σ [x_k ≠ z_k]
  min_product,    // Π min(x_k, z_k)
  power_sum,      // Σ |x_k − z_k|^a
  anova_dot,      // elementary symmetric polynomial of degree a in the products x_k z_k
  anova_rbf,      // the same in exp(−b (x_k − z_k)²)
  interactions,   // Σ_q c_q E_q, q ≤ Q, of the factors exp(−g_k |x_k − z_k|^p) or [x_k = z_k]; see InteractionTerms
  input,          // a block computed by the caller
  constant,       // a
  // maps of the top v
  affine,              // a v + b
  exp,                 // exp(a v)
  sqrt,                // √max(v, 0)
  power_int,           // v^arg
  power,               // max(v, 0)^a
  tanh,                // tanh(v)
  log1p,               // log(1 + max(v, 0))
  matern32,            // (1 + u) exp(−u), u = a v
  matern52,            // (1 + u + u²/3) exp(−u), u = a v
  rational_quadratic,  // (1 + b v)^(−a)
  polynomial,          // Σ_k pool[arg + k] v^k, k < a
  is_zero,             // [v = 0]
  outer_scale,         // v r_i c_j with factor `arg`
  outer_ratio,         // v / (r_i + c_j − v) with factor `arg`, 0/0 = 1
  // joins
  add,
  multiply,
};

constexpr bool is_source(Op op) { return op <= Op::constant; }
constexpr bool is_join(Op op) { return op >= Op::add; }
constexpr bool uses_inner_products(Op op) { return op == Op::dot || op == Op::sqdist; }
constexpr bool is_coordinate_sum(Op op) { return op >= Op::l1 && op <= Op::mismatch; }
constexpr bool is_coordinate_source(Op op) { return op >= Op::l1 && op <= Op::interactions; }
constexpr bool is_outer(Op op) { return op == Op::outer_scale || op == Op::outer_ratio; }

struct Step {
  Op op;
  std::int32_t arg;
  double a;
  double b;
};

constexpr std::int32_t max_anova_degree = 16;

// The sum Σ_q c_q E_q over orders q ≤ Q of weighted means E_q ∈ [0, 1] of the products of q factors of different columns.
// The factor of a numerical column, which come first, is exp(−g_k |x_k − z_k|^p), that of another one [x_k = z_k]. The means
// are made column by column, E_q ← E_q + r_kq (b_k E_{q−1} − E_q) with E_0 = 1 and shares r_kq ∈ [0, 1].
struct InteractionTerms {
  std::int64_t degree, columns, numerical;  // Q, D and how many of them are numerical
  double p;
  const double *orders, *rates, *shares;  // c_0 … c_Q; g of the numerical columns; r_k1 … r_kQ of each column

  // Numbers in the pool: Q, D, how many are numerical, p, and the three arrays.
  static constexpr std::int64_t header = 4;
  static std::int64_t size(std::int64_t degree, std::int64_t columns, std::int64_t numerical) {
    return header + degree + 1 + numerical + columns * degree;
  }
};

class Program {
 public:
  // Throws std::invalid_argument if the steps do not leave exactly one tile or refer outside the pool.
  Program(std::vector<Step> steps, std::vector<double> pool);

  const std::vector<Step>& steps() const { return steps_; }
  const double* pool() const { return pool_.data(); }
  int depth() const { return depth_; }        // stack entries needed at once
  int operands() const { return operands_; }  // highest operand used, plus one
  int factors() const { return factors_; }
  int inputs() const { return inputs_; }
  bool uses(Op op, int operand) const;
  InteractionTerms interactions(const Step& step) const;

 private:
  std::vector<Step> steps_;
  std::vector<double> pool_;
  int depth_ = 0, operands_ = 0, factors_ = 0, inputs_ = 0;
};

}  // namespace mercer
