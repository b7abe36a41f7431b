// Dual problems to test with, and what the definitions say of a result: computed anew from a dense matrix, never by coefficients.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "check.hpp"
#include "mercer/dual/dual.hpp"
#include "mercer/rows/matrix_source.hpp"
#include "reference.hpp"

namespace dual_case {

using mercer::DualOptions;
using mercer::DualProblem;
using mercer::DualResult;
using mercer::DualStatus;
using mercer::Execution;
using mercer::MatrixSource;
using mercer::Op;
using mercer::Program;
using mercer::Rows;
using mercer::RowSource;
using reference::Matrix;
using reference::Numbers;
using reference::Random;

using List = std::vector<std::int64_t>;

constexpr double infinity = std::numeric_limits<double>::infinity();

struct Case {
  Matrix k;
  Numbers linear, lower, upper, kink, start;
  std::int64_t split;

  DualProblem problem() const { return {k.n, linear.data(), lower.data(), upper.data(), kink.empty() ? nullptr : kink.data(), split}; }
  double sum(const Numbers& beta, bool second) const {
    long double total = 0;
    for (std::int64_t t = second ? split : 0; t < (second ? k.n : split); ++t) total += beta[static_cast<std::size_t>(t)];
    return static_cast<double>(total);
  }
};

// What the definitions say of β.
struct Truth {
  Numbers gradient;
  double objective = 0, violation = -infinity;
  double rounding = 0;  // of a gradient in double
  double size = 1;      // 1 + Σ|β|
};

inline Truth truth(const Case& c, const Numbers& beta) {
  Truth found;
  double low[2] = {infinity, infinity}, high[2] = {-infinity, -infinity}, magnitude = 0;
  long double objective = 0;
  for (std::int64_t t = 0; t < c.k.n; ++t) {
    const auto s = static_cast<std::size_t>(t);
    long double product = 0, size = std::abs(c.linear[s]);
    for (std::int64_t j = 0; j < c.k.n; ++j) {
      const long double term = static_cast<long double>(c.k(t, j)) * beta[static_cast<std::size_t>(j)];
      product += term;
      size += std::abs(term);
    }
    const double gradient = static_cast<double>(product + c.linear[s]), kink = c.kink.empty() ? 0.0 : c.kink[s];
    objective += beta[s] * (product / 2 + c.linear[s]) + kink * std::abs(beta[s]);
    magnitude = std::max(magnitude, static_cast<double>(size));
    found.size += std::abs(beta[s]);
    found.gradient.push_back(gradient);
    const int g = t >= c.split;
    if (beta[s] < c.upper[s]) low[g] = std::min(low[g], gradient + (beta[s] >= 0 ? kink : -kink));
    if (beta[s] > c.lower[s]) high[g] = std::max(high[g], gradient + (beta[s] > 0 ? kink : -kink));
  }
  found.objective = static_cast<double>(objective);
  for (const int g : {0, 1}) found.violation = std::max(found.violation, high[g] - low[g]);
  found.rounding = 1e-14 * (1 + magnitude);
  return found;
}

inline void check_feasible(const Case& c, const Numbers& beta) {
  double size = 1.0;
  for (std::size_t t = 0; t < beta.size(); ++t) {
    CHECK(beta[t] >= c.lower[t] && beta[t] <= c.upper[t]);
    size += std::max(std::abs(beta[t]), std::abs(c.start[t]));
  }
  for (const bool second : {false, true}) CHECK(std::abs(c.sum(beta, second) - c.sum(c.start, second)) <= 1e-12 * size);
}

// Feasible, optimal to the tolerance, and all the result says of it true. Where β is zero the gradient may be rounded to `zeros`.
inline void check_solved(const Case& c, const Numbers& beta, const DualResult& result, double tol, double zeros = 0.0) {
  check_feasible(c, beta);
  const Truth t = truth(c, beta);
  CHECK(result.status == DualStatus::converged);
  CHECK(t.violation <= tol + t.rounding);
  CHECK(std::abs(result.violation - std::max(t.violation, 0.0)) <= t.rounding);
  CHECK(std::abs(result.objective - t.objective) <= t.rounding * t.size);
  CHECK(result.gradient.size() == beta.size());
  for (std::size_t i = 0; i < std::min(beta.size(), result.gradient.size()); ++i)
    CHECK(std::abs(result.gradient[i] - t.gradient[i]) <= t.rounding + (beta[i] == 0.0 ? zeros : 0.0));
  CHECK(result.gap >= 0);
}

// A matrix that is not held, so that its rows go through the cache.
class Served final : public RowSource {
 public:
  Served(const Matrix& k, bool dear) : matrix_(k.values.data(), k.n, k.n), dear_(dear) {}
  std::int64_t n() const override { return matrix_.n(); }
  void diagonal(double* out) override { matrix_.diagonal(out); }
  void rows(Rows rows, float* out, std::int64_t ld, const Execution& e) override { matrix_.rows(rows, out, ld, e); }
  void rows(Rows rows, double* out, std::int64_t ld, const Execution& e) override { matrix_.rows(rows, out, ld, e); }
  void dense(float* out, std::int64_t ld, const Execution& e) override { matrix_.dense(out, ld, e); }
  void dense(double* out, std::int64_t ld, const Execution& e) override { matrix_.dense(out, ld, e); }
  void block(Rows rows, Rows cols, double* out, std::int64_t ld, const Execution& e) override { matrix_.block(rows, cols, out, ld, e); }
  void product(Rows rows, const double* v, Rows cols, double* out, const Execution& e) override { matrix_.product(rows, v, cols, out, e); }
  std::unique_ptr<RowSource> subset(Rows rows) override { return matrix_.subset(rows); }
  bool dear() const override { return dear_; }

