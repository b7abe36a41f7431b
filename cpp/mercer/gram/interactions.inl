// Interactions of columns and their derivatives, included into the namespace of each instruction set. A chunk of rows of the
// panel is taken at a time: its means E_q of all orders stay in the first cache.

// |gap|^p for any exponent.
template <class T, class Run>
void with_any_power(T p, Run&& run) {
  if (p == T(1)) run([](T gap) { return gap; });
  else if (p == T(2)) run([](T gap) { return gap * gap; });
  else with_power(p, run);
}

// The factors of one column, and the powers |x − z|^p of a numerical one.
template <class T, class Power>
inline void interaction_factors(bool numerical, T x, const T* __restrict z, T rate, T* __restrict powers, T* __restrict factors, Power power) {
  if (numerical) {
    for (int l = 0; l < lanes<T>; ++l) powers[l] = power(x < z[l] ? z[l] - x : x - z[l]);
    for (int l = 0; l < lanes<T>; ++l) factors[l] = vexp(-rate * powers[l]);
  } else {
    for (int l = 0; l < lanes<T>; ++l) factors[l] = x == z[l] ? T(1) : T(0);
  }
}

// One column more in the means of the orders 1 … degree, which lie one after the other in e.
template <class T>
inline void add_column(std::int64_t degree, const double* shares, const T* factors, T* e) {
  using Vector = typename Simd<T>::Vector;
  for (int l = 0; l < lanes<T>; l += vector_lanes<T>) {
    const Vector b = *reinterpret_cast<const Vector*>(factors + l);
    Vector* mean = reinterpret_cast<Vector*>(e + degree * lanes<T> + l);
    for (std::int64_t q = degree; q >= 1; --q) {
      Vector* lower = reinterpret_cast<Vector*>(e + (q - 1) * lanes<T> + l);
      *mean += (b * *lower - *mean) * T(shares[q - 1]);
      mean = lower;
    }
  }
}

// The means without any column: 1 of order 0.
template <class T>
inline void start_means(std::int64_t degree, T* e) {
  for (std::int64_t i = 0; i < (degree + 1) * lanes<T>; ++i) e[i] = i < lanes<T> ? T(1) : T(0);
}

template <class T>
void interactions(const InteractionTerms& terms, const T* a, const T* panel, T* out, std::int64_t n) {
  const std::int64_t degree = terms.degree, d = terms.columns;
  with_any_power(T(terms.p), [=, &terms](auto power) {
    T e[(max_anova_degree + 1) * lanes<T>], powers[lanes<T>], factors[lanes<T>];
    for (std::int64_t j = 0; j < n; j += lanes<T>) {
      const T* z = panel + j * d;
      start_means(degree, e);
      for (std::int64_t k = 0; k < d; ++k) {
        const bool numerical = k < terms.numerical;
        interaction_factors(numerical, a[k], z + k * lanes<T>, numerical ? T(terms.rates[k]) : T(0), powers, factors, power);
        add_column(degree, terms.shares + k * degree, factors, e);
      }
      T sum[lanes<T>] = {};
      for (std::int64_t q = 0; q <= degree; ++q)
        for (int l = 0; l < lanes<T>; ++l) sum[l] += T(terms.orders[q]) * e[q * lanes<T> + l];
      for (int l = 0; l < lanes<T>; ++l) out[j + l] = sum[l];
    }
  });
}

// Adds the slope of k in the factors of a column to `own` and passes the slopes in the means on to the columns before it, whose
// means are `kept`.
inline void remove_column(std::int64_t degree, const double* shares, const double* factors, const double* kept, double* slopes, double* own) {
  using Vector = typename Simd<double>::Vector;
  constexpr int width = lanes<double>;
  for (int l = 0; l < width; l += vector_lanes<double>) {
    const Vector b = *reinterpret_cast<const Vector*>(factors + l);
    Vector sum{};
    for (std::int64_t q = 1; q <= degree; ++q) {
      Vector& slope = *reinterpret_cast<Vector*>(slopes + q * width + l);
      sum += slope * shares[q - 1] * *reinterpret_cast<const Vector*>(kept + (q - 1) * width + l);
      slope *= 1 - shares[q - 1];
      if (q < degree) slope += *reinterpret_cast<const Vector*>(slopes + (q + 1) * width + l) * b * shares[q];
    }
    *reinterpret_cast<Vector*>(own + l) = sum;
  }
}

// The recurrence is run backwards with the derivatives d_q of v k in E_q.
void interaction_slopes(const InteractionTerms& terms, const double* a, const double* panel, const double* v, std::int64_t n, double* scratch,
                        double* sums) {
  constexpr int width = lanes<double>;
  const std::int64_t degree = terms.degree, d = terms.columns;
  double *before = scratch, *factors = before + d * (degree + 1) * width, *powers = factors + d * width;
  double *of_columns = sums + (degree + 1) * width, *of_rates = of_columns + d * width;
  with_any_power(terms.p, [=, &terms](auto power) {
    double e[(max_anova_degree + 1) * width], slopes[(max_anova_degree + 1) * width], own[width];
    for (std::int64_t j = 0; j < n; j += width) {
      const double *z = panel + j * d, *__restrict weight = v + j;
      start_means(degree, e);
      for (std::int64_t k = 0; k < d; ++k) {
        double* __restrict kept = before + k * (degree + 1) * width;
        for (std::int64_t i = 0; i < (degree + 1) * width; ++i) kept[i] = e[i];
        const bool numerical = k < terms.numerical;
        interaction_factors(numerical, a[k], z + k * width, numerical ? terms.rates[k] : 0.0, powers + k * width, factors + k * width, power);
        add_column(degree, terms.shares + k * degree, factors + k * width, e);
      }
      for (std::int64_t q = 0; q <= degree; ++q)
        for (int l = 0; l < width; ++l) {
          sums[q * width + l] += weight[l] * e[q * width + l];
          slopes[q * width + l] = terms.orders[q] * weight[l];
        }
      for (std::int64_t k = d - 1; k >= 0; --k) {
        const double* __restrict b = factors + k * width;
        remove_column(degree, terms.shares + k * degree, b, before + k * (degree + 1) * width, slopes, own);
        double* __restrict column = of_columns + k * width;
        for (int l = 0; l < width; ++l) column[l] += own[l] * b[l];
        if (k >= terms.numerical) continue;
        const double rate = terms.rates[k], *__restrict t = powers + k * width;
        double* __restrict sum = of_rates + k * width;
        for (int l = 0; l < width; ++l) sum[l] -= b[l] > 0 ? own[l] * b[l] * (rate * t[l]) : 0.0;
      }
    }
  });
}
