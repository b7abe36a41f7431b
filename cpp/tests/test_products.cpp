// Products of matrices in memory with a few columns, against sums in long double. Of a symmetric matrix, what is below the diagonal is never read.
#include <cmath>
#include <limits>

#include "check.hpp"
#include "mercer/linalg/normal_product.hpp"
#include "mercer/linalg/symmetric_product.hpp"
#include "reference.hpp"

namespace {

TEST(products_of_every_size) {
  reference::Random random(0);
  for (const std::int64_t n : {1, 5, 64, 65, 131, 700})
    for (const std::int64_t b : {1, 2, 8, 9, 30})
      for (const int threads : {1, 3}) {
        const reference::Matrix a = reference::random_matrix(random, n, n, -1, 1);
        const reference::Matrix v = reference::random_matrix(random, n, b, -1, 1);
        std::vector<double> out(static_cast<std::size_t>(n * b), 7.0);
        const auto entry = [&](std::int64_t i, std::int64_t k) { return static_cast<long double>(a(std::min(i, k), std::max(i, k))); };
        reference::Matrix upper = a;
        for (std::int64_t i = 0; i < n; ++i)
          for (std::int64_t k = 0; k < i; ++k) upper(i, k) = std::numeric_limits<double>::quiet_NaN();
        mercer::symmetric_product(upper.values.data(), n, v.values.data(), b, out.data(), threads, {});
        for (std::int64_t i = 0; i < n; i += 1 + n / 50)
          for (std::int64_t j = 0; j < b; ++j) {
            long double sum = 0;
            for (std::int64_t k = 0; k < n; ++k) sum += entry(i, k) * v(k, j);
            CHECK(std::abs(out[static_cast<std::size_t>(i * b + j)] - sum) <= 1e-15L * static_cast<long double>(n));
          }
      }
}

template <class T>
void check_normal_product(std::int64_t n, std::int64_t r, std::int64_t t, int threads, bool scaled) {
  reference::Random random(n + r);
  const reference::Matrix a = reference::random_matrix(random, n, r, -1, 1), v = reference::random_matrix(random, t, r, -1, 1);
  const reference::Matrix scale = reference::random_matrix(random, 1, n, 0, 2);
  const std::vector<T> rows(a.values.begin(), a.values.end());
  std::vector<double> out(static_cast<std::size_t>(t * r), 7.0);
  mercer::normal_product(rows.data(), n, r, scaled ? scale.values.data() : nullptr, v.values.data(), t, out.data(), threads, {});
  for (std::int64_t j = 0; j < t; ++j) {
    std::vector<long double> sums(static_cast<std::size_t>(r), 0);
    for (std::int64_t i = 0; i < n; ++i) {
      const T* row = rows.data() + i * r;
      long double value = 0;
      for (std::int64_t k = 0; k < r; ++k) value += static_cast<long double>(row[k]) * v(j, k);
      if (scaled) value *= scale(0, i);
      for (std::int64_t k = 0; k < r; ++k) sums[static_cast<std::size_t>(k)] += value * row[k];
    }
    for (std::int64_t k = 0; k < r; ++k)
      CHECK(std::abs(out[static_cast<std::size_t>(j * r + k)] - sums[static_cast<std::size_t>(k)]) <= 1e-15L * static_cast<long double>(n * r));
  }
}

TEST(normal_products_of_every_size) {
  for (const std::int64_t n : {1, 127, 128, 300})
    for (const std::int64_t r : {1, 31, 64, 100})
      for (const std::int64_t t : {1, 3})
        for (const int threads : {1, 3})
          for (const bool scaled : {false, true}) {
            check_normal_product<double>(n, r, t, threads, scaled);
            check_normal_product<float>(n, r, t, threads, scaled);
          }
}

}  // namespace
