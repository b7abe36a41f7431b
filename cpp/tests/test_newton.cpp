// Newton steps by what they promise: equal slopes, kept sums, a lower objective, nothing out of its box.
#include <algorithm>
#include <cmath>

#include "check.hpp"
#include "mercer/dual/newton.hpp"
#include "reference.hpp"

namespace {

using mercer::DualProblem;
using mercer::FreeSystem;
using mercer::NewtonReport;
using reference::Matrix;
using reference::Numbers;
using reference::Random;

struct Quadratic {
  Matrix k;
  Numbers linear, lower, upper, kink, beta;
  std::int64_t split;

  DualProblem problem() const { return {k.n, linear.data(), lower.data(), upper.data(), kink.empty() ? nullptr : kink.data(), split}; }
  Numbers gradient() const {
    Numbers out = linear;
    for (std::int64_t i = 0; i < k.n; ++i)
      for (std::int64_t j = 0; j < k.n; ++j) out[static_cast<std::size_t>(i)] += k(i, j) * beta[static_cast<std::size_t>(j)];
    return out;
  }
  double objective() const {
    const Numbers g = gradient();
    double sum = 0.0;
    for (std::size_t t = 0; t < beta.size(); ++t) sum += beta[t] * (g[t] + linear[t]) / 2 + (kink.empty() ? 0.0 : kink[t] * std::abs(beta[t]));
    return sum;
  }
  double sum(int group) const {
    double total = 0.0;
    for (std::int64_t t = group ? split : 0; t < (group ? k.n : split); ++t) total += beta[static_cast<std::size_t>(t)];
    return total;
  }
  NewtonReport step(double zero = 1e-12, int threads = 1) {
    FreeSystem system;
    system.free = mercer::free_variables(problem(), beta.data());
    const Numbers g = gradient();
    for (const std::int64_t a : system.free) {
      for (const std::int64_t b : system.free) system.kernel.push_back(k(a, b));
      system.slope.push_back(g[static_cast<std::size_t>(a)] + mercer::kink_slope(problem(), a, beta[static_cast<std::size_t>(a)]));
    }
    return mercer::newton_step(problem(), system, beta.data(), zero, {threads, {}});
  }
};

// G Gᵀ + ridge I, boxes of half-width `width`, every fourth variable at a bound.
Quadratic random_quadratic(Random& random, std::int64_t n, std::int64_t rank, double ridge, double width, bool kinks, std::int64_t split) {
  const Matrix g = reference::random_matrix(random, n, rank, -1, 1);
  Quadratic q{Matrix(n, n), reference::random_numbers(random, n, -1, 1), {}, {}, {}, {}, split};
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j <= i; ++j) {
      double sum = i == j ? ridge : 0.0;
      for (std::int64_t c = 0; c < rank; ++c) sum += g(i, c) * g(j, c);
      q.k(i, j) = q.k(j, i) = sum;
    }
  for (std::int64_t t = 0; t < n; ++t) {
    const Numbers u = reference::random_numbers(random, 3, 0, 1);
    q.lower.push_back(-width * (0.5 + u[0]));
    q.upper.push_back(width * (0.5 + u[1]));
    const double inner = q.lower.back() + u[2] * (q.upper.back() - q.lower.back());
    q.beta.push_back(t % 4 == 3 ? (t % 8 == 3 ? q.lower.back() : q.upper.back()) : inner);
    if (kinks) q.kink.push_back(0.2);
  }
  return q;
}

bool same_sign(double before, double after) { return before > 0 ? after >= 0 : after <= 0; }

void check_step(Quadratic q, int threads) {
  const Quadratic before = q;
  const NewtonReport report = q.step(1e-12, threads);
  CHECK(!report.indefinite);
  CHECK(report.moved == (q.beta != before.beta));
  for (std::int64_t t = 0; t < q.k.n; ++t) {
    const auto s = static_cast<std::size_t>(t);
    CHECK(q.beta[s] >= q.lower[s] && q.beta[s] <= q.upper[s]);
    if (!mercer::is_free(before.problem(), t, before.beta[s])) CHECK(q.beta[s] == before.beta[s]);
    if (!q.kink.empty()) CHECK(same_sign(before.beta[s], q.beta[s]));
  }
  for (const int group : {0, 1}) CHECK(std::abs(q.sum(group) - before.sum(group)) <= 1e-13 * static_cast<double>(q.k.n) * (1 + std::abs(q.upper[0])));
  const double unit = 1 + std::abs(before.objective());
  CHECK(q.objective() <= before.objective() + 1e-12 * unit);
  if (report.exact)
    for (const int group : {0, 1}) {
      double low = HUGE_VAL, high = -HUGE_VAL;
      for (const std::int64_t t : mercer::free_variables(before.problem(), before.beta.data()))
        if ((t >= q.split) == group) {
          const double slope =
              q.gradient()[static_cast<std::size_t>(t)] + mercer::kink_slope(q.problem(), t, before.beta[static_cast<std::size_t>(t)]);
          low = std::min(low, slope);
          high = std::max(high, slope);
        }
      CHECK(!(high - low > 1e-9 * unit));
    }
}

