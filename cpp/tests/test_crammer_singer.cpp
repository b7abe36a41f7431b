// The multiclass machine of Crammer & Singer: steps against a slow twin, solutions by their optimality in long double.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "check.hpp"
#include "crammer_singer_case.hpp"
#include "mercer/dual/crammer_singer.hpp"
#include "mercer/dual/sample_step.hpp"
#include "mercer/rows/matrix_source.hpp"
#include "mercer/rows/native_source.hpp"
#include "reference.hpp"

namespace {

using namespace crammer_singer_case;

// β_m = min(C [m = y], (θ − B_m)/a) with B = G − aβ; θ by bisection, so that they sum to zero.
std::vector<long double> bisected(double a, const Numbers& gradient, std::int64_t label, double bound, const Numbers& beta) {
  const auto solution = [&](long double theta) {
    std::vector<long double> b(beta.size());
    for (std::size_t m = 0; m < b.size(); ++m) {
      const long double free = (theta - gradient[m]) / a + beta[m];
      b[m] = std::min<long double>(static_cast<std::int64_t>(m) == label ? bound : 0.0, free);
    }
    return b;
  };
  long double low = -1e6, high = 1e6;
  for (int round = 0; round < 200; ++round) {
    const long double middle = (low + high) / 2;
    long double sum = 0;
    for (const long double b : solution(middle)) sum += b;
    (sum < 0 ? low : high) = middle;
  }
  return solution(low);
}

TEST(crammer_singer_step_is_exact) {
  Random random(0);
  for (int trial = 0; trial < 400; ++trial) {
    const auto classes = static_cast<std::int64_t>(1 + random() % 7),
               label = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(classes));
    const double curvature = std::exp(reference::random_numbers(random, 1, -4, 4)[0]),
                 bound = std::exp(reference::random_numbers(random, 1, -4, 4)[0]) / 3;
    Numbers gradient = reference::random_numbers(random, classes, -2, 2), beta(at(classes), 0.0);
    if (trial % 3 == 0)  // ties
      for (double& g : gradient) g = std::round(g);
    mercer::SampleStep step(classes);
    for (int again = 0; again < 3; ++again) {  // from zero, then from where it came to
      const auto want = bisected(curvature, gradient, label, bound, beta);
      step.solve(curvature, gradient.data(), label, bound, beta.data());
      CHECK(feasible({1, classes, &label, &bound}, beta));
      for (std::size_t m = 0; m < beta.size(); ++m) CHECK(std::abs(beta[m] - want[m]) <= 1e-14 * (bound + 1 / curvature));
      for (double& g : gradient) g += reference::random_numbers(random, 1, -1, 1)[0];
    }
  }
}

TEST(crammer_singer_step_of_extreme_sizes) {
  for (const double bound : {std::numeric_limits<double>::denorm_min(), 3e-310, 1e-300, 0.1, std::nextafter(2.0, 1.0), 1e300}) {
    const std::int64_t label = 1;
    const double gradient[] = {1.0, 0.0, 1.0, 0.3};
    Numbers beta(4, 0.0);
    mercer::SampleStep(4).solve(1e-12, gradient, label, bound, beta.data());
    CHECK(feasible({1, 4, &label, &bound}, beta));
    CHECK(beta[3] == 0.0);
    if (bound < 1e11) CHECK(beta[1] == bound);
  }
}

TEST(crammer_singer_solutions_are_optimal) {
  for (std::int64_t classes = 2; classes <= 6; ++classes)
    for (const bool curved : {false, true})
      for (const double c : {0.1, 5.0}) {
        const Data data(curved ? rbf(0.7) : linear(), 70, classes, static_cast<std::uint64_t>(classes), c);
        const Matrix kernel = data.kernel();
        for (const double tol : {1e-2, 1e-7}) {
          mercer::NativeSource source(data.program, data.sample.side());
          Numbers beta = data.zero();
          const auto result = mercer::solve_crammer_singer(source, data.problem(), beta.data(), options(tol));
          check_solution(kernel, data.problem(), beta, result, tol);
        }
      }
}

