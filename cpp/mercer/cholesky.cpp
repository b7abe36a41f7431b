#include "mercer/cholesky.hpp"

#include <algorithm>
#include <cmath>

#include "mercer/row_kernels.hpp"

namespace mercer {
namespace {

constexpr std::int64_t panel_width = 64, strip = 192;

}  // namespace

Cholesky::Cholesky(double* matrix, std::int64_t n, double share) : l_(matrix), n_(n), dependent_(static_cast<std::size_t>(n), false) {
  double largest = 0.0;
  for (std::int64_t i = 0; i < n; ++i) largest = std::max(largest, std::abs(l_[i * n + i]));
  for (std::int64_t first = 0; first < n && !indefinite_; first += panel_width) {
    const std::int64_t last = std::min(first + panel_width, n);
    factor_panel(first, last, share * largest);
    if (last < n) update_trailing(first, last);
  }
}

// Columns first … last of L, from a matrix whose earlier columns are taken off already.
void Cholesky::factor_panel(std::int64_t first, std::int64_t last, double zero) {
  for (std::int64_t k = first; k < last; ++k) {
    double* pivot_row = l_ + k * n_;
    const double pivot = pivot_row[k];
    if (pivot < -zero) {
      indefinite_ = true;
      return;
    }
    const bool skip = !(pivot > zero);
    dependent_[static_cast<std::size_t>(k)] = skip;
    const double root = skip ? 1.0 : std::sqrt(pivot);
    pivot_row[k] = root;
    for (std::int64_t i = k + 1; i < n_; ++i) {
      double* row = l_ + i * n_;
      if (skip) {
        row[k] = 0.0;
        continue;
      }
      row[k] /= root;
    }
    if (skip) continue;
    for (std::int64_t i = k + 1; i < n_; ++i) {
      double* row = l_ + i * n_;
      const double factor = row[k];
      const std::int64_t end = std::min(i + 1, last);
      for (std::int64_t j = k + 1; j < end; ++j) row[j] -= factor * l_[j * n_ + k];
    }
  }
}

// A₂₂ −= L₂₁L₂₁ᵀ, the lower triangle in strips, by the packed products.
void Cholesky::update_trailing(std::int64_t first, std::int64_t last) {
  const auto product = active_table().twice.product;
  const std::int64_t depth = last - first;
  std::vector<double> packed(static_cast<std::size_t>(padded<double>(strip) * depth)), block(static_cast<std::size_t>(strip * strip));
  for (std::int64_t j0 = last; j0 < n_; j0 += strip) {
    const std::int64_t columns = std::min(strip, n_ - j0);
    std::fill(packed.begin(), packed.end(), 0.0);
    for (std::int64_t j = 0; j < columns; ++j)
      for (std::int64_t k = 0; k < depth; ++k)
        packed[static_cast<std::size_t>(j / lanes<double> * depth * lanes<double> + k * lanes<double> + j % lanes<double>)] = l_[(j0 + j) * n_ + first + k];
    for (std::int64_t i0 = j0; i0 < n_; i0 += strip) {
      const std::int64_t rows = std::min(strip, n_ - i0);
      product({l_ + i0 * n_ + first, n_, 1}, {packed.data(), depth * lanes<double>}, rows, columns, depth, block.data(), strip, false);
      for (std::int64_t i = 0; i < rows; ++i) {
        double* row = l_ + (i0 + i) * n_ + j0;
        for (std::int64_t j = 0; j < columns; ++j) row[j] -= block[static_cast<std::size_t>(i * strip + j)];
      }
    }
  }
}

void Cholesky::solve(double* x) const {
  for (std::int64_t i = 0; i < n_; ++i) {
    if (dependent(i)) {
      x[i] = 0.0;
      continue;
    }
    double sum = x[i];
    for (std::int64_t k = 0; k < i; ++k) sum -= l_[i * n_ + k] * x[k];
    x[i] = sum / l_[i * n_ + i];
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
