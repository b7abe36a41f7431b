// A symmetric matrix times a few columns, against sums in long double; what is below the diagonal is never read.
#include <cmath>
#include <limits>

#include "check.hpp"
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

}  // namespace