TEST(crammer_singer_blocks_and_threads) {
  Data data(rbf(0.5), 2100, 3, 7);
  Random random(1);
  data.bound = reference::random_numbers(random, data.n, 0.2, 2);
  Numbers expected;
  double objective = 0.0, gap = 0.0;
  for (const int threads : {1, 4}) {  // float rows: more than 2048 samples
    mercer::NativeSource source(data.program, data.sample.side());
    CHECK(source.prefers_float());
    Numbers beta = data.zero();
    const auto result = mercer::solve_crammer_singer(source, data.problem(), beta.data(), options(1e-3, threads));
    CHECK(result.status == DualStatus::converged && result.violation <= 1e-3);
    CHECK(feasible(data.problem(), beta));
    if (threads == 1) expected = beta, objective = result.objective, gap = result.gap;
    else CHECK(beta == expected);
  }
  mercer::NativeSource source(data.program, data.sample.side());
  DualOptions narrow = options(1e-3);
  narrow.working_set = 300;
  narrow.cache_bytes = 3 << 20;
  Numbers beta = data.zero();
  const auto result = mercer::solve_crammer_singer(source, data.problem(), beta.data(), narrow);
  CHECK(result.status == DualStatus::converged && feasible(data.problem(), beta));
  CHECK(std::abs(result.objective - objective) <= gap + result.gap);
}

TEST(crammer_singer_few_rows_at_once) {
  const Data data(rbf(1.0), 90, 4, 3, 3.0);
  const Matrix kernel = data.kernel();
  for (const std::int64_t together : {1, 2, 40}) {
    mercer::NativeSource source(data.program, data.sample.side());
    DualOptions narrow = options(1e-5);
    narrow.working_set = together;
    narrow.cache_bytes = 0;
    Numbers beta = data.zero();
    check_solution(kernel, data.problem(), beta, mercer::solve_crammer_singer(source, data.problem(), beta.data(), narrow), 1e-5);
  }
}

// Rows in float, products in double: the end game must reach what float alone cannot.
TEST(crammer_singer_float_rows_agree_with_double) {
  const Data data(rbf(0.3), 120, 5, 4, 20.0);
  const Matrix kernel = data.kernel();
  const std::vector<float> rounded(kernel.values.begin(), kernel.values.end());
  mercer::MatrixSource<double> exact(kernel.values.data(), data.n, data.n);
  mercer::MatrixSource<float> single(rounded.data(), data.n, data.n, &exact);
  CHECK(single.prefers_float() && !exact.prefers_float());
  for (const double tol : {1e-3, 1e-10}) {
    Numbers from_double = data.zero(), from_float = data.zero();
    const auto twice = mercer::solve_crammer_singer(exact, data.problem(), from_double.data(), options(tol));
    const auto once = mercer::solve_crammer_singer(single, data.problem(), from_float.data(), options(tol));
    check_solution(kernel, data.problem(), from_double, twice, tol);
    check_solution(kernel, data.problem(), from_float, once, tol);
    CHECK(std::abs(twice.objective - once.objective) <= twice.gap + once.gap + 1e-12 * std::abs(twice.objective));
  }
}

// A sample twice is a sample with twice the bound.
TEST(crammer_singer_weights_are_repetitions) {
  Data data(rbf(0.8), 50, 3, 5, 1.5);
  const Matrix kernel = data.kernel();
  Labels rows, label;
  for (std::int64_t i = 0; i < data.n; ++i)
    for (int copies = i % 3 == 0 ? 2 : 1; copies > 0; --copies) rows.push_back(i), label.push_back(data.label[at(i)]);
  mercer::MatrixSource<double> source(kernel.values.data(), data.n, data.n);
  const auto repeated = source.subset(rows);
  const Numbers bound(rows.size(), 1.5);
  const CrammerSingerProblem longer{static_cast<std::int64_t>(rows.size()), data.classes, label.data(), bound.data()};
  for (std::int64_t i = 0; i < data.n; i += 3) data.bound[at(i)] *= 2;
  Numbers weighted = data.zero(), copied(rows.size() * at(data.classes), 0.0);
  const auto a = mercer::solve_crammer_singer(source, data.problem(), weighted.data(), options(1e-9));
  const auto b = mercer::solve_crammer_singer(*repeated, longer, copied.data(), options(1e-9));
  CHECK(a.status == DualStatus::converged && b.status == DualStatus::converged);
  CHECK(std::abs(a.objective - b.objective) <= a.gap + b.gap + 1e-12);
  Numbers summed = data.zero();
  for (std::size_t r = 0; r < rows.size(); ++r)
    for (std::int64_t m = 0; m < data.classes; ++m) summed[at(rows[r] * data.classes + m)] += copied[r * at(data.classes) + at(m)];
  double difference = 0.0;  // squared distance of the two solutions, at most twice both gaps
  for (std::int64_t m = 0; m < data.classes; ++m)
    for (std::int64_t i = 0; i < data.n; ++i)
      for (std::int64_t j = 0; j < data.n; ++j)
        difference += kernel(i, j) * (summed[at(i * data.classes + m)] - weighted[at(i * data.classes + m)]) *
                      (summed[at(j * data.classes + m)] - weighted[at(j * data.classes + m)]);
  CHECK(difference <= 4 * (a.gap + b.gap) + 1e-12);
}

