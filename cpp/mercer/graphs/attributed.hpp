// Kernels of graphs whose nodes are compared by a kernel κ of their own.
//
// The values κ(v, v') of all nodes of two sets of graphs come as a matrix; a kernel of graphs k = Σ w(v, v', …) κ(v, v') … is
// then a function of a part of it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mercer/graphs/graph_view.hpp"
#include "mercer/items/item_pairs.hpp"

namespace mercer {

struct NodeWorkspace {
  std::vector<double> kappa, turned, sums, columns, row;
};

class AttributedGraphs {
 public:
  virtual ~AttributedGraphs() = default;
  std::int64_t size() const { return static_cast<std::int64_t>(nodes_.size()); }
  std::int64_t nodes(std::int64_t i) const { return nodes_[static_cast<std::size_t>(i)]; }
  // An order by content, in which two graphs are compared: a value does not depend on how they are given.
  bool comes_first(std::int64_t i, const AttributedGraphs& other, std::int64_t j) const;
  // k of graph i here and of graph j of a list of the same kind; κ is nodes(i) × nodes(j), row-major, and may be changed.
  virtual double value(std::int64_t i, const AttributedGraphs& other, std::int64_t j, std::span<double> kappa, NodeWorkspace& workspace) const = 0;

 protected:
  // `attributes` are `width` numbers for each node of all graphs.
  AttributedGraphs(const CarryingGraphs& graphs, const double* attributes, std::int64_t width);

 private:
  std::vector<std::int64_t> nodes_;
  std::vector<std::uint64_t> identities_;
};

// Some graphs of a list, in order.
struct AttributedChoice {
  const AttributedGraphs* list;
  const std::int64_t* rows;  // null for all
  std::int64_t n;
  std::int64_t row(std::int64_t i) const { return rows ? rows[i] : i; }
  // Where the nodes of each begin if they stand one after the other, n + 1 numbers.
  std::vector<std::int64_t> starts() const;
};

// out[i·ld + j] = k(left_i, right_j) from κ of all nodes of the left by all of the right, row-major. Throws
// std::overflow_error if a value is not finite.
void attributed_block(const AttributedChoice& left, const AttributedChoice& right, const double* kappa, bool symmetric, double* out, std::int64_t ld,
                      const Execution& execution);

// out[i] = k(left_i, right_i) from κ of the nodes of each pair, one matrix after the other.
void attributed_pairs(const AttributedChoice& left, const AttributedChoice& right, const double* kappa, double* out, const Execution& execution);

}  // namespace mercer
