#include "reference.hpp"

#include <algorithm>

namespace reference {

using mercer::Op;

Numbers random_numbers(Random& random, std::int64_t n, double low, double high) {
  std::uniform_real_distribution<double> uniform(low, high);
  Numbers x(static_cast<std::size_t>(n));
  for (double& v : x) v = static_cast<double>(static_cast<float>(uniform(random)));
  return x;
}

Matrix random_matrix(Random& random, std::int64_t n, std::int64_t d, double low, double high, double zeros) {
  Matrix x(n, d);
  x.values = random_numbers(random, n * d, low, high);
  std::bernoulli_distribution zero(zeros);
  for (double& v : x.values)
    if (zero(random)) v = 0.0;
  return x;
}

// ---- storage ---------------------------------------------------------------------------------------------------------

template <class T>
const T* Sample::keep(std::vector<T> array) {
  const auto owner = std::make_shared<std::vector<T>>(std::move(array));
  owners_.push_back(owner);
  return owner->data();
}

template <class S>
mercer::DenseView Sample::view_as(const Matrix& x, Layout layout) {
  const std::int64_t n = x.n, d = x.d;
  std::int64_t row = d, column = 1, origin = 0, size = n * d;
  if (layout == Layout::columns) row = 1, column = n;
  if (layout == Layout::strided) row = 3 * d + 1, column = 2, size = n * row;
  if (layout == Layout::reversed) row = -d, column = -1, origin = n * d - 1;
  std::vector<S> array(static_cast<std::size_t>(size), S(-77));  // what a view skips must not matter
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t k = 0; k < d; ++k) array[static_cast<std::size_t>(origin + i * row + k * column)] = static_cast<S>(x(i, k));
  return {keep(std::move(array)) + origin, sizeof(S) == 4, row, column};
}

mercer::DenseView Sample::view(const Matrix& x, Layout layout, bool single) {
  return single ? view_as<float>(x, layout) : view_as<double>(x, layout);
}

template <class Index, class Value>
mercer::CsrView Sample::csr_as(const Matrix& x, CsrStyle style) {
  std::vector<Index> indptr{0}, indices;
  std::vector<Value> values;
  int zeros = 0;
  for (std::int64_t i = 0; i < x.n; ++i) {
    for (std::int64_t k = 0; k < x.d; ++k)
      if (x(i, k) != 0 || (style.explicit_zeros && ++zeros % 3 == 0)) {
        indices.push_back(static_cast<Index>(k));
        values.push_back(static_cast<Value>(x(i, k)));
      }
    indptr.push_back(static_cast<Index>(indices.size()));
  }
  return {keep(std::move(indptr)), keep(std::move(indices)), keep(std::move(values)), sizeof(Index) == 8, sizeof(Value) == 4};
}

Sample& Sample::dense(const Matrix& x, Layout layout, bool single) {
  mercer::Operand o;
  o.d = x.d;
  o.right = o.left = view(x, layout, single);
  side_.operands.push_back(o);
  twins_.push_back({x, x, Numbers(static_cast<std::size_t>(x.d), 1.0)});
  return *this;
}

Sample& Sample::again() {
  const mercer::Operand last = side_.operands.back();
  const Twin twin = twins_.back();
  side_.operands.push_back(last);
  twins_.push_back(twin);
  return *this;
}

Sample& Sample::csr(const Matrix& x, CsrStyle style) {
  mercer::Operand o;
  o.storage = mercer::Storage::csr;
  o.d = x.d;
  if (style.wide) o.csr = style.single ? csr_as<std::int64_t, float>(x, style) : csr_as<std::int64_t, double>(x, style);
  else o.csr = style.single ? csr_as<std::int32_t, float>(x, style) : csr_as<std::int32_t, double>(x, style);
  side_.operands.push_back(o);
  twins_.push_back({x, x, Numbers(static_cast<std::size_t>(x.d), 1.0)});
  return *this;
}

Sample& Sample::factor(const Numbers& f) {
  side_.factors.push_back(keep(f));
  factors_.push_back(f);
  return *this;
}

Sample& Sample::left(const Matrix& x) {
  side_.operands.back().left = view(x, Layout::rows, false);
  twins_.back().left = x;
  return *this;
}

Sample& Sample::centre(const Numbers& c) {
  side_.operands.back().centre = keep(c);
  return *this;
}

Sample& Sample::scale(const Numbers& s) {
  side_.operands.back().scale = keep(s);
  twins_.back().scale = s;
  return *this;
}

Sample& Sample::select(std::vector<std::int64_t> rows) {
  side_.n = static_cast<std::int64_t>(rows.size());
  side_.selection = keep(std::move(rows));
  return *this;
}

// ---- formulas --------------------------------------------------------------------------------------------------------