// With two classes the bias-free machine is the binary one with w = w_1 − w_0: their optima differ by a factor, ½ Σ‖w_m‖² = ¼ ‖w‖².
TEST(crammer_singer_of_two_classes_is_binary) {
  const Data data(rbf(0.6), 60, 2, 8, 2.0);
  const Matrix kernel = data.kernel();
  mercer::MatrixSource<double> source(kernel.values.data(), data.n, data.n);
  Numbers beta = data.zero();
  const auto result = mercer::solve_crammer_singer(source, data.problem(), beta.data(), options(1e-9));
  CHECK(result.status == DualStatus::converged);
  long double hinge = 0, square = 0;
  for (std::int64_t i = 0; i < data.n; ++i) {
    long double f = 0;
    for (std::int64_t j = 0; j < data.n; ++j) f += static_cast<long double>(kernel(i, j)) * 2 * beta[at(2 * j + 1)];
    square += 2 * beta[at(2 * i + 1)] * f;
    hinge += data.bound[at(i)] * std::max(0.0L, 1 - (data.label[at(i)] == 1 ? f : -f));
    CHECK(beta[at(2 * i)] == -beta[at(2 * i + 1)]);
  }
  CHECK(std::abs(square / 4 + hinge + result.objective) <= 1e-6);
}

TEST(crammer_singer_stops_after_max_iter_and_resumes) {
  const Data data(rbf(0.7), 80, 4, 6, 10.0);
  mercer::NativeSource source(data.program, data.sample.side());
  Numbers whole = data.zero(), parts = data.zero();
  const auto straight = mercer::solve_crammer_singer(source, data.problem(), whole.data(), options(1e-8));
  DualOptions limited = options(1e-8);
  double before = 0.0;
  for (const std::int64_t steps : {0, 1, 1, 7, 100}) {
    limited.max_iter = steps;
    const auto part = mercer::solve_crammer_singer(source, data.problem(), parts.data(), limited);
    CHECK(part.status == DualStatus::max_iter && part.iterations == steps && part.violation > 1e-8);
    CHECK(steps == 0 ? part.objective == 0.0 : part.objective < before);
    CHECK(part.objective - part.gap <= straight.objective);  // a bound of the optimum at any time
    CHECK(feasible(data.problem(), parts));
    before = part.objective;
  }
  limited.max_iter = -1;
  const auto rest = mercer::solve_crammer_singer(source, data.problem(), parts.data(), limited);
  CHECK(rest.status == DualStatus::converged && rest.iterations > 0);
  CHECK(std::abs(rest.objective - straight.objective) <= rest.gap + straight.gap);
  const auto again = mercer::solve_crammer_singer(source, data.problem(), parts.data(), limited);
  CHECK(again.status == DualStatus::converged && again.iterations == 0);
}

TEST(crammer_singer_start_is_made_feasible) {
  Data data(rbf(0.7), 40, 3, 9, 0.3);
  mercer::NativeSource source(data.program, data.sample.side());
  Numbers beta = data.zero();
  const auto first = mercer::solve_crammer_singer(source, data.problem(), beta.data(), options(1e-8));
  for (double& c : data.bound) c *= 1.1;
  for (double& b : beta) b *= 1.1;  // sums to zero up to rounding only
  DualOptions none = options(1e-8);
  none.max_iter = 0;
  Numbers scaled = beta;
  const auto kept = mercer::solve_crammer_singer(source, data.problem(), scaled.data(), none);
  CHECK(kept.iterations == 0 && feasible(data.problem(), scaled) && kept.objective <= first.objective);
  for (std::size_t t = 0; t < beta.size(); ++t) CHECK(std::abs(beta[t] - scaled[t]) <= 1e-15);
  check_solution(data.kernel(), data.problem(), scaled, mercer::solve_crammer_singer(source, data.problem(), scaled.data(), options(1e-8)), 1e-8);
}

TEST(crammer_singer_says_what_precision_allows) {
  const Data data(rbf(0.7), 60, 3, 10, 100.0);
  mercer::NativeSource source(data.program, data.sample.side());
  Numbers beta = data.zero();
  const auto result = mercer::solve_crammer_singer(source, data.problem(), beta.data(), options(0.0));
  CHECK(result.status == DualStatus::converged || result.status == DualStatus::precision);
  CHECK(result.violation < 1e-10);
}

