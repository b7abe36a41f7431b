// The dual solver by optimality: conditions, sums, bounds and gaps are computed anew from a dense matrix, never coefficients.
#include <algorithm>
#include <cmath>
#include <limits>

#include "check.hpp"
#include "mercer/machines.hpp"
#include "mercer/matrix_source.hpp"
#include "mercer/native_source.hpp"
#include "mercer/sample_start.hpp"
#include "reference.hpp"

namespace {

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

Truth truth(const Case& c, const Numbers& beta) {
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

void check_feasible(const Case& c, const Numbers& beta) {
  double size = 1.0;
  for (std::size_t t = 0; t < beta.size(); ++t) {
    CHECK(beta[t] >= c.lower[t] && beta[t] <= c.upper[t]);
    size += std::max(std::abs(beta[t]), std::abs(c.start[t]));
  }
  for (const bool second : {false, true}) CHECK(std::abs(c.sum(beta, second) - c.sum(c.start, second)) <= 1e-12 * size);
}

// Feasible, optimal to the tolerance, and all the result says of it true. Where β is zero the gradient may be rounded to `zeros`.
void check_solved(const Case& c, const Numbers& beta, const DualResult& result, double tol, double zeros = 0.0) {
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

Solved solve(RowSource& source, const Case& c, const DualOptions& options) {
  Solved s{c.start, {}};
  s.result = mercer::solve_dual(source, c.problem(), s.beta.data(), options);
  return s;
}

Solved solve(const Case& c, const DualOptions& options) {
  MatrixSource<double> source(c.k.values.data(), c.k.n, c.k.n);
  return solve(source, c, options);
}

DualOptions to(double tol, std::int64_t most_polished = 0) {
  DualOptions options;
  options.tol = tol;
  options.most_polished = most_polished;
  return options;
}

Matrix rbf(const Matrix& x, double gamma) {
  Matrix k(x.n, x.n);
  for (std::int64_t i = 0; i < x.n; ++i)
    for (std::int64_t j = 0; j < x.n; ++j) {
      double distance = 0.0;
      for (std::int64_t c = 0; c < x.d; ++c) distance += (x(i, c) - x(j, c)) * (x(i, c) - x(j, c));
      k(i, j) = std::exp(-gamma * distance);
    }
  return k;
}

Matrix products(const Matrix& x) {
  Matrix k(x.n, x.n);
  for (std::int64_t i = 0; i < x.n; ++i)
    for (std::int64_t j = 0; j < x.n; ++j)
      for (std::int64_t c = 0; c < x.d; ++c) k(i, j) += x(i, c) * x(j, c);
  return k;
}

// Any linear term, boxes that rise, fall, do both, exclude zero or are points, and a start anywhere inside.
Case random_case(Random& random, Matrix k, double width, bool kinks, std::int64_t split) {
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
Case classifier(const Matrix& k, const Matrix& x, double cost, double noise, Random& random) {
  Case c{k, {}, {}, {}, {}, Numbers(static_cast<std::size_t>(k.n), 0.0), k.n};
  for (std::int64_t t = 0; t < k.n; ++t) {
    const double y = std::sin(3 * x(t, 0)) + x(t, x.d - 1) + reference::random_numbers(random, 1, -noise, noise)[0] > 0 ? 1.0 : -1.0;
    c.linear.push_back(-y);
    c.lower.push_back(y > 0 ? 0.0 : -cost);
    c.upper.push_back(y > 0 ? cost : 0.0);
  }
  return c;
}

void check_random(const Case& c) {
  const Solved best = solve(c, to(1e-12));
  check_feasible(c, best.beta);
  const double optimum = truth(c, best.beta).objective, unit = 1 + std::abs(optimum);
  for (const double tol : {1e-1, 1e-3, 1e-7})
    for (const bool shrinking : {true, false}) {
      DualOptions options = to(tol);
      options.shrinking = shrinking;
      const Solved s = solve(c, options);
      check_solved(c, s.beta, s.result, tol);
      CHECK(s.result.objective >= optimum - 1e-9 * unit);
      CHECK(s.result.objective - optimum <= s.result.gap + 1e-10 * unit);
    }
  const Solved polished = solve(c, to(1e-3, 2000));
  check_solved(c, polished.beta, polished.result, 1e-9);
  CHECK(std::abs(polished.result.objective - optimum) <= 1e-8 * unit);
}

TEST(dual_random_problems) {
  Random random(0);
  for (const std::int64_t n : {1, 2, 3, 9, 40, 100})
    for (const bool kinks : {false, true})
      for (const std::int64_t split : {n, n / 2, std::int64_t{0}}) {
        const Matrix x = reference::random_matrix(random, n, 3, -1, 1);
        check_random(random_case(random, rbf(x, 1.0), 3.0, kinks, split));
        check_random(random_case(random, products(x), 0.5, kinks, split));
      }
}

// (1 + xᵀz)² on (−1, 1), (1, 1) and (2, 0) with a hard margin. By hand: α = (1/8, 1/8, 0) gives f = y at all three, so the third stands on the
// margin without a coefficient.
TEST(dual_hard_margin_by_hand) {
  Case c{Matrix(3, 3), {1, -1, -1}, {-1e6, 0, 0}, {0, 1e6, 1e6}, {}, {0, 0, 0}, 3};
  c.k.values = {9, 1, 1, 1, 9, 9, 1, 9, 25};
  const Solved s = solve(c, to(1e-3, 2000));
  check_solved(c, s.beta, s.result, 1e-9);
  CHECK(s.result.polished);
  CHECK(std::abs(s.beta[0] + 0.125) <= 1e-15 && std::abs(s.beta[1] - 0.125) <= 1e-15 && s.beta[2] == 0.0);
  CHECK(std::abs(s.result.bias[0]) <= 1e-14);
  CHECK(std::abs(s.result.objective + 0.125) <= 1e-15);
  CHECK(s.result.free == 2);
}

TEST(dual_twins_of_opposite_labels) {
  Random random(1);
  const std::int64_t half = 40, n = 2 * half;
  Matrix x = reference::random_matrix(random, n, 2, -1, 1);
  for (std::int64_t t = 0; t < half; ++t) x(half + t, 0) = x(t, 0), x(half + t, 1) = x(t, 1);
  for (const double cost : {0.1, 10.0, 1e4}) {
    Case c = classifier(rbf(x, 2.0), x, cost, 0.0, random);
    for (std::size_t t = 0; t < half; ++t) {  // the first half as it is, the second mirrored
      c.linear[half + t] = -c.linear[t];
      c.lower[half + t] = -c.upper[t];
      c.upper[half + t] = -c.lower[t];
    }
    for (const std::int64_t most : {0, 2000}) {
      const double tol = most ? 1e-9 : 1e-4;
      const Solved s = solve(c, to(1e-4, most));
      check_solved(c, s.beta, s.result, tol * std::max(1.0, cost));
      CHECK(s.result.objective <= -2 * cost * static_cast<double>(half) * (1 - 1e-3));  // a twin cannot be told from its twin: all at their bounds
    }
  }
}

TEST(dual_identical_points) {
  Random random(2);
  for (const std::int64_t most : {0, 2000}) {
    Case c = random_case(random, Matrix(50, 50, 1.0), 1.0, false, 50);
    Solved s = solve(c, to(1e-6, most));
    check_solved(c, s.beta, s.result, 1e-6);
    c.linear.assign(50, 0.5);  // every feasible point is optimal
    s = solve(c, to(1e-6, most));
    check_solved(c, s.beta, s.result, 1e-9);
    CHECK(s.beta == c.start);
  }
}

TEST(dual_fixed_variables_stay) {
  Random random(3);
  const Matrix x = reference::random_matrix(random, 30, 2, -1, 1);
  Case c = random_case(random, rbf(x, 1.0), 1.0, true, 12);
  c.lower = c.upper = c.start;
  for (const std::int64_t most : {0, 2000}) {
    const Solved s = solve(c, to(1e-3, most));
    check_solved(c, s.beta, s.result, 1e-3);
    CHECK(s.beta == c.start && s.result.iterations == 0 && s.result.violation == 0.0);
    CHECK(s.result.gap <= 1e-12);
  }
}

// A saddle: the end is a corner, and the status says that no more than that is known.
TEST(dual_indefinite_matrices_end) {
  Random random(4);
  for (const std::int64_t n : {2, 20, 80})
    for (const std::int64_t most : {0, 2000}) {
      Matrix k(n, n);
      for (std::int64_t i = 0; i < n; ++i)
        for (std::int64_t j = 0; j < i; ++j) k(i, j) = k(j, i) = 1.0 + reference::random_numbers(random, 1, 0, 1)[0];
      const Case c = random_case(random, k, 1.0, false, n);
      const Case wide{c.k, c.linear, Numbers(c.linear.size(), -1.0), Numbers(c.linear.size(), 1.0), {}, Numbers(c.linear.size(), 0.0), n};
      for (const Case& each : {c, wide}) {
        const Solved s = solve(each, to(1e-4, most));
        check_feasible(each, s.beta);
        const Truth t = truth(each, s.beta);
        CHECK(t.violation <= 1e-4 + t.rounding);
        CHECK(t.objective <= truth(each, each.start).objective + 1e-12);
        if (s.result.iterations > 0) CHECK(s.result.status == DualStatus::not_psd);
      }
    }
}

TEST(dual_stops_after_max_iter) {
  Random random(5);
  const Matrix x = reference::random_matrix(random, 100, 3, -1, 1);
  const Case c = random_case(random, rbf(x, 1.0), 10.0, true, 60);
  for (const std::int64_t limit : {0, 1, 7})
    for (const std::int64_t most : {0, 2000}) {
      DualOptions options = to(1e-6, most);
      options.max_iter = limit;
      const Solved s = solve(c, options);
      check_feasible(c, s.beta);
      const Truth t = truth(c, s.beta);
      CHECK(s.result.iterations == limit);
      CHECK(s.result.status == DualStatus::max_iter);
      CHECK(std::abs(s.result.violation - t.violation) <= t.rounding);
      CHECK(reference::near(s.result.objective, t.objective, 1e-12));
      CHECK(t.objective <= truth(c, c.start).objective);
      CHECK(s.result.objective - truth(c, solve(c, to(1e-10)).beta).objective <= s.result.gap + 1e-8);
    }
}

TEST(dual_can_be_interrupted) {
  Random random(6);
  const Matrix x = reference::random_matrix(random, 200, 2, -1, 1);
  const Case c = classifier(rbf(x, 5.0), x, 1e5, 1.0, random);
  DualOptions options = to(1e-9);
  int asked = 0;
  options.execution.cancelled = [&] { return ++asked > 2; };
  CHECK_THROWS(mercer::Interrupted, solve(c, options));
  CHECK(asked == 3);
  options.execution.cancelled = [] { return true; };
  CHECK_THROWS(mercer::Interrupted, solve(c, options));
}

// 16 rows are the least a cache has.
TEST(dual_small_caches_reach_the_same_objective) {
  Random random(7);
  const std::int64_t n = 600;
  const Matrix x = reference::random_matrix(random, n, 2, -1, 1);
  for (const Case& c : {classifier(rbf(x, 2.0), x, 5.0, 0.5, random), random_case(random, rbf(x, 2.0), 1.0, true, 250)}) {
    Served source(c.k, false);
    const double want = solve(source, c, to(1e-5)).result.objective;
    for (const std::int64_t rows : {0, 64, 200})
      for (const std::int64_t most : {0, 2000}) {
        DualOptions options = to(1e-5, most);
        options.cache_bytes = rows * n * 8;
        options.working_set = 64;
        const Solved s = solve(source, c, options);
        check_solved(c, s.beta, s.result, most ? 1e-9 : 1e-5);
        CHECK(reference::near(s.result.objective, want, 1e-6));
      }
  }
}

// Rows in float, the truth in double: the end is as exact as with rows in double.
TEST(dual_float_rows_end_in_double) {
  Random random(8);
  for (const std::int64_t n : {60, 200})
    for (const double cost : {1.0, 1e4}) {
      Matrix x = reference::random_matrix(random, n, 3, -1, 1);
      for (std::int64_t t = 0; t < n; ++t) x(t, 1) *= 30.0;  // products from 1e-3 to 1e3
      for (const bool smooth : {true, false}) {
        const Matrix k = smooth ? rbf(x, 0.7) : products(x);
        const Case c = classifier(k, x, smooth ? cost : std::sqrt(cost) / 10, 0.3, random);
        const std::vector<float> rounded(k.values.begin(), k.values.end());
        MatrixSource<double> exact(k.values.data(), n, n);
        MatrixSource<float> source(rounded.data(), n, n, &exact);
        for (const double tol : {1e-2, 1e-6})
          for (const std::int64_t most : {0, 2000}) {
            const Solved s = solve(source, c, to(tol, most));
            check_solved(c, s.beta, s.result, most ? std::max(1e-9, truth(c, s.beta).rounding) : tol, 1e9 * truth(c, s.beta).rounding);
          }
      }
    }
}

// An offset takes all digits of float, so that only rows in double lead on; equal points then have no curvature, not a negative one.
TEST(dual_rows_that_float_does_not_hold) {
  Random random(9);
  const std::int64_t n = 60;
  Matrix x = reference::random_matrix(random, n, 1, -30, 30);
  for (std::int64_t t = 0; t < n; ++t) x(t, 0) = x(t % 20, 0);
  for (const double offset : {0.1, 1e5, 1.1e8})
    for (int trial = 0; trial < 4; ++trial) {
      Matrix k = products(x);
      for (double& v : k.values) v += offset;
      const auto size = static_cast<std::size_t>(n);
      const Case c{k, reference::random_numbers(random, n, -50, 50), Numbers(size, -1.0), Numbers(size, 1.0), {}, Numbers(size, 0.0), n};
      const std::vector<float> rounded(k.values.begin(), k.values.end());
      MatrixSource<double> exact(k.values.data(), n, n);
      MatrixSource<float> source(rounded.data(), n, n, &exact);
      const Solved s = solve(source, c, to(1e-3));
      check_solved(c, s.beta, s.result, 1e-3, 1e-6 * offset);
    }
}

// A smooth kernel on a line is singular to rounding, and still no saddle.
TEST(dual_smooth_kernels_are_no_saddle) {
  Random random(10);
  for (const double gamma : {0.01, 0.3, 3.0})
    for (const double width : {1.0, 1e3}) {
      const Matrix x = reference::random_matrix(random, 80, 1, -1, 1);
      Case c = random_case(random, rbf(x, gamma), width, false, 80);
      c.lower.assign(80, -width);
      c.upper.assign(80, width);
      c.start.assign(80, 0.0);
      for (std::int64_t t = 0; t < 80; ++t) c.linear[static_cast<std::size_t>(t)] = std::sin(4 * x(t, 0));
      c.kink.assign(80, 1e-3);
      const Solved s = solve(c, to(1e-3, 2000));
      check_solved(c, s.beta, s.result, 1e-9 * width);
    }
}

// Values too dear to compute twice: the gradient follows the steps, also those of a polish.
TEST(dual_dear_sources) {
  Random random(11);
  const std::int64_t n = 120;
  const Matrix x = reference::random_matrix(random, n, 3, -1, 1);
  const Case c = random_case(random, rbf(x, 1.0), 5.0, true, 50);
  Served source(c.k, true);
  for (const std::int64_t rows : {0, 40, 120})
    for (const std::int64_t most : {0, 2000}) {
      DualOptions options = to(1e-4, most);
      options.cache_bytes = rows * n * 8;
      const Solved s = solve(source, c, options);
      check_solved(c, s.beta, s.result, most ? 1e-9 : 1e-4);
    }
}
// Whatever the sample has said, the start is feasible; it is there to be better than zero.
TEST(dual_sample_start_is_feasible) {
  Random random(12);
  const std::int64_t n = 500;
  const Matrix x = reference::random_matrix(random, n, 2, -1, 1);
  for (const bool regression : {false, true}) {
    Case c = classifier(rbf(x, 1.0), x, 0.05, 1.5, random);
    if (regression) {
      c.lower.assign(c.lower.size(), -0.05);
      c.upper.assign(c.upper.size(), 0.05);
      c.kink.assign(c.lower.size(), 0.1);
    }
    MatrixSource<double> source(c.k.values.data(), n, n);
    for (const std::int64_t m : {2, 50, 170}) {
      Numbers beta = c.start;
      mercer::sample_start(source, c.problem(), beta.data(), to(1e-3), m);
      check_feasible(c, beta);
      if (m > 2) CHECK(truth(c, beta).objective < 0.5 * solve(c, to(1e-3)).result.objective);
    }
  }
}

// Large enough to start from a sample, with rows in float from vectors in a plane; the conditions are computed in double by pairs.
TEST(dual_large_problems) {
  Random random(13);
  const std::int64_t n = 3 * 4096 + 5;
  const Matrix x = reference::random_matrix(random, n, 2, -1, 1);
  Case c = classifier(Matrix(n, 0), x, 1.0, 0.05, random);
  reference::Sample sample(n);
  sample.dense(x);
  const Program program({{Op::sqdist, 0, 0, 0}, {Op::exp, 0, -0.5, 0}}, {});
  mercer::NativeSource source(program, sample.side());
  DualOptions options = to(1e-2);
  options.working_set = 256;
  options.execution.threads = 2;
  const Solved s = solve(source, c, options);
  check_feasible(c, s.beta);
  List support;
  for (std::int64_t t = 0; t < n; ++t)
    if (s.beta[static_cast<std::size_t>(t)] != 0.0) support.push_back(t);
  double low = infinity, high = -infinity;
  for (std::int64_t t = 0; t < n; ++t) {
    double gradient = c.linear[static_cast<std::size_t>(t)];
    for (const std::int64_t j : support) {
      const double a = x(t, 0) - x(j, 0), b = x(t, 1) - x(j, 1);
      gradient += s.beta[static_cast<std::size_t>(j)] * std::exp(-0.5 * (a * a + b * b));
    }
    if (s.beta[static_cast<std::size_t>(t)] < c.upper[static_cast<std::size_t>(t)]) low = std::min(low, gradient);
    if (s.beta[static_cast<std::size_t>(t)] > c.lower[static_cast<std::size_t>(t)]) high = std::max(high, gradient);
  }
  CHECK(high - low <= options.tol + 1e-9);
  CHECK(std::abs(s.result.violation - (high - low)) <= 1e-9);
  CHECK(s.result.status == DualStatus::converged);
}

// Every pair of four kinds of samples, each against the other: six problems on one matrix, members in runs and one of them twice.
struct Pairs {
  std::vector<List> members;
  std::vector<Case> cases;
  std::vector<Numbers> beta;

  Pairs(const Matrix& k, double cost) {
    const std::int64_t quarter = k.n / 4;
    for (std::int64_t a = 0; a < 4; ++a)
      for (std::int64_t b = 0; b < a; ++b) {
        List& rows = members.emplace_back();
        for (const std::int64_t kind : {a, b})
          for (std::int64_t t = 0; t < quarter; ++t) rows.push_back(kind * quarter + t);
        rows.back() = rows[rows.size() - 2];
        const auto m = static_cast<std::int64_t>(rows.size());
        Case& c = cases.emplace_back(Case{Matrix(m, m), {}, {}, {}, {}, Numbers(rows.size(), 0.0), m});
        for (std::int64_t i = 0; i < m; ++i) {
          const double y = i < quarter ? 1.0 : -1.0;
          c.linear.push_back(-y);
          c.lower.push_back(std::min(0.0, y * cost));
          c.upper.push_back(std::max(0.0, y * cost));
          for (std::int64_t j = 0; j < m; ++j) c.k(i, j) = k(rows[static_cast<std::size_t>(i)], rows[static_cast<std::size_t>(j)]);
        }
      }
  }
  std::vector<DualResult> solve(RowSource& source, const DualOptions& options) {
    std::vector<mercer::Machine> machines;
    beta.clear();
    for (const Case& c : cases) beta.push_back(c.start);
    for (std::size_t m = 0; m < cases.size(); ++m) machines.push_back({members[m], cases[m].problem(), beta[m].data()});
    return mercer::solve_machines(source, machines, options);
  }
};

TEST(dual_machines_on_one_matrix) {
  Random random(14);
  const std::int64_t n = 440;
  const Matrix x = reference::random_matrix(random, n, 2, -1, 1), k = rbf(x, 0.5);
  reference::Sample sample(n);
  sample.dense(x);
  const Program program({{Op::sqdist, 0, 0, 0}, {Op::exp, 0, -0.5, 0}}, {});
  mercer::NativeSource native(program, sample.side());
  const std::vector<float> rounded(k.values.begin(), k.values.end());
  MatrixSource<double> matrix(k.values.data(), n, n);
  MatrixSource<float> single(rounded.data(), n, n, &native);
  Pairs pairs(k, 2.0);
  Numbers want;
  for (const Case& c : pairs.cases) want.push_back(solve(c, to(1e-8)).result.objective);
  for (RowSource* source : std::initializer_list<RowSource*>{&native, &matrix, &single})
    for (const int threads : {1, 2})
      for (const std::int64_t bytes : {std::int64_t{1} << 16, std::int64_t{200} << 20}) {  // less and more than the matrix takes
        DualOptions options = to(1e-5);
        options.cache_bytes = bytes;
        options.execution.threads = threads;
        const auto results = pairs.solve(*source, options);
        for (std::size_t m = 0; m < results.size(); ++m) {
          check_solved(pairs.cases[m], pairs.beta[m], results[m], 1e-5, 1e-3);
          CHECK(reference::near(results[m].objective, want[m], 1e-6));
        }
      }
}

TEST(dual_machines_can_be_interrupted) {
  Random random(15);
  const Matrix x = reference::random_matrix(random, 800, 2, -1, 1), k = rbf(x, 5.0);
  MatrixSource<double> source(k.values.data(), k.n, k.n);
  Pairs pairs(k, 1e6);
  for (const int threads : {1, 2}) {
    DualOptions options = to(1e-10);
    options.execution = {threads, [] { return true; }};
    CHECK_THROWS(mercer::Interrupted, pairs.solve(source, options));
  }
}

}  // namespace
