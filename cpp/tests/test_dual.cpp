// The dual solver by optimality: conditions, sums, bounds and gaps are those of the definitions.
#include <algorithm>
#include <cmath>
#include <limits>

#include "check.hpp"
#include "dual_case.hpp"
#include "mercer/rows/matrix_source.hpp"
#include "mercer/rows/native_source.hpp"
#include "reference.hpp"

namespace {

using namespace dual_case;

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

}  // namespace
