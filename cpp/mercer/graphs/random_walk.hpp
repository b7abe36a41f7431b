// Random walk kernels: walks that two graphs have in common.
//
// Nodes of the product of two graphs are the pairs (u, u') with equal labels; it has an arc of weight w w' where both have an
// arc with equal labels. With A its matrix and 1 the vector of ones, k = Σ_l c_l λ^l 1ᵀ A^l 1 ≥ 0: c_l = 1 (geometric), 1 / l!
// (exponential), or some given c_0, …, c_p. A is never formed: A x is computed as the matrix A₁ X A₂ᵀ, one factor after
// the other, for every label of arcs.
//
//   geometric, undirected  conjugate gradients on (I − λA) x = 1. For any x with the residual r = 1 − x + λAx,
//                          k = 1ᵀx + rᵀx + rᵀ(I − λA)⁻¹r, and the last term is at most ‖r‖∞² k as the inverse is ≥ 0.
//   geometric, directed    x = Σ_l t_l with t_{l+1} = λA t_l; what is left out is at most ‖t‖∞ k for the first t left out.
//   exponential            t_{l+1} = λA t_l / (l + 1); with R = λ · the largest row sums of both graphs, the terms after t_l
//                          add up to at most N ‖t_l‖∞ θ / (1 − θ) for θ = R / (l + 1) < 1 and N nodes of the product.
//
// All bounds are relative to k and below 1e-14; the sums are of numbers ≥ 0 but for the gradients.
#pragma once

#include <cstdint>
#include <vector>

#include "mercer/graphs/graph_view.hpp"
#include "mercer/items/item_pairs.hpp"

namespace mercer {

enum class WalkForm { geometric, exponential, steps };

struct WalkRule {
  WalkForm form;
  double decay;                      // λ; geometric walks need λ ρ(A₁) ρ(A₂) < 1
  std::vector<double> coefficients;  // c_0, …, c_p of steps
};

// A graph as walks read it: its arcs by label.
struct WalkGraph {
  struct Layer {  // groups of one label
    std::uint64_t label;
    std::size_t first, last;
  };
  struct Group {  // the arcs of one label from a node
    std::int32_t node;
    std::size_t first, last;
  };
  explicit WalkGraph(const GraphView& graph, bool is_symmetric);

  std::int64_t n;
  bool symmetric;
  std::uint64_t identity;  // of content: who comes first does not depend on what else there is
  double widest = 0.0;     // largest sum of a row
  std::vector<std::uint64_t> labels;
  std::vector<Layer> layers;
  std::vector<Group> groups;
  std::vector<std::int32_t> heads;
  std::vector<double> weights;
};

// The eigenvalues μ of A of an undirected graph, and (1ᵀu)² of their vectors u: 1ᵀ f(A) 1 = Σ f(μ) (1ᵀu)².
struct Spectrum {
  const double* values;
  const double* shares;
  std::int64_t n;
};

// k of two graphs; throws std::overflow_error if it is not finite, also those below.
class WalkValue {
 public:
  explicit WalkValue(const WalkRule& rule) : rule_(rule) {}
  double operator()(const WalkGraph& a, const WalkGraph& b);
  // For graphs whose labels do not count: Σ f(λ μ ν) over their spectra, O(n n').
  double operator()(const Spectrum& a, const Spectrum& b) const;

 private:
  double conjugate_gradients(const WalkGraph& a, const WalkGraph& b);
  double series(const WalkGraph& a, const WalkGraph& b);
  void multiply(const WalkGraph& a, const WalkGraph& b, const std::vector<double>& x, double factor, std::vector<double>& out);

  const WalkRule& rule_;
  std::vector<double> mask_, x_, r_, p_, q_, row_;
};

}  // namespace mercer
