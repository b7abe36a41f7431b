// A symmetric matrix K of order n, served by rows: what a solver sees of a kernel and its data.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "mercer/gram/pairwise.hpp"

namespace mercer {

using Rows = std::span<const std::int64_t>;

class RowSource {
 public:
  virtual ~RowSource() = default;
  virtual std::int64_t n() const = 0;
  virtual void diagonal(double* out) = 0;
  // out[r·ld + c] = K[rows[r], c]. Rows may be rounded to float; those in double are as exact as the kernel is.
  virtual void rows(Rows rows, float* out, std::int64_t ld, const Execution& execution) = 0;
  virtual void rows(Rows rows, double* out, std::int64_t ld, const Execution& execution) = 0;
  // The whole matrix, symmetric to the bit.
  virtual void dense(float* out, std::int64_t ld, const Execution& execution) = 0;
  virtual void dense(double* out, std::int64_t ld, const Execution& execution) = 0;
  // out[r·ld + c] = K[rows[r], cols[c]] in double.
  virtual void block(Rows rows, Rows cols, double* out, std::int64_t ld, const Execution& execution) = 0;
  // out_c = Σ_r K[cols[c], rows[r]] v_r in double; no columns given means all of them.
  virtual void product(Rows rows, const double* v, Rows cols, double* out, const Execution& execution) = 0;
  // The same over all columns from rows rounded to float, where that is cheaper.
  virtual void rough_product(Rows rows, const double* v, double* out, const Execution& execution) { product(rows, v, {}, out, execution); }
  // out_r = Σ_s K[rows[r], rows[s]] v_s in double, by symmetry at half the price where values are computed.
  virtual void self_product(Rows rows, const double* v, double* out, const Execution& execution) { product(rows, v, rows, out, execution); }
  // The matrix as it lies in memory, rows contiguous at distance ld, or null.
  virtual const float* held(float, std::int64_t* /*ld*/) const { return nullptr; }
  virtual const double* held(double, std::int64_t* /*ld*/) const { return nullptr; }
  // K of some of the samples; rows may repeat. The result must not outlive this source, nor the list of rows.
  virtual std::unique_ptr<RowSource> subset(Rows rows) = 0;
  // Whether rows in float, with an end game in double, cost less than rows in double.
  virtual bool prefers_float() const { return false; }
  // Whether a single row costs next to nothing, so that rows are better fetched one by one when they are needed.
  virtual bool cheap() const { return false; }
  // Whether values are so dear that a product is not worth computing them anew.
  virtual bool dear() const { return false; }
  // Whether several threads may make subsets and ask them at once, each its own.
  virtual bool concurrent() const { return true; }
};

}  // namespace mercer
