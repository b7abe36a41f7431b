// The scans of the dual solver, included into the namespace of each instruction set. Slopes are double whatever the rows
// are. An index is found by remembering the block of the best value, so that the loops themselves only take extremes.

constexpr std::int64_t scan_block = 64;

// As many numbers as a vector of T has lanes.
template <class T, class S>
struct Alike {
  typedef S Vector __attribute__((vector_size(vector_lanes<T> * sizeof(S)), aligned(sizeof(S)), may_alias));
};

// Copies, not casts: a template argument loses the alignment that its typedef states, and Clang would assume the natural one.
template <class V, class S>
inline V loaded(const S* p) {
  V v;
  __builtin_memcpy(&v, p, sizeof v);
  return v;
}
template <class V, class S>
inline void stored(S* p, V v) {
  __builtin_memcpy(p, &v, sizeof v);
}
template <class V>
inline V smaller(V a, V b) {
  return a < b ? a : b;
}
template <class V>
inline V larger(V a, V b) {
  return a > b ? a : b;
}

template <int... places>
struct Places {};
template <int n, int... rest>
struct Counted : Counted<n - 1, n - 1, rest...> {};
template <int... rest>
struct Counted<0, rest...> {
  using Type = Places<rest...>;
};

// Two vectors side by side as one.
template <class V, class Half, int... places>
inline V joined(Half low, Half high, Places<places...>) {
  return __builtin_shufflevector(low, high, places...);
}

// As many doubles as a vector of T has lanes, (p_k − low)·scale, rounded to T.
template <class T>
inline typename Simd<T>::Vector scaled_difference(const double* p, Simd<double>::Vector low, Simd<double>::Vector scale) {
  using Doubles = Simd<double>::Vector;
  if constexpr (sizeof(T) == 8) {
    return (loaded<Doubles>(p) - low) * scale;
  } else {
    using Half = typename Alike<double, T>::Vector;
    const Half first = __builtin_convertvector((loaded<Doubles>(p) - low) * scale, Half);
    const Half second = __builtin_convertvector((loaded<Doubles>(p + vector_lanes<double>) - low) * scale, Half);
    return joined<typename Simd<T>::Vector>(first, second, typename Counted<vector_lanes<T>>::Type{});
  }
}

template <class V, int lanes_of>
inline auto lowest(V v) {
  auto m = v[0];
  for (int l = 1; l < lanes_of; ++l) m = v[l] < m ? v[l] : m;
  return m;
}

template <class T>
Extremes advance(double step, const T* __restrict a, const T* __restrict b, double* __restrict rise, double* __restrict fall, std::int64_t n) {
  using Doubles = Simd<double>::Vector;
  using Narrow = typename Alike<double, T>::Vector;
  constexpr int width = vector_lanes<double>;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const Doubles steps = Doubles{} + step;
  Extremes found{0, infinity, -infinity};
  Doubles high = Doubles{} - infinity, high2 = high;
  const auto one = [&](std::int64_t k, Doubles& low, Doubles& top) {
    const Doubles change =
        steps * (__builtin_convertvector(loaded<Narrow>(a + k), Doubles) - __builtin_convertvector(loaded<Narrow>(b + k), Doubles));
    const Doubles up = loaded<Doubles>(rise + k) + change, down = loaded<Doubles>(fall + k) + change;
    stored(rise + k, up);
    stored(fall + k, down);
    low = smaller(low, up);
    top = larger(top, down);
  };
  std::int64_t t = 0, block = 0;
  const std::int64_t whole = n - n % (2 * width);
  while (t < whole) {
    const std::int64_t begin = t, end = t + scan_block < whole ? t + scan_block : whole;
    Doubles low = Doubles{} + infinity, low2 = low;
    for (; t < end; t += 2 * width) {
      one(t, low, high);
      one(t + width, low2, high2);
    }
    const double m = lowest<Doubles, width>(smaller(low, low2));
    if (m < found.low) found.low = m, block = begin;
  }
  found.high = -lowest<Doubles, width>(-larger(high, high2));
  for (; t < n; ++t) {
    const double change = step * (static_cast<double>(a[t]) - static_cast<double>(b[t]));
    rise[t] += change;
    fall[t] += change;
    if (rise[t] < found.low) found.low = rise[t], block = t;
    if (fall[t] > found.high) found.high = fall[t];
  }
  for (found.first = block; found.first + 1 < n && rise[found.first] != found.low;) ++found.first;
  return found;
}

