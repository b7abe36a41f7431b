// The scans of the dual solver against plain loops, for the selected instruction set.
#include <algorithm>
#include <cmath>
#include <limits>

#include "check.hpp"
#include "mercer/gram/row_kernels.hpp"
#include "reference.hpp"

namespace {

using mercer::Extremes;
using reference::Numbers;
using reference::Random;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr std::int64_t largest = 200;

template <class T>
const mercer::RowKernels<T>& kernels() {
  return mercer::active_table().of<T>();
}

// Small whole numbers, so that sums and products are exact and ties abound; else uniform numbers.
Numbers numbers(Random& random, std::int64_t n, bool whole) {
  Numbers x = reference::random_numbers(random, n, -4, 4);
  if (whole)
    for (double& v : x) v = std::round(v);
  return x;
}

template <class T>
std::vector<T> as(const Numbers& x) {
  return {x.begin(), x.end()};
}

void bar(Random& random, Numbers& slopes, double share, double value) {
  for (double& v : slopes)
    if (std::uniform_real_distribution<double>(0, 1)(random) < share) v = value;
}

template <class T>
void check_advance(Random& random, std::int64_t n, bool whole, double barred) {
  const auto a = as<T>(numbers(random, n, whole)), b = as<T>(numbers(random, n, whole));
  Numbers rise = numbers(random, n, whole), fall = numbers(random, n, whole);
  bar(random, rise, barred, infinity);
  bar(random, fall, barred, -infinity);
  const Numbers rise_before = rise, fall_before = fall;
  const double step = whole ? 0.5 : 0.37;
  const Extremes found = kernels<T>().advance(step, a.data(), b.data(), rise.data(), fall.data(), n);
  for (std::size_t t = 0; t < rise.size(); ++t) {
    const double change = step * (static_cast<double>(a[t]) - static_cast<double>(b[t])), slack = whole ? 0 : 1e-14;
    const auto follows = [&](double now, double before) { return std::isinf(before) ? now == before : std::abs(now - (before + change)) <= slack; };
    CHECK(follows(rise[t], rise_before[t]));
    CHECK(follows(fall[t], fall_before[t]));
  }
  const auto lowest = std::min_element(rise.begin(), rise.end());
  CHECK(found.low == *lowest);
  CHECK(found.first == lowest - rise.begin());  // of equal ones the first
  CHECK(found.high == *std::max_element(fall.begin(), fall.end()));
}

template <class T>
void advances() {
  Random random(0);
  for (std::int64_t n = 1; n <= largest; ++n)
    for (const bool whole : {false, true})
      for (const double barred : {0.0, 0.3, 0.97, 1.0}) check_advance<T>(random, n, whole, barred);
}

TEST(scans_advance_moves_slopes_and_finds_extremes) {
  advances<float>();
  advances<double>();
}

// The best value stands at every place in turn, alone and with an equal one at the end.
template <class T>
void finds_every_place() {
  for (const std::int64_t n : {1, 31, 64, 65, 150}) {
    const std::vector<T> zero(static_cast<std::size_t>(n), T(0)), one(static_cast<std::size_t>(n), T(1));
    for (std::int64_t at = 0; at < n; ++at) {
      Numbers rise(static_cast<std::size_t>(n), 1.0), fall(static_cast<std::size_t>(n), -1.0);
      rise[static_cast<std::size_t>(at)] = rise.back() = -3.0;
      fall[static_cast<std::size_t>(at)] = fall.back() = 2.0;
      CHECK(kernels<T>().partner(zero.data(), T(1), one.data(), fall.data(), -1.0, 1.0, T(1e-12), n) == at);
      const Extremes found = kernels<T>().advance(0.0, zero.data(), one.data(), rise.data(), fall.data(), n);
      CHECK(found.first == at && found.low == -3.0 && found.high == 2.0);
    }
  }
}

TEST(scans_find_the_first_of_equal_extremes) {
  finds_every_place<float>();
  finds_every_place<double>();
}

template <class T>
void check_partner(Random& random, std::int64_t n, bool whole, double barred) {
  const auto row = as<T>(numbers(random, n, whole));
  auto diagonal = as<T>(numbers(random, n, whole));
  for (T& k : diagonal) k = std::abs(k) + T(1);
  Numbers fall = numbers(random, n, whole);
  bar(random, fall, barred, -infinity);
  const double low = whole ? -2.0 : -1.7, scale = 0.25;
  const T own = T(2), tiny = T(1e-6);  // curvatures of these rows are often negative, and sometimes 0
  const auto gain = [&](std::size_t t) {
    const long double b = (static_cast<long double>(fall[t]) - low) * scale;
    const long double a = static_cast<long double>(own) + diagonal[t] - 2 * static_cast<long double>(row[t]);
    return b > 0 ? b * b / std::max<long double>(a, tiny) : 0;
  };
  long double most = 0;
  for (std::size_t t = 0; t < fall.size(); ++t) most = std::max(most, gain(t));
  const std::int64_t found = kernels<T>().partner(row.data(), own, diagonal.data(), fall.data(), low, scale, tiny, n);
  CHECK((found < 0) == (most == 0));
  CHECK(found < n);
  // Differences cancel in a: its relative rounding is that of the terms.
  if (found >= 0 && found < n) CHECK(gain(static_cast<std::size_t>(found)) >= most * (1 - (whole ? 1e-6L : 1e-3L)));
}

template <class T>
void partners() {
  Random random(1);
  for (std::int64_t n = 1; n <= largest; ++n)
    for (const bool whole : {false, true})
      for (const double barred : {0.0, 0.5, 0.97, 1.0}) check_partner<T>(random, n, whole, barred);
}

TEST(scans_partner_has_the_largest_gain) {
  partners<float>();
  partners<double>();
}

TEST(scans_partner_needs_a_violation) {
  const std::int64_t n = 70;
  const std::vector<double> row(70, 0.0), diagonal(70, 1.0);
  for (const double below : {0.0, 1e-300, 1.0, infinity}) {
    const Numbers fall(70, 5.0 - below);
    CHECK(kernels<double>().partner(row.data(), 1.0, diagonal.data(), fall.data(), 5.0, 1.0, 1e-12, n) == -1);
  }
}

template <class T>
void accumulates() {
  Random random(2);
  for (std::int64_t n = 1; n <= largest; ++n)
    for (const std::size_t count : {0u, 1u, 3u, 4u, 5u, 8u, 11u})
      for (const bool whole : {false, true}) {
        const Numbers steps = numbers(random, static_cast<std::int64_t>(count), whole);
        std::vector<std::vector<T>> values;
        std::vector<const T*> rows;
        for (std::size_t s = 0; s < count; ++s) values.push_back(as<T>(numbers(random, n, whole)));
        for (const auto& v : values) rows.push_back(v.data());
        Numbers f = numbers(random, n, whole);
        const Numbers before = f;
        kernels<T>().accumulate(steps.data(), rows.data(), static_cast<std::int64_t>(count), f.data(), n);
        for (std::size_t t = 0; t < f.size(); ++t) {
          long double want = before[t];
          for (std::size_t s = 0; s < count; ++s) want += static_cast<long double>(steps[s]) * values[s][t];
          CHECK(std::abs(f[t] - want) <= (whole ? 0.0L : 1e-13L));
        }
      }
}

TEST(scans_accumulate_adds_multiples_of_rows) {
  accumulates<float>();
  accumulates<double>();
}

}  // namespace