TEST(crammer_singer_is_cancelled) {
  const Data data(linear(), 100, 4, 11, 1000.0);
  mercer::NativeSource source(data.program, data.sample.side());
  DualOptions o = options(1e-12);
  o.execution.cancelled = [] { return true; };
  Numbers beta = data.zero();
  CHECK_THROWS(mercer::Interrupted, mercer::solve_crammer_singer(source, data.problem(), beta.data(), o));
}

TEST(crammer_singer_degenerate_problems) {
  const double zeros[9] = {}, indefinite[] = {1, 2, 2, 1}, bound[] = {1, 2, 3};
  const std::int64_t label[] = {0, 2, 1}, same[] = {0, 0, 0};
  Numbers beta(9, 0.0);
  mercer::MatrixSource<double> nothing(zeros, 3, 3), empty(zeros, 0, 0), saddle(indefinite, 2, 2);
  const auto flat = mercer::solve_crammer_singer(nothing, {3, 3, label, bound}, beta.data(), options(1e-6));
  CHECK(flat.status == DualStatus::converged && flat.objective == -6.0 && flat.gap == 0.0);  // every sample has slack 1
  CHECK(feasible({3, 3, label, bound}, beta));
  Numbers one(3, 0.0);
  const auto single = mercer::solve_crammer_singer(nothing, {3, 1, same, bound}, one.data(), options(1e-6));
  CHECK(single.status == DualStatus::converged && single.objective == 0.0 && single.gap == 0.0 && one == Numbers(3, 0.0));
  const auto none = mercer::solve_crammer_singer(empty, {0, 3, nullptr, nullptr}, nullptr, options(1e-6));
  CHECK(none.status == DualStatus::converged && none.violation == 0.0);
  Numbers two(6, 0.0);
  const auto bent = mercer::solve_crammer_singer(saddle, {2, 3, label, bound}, two.data(), options(1e-6));
  CHECK(bent.status == DualStatus::not_psd && bent.violation <= 1e-6 && feasible({2, 3, label, bound}, two));
}

// A kernel that gives NaN or infinity is not called solved, and β stays feasible.
TEST(crammer_singer_survives_a_broken_kernel) {
  for (const double broken : {static_cast<double>(NAN), static_cast<double>(INFINITY)})
    for (const bool all : {false, true}) {
      const std::int64_t n = 60, classes = 20;
      Matrix kernel(n, n, all ? broken : 0.2);
      for (std::int64_t i = 0; i < n; ++i) kernel(i, i) = 1.0;
      kernel(3, 4) = kernel(4, 3) = broken;
      Labels label(at(n));
      for (std::int64_t i = 0; i < n; ++i) label[at(i)] = i % classes;
      const Numbers bound(at(n), 1.0);
      mercer::MatrixSource<double> source(kernel.values.data(), n, n);
      Numbers beta(at(n * classes), 0.0);
      const auto result = mercer::solve_crammer_singer(source, {n, classes, label.data(), bound.data()}, beta.data(), options(1e-3));
      CHECK(result.status == DualStatus::precision);
      CHECK(feasible({n, classes, label.data(), bound.data()}, beta));
    }
}

TEST(crammer_singer_refuses_what_is_no_problem) {
  const double matrix[] = {1, 0, 0, 1}, bound[] = {1, 1}, zero[] = {1, 0}, endless[] = {1, INFINITY}, unknown[] = {NAN, 1};
  const std::int64_t label[] = {0, 1}, high[] = {0, 2}, negative[] = {-1, 0};
  mercer::MatrixSource<double> source(matrix, 2, 2);
  double beta[4] = {};
  const auto solve = [&](const CrammerSingerProblem& p) { return mercer::solve_crammer_singer(source, p, beta, {}); };
  CHECK_THROWS(std::invalid_argument, solve({1, 2, label, bound}));
  CHECK_THROWS(std::invalid_argument, solve({2, 2, high, bound}));
  CHECK_THROWS(std::invalid_argument, solve({2, 2, negative, bound}));
  CHECK_THROWS(std::invalid_argument, solve({2, 2, label, zero}));
  CHECK_THROWS(std::invalid_argument, solve({2, 2, label, endless}));
  CHECK_THROWS(std::invalid_argument, solve({2, 2, label, unknown}));
}

}  // namespace
