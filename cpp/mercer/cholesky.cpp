#include "mercer/cholesky.hpp"

#include <algorithm>
#include <cmath>

#include "mercer/row_kernels.hpp"

namespace mercer {
namespace {

constexpr std::int64_t panel_width = 64, strip = 192, chunk = 64;

// Chains of sums, which a compiler may keep in a vector.
double dot(const double* a, const double* b, std::int64_t n) {
  constexpr int chains = 8;
  double sums[chains] = {};
  std::int64_t k = 0;
  for (; k + chains <= n; k += chains)
    for (int c = 0; c < chains; ++c) sums[c] += a[k + c] * b[k + c];
  for (; k < n; ++k) sums[0] += a[k] * b[k];
  return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

}  // namespace

Cholesky::Cholesky(double* matrix, std::int64_t n, double share, const Execution& execution) : l_(matrix), n_(n), diagonal_(static_cast<std::size_t>(n)), dependent_(static_cast<std::size_t>(n), false) {
  double largest = 0.0;
  for (std::int64_t i = 0; i < n; ++i) {
    diagonal_[static_cast<std::size_t>(i)] = l_[i * n + i];
    largest = std::max(largest, std::abs(l_[i * n + i]));
  }
  for (std::int64_t first = 0; first < n && !indefinite_; first += panel_width) {
    const std::int64_t last = std::min(first + panel_width, n);
    factor_corner(first, last, share * largest);
    if (last == n || indefinite_) continue;
    TaskLoop loop(n - last > 4 * chunk ? execution.threads : 1, execution.cancelled);
    loop.run((n - last + chunk - 1) / chunk, Schedule::dynamic, [&](std::int64_t task, int) {
      for (std::int64_t i = last + task * chunk; i < std::min(last + (task + 1) * chunk, n); ++i) solve_row(i, first, last);
    });
    update_trailing(first, last, execution);
  }
}

// L of the rows and columns first … last, from a matrix whose earlier columns are taken off already.
void Cholesky::factor_corner(std::int64_t first, std::int64_t last, double zero) {
  for (std::int64_t i = first; i < last; ++i) {
    solve_row(i, first, i);
    double* row = l_ + i * n_;
    const double pivot = row[i] - dot(row + first, row + first, i - first);
    indefinite_ |= pivot < -zero;
    const bool skip = !(pivot > zero);
    dependent_[static_cast<std::size_t>(i)] = skip;
    if (skip) std::fill(row + first, row + i, 0.0);
    row[i] = skip ? 1.0 : std::sqrt(pivot);
  }
}

// Entries first … last of row i of L.
void Cholesky::solve_row(std::int64_t i, std::int64_t first, std::int64_t last) {
  double* row = l_ + i * n_;
  for (std::int64_t k = first; k < last; ++k) {
    const double* above = l_ + k * n_;
    row[k] = dependent(k) ? 0.0 : (row[k] - dot(row + first, above + first, k - first)) / above[k];
  }
}

// A₂₂ −= L₂₁L₂₁ᵀ, the lower triangle in strips, by the packed products.
void Cholesky::update_trailing(std::int64_t first, std::int64_t last, const Execution& execution) {
  const auto product = active_table().twice.product;
  const std::int64_t depth = last - first, strips = (n_ - last + strip - 1) / strip;
  TaskLoop loop(strips > 2 ? execution.threads : 1, execution.cancelled);
  loop.run(strips, Schedule::dynamic, [&](std::int64_t task, int) {
    std::vector<double> packed(static_cast<std::size_t>(padded<double>(strip) * depth), 0.0), block(static_cast<std::size_t>(strip * strip));
    const std::int64_t j0 = last + task * strip, columns = std::min(strip, n_ - j0);
    for (std::int64_t j = 0; j < columns; ++j)
      for (std::int64_t k = 0; k < depth; ++k)
        packed[static_cast<std::size_t>(j / lanes<double> * depth * lanes<double> + k * lanes<double> + j % lanes<double>)] = l_[(j0 + j) * n_ + first + k];
    for (std::int64_t i0 = j0; i0 < n_; i0 += strip) {
      const std::int64_t rows = std::min(strip, n_ - i0);
      product({l_ + i0 * n_ + first, n_, 1}, {packed.data(), depth * lanes<double>}, rows, columns, depth, block.data(), strip, false);
      for (std::int64_t i = 0; i < rows; ++i) {
        double* row = l_ + (i0 + i) * n_ + j0;
        for (std::int64_t j = 0; j < std::min(columns, i0 + i - j0 + 1); ++j) row[j] -= block[static_cast<std::size_t>(i * strip + j)];
      }
    }
  });
}

double Cholesky::quadratic(const double* x) const {
  double total = 0.0;
  for (std::int64_t i = 0; i < n_; ++i) {
    double sum = diagonal_[static_cast<std::size_t>(i)] * x[i] / 2;
    for (std::int64_t j = i + 1; j < n_; ++j) sum += l_[i * n_ + j] * x[j];
    total += 2 * x[i] * sum;
  }
  return total;
}

void Cholesky::solve(double* x) const {
  for (std::int64_t i = 0; i < n_; ++i) {
    if (dependent(i)) {
      x[i] = 0.0;
      continue;
    }
    x[i] = (x[i] - dot(l_ + i * n_, x, i)) / l_[i * n_ + i];
  }
  for (std::int64_t i = n_ - 1; i >= 0; --i) {
    if (dependent(i)) continue;
    x[i] /= l_[i * n_ + i];
    for (std::int64_t k = 0; k < i; ++k) x[k] -= l_[i * n_ + k] * x[i];
  }
  for (std::int64_t i = 0; i < n_; ++i)
    if (dependent(i)) x[i] = 0.0;
}

}  // namespace mercer
