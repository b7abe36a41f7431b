// Compiled once per instruction set, under the rules of row_kernels.inl.
#include <cstdint>

#include "mercer/dual/feature_loops.hpp"

namespace mercer::MERCER_ISA {
namespace {

// Sums run in this many partial sums: independent additions pipeline, and their rounding error is smaller.
constexpr int chains = 32;

template <class T>
double dot(const T* __restrict row, const double* __restrict v, std::int64_t r, const T* next) {
  double sums[chains] = {};
  std::int64_t k = 0;
  for (; k + chains <= r; k += chains) {
#if defined(__GNUC__)
    if (next) {
      constexpr int line = 64 / static_cast<int>(sizeof(T));
      for (int l = 0; l < chains; l += line) __builtin_prefetch(next + k + l, 0, 2);
    }
#endif
    for (int l = 0; l < chains; ++l) sums[l] += static_cast<double>(row[k + l]) * v[k + l];
  }
  double sum = 0.0;
  for (; k < r; ++k) sum += static_cast<double>(row[k]) * v[k];
  for (int half = chains / 2; half > 0; half /= 2)
    for (int l = 0; l < half; ++l) sums[l] += sums[l + half];
  return sum + sums[0];
}

template <class T>
void add(double a, const T* __restrict row, double* __restrict v, std::int64_t r) {
  for (std::int64_t k = 0; k < r; ++k) v[k] += a * static_cast<double>(row[k]);
}

}  // namespace

extern const FeatureLoops<float> float_features;
extern const FeatureLoops<double> double_features;
const FeatureLoops<float> float_features{dot<float>, add<float>};
const FeatureLoops<double> double_features{dot<double>, add<double>};

}  // namespace mercer::MERCER_ISA
