// The data of one side of a pairwise evaluation, seen through views: nothing here owns or copies the user's arrays.
#pragma once

#include <cstdint>
#include <vector>

namespace mercer {

// n rows of d numbers, any strides (in elements), float or double. `left` is what takes the place of `right` when
// the operand stands on the left of an inner product (xᵀAz has left = XA); usually the same array.
struct DenseView {
  const void* data = nullptr;
  bool single = false;  // float, else double
  std::int64_t row_stride = 0;
  std::int64_t col_stride = 0;
};

struct CsrView {
  const void* indptr = nullptr;
  const void* indices = nullptr;
  const void* values = nullptr;
  bool wide = false;    // int64 indices, else int32; both arrays alike
  bool single = false;  // float values, else double
};

enum class Storage { dense, csr };

struct Operand {
  Storage storage = Storage::dense;
  std::int64_t d = 0;
  DenseView right, left;
  CsrView csr;
  const double* centre = nullptr;  // subtracted before inner products (dense only; distances do not mind), or null
  const double* scale = nullptr;   // of each coordinate in sqdist, and of each term of l1, mismatch and power_sum, or null
};

// One side: n rows, optionally a selection of them, with its operands and per-row factors.
struct Side {
  std::int64_t n = 0;                       // rows seen: the length of the selection if there is one
  const std::int64_t* selection = nullptr;  // row numbers in the data, or null for all in order
  std::vector<Operand> operands;
  std::vector<const double*> factors;  // one number per row of the data

  std::int64_t row(std::int64_t i) const { return selection ? selection[i] : i; }
};

}  // namespace mercer
