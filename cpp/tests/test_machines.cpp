// Large problems, which start from a sample, and many machines on one matrix: by optimality.
#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "check.hpp"
#include "dual_case.hpp"
#include "mercer/dual/machines.hpp"
#include "mercer/dual/sample_start.hpp"
#include "mercer/rows/matrix_source.hpp"
#include "mercer/rows/native_source.hpp"
#include "reference.hpp"

namespace {

using namespace dual_case;

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