TEST(newton_steps_keep_their_promises) {
  Random random(0);
  for (const std::int64_t n : {2, 5, 30, 90})
    for (const double width : {0.05, 1.0, 1e4})
      for (const bool kinks : {false, true})
        for (const std::int64_t split : {n, n / 2, std::int64_t{1}}) {
          check_step(random_quadratic(random, n, n, 0.1, width, kinks, split), 1);
          check_step(random_quadratic(random, n, n / 2 + 1, 1e-3, width, kinks, split), 2);
        }
}

TEST(newton_arrives_at_once_far_from_bounds) {
  Random random(1);
  for (const std::int64_t split : {40, 15}) {
    Quadratic q = random_quadratic(random, 40, 40, 1.0, 1e3, false, split);
    q.beta.assign(40, 0.25);
    const NewtonReport report = q.step();
    CHECK(report.moved && report.exact);
    const Numbers g = q.gradient();
    for (std::int64_t t = 0; t < 40; ++t)
      CHECK(std::abs(g[static_cast<std::size_t>(t)] - g[t < split ? 0 : static_cast<std::size_t>(split)]) <= 1e-12);
    CHECK(std::abs(q.sum(0) - 0.25 * static_cast<double>(split)) <= 1e-12);
  }
}

// Steps that stop at bounds free the next step of them: a few arrive, and the objective never rises on the way.
TEST(newton_repeated_ends) {
  Random random(2);
  for (const bool kinks : {false, true}) {
    Quadratic q = random_quadratic(random, 60, 60, 0.5, 0.4, kinks, 25);
    int steps = 0;
    for (bool exact = false; steps < 60 && !exact; ++steps) {
      const double before = q.objective();
      const NewtonReport report = q.step();
      CHECK(q.objective() <= before + 1e-12);
      exact = report.exact || !report.moved;
    }
    CHECK(steps < 60);
  }
}

TEST(newton_of_an_indefinite_matrix_stands_still) {
  Random random(3);
  Quadratic q = random_quadratic(random, 20, 20, 0.1, 1.0, false, 20);
  q.k(0, 0) = -2.0;
  const Numbers before = q.beta;
  const NewtonReport report = q.step();
  CHECK(report.indefinite && !report.moved && !report.exact);
  CHECK(q.beta == before);
}

TEST(newton_needs_two_free_variables) {
  Random random(4);
  Quadratic q = random_quadratic(random, 6, 6, 0.1, 1.0, false, 6);
  for (const std::size_t inner : {std::size_t{6}, std::size_t{2}}) {  // none, then one
    q.beta = q.lower;
    if (inner < 6) q.beta[inner] = 0.0;
    const Numbers before = q.beta;
    const NewtonReport report = q.step();
    CHECK(!report.moved && !report.indefinite);
    CHECK(q.beta == before);
  }
}

// Two free variables in two groups: each is held by its own sum.
TEST(newton_single_members_of_groups_stay) {
  Random random(5);
  Quadratic q = random_quadratic(random, 2, 2, 0.5, 1.0, false, 1);
  q.beta = {0.1, -0.2};
  q.step();
  CHECK(std::abs(q.beta[0] - 0.1) <= 1e-15 && std::abs(q.beta[1] + 0.2) <= 1e-15);
}

// The third sample is the first again. If their slopes agree they share a coefficient in any way; if they differ no step makes
// them equal, and none may say so.
TEST(newton_with_equal_rows) {
  Random random(6);
  for (const double difference : {0.0, 1.0}) {
    Quadratic q = random_quadratic(random, 5, 5, 0.5, 100.0, false, 5);
    for (std::int64_t t = 0; t < 5; ++t) q.k(2, t) = q.k(t, 2) = q.k(0, t);
    q.k(2, 2) = q.k(0, 2) = q.k(2, 0) = q.k(0, 0);
    q.linear[2] = q.linear[0] + difference;
    q.beta = {0.5, -0.5, 1.0, 0.25, -0.75};
    const double before = q.objective(), sum = q.sum(0);
    const NewtonReport report = q.step();
    CHECK(!report.indefinite);
    CHECK(q.objective() <= before);
    CHECK(std::abs(q.sum(0) - sum) <= 1e-13);
    double low = HUGE_VAL, high = -HUGE_VAL;
    for (const double g : q.gradient()) low = std::min(low, g), high = std::max(high, g);
    CHECK(report.exact == (high - low <= 1e-12));
    CHECK(report.exact == (difference == 0.0));
  }
}

TEST(newton_where_all_samples_are_one) {
  Quadratic q{Matrix(10, 10, 1.0), Numbers(10, -1.0), Numbers(10, -1.0), Numbers(10, 1.0), {}, Numbers(10, 0.5), 10};
  const NewtonReport report = q.step();
  CHECK(!report.indefinite);
  CHECK(std::abs(q.sum(0) - 5.0) <= 1e-13);
  CHECK(std::abs(q.objective() - 7.5) <= 1e-12);
}

}  // namespace