// Gains are compared in T, scaled so that b ≤ 1: the choice needs few digits, and the step itself is computed in double.
template <class T>
std::int64_t partner(const T* __restrict row, T own, const T* __restrict diagonal, const double* __restrict fall, double low, double scale, T tiny,
                     std::int64_t n) {
  using V = typename Simd<T>::Vector;
  using Doubles = Simd<double>::Vector;
  constexpr int width = vector_lanes<T>;
  const Doubles lows = Doubles{} + low, scales = Doubles{} + scale;
  const V owns = V{} + own, tinies = V{} + tiny, zero = V{};
  const auto gain = [&](std::int64_t k) {
    const V b = larger(scaled_difference<T>(fall + k, lows, scales), zero);
    const V a = larger(owns + loaded<V>(diagonal + k) - T(2) * loaded<V>(row + k), tinies);
    return b * b / a;
  };
  const auto scalar_gain = [&](std::int64_t k) {
    const T b = static_cast<T>((fall[k] - low) * scale), a = own + diagonal[k] - T(2) * row[k];
    return b > T(0) ? b * b / (a > tiny ? a : tiny) : T(0);
  };
  T best = T(0);
  std::int64_t t = 0, block = 0, block_end = 0;
  const std::int64_t whole = n - n % (2 * width);
  while (t < whole) {
    const std::int64_t begin = t, end = t + scan_block < whole ? t + scan_block : whole;
    V high = zero, high2 = zero;
    for (; t < end; t += 2 * width) {
      high = larger(high, gain(t));
      high2 = larger(high2, gain(t + width));
    }
    const T m = -lowest<V, width>(-larger(high, high2));
    if (m > best) best = m, block = begin, block_end = end;
  }
  std::int64_t found = -1;
  T found_gain = T(0);  // the scalar form may round otherwise: take its own maximum over the best block
  const auto consider = [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t k = begin; k < end; ++k)
      if (const T g = scalar_gain(k); g > found_gain) found_gain = g, found = k;
  };
  consider(block, block_end);
  consider(t, n);
  return found;
}

// f += Σ_s steps_s rows_s, four rows at a time.
template <class T>
void accumulate(const double* steps, const T* const* rows, std::int64_t count, double* __restrict f, std::int64_t n) {
  using Doubles = Simd<double>::Vector;
  using Narrow = typename Alike<double, T>::Vector;
  constexpr int width = vector_lanes<double>, together = 4;
  const auto wide = [](const T* p) { return __builtin_convertvector(loaded<Narrow>(p), Doubles); };
  std::int64_t s = 0;
  for (; s + together <= count; s += together) {
    const T *a = rows[s], *b = rows[s + 1], *c = rows[s + 2], *d = rows[s + 3];
    const double p = steps[s], q = steps[s + 1], r = steps[s + 2], u = steps[s + 3];
    std::int64_t t = 0;
    for (; t + width <= n; t += width)
      stored(f + t, loaded<Doubles>(f + t) + ((p * wide(a + t) + q * wide(b + t)) + (r * wide(c + t) + u * wide(d + t))));
    for (; t < n; ++t)
      f[t] += (p * static_cast<double>(a[t]) + q * static_cast<double>(b[t])) + (r * static_cast<double>(c[t]) + u * static_cast<double>(d[t]));
  }
  for (; s < count; ++s)
    for (std::int64_t t = 0; t < n; ++t) f[t] += steps[s] * static_cast<double>(rows[s][t]);
}
