// The inner loops of the solver on explicit features, compiled once per instruction set.
#pragma once

#include <cstdint>

namespace mercer {

template <class T>
struct FeatureLoops {
  // Σ_k row_k · v_k in double. Meanwhile the row `next`, which the caller reads soon, is fetched into the cache; it may be null.
  double (*dot)(const T* row, const double* v, std::int64_t r, const T* next);
  // v += a · row.
  void (*add)(double a, const T* row, double* v, std::int64_t r);
  // The same for `block` rows, one after the other in memory: v is read, and written, once for all of them.
  static constexpr int block = 4;
  void (*dots)(const T* rows, const double* v, std::int64_t r, double* out);
  void (*adds)(const double* a, const T* rows, double* v, std::int64_t r);
};

// The loops for the instruction set in use.
template <class T>
const FeatureLoops<T>& feature_loops();

}  // namespace mercer
