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

template <class T>
void dots(const T* __restrict rows, const double* __restrict v, std::int64_t r, double* __restrict out) {
  constexpr int block = FeatureLoops<T>::block, few = chains / 2;  // more partial sums would not fit the registers
  double sums[block][few] = {};
  std::int64_t k = 0;
  for (; k + few <= r; k += few)
    for (int b = 0; b < block; ++b)
      for (int l = 0; l < few; ++l) sums[b][l] += static_cast<double>(rows[b * r + k + l]) * v[k + l];
  for (int b = 0; b < block; ++b) {
    double sum = 0.0;
    for (std::int64_t rest = k; rest < r; ++rest) sum += static_cast<double>(rows[b * r + rest]) * v[rest];
    for (int half = few / 2; half > 0; half /= 2)
      for (int l = 0; l < half; ++l) sums[b][l] += sums[b][l + half];
    out[b] = sum + sums[b][0];
  }
}

template <class T>
void adds(const double* __restrict a, const T* __restrict rows, double* __restrict v, std::int64_t r) {
  static_assert(FeatureLoops<T>::block == 4);
  const T *first = rows, *second = rows + r, *third = second + r, *fourth = third + r;
  for (std::int64_t k = 0; k < r; ++k)
    v[k] += (a[0] * static_cast<double>(first[k]) + a[1] * static_cast<double>(second[k])) +
            (a[2] * static_cast<double>(third[k]) + a[3] * static_cast<double>(fourth[k]));
}

}  // namespace

extern const FeatureLoops<float> float_features;
extern const FeatureLoops<double> double_features;
const FeatureLoops<float> float_features{dot<float>, add<float>, dots<float>, adds<float>};
const FeatureLoops<double> double_features{dot<double>, add<double>, dots<double>, adds<double>};

}  // namespace mercer::MERCER_ISA
