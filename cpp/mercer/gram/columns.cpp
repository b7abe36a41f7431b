#include "mercer/gram/columns.hpp"

#include <algorithm>
#include <stdexcept>

namespace mercer {
namespace {

// Rows of a task, rows of a tile: fixed numbers, so that the order of all sums is, too.
constexpr std::int64_t task_rows = 4096, tile_rows = 32;

// The working memory of one thread.
class ColumnWork {
 public:
  ColumnWork(const ColumnPairs& pairs, std::int64_t width)
      : pairs_(pairs), width_(width), panel_(static_cast<std::size_t>(width * pairs.terms.columns)),
        rows_(static_cast<std::size_t>(tile_rows * pairs.terms.columns)), weights_(static_cast<std::size_t>(tile_rows * width)),
        scratch_(static_cast<std::size_t>(pairs.terms.scratch(width))), totals_(3 * lanes<double>),
        sums_(static_cast<std::size_t>(pairs.terms.columns * lanes<double>)) {}

  // A right panel; its last row is repeated up to a whole chunk, and meets weights 0 there.
  void load_right(std::int64_t first, std::int64_t n) {
    j0_ = first, n_ = n;
    const std::int64_t d = pairs_.terms.columns;
    for (std::int64_t j = 0; j < padded<double>(n); ++j) {
      double* lane = panel_.data() + j / lanes<double> * d * lanes<double> + j % lanes<double>;
      pack(pairs_.z, first + std::min(j, n - 1), lane, lanes<double>);
    }
    std::fill(totals_.begin(), totals_.end(), 0.0);
    std::fill(sums_.begin(), sums_.end(), 0.0);
  }

  void add(std::int64_t first, std::int64_t m, bool columns) {
    const auto slopes = active_table().column_slopes;
    load_weights(first, m);
    const std::int64_t d = pairs_.terms.columns;
    for (std::int64_t i = 0; i < m; ++i) {
      double* row = rows_.data() + i * d;
      pack(pairs_.x, first + i, row, 1);
      // Pairs below the diagonal have weight 0: whole chunks of them are left out.
      const std::int64_t skip = pairs_.symmetric ? std::max<std::int64_t>(0, first + i - j0_) / lanes<double> * lanes<double> : 0;
      slopes(pairs_.terms, row, panel_.data() + skip * d, weights_.data() + i * width_ + skip, padded<double>(n_) - skip, scratch_.data(),
             totals_.data(), columns ? sums_.data() : nullptr);
    }
  }

  // Sums over the lanes: three totals and one number for each column.
  void reduce(double* out) const {
    const auto sum = [](const double* lane) {
      double total = 0.0;
      for (int l = 0; l < lanes<double>; ++l) total += lane[l];
      return total;
    };
    for (int t = 0; t < 3; ++t) out[t] = sum(totals_.data() + t * lanes<double>);
    for (std::int64_t k = 0; k < pairs_.terms.columns; ++k) out[3 + k] = sum(sums_.data() + k * lanes<double>);
  }

 private:
  void pack(const Strided<double>& from, std::int64_t row, double* to, std::int64_t step) const {
    const double* source = from.data + row * from.row_stride;
    for (const std::int64_t k : pairs_.chosen) {
      *to = source[k * from.col_stride];
      to += step;
    }
  }

  void load_weights(std::int64_t first, std::int64_t m) {
    const Strided<double>& v = pairs_.v;
    const auto at = [&](std::int64_t i, std::int64_t j) { return v.data[i * v.row_stride + j * v.col_stride]; };
    for (std::int64_t i = 0; i < m; ++i) {
      double* row = weights_.data() + i * width_;
      if (v.col_stride == 1) std::copy_n(&v.data[(first + i) * v.row_stride + j0_], n_, row);
      else
        for (std::int64_t j = 0; j < n_; ++j) row[j] = at(first + i, j0_ + j);
      std::fill(row + n_, row + padded<double>(n_), 0.0);
    }
    if (!pairs_.symmetric) return;
    for (std::int64_t j = 0; j < n_; ++j)
      for (std::int64_t i = 0; i < m; ++i) {
        double& weight = weights_[static_cast<std::size_t>(i * width_ + j)];
        if (first + i < j0_ + j) weight += at(j0_ + j, first + i);
        else if (first + i > j0_ + j) weight = 0.0;
      }
  }

  const ColumnPairs& pairs_;
  std::int64_t width_, j0_ = 0, n_ = 0;
  std::vector<double> panel_, rows_, weights_, scratch_, totals_, sums_;
};

}  // namespace

void column_slopes(const ColumnPairs& pairs, double* totals, double* sums, const Execution& execution) {
  const ColumnTerms& terms = pairs.terms;
  if (pairs.symmetric && pairs.n != pairs.m) throw std::invalid_argument("column_slopes: a symmetric problem needs equal sides");
  if (static_cast<std::int64_t>(pairs.chosen.size()) != terms.columns || terms.numerical > terms.columns)
    throw std::invalid_argument("column_slopes: expected as many columns as terms");
  const std::int64_t d = terms.columns, width = d <= 8192 ? 64 : lanes<double>;  // wide rows get narrow panels: 4 MB at most, or one chunk
  const std::int64_t across = (pairs.m + width - 1) / width, down = (pairs.n + task_rows - 1) / task_rows, tasks = across * down;
  const double work = static_cast<double>(pairs.n) * static_cast<double>(pairs.m) * static_cast<double>(d + 16);
  TaskLoop loop(static_cast<int>(std::clamp(work / 2e6, 1.0, static_cast<double>(std::max(1, execution.threads)))), execution.cancelled);
  std::vector<std::vector<ColumnWork>> works(static_cast<std::size_t>(loop.threads()));
  std::vector<double> parts(static_cast<std::size_t>(tasks * (3 + d)), 0.0);  // of each task, so that timing does not change a bit
  loop.run(tasks, Schedule::dynamic, [&](std::int64_t task, int thread) {
    auto& slot = works[static_cast<std::size_t>(thread)];
    if (slot.empty()) slot.emplace_back(pairs, width);
    const std::int64_t j0 = (across - 1 - task / down) * width, j1 = std::min(j0 + width, pairs.m);  // longest first
    const std::int64_t begin = task % down * task_rows, end = std::min(begin + task_rows, pairs.symmetric ? j1 : pairs.n);
    if (begin >= end) return;
    slot[0].load_right(j0, j1 - j0);
    for (std::int64_t i0 = begin; i0 < end; i0 += tile_rows) {
      if (loop.stop()) return;
      slot[0].add(i0, std::min(tile_rows, end - i0), sums != nullptr);
    }
    slot[0].reduce(parts.data() + task * (3 + d));
  });
  for (int t = 0; t < 3 && totals; ++t) totals[t] = 0.0;
  for (std::int64_t k = 0; k < d && sums; ++k) sums[k] = 0.0;
  for (std::int64_t task = 0; task < tasks; ++task) {
    const double* part = parts.data() + task * (3 + d);
    for (int t = 0; t < 3 && totals; ++t) totals[t] += part[t];
    for (std::int64_t k = 0; k < d && sums; ++k) sums[k] += part[3 + k];
  }
}

}  // namespace mercer
