// Derivatives of exp(−S^g) in the weights of its columns, included into the namespace of each instruction set.
//
// A row meets a group of rows of a panel three times: for S, for the derivative in S, and for the sums of each column. What it
// meets is in the first cache by then. Powers other than 1 and 2 are stored in between, the others are cheaper to compute again.

enum class Terms { absolute, squared, stored };

template <Terms terms>
inline typename Simd<double>::Vector numerical_term(typename Simd<double>::Vector x, const double* z, const double* stored) {
  using Vector = typename Simd<double>::Vector;
  if constexpr (terms == Terms::stored) return *reinterpret_cast<const Vector*>(stored);
  const Vector right = *reinterpret_cast<const Vector*>(z);
  return terms == Terms::squared ? (x - right) * (x - right) : term<Op::l1>(x, right);
}

// Calls use(k, g, t) with the terms t of column k and vector g of the group.
template <Terms terms, int group, class Use>
inline void for_each_term(const ColumnTerms& c, const double* a, const double* panel, const double* stored, std::int64_t n, Use&& use) {
  using Vector = typename Simd<double>::Vector;
  constexpr int step = vector_lanes<double>, wide = lanes<double> / step;
  for (std::int64_t k = 0; k < c.columns; ++k) {
    const Vector x = Vector{} + a[k];
    const double* z = panel + k * lanes<double>;
    const auto at = [=](int g) { return z + g / wide * c.columns * lanes<double> + g % wide * step; };
    if (k < c.numerical) use(k, [&](int g) { return numerical_term<terms>(x, at(g), stored + k * n + g * step); });
    else use(k, [&](int g) { return term<Op::mismatch>(x, *reinterpret_cast<const Vector*>(at(g))); });
  }
}

template <Terms terms, int group>
void add_weighted(const ColumnTerms& c, const double* a, const double* panel, const double* stored, std::int64_t n, double* __restrict sums) {
  using Vector = typename Simd<double>::Vector;
  Vector sum[group];
  for (int g = 0; g < group; ++g) sum[g] = Vector{};
  for_each_term<terms, group>(c, a, panel, stored, n, [&](std::int64_t k, auto&& at) __attribute__((always_inline)) {
    const double weight = c.weights[k];
    for (int g = 0; g < group; ++g) sum[g] += at(g) * weight;
  });
  for (int g = 0; g < group; ++g) *reinterpret_cast<Vector*>(sums + g * vector_lanes<double>) = sum[g];
}

template <Terms terms, int group>
void add_columns(const ColumnTerms& c, const double* a, const double* panel, const double* stored, std::int64_t n, const double* v,
                 double* __restrict sums) {
  using Vector = typename Simd<double>::Vector;
  constexpr int step = vector_lanes<double>;
  Vector factor[group];
  for (int g = 0; g < group; ++g) factor[g] = *reinterpret_cast<const Vector*>(v + g * step);
  for_each_term<terms, group>(c, a, panel, stored, n, [&](std::int64_t k, auto&& at) __attribute__((always_inline)) {
    Vector even = Vector{}, odd = Vector{};
    for (int g = 0; g < group; g += 2) even += at(g) * factor[g];
    for (int g = 1; g < group; g += 2) odd += at(g) * factor[g];
    *reinterpret_cast<Vector*>(sums + k * lanes<double>) += even + odd;
  });
}

// Replaces S by v ∂k/∂S and adds to the totals. The loop over single numbers writes arrays and adds nothing up: only so is it
// turned into vector code.
template <class Power>
void derive(double g, const double* v, std::int64_t n, double* s, double* totals, Power power) {
  using Vector = typename Simd<double>::Vector;
  constexpr double least = std::numeric_limits<double>::min(), most = std::numeric_limits<double>::max();
  constexpr std::int64_t stretch = 64;
  double parts[3][stretch];
  for (std::int64_t first = 0; first < n; first += stretch) {
    const std::int64_t count = n - first < stretch ? n - first : stretch;
    const double* __restrict weight = v + first;
    double* __restrict sum = s + first;
    double* __restrict value = parts[0], * __restrict factor = parts[1], * __restrict exponent = parts[2];
    for (std::int64_t j = 0; j < count; ++j) {
      const double given = sum[j], w = weight[j];
      const double S = given > least ? given : least, log = vlog(S < most ? S : most), p = power(S, log);
      const double k = vexp(given > least ? -p : 0.0);
      double q = -g * p * k * w;
      q = given > least ? q : 0.0;
      q = k > 0.0 ? q : 0.0;
      value[j] = w * k;
      factor[j] = q;
      exponent[j] = q * log;
      sum[j] = q / S;
    }
    for (int t = 0; t < 3; ++t)
      for (std::int64_t j = 0; j < count; j += vector_lanes<double>)
        *reinterpret_cast<Vector*>(totals + t * lanes<double>) += *reinterpret_cast<const Vector*>(parts[t] + j);
  }
}

template <Terms terms>
void slopes_of_row(const ColumnTerms& c, const double* a, const double* panel, const double* v, std::int64_t n, double* scratch, double* totals,
                   double* sums) {
  constexpr int step = vector_lanes<double>, group = 8, small = lanes<double> / step, width = group * step;
  double *s = scratch, *stored = scratch + n;
  if constexpr (terms == Terms::stored)
    with_power(c.p, [=, &c](auto power) {
      for (std::int64_t k = 0; k < c.numerical; ++k) {
        double* __restrict t = stored + k * n;
        store_gaps(a[k], panel + k * lanes<double>, c.columns, n, t);
        for (std::int64_t j = 0; j < n; ++j) t[j] = power(t[j]);
      }
    });
  std::int64_t j = 0;
  if (c.weights) {
    for (; j + width <= n; j += width) add_weighted<terms, group>(c, a, panel + j * c.columns, stored + j, n, s + j);
    for (; j < n; j += lanes<double>) add_weighted<terms, small>(c, a, panel + j * c.columns, stored + j, n, s + j);
    if (c.g == 1) derive(c.g, v, n, s, totals, [](double S, double) { return S; });
    else if (c.g == 0.5) derive(c.g, v, n, s, totals, [](double S, double) { return root(S); });
    else derive(c.g, v, n, s, totals, [g = c.g](double, double log) { return vexp(g * log); });
    v = s;
  }
  if (!sums) return;
  for (j = 0; j + width <= n; j += width) add_columns<terms, group>(c, a, panel + j * c.columns, stored + j, n, v + j, sums);
  for (; j < n; j += lanes<double>) add_columns<terms, small>(c, a, panel + j * c.columns, stored + j, n, v + j, sums);
}

void column_slopes(const ColumnTerms& c, const double* a, const double* panel, const double* v, std::int64_t n, double* scratch, double* totals,
                   double* sums) {
  if (c.p == 1) slopes_of_row<Terms::absolute>(c, a, panel, v, n, scratch, totals, sums);
  else if (c.p == 2) slopes_of_row<Terms::squared>(c, a, panel, v, n, scratch, totals, sums);
  else slopes_of_row<Terms::stored>(c, a, panel, v, n, scratch, totals, sums);
}
