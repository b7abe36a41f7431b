// Machines on explicit features: by optimality, against the solver on the Gram matrix, and by what the certificate claims.
#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <random>

#include "check.hpp"
#include "dual_case.hpp"
#include "mercer/dual/feature_ascent.hpp"
#include "mercer/dual/feature_loops.hpp"
#include "mercer/gram/row_kernels.hpp"
#include "reference.hpp"

namespace {

using namespace dual_case;
using mercer::FeatureMachine;
using mercer::FeatureOptions;
using mercer::FeatureResult;
using mercer::FeatureRows;

double noise(Random& random) { return std::uniform_real_distribution<double>(-1, 1)(random); }

// Labels of a noisy linear rule.
Case labelled(const Matrix& x, double cost, double weight, Random& random) {
  Case c{products(x), {}, {}, {}, {}, Numbers(static_cast<std::size_t>(x.n), 0.0), x.n};
  for (std::int64_t t = 0; t < x.n; ++t) {
    const double y = x(t, 0) + noise(random) > 0.3 ? 1.0 : -1.0, bound = y > 0 ? weight * cost : cost;
    c.linear.push_back(-y);
    c.lower.push_back(std::min(0.0, y * bound));
    c.upper.push_back(std::max(0.0, y * bound));
  }
  return c;
}

Case tube(const Matrix& x, double cost, double width, Random& random) {
  const auto n = static_cast<std::size_t>(x.n);
  Case c{products(x), {}, Numbers(n, -cost), Numbers(n, cost), Numbers(n, width), Numbers(n, 0.0), x.n};
  for (std::int64_t t = 0; t < x.n; ++t) c.linear.push_back(-x(t, 0) - 2 + noise(random));
  return c;
}

List all(std::int64_t n) {
  List list;
  for (std::int64_t t = 0; t < n; ++t) list.push_back(t);
  return list;
}

FeatureOptions up_to(double tol, int threads = 1) {
  FeatureOptions options;
  options.tol = tol;
  options.execution.threads = threads;
  return options;
}

template <class T>
FeatureResult solve(const std::vector<T>& rows, std::int64_t stride, const Matrix& x, const Case& c, Numbers& beta, const FeatureOptions& options) {
  const List members = all(x.n);
  return mercer::solve_on_features(FeatureRows<T>{rows.data(), stride, x.n, x.d}, {FeatureMachine{members, c.problem(), beta.data()}}, options)[0];
}

// What the result says is true, and the optimum of the other solver lies within the gap.
void check_certified(const Case& c, const Numbers& beta, const FeatureResult& result, double tol, double rounding) {
  check_feasible(c, beta);
  const Truth t = truth(c, beta);
  const double slack = rounding * t.size * (1 + t.rounding * 1e14), best = dual_case::solve(c, to(1e-9)).result.objective;
  CHECK(result.status == DualStatus::converged);
  CHECK(std::abs(result.objective - t.objective) <= slack);
  CHECK(result.objective >= best - slack);
  CHECK(result.objective - result.gap <= best + slack);
  CHECK(result.gap <= tol * std::max(std::abs(result.objective), std::abs(result.objective - result.gap)));
  CHECK(std::abs(result.violation - std::max(t.violation, 0.0)) <= slack);
  CHECK(result.gradient.size() == beta.size());
  for (std::size_t i = 0; i < beta.size(); ++i) CHECK(std::abs(result.gradient[i] - t.gradient[i]) <= slack);
}

TEST(features_reach_the_optimum) {
  Random random(31);
  const Matrix x = reference::random_matrix(random, 150, 7, -1, 2);
  const std::vector<float> rounded(x.values.begin(), x.values.end());
  Matrix read = x;  // what the rows in float hold
  read.values.assign(rounded.begin(), rounded.end());
  for (const double cost : {0.01, 1.0})
    for (const bool regression : {false, true}) {
      Random again(32);
      const Case c = regression ? tube(x, cost, 0.1, again) : labelled(x, cost, 3.0, again);
      Numbers beta = c.start;
      check_certified(c, beta, solve(x.values, x.d, x, c, beta, up_to(1e-5)), 1e-5, 1e-10);
      Case same = c;
      same.k = products(read);
      beta = c.start;
      check_certified(same, beta, solve(rounded, x.d, x, c, beta, up_to(1e-5)), 1e-5, 1e-10);
    }
}

TEST(features_with_a_stride_and_zero_rows) {
  Random random(33);
  Matrix x = reference::random_matrix(random, 60, 5, -1, 1);
  for (std::int64_t t = 0; t < x.n; t += 4)
    for (std::int64_t k = 0; k < x.d; ++k) x.values[static_cast<std::size_t>(t * x.d + k)] = 0.0;
  std::vector<double> wide(static_cast<std::size_t>(x.n * 9), 1e300);
  for (std::int64_t t = 0; t < x.n; ++t)
    for (std::int64_t k = 0; k < x.d; ++k) wide[static_cast<std::size_t>(t * 9 + k)] = x(t, k);
  const Case c = labelled(x, 1.0, 1.0, random);
  Numbers beta = c.start;
  check_certified(c, beta, solve(wide, 9, x, c, beta, up_to(1e-5)), 1e-5, 1e-10);
}

TEST(features_without_columns) {
  Case c{Matrix(5, 5), {-1, -1, -1, 1, 1}, {0, 0, 0, -1, -1}, {1, 1, 1, 0, 0}, {}, Numbers(5, 0.0), 5};
  const Matrix none(5, 0);
  Numbers beta = c.start;
  const FeatureResult result = solve(none.values, 0, none, c, beta, up_to(1e-9));
  CHECK(reference::near(result.objective, -4.0, 1e-9));
  CHECK(reference::near(result.bias, 1.0, 1e-9));
}

TEST(feature_machines_side_by_side) {
  Random random(34);
  const Matrix x = reference::random_matrix(random, 120, 6, -1, 1);
  std::vector<Case> cases;
  std::vector<List> members;
  for (std::int64_t m = 0; m < 4; ++m) {
    List& rows = members.emplace_back();
    Matrix part(60, x.d);
    for (std::int64_t t = 0; t < 60; ++t) {
      rows.push_back((t * (m + 1) + m) % x.n);  // some of them twice
      for (std::int64_t k = 0; k < x.d; ++k) part.values[static_cast<std::size_t>(t * x.d + k)] = x(rows.back(), k);
    }
    cases.push_back(labelled(part, 0.5, 2.0, random));
  }
  std::vector<Numbers> first;
  for (const int threads : {1, 2}) {
    std::vector<Numbers> beta;
    for (const Case& c : cases) beta.push_back(c.start);
    std::vector<FeatureMachine> machines;
    for (std::size_t m = 0; m < cases.size(); ++m) machines.push_back({members[m], cases[m].problem(), beta[m].data()});
    const auto results = mercer::solve_on_features(FeatureRows<double>{x.values.data(), x.d, x.n, x.d}, machines, up_to(1e-5, threads));
    for (std::size_t m = 0; m < cases.size(); ++m) check_certified(cases[m], beta[m], results[m], 1e-5, 1e-10);
    if (first.empty()) first = beta;
    CHECK(first == beta);
  }
}

TEST(features_start_where_they_are_told_to) {
  Random random(35);
  const Matrix x = reference::random_matrix(random, 100, 4, -1, 1);
  Case c = labelled(x, 1.0, 1.0, random);
  Numbers beta = c.start;
  solve(x.values, x.d, x, c, beta, up_to(1e-6));
  c.start = beta;
  const FeatureResult again = solve(x.values, x.d, x, c, beta, up_to(1e-6));
  CHECK(again.iterations == 0);
  CHECK(beta == c.start);
  FeatureOptions few = up_to(0.0);
  few.max_iter = 2;
  const FeatureResult stopped = solve(x.values, x.d, x, c, beta, few);
  CHECK(stopped.iterations <= 2);
  check_feasible(c, beta);
}

TEST(features_can_be_interrupted) {
  Random random(36);
  const Matrix x = reference::random_matrix(random, 400, 6, -1, 1);
  const Case c = labelled(x, 1e4, 1.0, random);
  const List members = all(x.n);
  for (const int threads : {1, 2})
    for (const std::size_t count : {1, 3}) {
      std::vector<Numbers> beta(count, c.start);
      std::vector<FeatureMachine> machines;
      for (Numbers& b : beta) machines.push_back({members, c.problem(), b.data()});
      FeatureOptions options = up_to(0.0);
      options.max_iter = 1'000'000'000;
      options.execution = {threads, [] { return true; }};
      const FeatureRows<double> rows{x.values.data(), x.d, x.n, x.d};
      CHECK_THROWS(mercer::Interrupted, mercer::solve_on_features(rows, machines, options));
    }
}

template <class T>
void check_loops() {
  Random random(37);
  for (auto table = mercer::available_tables(); *table; ++table) {
    mercer::select_table((*table)->name);
    const auto& loops = mercer::feature_loops<T>();
    for (const std::int64_t r : {0, 1, 7, 31, 32, 33, 64, 100}) {
      std::vector<T> row, next(static_cast<std::size_t>(r));
      Numbers v, sum;
      long double want = 0;
      for (std::int64_t k = 0; k < r; ++k) {
        row.push_back(static_cast<T>(noise(random)));
        v.push_back(noise(random));
        want += static_cast<long double>(row.back()) * v.back();
        sum.push_back(v.back() + 0.5 * static_cast<double>(row.back()));
      }
      CHECK(std::abs(loops.dot(row.data(), v.data(), r, nullptr) - static_cast<double>(want)) < 1e-13);
      CHECK(loops.dot(row.data(), v.data(), r, next.data()) == loops.dot(row.data(), v.data(), r, nullptr));
      loops.add(0.5, row.data(), v.data(), r);
      for (std::size_t k = 0; k < v.size(); ++k) CHECK(std::abs(v[k] - sum[k]) < 1e-15);
    }
  }
  mercer::select_table("auto");
}

TEST(feature_loops_of_every_instruction_set) {
  check_loops<float>();
  check_loops<double>();
}

}  // namespace