 private:
  MatrixSource<double> matrix_;
  bool dear_;
};

struct Solved {
  Numbers beta;
  DualResult result;
};

inline Solved solve(RowSource& source, const Case& c, const DualOptions& options) {
  Solved s{c.start, {}};
  s.result = mercer::solve_dual(source, c.problem(), s.beta.data(), options);
  return s;
}

inline Solved solve(const Case& c, const DualOptions& options) {
  MatrixSource<double> source(c.k.values.data(), c.k.n, c.k.n);
  return solve(source, c, options);
}

inline DualOptions to(double tol, std::int64_t most_polished = 0) {
  DualOptions options;
  options.tol = tol;
  options.most_polished = most_polished;
  return options;
}

inline Matrix rbf(const Matrix& x, double gamma) {
  Matrix k(x.n, x.n);
  for (std::int64_t i = 0; i < x.n; ++i)
    for (std::int64_t j = 0; j < x.n; ++j) {
      double distance = 0.0;
      for (std::int64_t c = 0; c < x.d; ++c) distance += (x(i, c) - x(j, c)) * (x(i, c) - x(j, c));
      k(i, j) = std::exp(-gamma * distance);
    }
  return k;
}

inline Matrix products(const Matrix& x) {
  Matrix k(x.n, x.n);
  for (std::int64_t i = 0; i < x.n; ++i)
    for (std::int64_t j = 0; j < x.n; ++j)
      for (std::int64_t c = 0; c < x.d; ++c) k(i, j) += x(i, c) * x(j, c);
  return k;
}

// Any linear term, boxes that rise, fall, do both, exclude zero or are points, and a start anywhere inside.
inline Case random_case(Random& random, Matrix k, double width, bool kinks, std::int64_t split) {
  Case c{std::move(k), {}, {}, {}, {}, {}, split};
  c.linear = reference::random_numbers(random, c.k.n, -2, 2);
  for (std::int64_t t = 0; t < c.k.n; ++t) {
    const Numbers u = reference::random_numbers(random, 4, 0, 1);
    const double ends[5][2] = {{0, u[0]}, {-u[0], 0}, {-u[0], u[1]}, {u[0] / 2, u[0]}, {u[0], u[0]}};
    const auto* end = ends[random() % 8 % 5];
    c.lower.push_back(width * end[0]);
    c.upper.push_back(width * end[1]);
    const double inner = std::clamp(c.lower.back() + u[2] * (c.upper.back() - c.lower.back()), c.lower.back(), c.upper.back());
    c.start.push_back(u[3] < 0.3 ? c.lower.back() : u[3] < 0.6 ? c.upper.back() : inner);
    if (kinks) c.kink.push_back(u[1]);
  }
  return c;
}

// A classifier with cost `cost`: linear = −y, boxes on the side of y, from zero. Labels follow a curve, with noise.
inline Case classifier(const Matrix& k, const Matrix& x, double cost, double noise, Random& random) {
  Case c{k, {}, {}, {}, {}, Numbers(static_cast<std::size_t>(k.n), 0.0), k.n};
  for (std::int64_t t = 0; t < k.n; ++t) {
    const double y = std::sin(3 * x(t, 0)) + x(t, x.d - 1) + reference::random_numbers(random, 1, -noise, noise)[0] > 0 ? 1.0 : -1.0;
    c.linear.push_back(-y);
    c.lower.push_back(y > 0 ? 0.0 : -cost);
    c.upper.push_back(y > 0 ? cost : 0.0);
  }
  return c;
}

}  // namespace dual_case
