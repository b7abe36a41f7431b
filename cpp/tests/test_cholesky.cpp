// Cholesky factors by what they solve, against plain sums in long double, around the edges of the panels.
#include <algorithm>
#include <cmath>

#include "check.hpp"
#include "mercer/linalg/cholesky.hpp"
#include "reference.hpp"

namespace {

using mercer::Cholesky;
using reference::Matrix;
using reference::Numbers;
using reference::Random;

constexpr double share = 1e-12;

// G Gᵀ + ridge I for a random G of `rank` columns.
Matrix gram(Random& random, std::int64_t n, std::int64_t rank, double ridge) {
  const Matrix g = reference::random_matrix(random, n, rank, -1, 1);
  Matrix a(n, n);
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j <= i; ++j) {
      double sum = i == j ? ridge : 0.0;
      for (std::int64_t k = 0; k < rank; ++k) sum += g(i, k) * g(j, k);
      a(i, j) = a(j, i) = sum;
    }
  return a;
}

Numbers times(const Matrix& a, const Numbers& x) {
  Numbers out;
  for (std::int64_t i = 0; i < a.n; ++i) {
    long double sum = 0;
    for (std::int64_t j = 0; j < a.d; ++j) sum += static_cast<long double>(a(i, j)) * x[static_cast<std::size_t>(j)];
    out.push_back(static_cast<double>(sum));
  }
  return out;
}

double largest(const Numbers& x) {
  double most = 0.0;
  for (const double v : x) most = std::max(most, std::abs(v));
  return most;
}

double largest_difference(const Numbers& x, const Numbers& y) {
  double most = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) most = std::max(most, std::abs(x[i] - y[i]));
  return most;
}

// The part above the diagonal stays as it was.
void check_above(const Matrix& a, const Matrix& now) {
  for (std::int64_t i = 0; i < a.n; ++i)
    for (std::int64_t j = i + 1; j < a.n; ++j) CHECK(now(i, j) == a(i, j));
}

void check_multiply(const Cholesky& cholesky, const Matrix& a, const Numbers& x) {
  const Numbers want = times(a, x), got = cholesky.multiply(x);
  for (std::size_t i = 0; i < x.size(); ++i) CHECK(reference::near(got[i], want[i], 1e-9));
}

TEST(cholesky_of_definite_matrices_solves) {
  Random random(0);
  for (const std::int64_t n : {1, 2, 7, 63, 64, 65, 129, 200, 330})
    for (const int threads : {1, 4}) {
      const Matrix a = gram(random, n, n, 0.5);
      Matrix l = a;
      const Cholesky cholesky(l.values.data(), n, share, {threads, {}});
      CHECK(!cholesky.indefinite());
      for (std::int64_t i = 0; i < n; ++i) CHECK(!cholesky.dependent(i));
      check_above(a, l);
      check_multiply(cholesky, a, reference::random_numbers(random, n, -1, 1));
      const Numbers right = reference::random_numbers(random, n, -1, 1);
      Numbers x = right;
      cholesky.solve(x.data());
      CHECK(largest_difference(times(a, x), right) <= 1e-12);
    }
}

TEST(cholesky_does_not_depend_on_threads) {
  Random random(1);
  const Matrix a = gram(random, 500, 20, 0.1);
  Matrix one = a, four = a;
  const Cholesky alone(one.values.data(), a.n, share, {1, {}}), together(four.values.data(), a.n, share, {4, {}});
  CHECK(one.values == four.values);
}

// A pivot is judged against the largest diagonal entry, so that units do not matter.
TEST(cholesky_scales_with_the_matrix) {
  Random random(2);
  const std::int64_t n = 80;
  const Matrix a = gram(random, n, 30, 0.0);
  const Numbers right = times(a, reference::random_numbers(random, n, -1, 1));
  Matrix l = a;
  const Cholesky plain(l.values.data(), n, share, {});
  Numbers want = right;
  plain.solve(want.data());
  for (const double unit : {0x1p-300, 0x1p-40, 0x1p300}) {
    Matrix scaled = a;
    for (double& v : scaled.values) v *= unit;
    const Cholesky cholesky(scaled.values.data(), n, share, {});
    Numbers x = right;
    cholesky.solve(x.data());
    for (std::size_t i = 0; i < x.size(); ++i) {
      CHECK(cholesky.dependent(static_cast<std::int64_t>(i)) == plain.dependent(static_cast<std::int64_t>(i)));
      CHECK(x[i] == want[i] / unit);
    }
  }
}

TEST(cholesky_leaves_dependent_rows_out) {
  Random random(3);
  for (const std::int64_t n : {3, 70, 150, 300})
    for (const std::int64_t rank : {1, 2, 40, 100}) {
      if (rank >= n) continue;
      const Matrix a = gram(random, n, rank, 0.0);
      Matrix l = a;
      const Cholesky cholesky(l.values.data(), n, share, {});
      std::int64_t kept = 0;
      for (std::int64_t i = 0; i < n; ++i) kept += !cholesky.dependent(i);
      CHECK(!cholesky.indefinite());
      CHECK(kept == rank);
      check_above(a, l);
      check_multiply(cholesky, a, reference::random_numbers(random, n, -1, 1));
      const Numbers right = times(a, reference::random_numbers(random, n, -1, 1));  // in the range: a solution exists
      Numbers x = right;
      cholesky.solve(x.data());
      CHECK(largest_difference(times(a, x), right) <= 1e-8 * largest(right));
      for (std::int64_t i = 0; i < n; ++i)
        if (cholesky.dependent(i)) CHECK(x[static_cast<std::size_t>(i)] == 0.0);
    }
}

TEST(cholesky_keeps_one_of_equal_rows) {
  const std::int64_t n = 100;
  for (const double value : {1.0, 0.1, 3e7}) {
    Matrix ones(n, n, value);
    const Cholesky cholesky(ones.values.data(), n, share, {});
    CHECK(!cholesky.indefinite());
    std::int64_t kept = 0;
    for (std::int64_t i = 0; i < n; ++i) kept += !cholesky.dependent(i);
    CHECK(kept == 1);
  }
  Matrix nothing(n, n);
  const Cholesky cholesky(nothing.values.data(), n, share, {});
  CHECK(!cholesky.indefinite());
  Numbers x(static_cast<std::size_t>(n), 1.0);
  cholesky.solve(x.data());
  CHECK(x == Numbers(static_cast<std::size_t>(n), 0.0));
  CHECK(cholesky.multiply(x) == x);
}

TEST(cholesky_sees_negative_eigenvalues) {
  Random random(4);
  Matrix saddle(2, 2, 2.0);
  saddle(0, 0) = saddle(1, 1) = 1.0;
  CHECK(Cholesky(saddle.values.data(), 2, share, {}).indefinite());
  Matrix negative(1, 1, -1.0);
  CHECK(Cholesky(negative.values.data(), 1, share, {}).indefinite());
  for (const std::int64_t at : {0, 63, 64, 199}) {
    Matrix a = gram(random, 200, 200, 0.5);
    a(at, at) = -1.0;
    CHECK(Cholesky(a.values.data(), 200, share, {}).indefinite());
  }
  Matrix rounded = gram(random, 50, 3, 0.0);  // a negative eigenvalue of the size of rounding is none
  for (std::int64_t i = 0; i < 50; ++i) rounded(i, i) -= 1e-14;
  CHECK(!Cholesky(rounded.values.data(), 50, share, {}).indefinite());
}

}  // namespace
