// The inner loops, compiled once per instruction set and reached through a table chosen at run time.
#pragma once

#include <cstdint>

#include "mercer/gram/program.hpp"

namespace mercer {

// Right panels are read in chunks of this many rows, coordinate by coordinate: [chunk][k][lane]. A step is a cache line.
template <class T>
constexpr int lanes = 64 / static_cast<int>(sizeof(T));

template <class T>
constexpr std::int64_t padded(std::int64_t n) {
  return (n + lanes<T> - 1) / lanes<T> * lanes<T>;
}

// A block of any strides: entry (i, k) is data[i·row_stride + k·col_stride]; strides are in elements.
template <class T>
struct Strided {
  const T* data;
  std::int64_t row_stride, col_stride;
};

// A right panel: entry (k, j) is data[(j / lanes)·chunk_stride + k·lanes + j % lanes].
template <class T>
struct Chunked {
  const T* data;
  std::int64_t chunk_stride;
};

// What centring and scaling do to a row on its way into a panel.
struct Transform {
  const double* centre;  // subtracted, or null
  const double* scale;   // multiplies afterwards, or null
};

// Where the dual solver may move: the index of the lowest rise, and the two extremes.
struct Extremes {
  std::int64_t first;
  double low, high;  // min rise, max fall
};

template <class T>
struct RowKernels {
  // dst_k = (src_k − centre_k)·scale_k, rounded once; `stride` in elements of the source. Returns Σ dst_k².
  double (*pack_float)(const float* src, std::int64_t stride, std::int64_t d, Transform transform, T* dst);
  double (*pack_double)(const double* src, std::int64_t stride, std::int64_t d, Transform transform, T* dst);
  // c (m × n, leading dimension ld) = A B, or c + A B if `add`, with A m × depth and B depth × n.
  // Columns of c up to padded(n) may be written.
  void (*product)(Strided<T> a, Chunked<T> b, std::int64_t m, std::int64_t n, std::int64_t depth, T* c, std::int64_t ld, bool add);
  // out = Σ_s steps_s columns_s, or out + that if `add`; n is a multiple of `lanes`.
  void (*combine)(const T* steps, const T* const* columns, std::int64_t count, T* out, std::int64_t n, bool add);
  // out_j = max(0, norm + norms_j − 2 g_j). Returns true unless every out_j > close · (norm + norms_j): the others
  // have lost too many digits (or overflowed) and are to be computed from differences.
  bool (*sqdist)(const T* g, T norm, const T* norms, T close, T* out, std::int64_t n);
  // A coordinate source of row a (d numbers) against a chunked panel; n is rounded up to whole chunks. `scale` multiplies
  // the terms of l1, mismatch and power_sum, or is null.
  void (*coordinates)(const Step& step, const T* a, const T* panel, const T* scale, std::int64_t d, T* out, std::int64_t n);
  // The source of interactions of row a against a chunked panel; n is rounded up to whole chunks.
  void (*interactions)(const InteractionTerms& terms, const T* a, const T* panel, T* out, std::int64_t n);
  // A map of v in place; r and c are the factors of outer maps.
  void (*map)(const Step& step, const double* pool, T* v, std::int64_t n, T r, const T* c);
  void (*join)(Op op, T* into, const T* from, std::int64_t n);
  // to[j·ld + i] = from[i·ld + j] for i < m, j < n; the two blocks do not overlap.
  void (*transpose)(const T* from, std::int64_t ld, std::int64_t m, std::int64_t n, T* to);
  // Both slopes += step (a − b), and their extremes; a slope is infinite where its direction is barred.
  Extremes (*advance)(double step, const T* a, const T* b, double* rise, double* fall, std::int64_t n);
  // The j of the largest b²/max(a, tiny) with b = (fall_j − low) scale > 0 and a = k_ii + k_jj − 2 row_j; −1 if there is none.
  std::int64_t (*partner)(const T* row, T own, const T* diagonal, const double* fall, double low, double scale, T tiny, std::int64_t n);
  // f += Σ_s steps_s rows_s.
  void (*accumulate)(const double* steps, const T* const* rows, std::int64_t count, double* f, std::int64_t n);
};

// The kernel exp(−S^g) of S = Σ_k w_k t_k with t_k = |x_k − z_k|^p in numerical columns, which come first, and [x_k ≠ z_k] in
// the others.
struct ColumnTerms {
  const double* weights;  // null: no kernel, only sums over the columns
  std::int64_t columns, numerical;
  double p, g;
  // Numbers of working memory for a row against n others.
  std::int64_t scratch(std::int64_t n) const { return n * (1 + (p == 1 || p == 2 ? 0 : numerical)); }
};

struct KernelTable {
  const char* name;
  RowKernels<float> single;
  RowKernels<double> twice;
  // Row a against n rows of a chunked panel (whole chunks) with the weights v of the pairs. Adds to `totals` (3 × lanes), unless
  // there are no weights of columns, the pairs' sums of v k, of v ∂k/∂log c with c a factor of all w, and of v ∂k/∂log g; and to
  // `sums` (columns × lanes), unless it is null, those of v ∂k/∂S t_k, or of v t_k without weights of columns.
  void (*column_slopes)(const ColumnTerms& terms, const double* a, const double* panel, const double* v, std::int64_t n, double* scratch,
                        double* totals, double* sums);
  // The same for interactions. Adds to `sums` (lanes each) Σ v E_q for each order, then Σ v b_k ∂k/∂b_k for each column with its
  // factor b_k, then Σ v ∂k/∂log g_k for each numerical column.
  void (*interaction_slopes)(const InteractionTerms& terms, const double* a, const double* panel, const double* v, std::int64_t n, double* scratch,
                             double* sums);

  template <class T>
  const RowKernels<T>& of() const {
    if constexpr (sizeof(T) == 4) return single;
    else return twice;
  }
};

// Tables this machine can run, best first (null-terminated), and the one in use.
const KernelTable* const* available_tables();
const KernelTable& active_table();
// Throws std::invalid_argument if the name is unknown or the machine cannot run it; "auto" is the best.
void select_table(const char* name);

}  // namespace mercer
