#include "mercer/linalg/cholesky.hpp"

#include <algorithm>
#include <cmath>

#include "mercer/gram/row_kernels.hpp"

namespace mercer {
namespace {

constexpr double regular_share = 1e-9;   // smaller pivots of the diagonal's share call for pivoting
constexpr double negative_share = 1e-9;  // a negative remainder beyond this share is not rounding
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

Cholesky::Cholesky(double* matrix, std::int64_t n, double share, const Execution& execution)
    : l_(matrix), n_(n), diagonal_(static_cast<std::size_t>(n)), independent_(static_cast<std::size_t>(n), 1) {
  double largest = 0.0;
  for (std::int64_t i = 0; i < n; ++i) {
    diagonal_[static_cast<std::size_t>(i)] = l_[i * n + i];
    largest = std::max(largest, std::abs(l_[i * n + i]));
  }
  if (!factor_plain(regular_share * largest, execution)) factor_pivoted(share * largest, -negative_share * largest);
}

double Cholesky::entry(std::int64_t i, std::int64_t j) const {
  if (i == j) return diagonal_[static_cast<std::size_t>(i)];
  return l_[std::min(i, j) * n_ + std::max(i, j)];
}

// False as soon as a pivot is too small to divide by.
bool Cholesky::factor_plain(double zero, const Execution& execution) {
  for (std::int64_t first = 0; first < n_; first += panel_width) {
    const std::int64_t last = std::min(first + panel_width, n_);
    if (!factor_corner(first, last, zero)) return false;
    if (last == n_) break;
    TaskLoop loop(n_ - last > 4 * chunk ? execution.threads : 1, execution.cancelled);
    loop.run((n_ - last + chunk - 1) / chunk, Schedule::dynamic, [&](std::int64_t task, int) {
      for (std::int64_t i = last + task * chunk; i < std::min(last + (task + 1) * chunk, n_); ++i) solve_row(i, first, last);
    });
    update_trailing(first, last, execution);
  }
  return true;
}

// L of the rows and columns first … last, from a matrix whose earlier columns are taken off already.
bool Cholesky::factor_corner(std::int64_t first, std::int64_t last, double zero) {
  for (std::int64_t i = first; i < last; ++i) {
    solve_row(i, first, i);
    double* row = l_ + i * n_;
    const double pivot = row[i] - dot(row + first, row + first, i - first);
    if (!(pivot > zero)) return false;
    row[i] = std::sqrt(pivot);
  }
  return true;
}

// Entries first … last of row i of L.
void Cholesky::solve_row(std::int64_t i, std::int64_t first, std::int64_t last) {
  double* row = l_ + i * n_;
  for (std::int64_t k = first; k < last; ++k) row[k] = (row[k] - dot(row + first, l_ + k * n_ + first, k - first)) / l_[k * n_ + k];
}

// Column after column, the largest of what is left on the diagonal first: O(n r²) for rank r.
void Cholesky::factor_pivoted(double zero, double negative) {
  std::vector<double> left = diagonal_;
  std::fill(independent_.begin(), independent_.end(), 0);
  columns_.assign(static_cast<std::size_t>(n_ * n_), 0.0);
  for (std::int64_t r = 0; r < n_; ++r) {
    std::int64_t pivot = -1;
    for (std::int64_t i = 0; i < n_; ++i)
      if (dependent(i) && (pivot < 0 || left[static_cast<std::size_t>(i)] > left[static_cast<std::size_t>(pivot)])) pivot = i;
    if (!(left[static_cast<std::size_t>(pivot)] > zero)) break;
    const double root = std::sqrt(left[static_cast<std::size_t>(pivot)]);
    independent_[static_cast<std::size_t>(pivot)] = 1;
    order_.push_back(pivot);
    const double* pivot_row = columns_.data() + pivot * n_;
    columns_[static_cast<std::size_t>(pivot * n_ + r)] = root;
    for (std::int64_t i = 0; i < n_; ++i) {
      if (!dependent(i)) continue;
      double* row = columns_.data() + i * n_;
      row[r] = (entry(i, pivot) - dot(row, pivot_row, r)) / root;
      left[static_cast<std::size_t>(i)] -= row[r] * row[r];
    }
  }
  for (std::int64_t i = 0; i < n_; ++i) indefinite_ |= dependent(i) && left[static_cast<std::size_t>(i)] < negative;
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
        packed[static_cast<std::size_t>(j / lanes<double> * depth * lanes<double> + k * lanes<double> + j % lanes<double>)] =
            l_[(j0 + j) * n_ + first + k];
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

std::vector<double> Cholesky::multiply(const std::vector<double>& x) const {
  std::vector<double> out(x.size());
  for (std::int64_t i = 0; i < n_; ++i) {
    const auto p = static_cast<std::size_t>(i);
    double sum = diagonal_[p] * x[p];
    for (std::int64_t j = i + 1; j < n_; ++j) {
      sum += l_[i * n_ + j] * x[static_cast<std::size_t>(j)];
      out[static_cast<std::size_t>(j)] += l_[i * n_ + j] * x[p];
    }
    out[p] += sum;
  }
  return out;
}

void Cholesky::solve(double* x) const {
  if (columns_.empty()) {
    for (std::int64_t i = 0; i < n_; ++i) x[i] = (x[i] - dot(l_ + i * n_, x, i)) / l_[i * n_ + i];
    for (std::int64_t i = n_ - 1; i >= 0; --i) {
      x[i] /= l_[i * n_ + i];
      for (std::int64_t k = 0; k < i; ++k) x[k] -= l_[i * n_ + k] * x[i];
    }
    return;
  }
  const auto rank = static_cast<std::int64_t>(order_.size());
  std::vector<double> y(static_cast<std::size_t>(rank));
  for (std::int64_t r = 0; r < rank; ++r) {
    const double* row = columns_.data() + order_[static_cast<std::size_t>(r)] * n_;
    y[static_cast<std::size_t>(r)] = (x[order_[static_cast<std::size_t>(r)]] - dot(row, y.data(), r)) / row[r];
  }
  for (std::int64_t r = rank - 1; r >= 0; --r) {
    const double* row = columns_.data() + order_[static_cast<std::size_t>(r)] * n_;
    y[static_cast<std::size_t>(r)] /= row[r];
    for (std::int64_t k = 0; k < r; ++k) y[static_cast<std::size_t>(k)] -= row[k] * y[static_cast<std::size_t>(r)];
  }
  std::fill_n(x, n_, 0.0);
  for (std::int64_t r = 0; r < rank; ++r) x[order_[static_cast<std::size_t>(r)]] = y[static_cast<std::size_t>(r)];
}

}  // namespace mercer
