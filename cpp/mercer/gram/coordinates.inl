// Sources that run over coordinates, Σ_k g(x_k, z_k) and Π_k g(x_k, z_k), included into the namespace of each
// instruction set.

template <Op op, class Vector>
inline Vector term(Vector x, Vector z) {
  using Mask = decltype(x < z);
  const Vector zero{}, one = zero + 1;
  if constexpr (op == Op::l1) {
    const Vector minus_zero = zero * -1;
    return (Vector)((Mask)(x - z) & ~(Mask)minus_zero);  // the sign bit cleared
  }
  if constexpr (op == Op::min_sum || op == Op::min_product) return x < z ? x : z;
  if constexpr (op == Op::mismatch) return x == z ? zero : one;
  if constexpr (op == Op::chi2 || op == Op::additive_chi2) {
    const Vector sum = x + z > zero ? x + z : one;
    return op == Op::chi2 ? (x - z) * ((x - z) / sum) : 2 * x * (z / sum);  // divided first: squares may overflow
  }
}

// One row against `group` chunks: their accumulators stay in registers over all coordinates, and are enough of them for
// additions to overlap.
template <Op op, bool scaled, int group, class T>
void accumulate_chunks(const T* __restrict a, const T* __restrict panel, const T* __restrict scale, std::int64_t d, T* __restrict out) {
  using Vector = typename Simd<T>::Vector;
  constexpr int step = vector_lanes<T>, wide = lanes<T> / step;
  constexpr bool product = op == Op::min_product;
  Vector sum[group * wide];
  for (int g = 0; g < group * wide; ++g) sum[g] = Vector{} + T(product ? 1 : 0);
  for (std::int64_t k = 0; k < d; ++k) {
    const Vector x = Vector{} + a[k];
    for (int g = 0; g < group * wide; ++g) {
      const T* z = panel + (g / wide * d + k) * lanes<T> + g % wide * step;
      const Vector t = term<op>(x, *reinterpret_cast<const Vector*>(z));
      if constexpr (product) sum[g] *= t;
      else if constexpr (scaled) sum[g] += t * scale[k];
      else sum[g] += t;
    }
  }
  for (int g = 0; g < group * wide; ++g) *reinterpret_cast<Vector*>(out + g * step) = sum[g];
}

template <Op op, bool scaled, class T>
void accumulate(const T* a, const T* panel, const T* scale, std::int64_t d, T* out, std::int64_t n) {
  constexpr int group = 8 * vector_lanes<T> / lanes<T>;
  std::int64_t j = 0;
  for (; j + group * lanes<T> <= n + lanes<T> - 1; j += group * lanes<T>) accumulate_chunks<op, scaled, group>(a, panel + j * d, scale, d, out + j);
  for (; j < n; j += lanes<T>) accumulate_chunks<op, scaled, 1>(a, panel + j * d, scale, d, out + j);
}

// Elementary symmetric polynomials e_1 … e_degree by the recurrence e_q ← e_q + b_k e_{q−1} over coordinates k.
template <bool rbf, class T>
void anova(int degree, T gamma, const T* __restrict a, const T* __restrict panel, std::int64_t d, T* __restrict out, std::int64_t n) {
  T e[max_anova_degree + 1][lanes<T>];
  for (std::int64_t j = 0; j < n; j += lanes<T>, panel += d * lanes<T>) {
    for (int q = 0; q <= degree; ++q)
      for (int l = 0; l < lanes<T>; ++l) e[q][l] = q == 0 ? T(1) : T(0);
    for (std::int64_t k = 0; k < d; ++k) {
      const T x = a[k];
      const T* __restrict z = panel + k * lanes<T>;
      T base[lanes<T>];
      for (int l = 0; l < lanes<T>; ++l) base[l] = rbf ? vexp(-gamma * (x - z[l]) * (x - z[l])) : x * z[l];
      for (int q = degree; q >= 1; --q)
        for (int l = 0; l < lanes<T>; ++l) e[q][l] += base[l] * e[q - 1][l];
    }
    for (int l = 0; l < lanes<T>; ++l) out[j + l] = e[degree][l];
  }
}

// |gap|^p for exponents other than 1 and 2; square roots are faster than powers.
template <class T, class Run>
void with_power(T p, Run&& run) {
  if (p == T(0.5)) run([](T gap) { return root(gap); });
  else if (p == T(1.5)) run([](T gap) { return gap * root(gap); });
  else if (p <= T(4)) run([exponent = Exponent<T>(p)](T gap) { return vpow(gap, exponent); });
  else run([p](T gap) { return T(__builtin_pow(gap, p)); });
}

// |x − z| of one column of n rows (whole chunks) of a panel with d columns.
template <class T>
void store_gaps(T x, const T* z, std::int64_t d, std::int64_t n, T* out) {
  using Vector = typename Simd<T>::Vector;
  for (std::int64_t j = 0; j < n; j += lanes<T>, z += d * lanes<T>)
    for (int l = 0; l < lanes<T>; l += vector_lanes<T>)
      *reinterpret_cast<Vector*>(out + j + l) = term<Op::l1>(Vector{} + x, *reinterpret_cast<const Vector*>(z + l));
}

template <class T>
void power_sum(T p, const T* a, const T* panel, const T* scale, std::int64_t d, T* out, std::int64_t n) {
  constexpr std::int64_t stretch = 4 * lanes<T>;
  with_power(p, [=](auto power) {
    T gaps[stretch], sums[stretch];
    for (std::int64_t first = 0; first < n; first += stretch) {
      const std::int64_t left = (n - first + lanes<T> - 1) / lanes<T> * lanes<T>, count = left < stretch ? left : stretch;
      for (std::int64_t j = 0; j < count; ++j) sums[j] = T(0);
      for (std::int64_t k = 0; k < d; ++k) {
        const T weight = scale ? scale[k] : T(1);
        store_gaps(a[k], panel + first * d + k * lanes<T>, d, count, gaps);
        for (std::int64_t j = 0; j < count; ++j) sums[j] += weight * power(gaps[j]);
      }
      for (std::int64_t j = 0; j < count; ++j) out[first + j] = sums[j];
    }
  });
}

template <class T>
void coordinates(const Step& s, const T* a, const T* panel, const T* scale, std::int64_t d, T* out, std::int64_t n) {
  switch (s.op) {
    case Op::l1: return scale ? accumulate<Op::l1, true>(a, panel, scale, d, out, n) : accumulate<Op::l1, false>(a, panel, scale, d, out, n);
    case Op::chi2: return accumulate<Op::chi2, false>(a, panel, scale, d, out, n);
    case Op::additive_chi2: return accumulate<Op::additive_chi2, false>(a, panel, scale, d, out, n);
    case Op::min_sum: return accumulate<Op::min_sum, false>(a, panel, scale, d, out, n);
    case Op::mismatch:
      return scale ? accumulate<Op::mismatch, true>(a, panel, scale, d, out, n) : accumulate<Op::mismatch, false>(a, panel, scale, d, out, n);
    case Op::power_sum: return power_sum(T(s.a), a, panel, scale, d, out, n);
    case Op::min_product: return accumulate<Op::min_product, false>(a, panel, scale, d, out, n);
    case Op::anova_dot: return anova<false>(static_cast<int>(s.a), T(s.b), a, panel, d, out, n);
    case Op::anova_rbf: return anova<true>(static_cast<int>(s.a), T(s.b), a, panel, d, out, n);
    default: return;
  }
}