long double source(const mercer::Step& s, const long double* x, const long double* z, std::int64_t d) {
  if (s.op == Op::constant) return s.a;
  if (s.op == Op::anova_dot || s.op == Op::anova_rbf) {
    std::vector<long double> e(static_cast<std::size_t>(s.a) + 1, 0.0L);
    e[0] = 1;
    for (std::int64_t k = 0; k < d; ++k) {
      const long double gap = x[k] - z[k], base = s.op == Op::anova_dot ? x[k] * z[k] : std::exp(-s.b * gap * gap);
      for (std::size_t q = e.size() - 1; q >= 1; --q) e[q] += base * e[q - 1];
    }
    return e.back();
  }
  long double sum = s.op == Op::min_product ? 1 : 0;
  for (std::int64_t k = 0; k < d; ++k) {
    const long double a = x[k], b = z[k], both = a + b;
    switch (s.op) {
      case Op::dot: sum += a * b; break;
      case Op::sqdist: sum += (a - b) * (a - b); break;
      case Op::l1: sum += std::abs(a - b); break;
      case Op::chi2: sum += both > 0 ? (a - b) * (a - b) / both : 0; break;
      case Op::additive_chi2: sum += both > 0 ? 2 * a * b / both : 0; break;
      case Op::min_sum: sum += std::min(a, b); break;
      case Op::mismatch: sum += a != b; break;
      case Op::power_sum: sum += std::pow(std::abs(a - b), static_cast<long double>(s.a)); break;
      case Op::min_product: sum *= std::min(a, b); break;
      default: break;
    }
  }
  return sum;
}

long double interactions(const mercer::InteractionTerms& t, const long double* x, const long double* z) {
  std::vector<long double> e(static_cast<std::size_t>(t.degree) + 1, 0.0L);
  e[0] = 1;
  for (std::int64_t k = 0; k < t.columns; ++k) {
    const long double power = std::pow(std::abs(x[k] - z[k]), static_cast<long double>(t.p));
    const long double b = k < t.numerical ? std::exp(-t.rates[k] * power) : static_cast<long double>(x[k] == z[k]);
    for (std::size_t q = e.size() - 1; q >= 1; --q) {
      const long double share = t.shares[k * t.degree + static_cast<std::int64_t>(q) - 1];
      e[q] = (1 - share) * e[q] + share * b * e[q - 1];
    }
  }
  long double sum = 0;
  for (std::size_t q = 0; q < e.size(); ++q) sum += t.orders[q] * e[q];
  return sum;
}

long double map(const mercer::Step& s, const double* pool, long double v, long double r, long double c) {
  const long double a = s.a, b = s.b, u = a * v, above = v < 0 ? 0 : v;  // NaN stays NaN
  switch (s.op) {
    case Op::affine: return u + b;
    case Op::exp: return std::exp(u);
    case Op::sqrt: return std::sqrt(above);
    case Op::power_int: return std::pow(v, static_cast<long double>(s.arg));
    case Op::power: return std::pow(above, a);
    case Op::tanh: return std::tanh(v);
    case Op::log1p: return std::log1p(above);
    case Op::matern32: return (1 + u) * std::exp(-u);
    case Op::matern52: return (1 + u + u * u / 3) * std::exp(-u);
    case Op::rational_quadratic: return std::exp(-a * std::log1p(b * above));
    case Op::polynomial: {
      long double sum = 0, power = 1;
      for (int k = 0; k < static_cast<int>(s.a); ++k, power *= v) sum += pool[s.arg + k] * power;
      return sum;
    }
    case Op::is_zero: return v == 0;
    case Op::outer_scale: return v * r * c;
    case Op::outer_ratio: return r + c - v > 0 ? v / (r + c - v) : 1;
    default: return v;
  }
}

long double evaluate(const mercer::Program& program, const Sample& left, std::int64_t i, const Sample& right, std::int64_t j,
                     const std::vector<Matrix>& inputs) {
  const std::int64_t row = left.side_.row(i), column = right.side_.row(j);
  std::vector<long double> stack;
  for (const mercer::Step& s : program.steps()) {
    const auto arg = static_cast<std::size_t>(s.arg);
    if (s.op == Op::input) {
      stack.push_back(inputs[arg](i, j));
    } else if (s.op == Op::constant) {
      stack.push_back(s.a);
    } else if (is_source(s.op)) {
      const Sample::Twin &l = left.twins_[arg], &r = right.twins_[arg];
      std::vector<long double> x, z;
      if (s.op == Op::mismatch || s.op == Op::power_sum) {  // the scale multiplies the terms
        long double sum = 0;
        for (std::int64_t k = 0; k < l.left.d; ++k) {
          const long double a = l.left(row, k), b = r.right(column, k);
          sum += l.scale[static_cast<std::size_t>(k)] * source(s, &a, &b, 1);
        }
        stack.push_back(sum);
        continue;
      }
      const bool scaled = s.op == Op::sqdist || s.op == Op::l1;
      for (std::int64_t k = 0; k < l.left.d; ++k) {
        const long double scale = scaled ? l.scale[static_cast<std::size_t>(k)] : 1.0;
        x.push_back(l.left(row, k) * scale);
        z.push_back(r.right(column, k) * scale);
      }
      if (s.op == Op::interactions) stack.push_back(interactions(program.interactions(s), x.data(), z.data()));
      else stack.push_back(source(s, x.data(), z.data(), l.left.d));
    } else if (is_join(s.op)) {
      const long double top = stack.back();
      stack.pop_back();
      stack.back() = s.op == Op::add ? stack.back() + top : stack.back() * top;
    } else {
      const bool outer = is_outer(s.op);
      stack.back() = map(s, program.pool(), stack.back(), outer ? left.factors_[arg][static_cast<std::size_t>(row)] : 0,
                         outer ? right.factors_[arg][static_cast<std::size_t>(column)] : 0);
    }
  }
  return stack.back();
}

}  // namespace reference
