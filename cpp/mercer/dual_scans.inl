// The scans of the dual solver, included into the namespace of each instruction set. Gradients are double whatever the
// rows are; an index is found by remembering the block of the best value, so that the loop itself only takes minima.

constexpr std::int64_t scan_block = 64;

template <class V>
inline double lowest(const V& v) {
  double m = v[0];
  for (int l = 1; l < vector_lanes<double>; ++l) m = v[l] < m ? v[l] : m;
  return m;
}

using Doubles = Simd<double>::Vector;

// As many numbers of a row as a vector of doubles has lanes, in double.
template <class T>
inline Doubles widened(const T* row) {
  typedef T Narrow __attribute__((vector_size(vector_lanes<double> * sizeof(T)), aligned(sizeof(T)), may_alias));
  return __builtin_convertvector(*reinterpret_cast<const Narrow*>(row), Doubles);
}

inline Doubles loaded(const double* p) { return *reinterpret_cast<const Doubles*>(p); }
inline Doubles smaller(Doubles a, Doubles b) { return a < b ? a : b; }
inline Doubles larger(Doubles a, Doubles b) { return a > b ? a : b; }

template <class T>
Extremes advance(double step, const T* __restrict a, const T* __restrict b, double* __restrict f, const double* __restrict up,
                 const double* __restrict down, std::int64_t n) {
  constexpr int width = vector_lanes<double>;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const Doubles steps = Doubles{} + step;
  Extremes found{0, infinity, -infinity};
  Doubles high = Doubles{} - infinity;
  std::int64_t t = 0, block = 0;
  const auto one = [&](std::int64_t k, Doubles low) {
    const Doubles value = loaded(f + k) + steps * (widened(a + k) - widened(b + k));
    *reinterpret_cast<Doubles*>(f + k) = value;
    high = larger(high, value + loaded(down + k));
    return smaller(low, value + loaded(up + k));
  };
  while (t + width <= n) {
    const std::int64_t begin = t, end = t + scan_block < n - width ? t + scan_block : n - n % width;
    Doubles low = Doubles{} + infinity, low2 = low;
    for (; t + 2 * width <= end; t += 2 * width) {
      low = one(t, low);
      low2 = one(t + width, low2);
    }
    for (; t < end; t += width) low = one(t, low);
    const double m = lowest(smaller(low, low2));
    if (m < found.low) found.low = m, block = begin;
  }
  found.high = -lowest(-high);
  const std::int64_t tail = t;
  for (; t < n; ++t) {
    f[t] += step * (static_cast<double>(a[t]) - static_cast<double>(b[t]));
    if (f[t] + up[t] < found.low) found.low = f[t] + up[t], block = tail;
    if (f[t] + down[t] > found.high) found.high = f[t] + down[t];
  }
  for (found.first = block; found.first + 1 < n && f[found.first] + up[found.first] != found.low;) ++found.first;
  return found;
}

// The j that promises the largest decrease b²/a together with i, b = f_j + down_j − low > 0, a = max(K_ii + K_jj − 2K_ij, tiny).
template <class T>
std::int64_t partner(const T* __restrict row, double diagonal_i, const double* __restrict diagonal, const double* __restrict f,
                     const double* __restrict down, double low, double tiny, std::int64_t n) {
  constexpr int width = vector_lanes<double>;
  const Doubles lows = Doubles{} + low, tinies = Doubles{} + tiny, own = Doubles{} + diagonal_i, zero = Doubles{};
  double best = 0.0;
  std::int64_t t = 0, block = 0, block_end = 0;
  const auto gain = [&](std::int64_t k) {
    const Doubles b = larger(loaded(f + k) + loaded(down + k) - lows, zero);
    const Doubles a = larger(own + loaded(diagonal + k) - 2.0 * widened(row + k), tinies);
    return b * b / a;
  };
  while (t + width <= n) {
    const std::int64_t begin = t, end = t + scan_block < n - width ? t + scan_block : n - n % width;
    Doubles high = zero, high2 = zero;
    for (; t + 2 * width <= end; t += 2 * width) {
      high = larger(high, gain(t));
      high2 = larger(high2, gain(t + width));
    }
    for (; t < end; t += width) high = larger(high, gain(t));
    const double m = -lowest(-larger(high, high2));
    if (m > best) best = m, block = begin, block_end = end;
  }
  const auto scalar_gain = [&](std::int64_t k) {
    const double b = f[k] + down[k] - low, a = diagonal_i + diagonal[k] - 2.0 * static_cast<double>(row[k]);
    return b > 0.0 ? b * b / (a > tiny ? a : tiny) : 0.0;
  };
  std::int64_t found = -1;
  double found_gain = 0.0;  // the scalar form may round otherwise: take its own maximum over the best block
  const auto consider = [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t k = begin; k < end; ++k)
      if (const double g = scalar_gain(k); g > found_gain) found_gain = g, found = k;
  };
  consider(block, block_end);
  consider(t, n);
  return found;
}

// f += Σ_s steps_s rows_s, four rows at a time.
template <class T>
void accumulate(const double* steps, const T* const* rows, std::int64_t count, double* __restrict f, std::int64_t n) {
  constexpr int width = vector_lanes<double>, together = 4;
  std::int64_t s = 0;
  for (; s + together <= count; s += together) {
    const T *a = rows[s], *b = rows[s + 1], *c = rows[s + 2], *d = rows[s + 3];
    const double p = steps[s], q = steps[s + 1], r = steps[s + 2], u = steps[s + 3];
    std::int64_t t = 0;
    for (; t + width <= n; t += width)
      *reinterpret_cast<Doubles*>(f + t) = loaded(f + t) + ((p * widened(a + t) + q * widened(b + t)) + (r * widened(c + t) + u * widened(d + t)));
    for (; t < n; ++t)
      f[t] += (p * static_cast<double>(a[t]) + q * static_cast<double>(b[t])) + (r * static_cast<double>(c[t]) + u * static_cast<double>(d[t]));
  }
  for (; s < count; ++s)
    for (std::int64_t t = 0; t < n; ++t) f[t] += steps[s] * static_cast<double>(rows[s][t]);
}
