// Interactions of columns and their derivatives, against long double and differences.
#include <cmath>

#include "check.hpp"
#include "mercer/gram/columns.hpp"
#include "mercer/gram/pairwise.hpp"
#include "reference.hpp"

namespace {

using mercer::Op;
using reference::Matrix;
using reference::Numbers;
using reference::Random;
using reference::Sample;

// Rows whose last columns are categories.
Matrix table(Random& random, std::int64_t n, std::int64_t numerical, std::int64_t categorical) {
  Matrix x = reference::random_matrix(random, n, numerical + categorical, -1, 1);
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t k = numerical; k < x.d; ++k) x(i, k) = std::floor(2 * x(i, k));
  return x;
}

// A pool with random orders, rates and shares of weights in [0.1, 1], after one unused number.
Numbers pool_of(Random& random, std::int64_t degree, std::int64_t numerical, std::int64_t categorical, double p) {
  const std::int64_t d = numerical + categorical;
  Numbers pool{7, static_cast<double>(degree), static_cast<double>(d), static_cast<double>(numerical), p};
  for (const double v : reference::random_numbers(random, degree + 1 + numerical, 0.1, 2)) pool.push_back(v);
  Numbers ratio(static_cast<std::size_t>(degree), 0.0);
  for (const double v : reference::random_numbers(random, d, 0.1, 1)) {
    Numbers next = ratio;
    for (std::size_t q = 0; q < ratio.size(); ++q) {
      pool.push_back(v / (ratio[q] + v));
      next[q] = (ratio[q] + v) * (q ? ratio[q - 1] / (ratio[q - 1] + v) : 1.0);
    }
    ratio = next;
  }
  return pool;
}

template <class T>
void check_values(Random& random, std::int64_t degree, std::int64_t numerical, std::int64_t categorical, double p) {
  const std::int64_t n = 21, m = 37;
  const mercer::Program program({{Op::interactions, 0, 1, 0}}, pool_of(random, degree, numerical, categorical, p));
  Sample left(n), right(m);
  left.dense(table(random, n, numerical, categorical), reference::Layout::columns, sizeof(T) == 4);
  right.dense(table(random, m, numerical, categorical));
  std::vector<T> out(static_cast<std::size_t>(n * m)), pairs(static_cast<std::size_t>(n));
  mercer::gram(mercer::Problem<T>(program, left.side(), right.side(), {}), false, out.data(), m, {2, {}});
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < m; ++j)
      CHECK(reference::near(out[static_cast<std::size_t>(i * m + j)], reference::evaluate(program, left, i, right, j), reference::tolerance<T>));
  mercer::paired(mercer::Problem<T>(program, left.side(), left.side(), {}), pairs.data(), {1, {}});
  for (std::int64_t i = 0; i < n; ++i)
    CHECK(reference::near(pairs[static_cast<std::size_t>(i)], reference::evaluate(program, left, i, left, i), reference::tolerance<T>));
}

TEST(interactions_of_every_kind) {
  Random random(0);
  for (const double p : {0.5, 1.0, 1.3, 2.0, 5.0})
    for (const std::int64_t degree : {1, 2, 5, 16})
      for (const auto& [numerical, categorical] : {std::pair{3, 2}, {4, 0}, {0, 3}, {1, 0}, {9, 9}}) {
        check_values<double>(random, degree, numerical, categorical, p);
        check_values<float>(random, degree, numerical, categorical, p);
      }
}

