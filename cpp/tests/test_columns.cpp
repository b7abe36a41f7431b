// Sums for derivatives in the weights of columns, against pair by pair in long double.
#include <cmath>

#include "check.hpp"
#include "mercer/gram/columns.hpp"
#include "reference.hpp"

namespace {

using reference::Matrix;
using reference::Numbers;
using reference::Random;

struct Case {
  std::int64_t n, m;
  bool symmetric;
  std::int64_t numerical, categorical;
  double p, g;
};

struct Sums {
  std::vector<long double> totals, columns;
};

long double power(long double x, double p) { return x == 0 ? 0 : std::pow(x, static_cast<long double>(p)); }

// All sums, and those of the magnitudes of their terms.
std::pair<Sums, Sums> slow(const mercer::ColumnPairs& pairs, const mercer::ColumnTerms& c, const Matrix& x, const Matrix& z, const Matrix& v) {
  Sums sums{std::vector<long double>(3), std::vector<long double>(pairs.chosen.size())}, sizes = sums;
  for (std::int64_t i = 0; i < x.n; ++i)
    for (std::int64_t j = 0; j < z.n; ++j) {
      std::vector<long double> terms;
      long double S = 0;
      for (std::size_t k = 0; k < pairs.chosen.size(); ++k) {
        const long double a = x(i, pairs.chosen[k]), b = z(j, pairs.chosen[k]);
        terms.push_back(static_cast<std::int64_t>(k) < c.numerical ? power(std::abs(a - b), c.p) : static_cast<long double>(a != b));
        if (c.weights) S += c.weights[k] * terms.back();
      }
      const auto add = [](long double& sum, long double& size, long double term) { sum += term, size += std::abs(term); };
      long double factor = v(i, j);
      if (c.weights) {
        const long double value = std::exp(-power(S, c.g)), slope = S > 0 ? -c.g * power(S, c.g) * value : 0;
        add(sums.totals[0], sizes.totals[0], v(i, j) * value);
        add(sums.totals[1], sizes.totals[1], v(i, j) * slope);
        if (S > 0) add(sums.totals[2], sizes.totals[2], v(i, j) * slope * std::log(S));
        factor = S > 0 ? v(i, j) * slope / S : 0;
      }
      for (std::size_t k = 0; k < terms.size(); ++k) add(sums.columns[k], sizes.columns[k], factor * terms[k]);
    }
  return {sums, sizes};
}

void check_case(Random& random, const Case& c, bool weighted, bool zeros) {
  const std::int64_t chosen = c.numerical + c.categorical, d = chosen + 2;
  const auto sample = [&](std::int64_t n) {
    Matrix x = reference::random_matrix(random, n, d, -1, 1);
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t k = 0; k < c.categorical; ++k) x(i, d - 1 - k) = std::floor(2 * x(i, d - 1 - k));
    for (std::int64_t i = 3; i < n; i += 5)
      for (std::int64_t k = 0; k < d; ++k) x(i, k) = x(i - 3, k);  // pairs with S = 0
    return x;
  };
  const Matrix x = sample(c.n), z = c.symmetric ? x : sample(c.m), v = reference::random_matrix(random, c.n, c.m, -1, 1);
  Numbers weights = reference::random_numbers(random, chosen, 0.1, 1);
  if (zeros) weights.assign(weights.size(), 0.0);
  mercer::ColumnPairs pairs{{x.values.data(), d, 1}, {z.values.data(), d, 1}, c.n, c.m, {v.values.data(), c.m, 1}, c.symmetric, {}};
  for (std::int64_t k = 0; k < c.numerical; ++k) pairs.chosen.push_back(c.numerical - 1 - k);
  for (std::int64_t k = 0; k < c.categorical; ++k) pairs.chosen.push_back(d - 1 - k);
  const mercer::ColumnTerms terms{weighted ? weights.data() : nullptr, chosen, c.numerical, c.p, c.g};
  const auto [want, size] = slow(pairs, terms, x, z, v);
  Numbers columns(static_cast<std::size_t>(chosen), NAN), totals(3, NAN);
  mercer::column_slopes(pairs, terms, weighted ? totals.data() : nullptr, columns.data(), {1, {}});
  const auto near = [](double got, long double sum, long double total) { return std::abs(got - sum) <= 1e-13L * (total + 1e-300L); };
  for (std::size_t k = 0; k < columns.size(); ++k) CHECK(near(columns[k], want.columns[k], size.columns[k]));
  for (std::size_t t = 0; t < 3 && weighted; ++t) CHECK(near(totals[t], want.totals[t], size.totals[t]));

