// Compiled once per instruction set, each time inside its own namespace: no inline function or template of this file
// may be shared between them, or the linker could pick one that the machine cannot run. For the same reason nothing
// from the standard library is called here that is not a constant.
#include <cstdint>
#include <limits>
#include <type_traits>

#include "mercer/gram/row_kernels.hpp"

namespace mercer::MERCER_ISA {
namespace {

#include "mercer/gram/vector_math.inl"

// Sums run in this many partial sums: independent additions pipeline, and their rounding error is smaller.
constexpr int chains = 16;

// Numbers that lie side by side; adds their squares to `norms`.
template <bool centred, bool scaled, class S, class T>
void pack_run(const S* __restrict src, const double* __restrict centre, const double* __restrict scale, std::int64_t n, T* __restrict dst,
              double* __restrict norms) {
  double sums[chains];
  for (int l = 0; l < chains; ++l) sums[l] = norms[l];
  const auto one = [&](std::int64_t k, int l) {
    double x = static_cast<double>(src[k]);
    if (centred) x -= centre[k];
    if (scaled) x *= scale[k];
    const T stored = static_cast<T>(x);
    dst[k] = stored;
    sums[l] = multiply_add(static_cast<double>(stored), static_cast<double>(stored), sums[l]);
  };
  std::int64_t k = 0;
  for (; k + chains <= n; k += chains)
    for (int l = 0; l < chains; ++l) one(k + l, l);
  for (; k < n; ++k) one(k, 0);
  for (int l = 0; l < chains; ++l) norms[l] = sums[l];
}

// Numbers that lie apart are gathered first, a stretch at a time.
template <class S, class T>
double pack(const S* src, std::int64_t stride, std::int64_t d, Transform transform, T* dst) {
  constexpr std::int64_t stretch = 16 * chains;
  S gathered[stretch];
  double norms[chains] = {};
  const std::int64_t step = stride == 1 ? d : stretch;
  for (std::int64_t k = 0; k < d; k += step) {
    const std::int64_t n = step < d - k ? step : d - k;
    const S* from = src + k;
    if (stride != 1) {
      for (std::int64_t i = 0; i < n; ++i) gathered[i] = src[(k + i) * stride];
      from = gathered;
    }
    const double *centre = transform.centre ? transform.centre + k : nullptr, *scale = transform.scale ? transform.scale + k : nullptr;
    if (centre && scale) pack_run<true, true>(from, centre, scale, n, dst + k, norms);
    else if (centre) pack_run<true, false>(from, centre, scale, n, dst + k, norms);
    else if (scale) pack_run<false, true>(from, centre, scale, n, dst + k, norms);
    else pack_run<false, false>(from, centre, scale, n, dst + k, norms);
  }
  double sum = 0.0;
  for (int l = 0; l < chains; ++l) sum += norms[l];
  return sum;
}

#include "mercer/gram/product.inl"

template <class T>
bool sqdist(const T* __restrict g, T norm, const T* __restrict norms, T close, T* __restrict out, std::int64_t n) {
  int near = 0;
  for (std::int64_t j = 0; j < n; ++j) {
    const T total = norm + norms[j];
    const T v = total - T(2) * g[j];
    near |= !(v > close * total);  // also where huge numbers gave NaN
    out[j] = v > T(0) ? v : T(0);
  }
  return near != 0;
}

inline double root(double v) { return __builtin_sqrt(v); }
inline float root(float v) { return __builtin_sqrtf(v); }

#include "mercer/gram/coordinates.inl"

#include "mercer/gram/columns.inl"  // after it: it uses its terms

#include "mercer/gram/interactions.inl"  // after both

// ---- maps and joins --------------------------------------------------------------------------------------------------

template <class T>
inline T positive(T v) {
  return v < T(0) ? T(0) : v;
}  // NaN passes through

// Where exp(−u) is 0 long since, so that no infinity meets that zero.
template <class T>
inline T below_limit(T u) {
  return u > Float<T>::limit ? Float<T>::limit : u;
}

template <class T, class F>
inline void each(T* __restrict v, std::int64_t n, F f) {
  for (std::int64_t j = 0; j < n; ++j) v[j] = f(v[j]);
}

template <class T>
void power_int(T* __restrict v, std::int64_t n, std::int32_t exponent) {
  if (exponent == 1) return;
  if (exponent == 2) return each(v, n, [](T x) { return x * x; });
  if (exponent == 3) return each(v, n, [](T x) { return x * x * x; });
  for (std::int64_t j = 0; j < n; ++j) {  // binary powers: the exponent is the same for all, so this vectorises
    T base = v[j], result = T(1);
    for (std::int32_t e = exponent; e; e >>= 1) {
      if (e & 1) result *= base;
      base *= base;
    }
    v[j] = result;
  }
}

template <class T>
void map(const Step& s, const double* pool, T* __restrict v, std::int64_t n, T r, const T* __restrict c) {
  const T a = T(s.a), b = T(s.b);
  switch (s.op) {
    case Op::affine: return each(v, n, [=](T x) { return a * x + b; });
    case Op::exp: return each(v, n, [=](T x) { return vexp(a * x); });
    case Op::sqrt: return each(v, n, [](T x) { return root(positive(x)); });
    case Op::power_int: return power_int(v, n, s.arg);
    case Op::power:
      if (a > T(0) && a <= T(4)) return each(v, n, [exponent = Exponent<T>(a)](T x) { return vpow(positive(x), exponent); });
      return each(v, n, [=](T x) { return T(__builtin_pow(positive(x), a)); });
    case Op::tanh: return each(v, n, [](T x) { return vtanh(x); });
    case Op::log1p: return each(v, n, [](T x) { return vlog1p(positive(x)); });
    case Op::matern32:
      return each(v, n, [=](T x) {
        const T u = below_limit(a * x);
        return (T(1) + u) * vexp(-u);
      });
    case Op::matern52:
      return each(v, n, [=](T x) {
        const T u = below_limit(a * x);
        return (T(1) + u + u * u / T(3)) * vexp(-u);
      });
    case Op::rational_quadratic: return each(v, n, [=](T x) { return vexp(-a * vlog1p(b * positive(x))); });
    case Op::polynomial: {
      const double* coefficient = pool + s.arg;
      const int terms = static_cast<int>(s.a);
      for (std::int64_t j = 0; j < n; ++j) {
        T sum = T(coefficient[terms - 1]);
        for (int k = terms - 2; k >= 0; --k) sum = sum * v[j] + T(coefficient[k]);
        v[j] = sum;
      }
      return;
    }
    case Op::is_zero: return each(v, n, [](T x) { return x == T(0) ? T(1) : T(0); });
    case Op::outer_scale:
      for (std::int64_t j = 0; j < n; ++j) v[j] *= r * c[j];
      return;
    case Op::outer_ratio:
      for (std::int64_t j = 0; j < n; ++j) {
        const T below = (r + c[j]) - v[j];
        v[j] = below > T(0) ? v[j] / below : T(1);
      }
      return;
    default: return;
  }
}

template <class T>
void join(Op op, T* __restrict into, const T* __restrict from, std::int64_t n) {
  if (op == Op::add)
    for (std::int64_t j = 0; j < n; ++j) into[j] += from[j];
  else
    for (std::int64_t j = 0; j < n; ++j) into[j] *= from[j];
}

// Four rows of four numbers at a time in registers; the written rows advance slowest, so each is finished in one go.
template <class T>
void transpose(const T* __restrict from, std::int64_t ld, std::int64_t m, std::int64_t n, T* __restrict to) {
  typedef T Four __attribute__((vector_size(4 * sizeof(T)), aligned(sizeof(T)), may_alias));
  const std::int64_t m4 = m / 4 * 4, n4 = n / 4 * 4;
  for (std::int64_t j = 0; j < n4; j += 4)
    for (std::int64_t i = 0; i < m4; i += 4) {
      const T* source = from + i * ld + j;
      T* target = to + j * ld + i;
      const Four a = *reinterpret_cast<const Four*>(source), b = *reinterpret_cast<const Four*>(source + ld);
      const Four c = *reinterpret_cast<const Four*>(source + 2 * ld), d = *reinterpret_cast<const Four*>(source + 3 * ld);
      const Four ab_even = __builtin_shufflevector(a, b, 0, 4, 2, 6), ab_odd = __builtin_shufflevector(a, b, 1, 5, 3, 7);
      const Four cd_even = __builtin_shufflevector(c, d, 0, 4, 2, 6), cd_odd = __builtin_shufflevector(c, d, 1, 5, 3, 7);
      *reinterpret_cast<Four*>(target) = __builtin_shufflevector(ab_even, cd_even, 0, 1, 4, 5);
      *reinterpret_cast<Four*>(target + ld) = __builtin_shufflevector(ab_odd, cd_odd, 0, 1, 4, 5);
      *reinterpret_cast<Four*>(target + 2 * ld) = __builtin_shufflevector(ab_even, cd_even, 2, 3, 6, 7);
      *reinterpret_cast<Four*>(target + 3 * ld) = __builtin_shufflevector(ab_odd, cd_odd, 2, 3, 6, 7);
    }
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = j < n4 ? m4 : 0; i < m; ++i) to[j * ld + i] = from[i * ld + j];
}

#include "mercer/dual/scans.inl"

}  // namespace

extern const KernelTable table;
const KernelTable table{MERCER_ISA_NAME,
                        {pack<float, float>, pack<double, float>, product<float>, combine<float>, sqdist<float>, coordinates<float>,
                         interactions<float>, map<float>, join<float>, transpose<float>, advance<float>, partner<float>, accumulate<float>},
                        {pack<float, double>, pack<double, double>, product<double>, combine<double>, sqdist<double>, coordinates<double>,
                         interactions<double>, map<double>, join<double>, transpose<double>, advance<double>, partner<double>, accumulate<double>},
                        column_slopes,
                        interaction_slopes};

}  // namespace mercer::MERCER_ISA