// Sums over all pairs in long double: of the means by orders, and of derivatives by central differences in the factors.
void check_slopes(Random& random, std::int64_t n, std::int64_t m, bool symmetric, std::int64_t degree, std::int64_t numerical,
                  std::int64_t categorical, double p) {
  const std::int64_t d = numerical + categorical;
  const Numbers pool = pool_of(random, degree, numerical, categorical, p);
  const mercer::Program program({{Op::interactions, 0, 1, 0}}, pool);
  const mercer::InteractionTerms terms = program.interactions(program.steps()[0]);
  const Matrix x = table(random, n, numerical, categorical), z = symmetric ? x : table(random, m, numerical, categorical);
  const Matrix v = reference::random_matrix(random, n, m, -1, 1);
  std::vector<long double> want(static_cast<std::size_t>(degree + 1 + d + numerical), 0.0L), size = want;
  const auto value = [&](const std::vector<long double>& b, std::int64_t order) {
    std::vector<long double> e(static_cast<std::size_t>(degree) + 1, 0.0L);
    e[0] = 1;
    for (std::int64_t k = 0; k < d; ++k)
      for (std::size_t q = e.size() - 1; q >= 1; --q) {
        const long double share = terms.shares[k * degree + static_cast<std::int64_t>(q) - 1];
        e[q] = (1 - share) * e[q] + share * b[static_cast<std::size_t>(k)] * e[q - 1];
      }
    if (order >= 0) return e[static_cast<std::size_t>(order)];
    long double sum = 0;
    for (std::size_t q = 0; q < e.size(); ++q) sum += terms.orders[q] * e[q];
    return sum;
  };
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < m; ++j) {
      std::vector<long double> b, power;
      for (std::int64_t k = 0; k < d; ++k) {
        power.push_back(std::pow(std::abs(static_cast<long double>(x(i, k)) - z(j, k)), static_cast<long double>(p)));
        b.push_back(k < numerical ? std::exp(-terms.rates[k] * power.back()) : static_cast<long double>(x(i, k) == z(j, k)));
      }
      const auto add = [&](std::int64_t at, long double term) {
        want[static_cast<std::size_t>(at)] += v(i, j) * term, size[static_cast<std::size_t>(at)] += std::abs(v(i, j) * term);
      };
      for (std::int64_t q = 0; q <= degree; ++q) add(q, value(b, q));
      for (std::int64_t k = 0; k < d; ++k) {  // linear in each factor
        std::vector<long double> with = b, without = b;
        with[static_cast<std::size_t>(k)] = 1, without[static_cast<std::size_t>(k)] = 0;
        const long double slope = b[static_cast<std::size_t>(k)] * (value(with, -1) - value(without, -1));
        add(degree + 1 + k, slope);
        if (k < numerical) add(degree + 1 + d + k, -slope * terms.rates[k] * power[static_cast<std::size_t>(k)]);
      }
    }
  mercer::ColumnPairs pairs{{x.values.data(), d, 1}, {z.values.data(), d, 1}, n, m, {v.values.data(), m, 1}, symmetric, {}};
  for (std::int64_t k = 0; k < d; ++k) pairs.chosen.push_back(k);
  Numbers sums(want.size(), NAN), again(want.size(), NAN);
  mercer::interaction_slopes(pairs, terms, sums.data(), {1, {}});
  mercer::interaction_slopes(pairs, terms, again.data(), {3, {}});
  CHECK(sums == again);
  for (std::size_t k = 0; k < want.size(); ++k) CHECK(std::abs(sums[k] - want[k]) <= 1e-12L * (size[k] + 1e-300L));
}

TEST(interaction_slopes_of_every_kind) {
  Random random(1);
  for (const double p : {0.5, 1.0, 1.3, 2.0})
    for (const std::int64_t degree : {1, 3, 16})
      for (const auto& [numerical, categorical] : {std::pair{3, 2}, {4, 0}, {0, 3}, {1, 0}})
        for (const auto& [n, m] : {std::pair{1, 1}, {5, 70}, {33, 33}}) {
          check_slopes(random, n, m, false, degree, numerical, categorical, p);
          if (n == m) check_slopes(random, n, m, true, degree, numerical, categorical, p);
        }
}

TEST(interaction_slopes_of_numbers_that_overflow) {
  const double x[] = {1e200, -1e200, 3e200}, v[] = {1, 2, 3, 4, 5, 6, 7, 8, 9}, orders[] = {0, 1}, rate = 1, share = 1;
  double sums[4];
  const mercer::ColumnPairs pairs{{x, 1, 1}, {x, 1, 1}, 3, 3, {v, 3, 1}, true, {0}};
  mercer::interaction_slopes(pairs, {1, 1, 1, 2.0, orders, &rate, &share}, sums, {});
  CHECK(sums[0] == 45 && sums[1] == 15 && sums[2] == 15 && sums[3] == 0);
}

TEST(interaction_slopes_refuses_what_does_not_fit) {
  const double x[] = {1, 2}, orders[] = {0, 1}, rate = 1, share = 1;
  double sums[4];
  mercer::ColumnPairs pairs{{x, 1, 1}, {x, 1, 1}, 2, 1, {x, 1, 1}, true, {0}};
  const mercer::InteractionTerms terms{1, 1, 1, 2.0, orders, &rate, &share};
  CHECK_THROWS(std::invalid_argument, mercer::interaction_slopes(pairs, terms, sums, {}));
  pairs.symmetric = false;
  pairs.chosen = {};
  CHECK_THROWS(std::invalid_argument, mercer::interaction_slopes(pairs, terms, sums, {}));
}

}  // namespace