  Numbers again(columns.size()), sums(3), transposed(v.values.size());
  for (std::int64_t i = 0; i < c.n; ++i)
    for (std::int64_t j = 0; j < c.m; ++j) transposed[static_cast<std::size_t>(j * c.n + i)] = v(i, j);
  pairs.v = {transposed.data(), 1, c.n};
  mercer::column_slopes(pairs, terms, weighted ? sums.data() : nullptr, again.data(), {3, {}});
  CHECK(again == columns && (!weighted || sums == totals));  // the number of threads and the strides change no bit
  if (weighted) {
    mercer::column_slopes(pairs, terms, sums.data(), nullptr, {1, {}});
    CHECK(sums == totals);
  }
}

TEST(column_slopes_of_every_kind) {
  Random random(0);
  for (const double p : {0.5, 1.0, 1.3, 1.5, 2.0, 5.0})
    for (const double g : {0.3, 0.5, 1.0})
      for (const auto& [numerical, categorical] : {std::pair{3, 2}, {4, 0}, {0, 3}, {1, 0}, {0, 0}})
        for (const auto& [n, m] : {std::pair{1, 1}, {5, 70}, {33, 9}, {67, 67}}) {
          check_case(random, {n, m, false, numerical, categorical, p, g}, true, false);
          if (n == m) check_case(random, {n, m, true, numerical, categorical, p, g}, true, false);
        }
}

TEST(column_slopes_without_kernel_and_with_zero_weights) {
  Random random(1);
  for (const double p : {1.0, 1.5, 2.0})
    for (const bool symmetric : {false, true}) {
      check_case(random, {66, 66, symmetric, 3, 1, p, 1.0}, false, false);
      check_case(random, {20, 20, symmetric, 3, 1, p, 0.5}, true, true);
    }
  check_case(random, {4200, 9, false, 2, 1, 1.0, 0.5}, true, false);   // two tasks for one column tile
  check_case(random, {5, 11, false, 9000, 0, 1.0, 1.0}, true, false);  // narrow panels
}

TEST(column_slopes_of_numbers_that_overflow) {
  const double x[] = {1e200, -1e200, 3e200};
  const double v[] = {1, 2, 3, 4, 5, 6, 7, 8, 9}, weight = 1;
  double totals[3], column;
  const mercer::ColumnPairs pairs{{x, 1, 1}, {x, 1, 1}, 3, 3, {v, 3, 1}, true, {0}};
  const mercer::ColumnTerms terms{&weight, 1, 1, 1.0, 1.0};
  mercer::column_slopes(pairs, terms, totals, &column, {});
  CHECK(totals[0] == 15 && totals[1] == 0 && totals[2] == 0 && column == 0);
}

TEST(column_slopes_refuses_what_does_not_fit) {
  const double x[] = {1, 2}, weight = 1;
  double totals[3], column;
  mercer::ColumnPairs pairs{{x, 1, 1}, {x, 1, 1}, 2, 1, {x, 1, 1}, true, {0}};
  const mercer::ColumnTerms terms{&weight, 1, 1, 1.0, 1.0};
  CHECK_THROWS(std::invalid_argument, mercer::column_slopes(pairs, terms, totals, &column, {}));
  pairs.symmetric = false;
  pairs.chosen = {};
  CHECK_THROWS(std::invalid_argument, mercer::column_slopes(pairs, terms, totals, &column, {}));
}

}  // namespace
