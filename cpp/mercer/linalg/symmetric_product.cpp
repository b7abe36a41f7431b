#include "mercer/linalg/symmetric_product.hpp"

#include <algorithm>
#include <vector>

#include "mercer/gram/row_kernels.hpp"

namespace mercer {

namespace {

constexpr std::int64_t height = 64, width = 256;  // of a tile, which is read from memory once and then twice from cache

// V as the chunks that `product` reads; columns beyond b are zero.
std::vector<double> chunked(const double* v, std::int64_t n, std::int64_t b) {
  std::vector<double> panel(static_cast<std::size_t>(n * padded<double>(b)), 0.0);
  for (std::int64_t j = 0; j < b; ++j) {
    double* chunk = panel.data() + j / lanes<double> * n * lanes<double> + j % lanes<double>;
    for (std::int64_t k = 0; k < n; ++k) chunk[k * lanes<double>] = v[k * b + j];
  }
  return panel;
}

}  // namespace

void symmetric_product(const double* a, std::int64_t n, const double* v, std::int64_t b, double* out, int threads, const Cancelled& cancelled) {
  const auto product = active_table().of<double>().product;
  const std::int64_t ld = padded<double>(b), size = n * ld;
  const std::vector<double> panel = chunked(v, n, b);
  const auto from = [&](std::int64_t row) { return Chunked<double>{panel.data() + row * lanes<double>, n * lanes<double>}; };
  TaskLoop loop(threads, cancelled);
  std::vector<double> sums(static_cast<std::size_t>(loop.threads() * size), 0.0);  // one for each thread
  loop.run((n + height - 1) / height, Schedule::cyclic, [&](std::int64_t task, int thread) {
    const std::int64_t first = task * height, rows = std::min(height, n - first);
    double* sum = sums.data() + thread * size;
    double corner[height * height];  // on the diagonal, mirrored
    for (std::int64_t i = 0; i < rows; ++i)
      for (std::int64_t k = i; k < rows; ++k) corner[i * height + k] = corner[k * height + i] = a[(first + i) * n + first + k];
    product({corner, height, 1}, from(first), rows, b, rows, sum + first * ld, ld, true);
    for (std::int64_t j = first + rows; j < n; j += width) {
      const std::int64_t columns = std::min(width, n - j);
      const double* tile = a + first * n + j;
      product({tile, n, 1}, from(j), rows, b, columns, sum + first * ld, ld, true);
      product({tile, 1, n}, from(first), columns, b, rows, sum + j * ld, ld, true);
    }
  });
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < b; ++j) {
      double total = 0.0;
      for (std::int64_t t = 0; t < loop.threads(); ++t) total += sums[static_cast<std::size_t>(t * size + i * ld + j)];
      out[i * b + j] = total;
    }
}

}  // namespace mercer
