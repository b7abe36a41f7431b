// Packing, products and transposition of the selected instruction set.
#include <cmath>
#include <limits>

#include "check.hpp"
#include "mercer/gram/row_kernels.hpp"
#include "reference.hpp"

namespace {

using reference::Matrix;
using reference::Numbers;
using reference::Random;

template <class T>
const mercer::RowKernels<T>& kernels() {
  return mercer::active_table().of<T>();
}

template <class S, class T>
void check_pack(std::int64_t d, std::int64_t stride, const Numbers& centre, const Numbers& scale) {
  Random random(0);
  const Numbers numbers = reference::random_numbers(random, (d - 1) * stride + 1, -1, 1);
  const std::vector<S> x(numbers.begin(), numbers.end());
  const mercer::Transform transform{centre.empty() ? nullptr : centre.data(), scale.empty() ? nullptr : scale.data()};
  std::vector<T> row(static_cast<std::size_t>(d));
  double norm;
  if constexpr (sizeof(S) == 4) norm = kernels<T>().pack_float(x.data(), stride, d, transform, row.data());
  else norm = kernels<T>().pack_double(x.data(), stride, d, transform, row.data());
  long double want = 0;
  for (std::size_t k = 0; k < row.size(); ++k) {
    const double y = numbers[k * static_cast<std::size_t>(stride)] - (centre.empty() ? 0 : centre[k]);
    CHECK(row[k] == static_cast<T>(y * (scale.empty() ? 1 : scale[k])));
    want += static_cast<long double>(row[k]) * row[k];
  }
  CHECK(std::abs(norm - want) <= 1e-14 * want);
}

TEST(blocks_pack_rounds_once_and_returns_the_norm) {
  Random random(1);
  for (const std::int64_t d : {1, 3, 16, 17, 50})
    for (const std::int64_t stride : {1, 3})
      for (const bool centred : {false, true})
        for (const bool scaled : {false, true}) {
          const Numbers centre = reference::random_numbers(random, centred ? d : 0, -1, 1),
                        scale = reference::random_numbers(random, scaled ? d : 0, 0, 2);
          check_pack<float, float>(d, stride, centre, scale);
          check_pack<float, double>(d, stride, centre, scale);
          check_pack<double, float>(d, stride, centre, scale);
          check_pack<double, double>(d, stride, centre, scale);
        }
}

// c = A B or c + A B, A by rows or by columns, B in chunks, c wider than B.
template <class T>
void check_product(std::int64_t m, std::int64_t n, std::int64_t depth, bool by_columns, bool add) {
  Random random(2);
  const Matrix a = reference::random_matrix(random, m, depth, -1, 1), b = reference::random_matrix(random, depth, n, -1, 1);
  const std::int64_t width = mercer::padded<T>(n), ld = width + 5;
  std::vector<T> left(static_cast<std::size_t>(m * depth)), right(static_cast<std::size_t>(width * depth), T(0));
  for (std::int64_t i = 0; i < m; ++i)
    for (std::int64_t k = 0; k < depth; ++k) left[static_cast<std::size_t>(by_columns ? k * m + i : i * depth + k)] = static_cast<T>(a(i, k));
  for (std::int64_t k = 0; k < depth; ++k)
    for (std::int64_t j = 0; j < n; ++j)
      right[static_cast<std::size_t>((j / mercer::lanes<T> * depth + k) * mercer::lanes<T> + j % mercer::lanes<T>)] = static_cast<T>(b(k, j));
  std::vector<T> c(static_cast<std::size_t>((m - 1) * ld + width), T(2));
  kernels<T>().product({left.data(), by_columns ? 1 : depth, by_columns ? m : 1}, {right.data(), depth * mercer::lanes<T>}, m, n, depth, c.data(), ld,
                       add);
  for (std::int64_t i = 0; i < m; ++i) {
    for (std::int64_t j = 0; j < n; ++j) {
      long double want = add ? 2 : 0, size = want;
      for (std::int64_t k = 0; k < depth; ++k) {
        want += static_cast<long double>(a(i, k)) * b(k, j);
        size += std::abs(a(i, k) * b(k, j));
      }
      CHECK(std::abs(c[static_cast<std::size_t>(i * ld + j)] - want) <= std::numeric_limits<T>::epsilon() * (depth + 2) * size);
    }
    for (std::int64_t j = width; j < ld && i + 1 < m; ++j) CHECK(c[static_cast<std::size_t>(i * ld + j)] == T(2));
  }
}

TEST(blocks_product_of_ragged_panels) {
  for (const std::int64_t m : {1, 2, 5, 13, 25})
    for (const std::int64_t n : {1, 3, 8, 16, 21, 40})
      for (const std::int64_t depth : {1, 7, 128, 300})
        for (const bool by_columns : {false, true})
          for (const bool add : {false, true}) {
            check_product<double>(m, n, depth, by_columns, add);
            check_product<float>(m, n, depth, by_columns, add);
          }
}

template <class T>
void transposes() {
  constexpr std::int64_t ld = 20;
  for (const std::int64_t m : {1, 3, 4, 9})
    for (const std::int64_t n : {1, 4, 6, 8}) {
      std::vector<T> from(static_cast<std::size_t>((m - 1) * ld + n)), to(static_cast<std::size_t>((n - 1) * ld + m));
      for (std::size_t p = 0; p < from.size(); ++p) from[p] = static_cast<T>(p);
      kernels<T>().transpose(from.data(), ld, m, n, to.data());
      for (std::int64_t i = 0; i < m; ++i)
        for (std::int64_t j = 0; j < n; ++j) CHECK(to[static_cast<std::size_t>(j * ld + i)] == from[static_cast<std::size_t>(i * ld + j)]);
    }
}

TEST(blocks_transpose) {
  transposes<double>();
  transposes<float>();
}

}  // namespace
