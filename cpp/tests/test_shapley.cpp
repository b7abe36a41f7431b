// Shapley values of products, against sums over all subsets of players in long double.
#include <algorithm>
#include <bit>
#include <cmath>

#include "check.hpp"
#include "mercer/explain/shapley.hpp"
#include "reference.hpp"

namespace {

struct Case {
  std::int64_t rows, background, players, points, outputs;
};

// Factorials up to 12 are exact.
long double factorial(std::int64_t n) { return n < 2 ? 1.0L : static_cast<long double>(n) * factorial(n - 1); }

// Nodes and weights of Gauss and Legendre on [0, 1] with three nodes: exact for polynomials of degree 5.
const double root = std::sqrt(0.6);
const double nodes[] = {(1 - root) / 2, 0.5, (1 + root) / 2}, weights[] = {5.0 / 18, 8.0 / 18, 5.0 / 18};

// Several rules, the last of which is exact: with limits of zero, all others are passed over.
void check_case(const Case& c, bool pairs, int threads, std::size_t rules) {
  reference::Random random(c.players + c.points);
  const auto size = [](std::int64_t n) { return static_cast<std::size_t>(n); };
  const reference::Matrix a = reference::random_matrix(random, c.rows, c.players * c.points, 0, 1);
  const reference::Matrix b = reference::random_matrix(random, c.background, c.players * c.points, 0, 1);
  const reference::Matrix coef = reference::random_matrix(random, c.points, c.outputs, -1, 1);
  const std::int64_t units = pairs ? c.players * (c.players - 1) / 2 : c.players;
  const mercer::Rules given{std::vector<mercer::Quadrature>(rules, {nodes, weights, 3}), std::vector<double>(rules, 0.0), 1e-30};
  std::vector<double> out(size(c.rows * units * c.outputs), 3.0);  // results are added to what is there
  mercer::shapley_products(pairs ? mercer::Order::pairs : mercer::Order::values, {a.values.data(), c.rows}, {b.values.data(), c.background},
                           {coef.values.data(), c.players, c.points, c.outputs}, given, out.data(), threads, {});
  // Worth of a coalition: a sum over points and background rows.
  const auto worth = [&](std::int64_t row, std::int64_t output, unsigned coalition) {
    long double sum = 0;
    for (std::int64_t r = 0; r < c.background; ++r)
      for (std::int64_t i = 0; i < c.points; ++i) {
        long double product = coef(i, output);
        for (std::int64_t l = 0; l < c.players; ++l) product *= coalition >> l & 1 ? a(row, l * c.points + i) : b(r, l * c.points + i);
        sum += product;
      }
    return sum;
  };
  const auto check_unit = [&](std::int64_t row, std::int64_t unit, unsigned members) {
    const std::int64_t others = c.players - std::popcount(members);
    for (std::int64_t output = 0; output < c.outputs; ++output) {
      long double sum = 3.0L;
      for (unsigned rest = 0; rest < 1u << c.players; ++rest) {
        if (rest & members) continue;
        const std::int64_t s = std::popcount(rest);
        const long double share = factorial(s) * factorial(others - s) / factorial(others + 1);
        for (unsigned part = members;; part = (part - 1) & members) {  // of all subsets of the members, with alternating signs
          const bool odd = (std::popcount(members) - std::popcount(part)) % 2 != 0;
          sum += (odd ? -share : share) * worth(row, output, rest | part);
          if (part == 0) break;
        }
      }
      const double found = out[size((row * units + unit) * c.outputs + output)];
      CHECK(std::abs(found - sum) <= 1e-14L * static_cast<long double>(c.background * c.points));
    }
  };
  for (std::int64_t row = 0; row < c.rows; ++row) {
    std::int64_t unit = 0;
    for (std::int64_t j = 0; j < c.players; ++j) {
      if (!pairs) check_unit(row, unit++, 1u << j);
      for (std::int64_t k = j + 1; pairs && k < c.players; ++k) check_unit(row, unit++, 1u << j | 1u << k);
    }
  }
}

TEST(shapley_values_of_products) {
  for (const bool pairs : {false, true})
    for (const int threads : {1, 3})
      for (const Case& c : {Case{1, 1, 2, 1, 1}, Case{3, 2, 4, 16, 2}, Case{2, 3, 6, 17, 1}, Case{2, 2, 5, 131, 3}, Case{2, 1, 1, 5, 1}})
        for (const std::size_t rules : {1, 3}) check_case(c, pairs, threads, rules);
}

TEST(extents_of_factors) {
  constexpr int lanes = mercer::shapley_lanes;
  reference::Random random(7);
  for (const std::int64_t players : {1, 2, 9}) {
    const reference::Matrix a = reference::random_matrix(random, players, lanes, -1, 1), b = reference::random_matrix(random, players, lanes, -1, 1);
    const mercer::Extent found = mercer::shapley_loops().extent(a.values.data(), b.values.data(), players);
    double reach = 0, product = 0;
    for (int i = 0; i < lanes; ++i) {
      double sum = 0, all_but_one = 0;
      for (std::int64_t l = 0; l < players; ++l) {
        sum += std::abs(a(l, i) - b(l, i));
        double others = 1;
        for (std::int64_t k = 0; k < players; ++k) others *= k == l ? 1.0 : std::max(std::abs(a(k, i)), std::abs(b(k, i)));
        all_but_one = std::max(all_but_one, others);
      }
      reach = std::max(reach, sum);
      product = std::max(product, all_but_one);
    }
    CHECK(std::abs(found.reach - reach) <= 1e-14 * reach && std::abs(found.product - product) <= 1e-14);
  }
}

TEST(shapley_values_can_be_interrupted) {
  const std::vector<double> factors(3 * 200 * 1000, 0.5), coef(1000, 1.0), rule(100, 0.01);
  std::vector<double> out(3 * 200);
  const mercer::Rules many{{{rule.data(), rule.data(), 100}}, {0.0}, 0.0};
  bool asked = false;
  const mercer::Cancelled cancelled = [&] { return asked = true; };
  std::vector<double> background(200 * 200 * 1000, 0.5);
  CHECK_THROWS(mercer::Interrupted, mercer::shapley_products(mercer::Order::values, {factors.data(), 3}, {background.data(), 200},
                                                             {coef.data(), 200, 1000, 1}, many, out.data(), 2, cancelled));
  CHECK(asked);
}

}  // namespace
