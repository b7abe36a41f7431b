#include "mercer/gram/columns.hpp"

#include <algorithm>
#include <functional>
#include <stdexcept>

namespace mercer {
namespace {

// Rows of a task, rows of a tile: fixed numbers, so that the order of all sums is, too.
constexpr std::int64_t task_rows = 4096, tile_rows = 32;

// Adds the sums of one row against some rows of a panel: row, panel, weights, number of rows, scratch, sums.
using Slopes = std::function<void(const double*, const double*, const double*, std::int64_t, double*, double*)>;

// What a pass over the pairs adds up, and how.
struct Pass {
  std::int64_t count;    // sums
  std::int64_t scratch;  // numbers of working memory
  double work;           // operations of a pair, about
  Slopes slopes;
};

std::int64_t panel_width(std::int64_t columns) { return columns <= 8192 ? 64 : lanes<double>; }  // 4 MB at most, or one chunk

// The working memory of one thread.
class ColumnWork {
 public:
  ColumnWork(const ColumnPairs& pairs, const Pass& pass)
      : pairs_(pairs), pass_(pass), d_(static_cast<std::int64_t>(pairs.chosen.size())), width_(panel_width(d_)),
        panel_(static_cast<std::size_t>(width_ * d_)), rows_(static_cast<std::size_t>(d_)), weights_(static_cast<std::size_t>(tile_rows * width_)),
        scratch_(static_cast<std::size_t>(pass.scratch)), sums_(static_cast<std::size_t>(pass.count * lanes<double>)) {}

  // A right panel; its last row is repeated up to a whole chunk, and meets weights 0 there.
  void load_right(std::int64_t first, std::int64_t n) {
    j0_ = first, n_ = n;
    for (std::int64_t j = 0; j < padded<double>(n); ++j) {
      double* lane = panel_.data() + j / lanes<double> * d_ * lanes<double> + j % lanes<double>;
      pack(pairs_.z, first + std::min(j, n - 1), lane, lanes<double>);
    }
    std::fill(sums_.begin(), sums_.end(), 0.0);
  }

  void add(std::int64_t first, std::int64_t m) {
    load_weights(first, m);
    for (std::int64_t i = 0; i < m; ++i) {
      pack(pairs_.x, first + i, rows_.data(), 1);
      // Pairs below the diagonal have weight 0: whole chunks of them are left out.
      const std::int64_t skip = pairs_.symmetric ? std::max<std::int64_t>(0, first + i - j0_) / lanes<double> * lanes<double> : 0;
      pass_.slopes(rows_.data(), panel_.data() + skip * d_, weights_.data() + i * width_ + skip, padded<double>(n_) - skip, scratch_.data(),
                   sums_.data());
    }
  }

  // Sums over the lanes.
  void reduce(double* out) const {
    for (std::int64_t k = 0; k < pass_.count; ++k) {
      double total = 0.0;
      for (int l = 0; l < lanes<double>; ++l) total += sums_[static_cast<std::size_t>(k * lanes<double> + l)];
      out[k] = total;
    }
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
  const Pass& pass_;
  std::int64_t d_, width_, j0_ = 0, n_ = 0;
  std::vector<double> panel_, rows_, weights_, scratch_, sums_;
};

// All sums of a pass, into `out`.
void run(const ColumnPairs& pairs, const Pass& pass, double* out, const Execution& execution) {
  if (pairs.symmetric && pairs.n != pairs.m) throw std::invalid_argument("column_slopes: a symmetric problem needs equal sides");
  const std::int64_t width = panel_width(static_cast<std::int64_t>(pairs.chosen.size()));
  const std::int64_t across = (pairs.m + width - 1) / width, down = (pairs.n + task_rows - 1) / task_rows, tasks = across * down;
  const double work = static_cast<double>(pairs.n) * static_cast<double>(pairs.m) * pass.work;
  TaskLoop loop(static_cast<int>(std::clamp(work / 2e6, 1.0, static_cast<double>(std::max(1, execution.threads)))), execution.cancelled);
  std::vector<std::vector<ColumnWork>> works(static_cast<std::size_t>(loop.threads()));
  std::vector<double> parts(static_cast<std::size_t>(tasks * pass.count), 0.0);  // of each task, so that timing does not change a bit
  loop.run(tasks, Schedule::dynamic, [&](std::int64_t task, int thread) {
    auto& slot = works[static_cast<std::size_t>(thread)];
    if (slot.empty()) slot.emplace_back(pairs, pass);
    const std::int64_t j0 = (across - 1 - task / down) * width, j1 = std::min(j0 + width, pairs.m);  // longest first
    const std::int64_t begin = task % down * task_rows, end = std::min(begin + task_rows, pairs.symmetric ? j1 : pairs.n);
    if (begin >= end) return;
    slot[0].load_right(j0, j1 - j0);
    for (std::int64_t i0 = begin; i0 < end; i0 += tile_rows) {
      if (loop.stop()) return;
      slot[0].add(i0, std::min(tile_rows, end - i0));
    }
    slot[0].reduce(parts.data() + task * pass.count);
  });
  std::fill_n(out, pass.count, 0.0);
  for (std::int64_t task = 0; task < tasks; ++task)
    for (std::int64_t k = 0; k < pass.count; ++k) out[k] += parts[static_cast<std::size_t>(task * pass.count + k)];
}

void require_columns(const ColumnPairs& pairs, std::int64_t columns, std::int64_t numerical) {
  if (static_cast<std::int64_t>(pairs.chosen.size()) != columns || numerical > columns)
    throw std::invalid_argument("column_slopes: expected as many columns as terms");
}

}  // namespace

void column_slopes(const ColumnPairs& pairs, const ColumnTerms& terms, double* totals, double* sums, const Execution& execution) {
  require_columns(pairs, terms.columns, terms.numerical);
  const auto slopes = active_table().column_slopes;
  const auto add = [&](const double* row, const double* panel, const double* v, std::int64_t n, double* scratch, double* all) {
    slopes(terms, row, panel, v, n, scratch, all, sums ? all + 3 * lanes<double> : nullptr);
  };
  const Pass pass{3 + terms.columns, terms.scratch(panel_width(terms.columns)), static_cast<double>(terms.columns + 16), add};
  std::vector<double> found(static_cast<std::size_t>(pass.count));
  run(pairs, pass, found.data(), execution);
  if (totals) std::copy_n(found.data(), 3, totals);
  if (sums) std::copy_n(found.data() + 3, terms.columns, sums);
}

void interaction_slopes(const ColumnPairs& pairs, const InteractionTerms& terms, double* sums, const Execution& execution) {
  require_columns(pairs, terms.columns, terms.numerical);
  const auto slopes = active_table().interaction_slopes;
  const auto add = [&](const double* row, const double* panel, const double* v, std::int64_t n, double* scratch, double* all) {
    slopes(terms, row, panel, v, n, scratch, all);
  };
  const double work = static_cast<double>(terms.columns * (terms.degree + 1) * 4 + 16);
  run(pairs, {terms.degree + 1 + terms.columns + terms.numerical, terms.columns * (terms.degree + 3) * lanes<double>, work, add}, sums, execution);
}

}  // namespace mercer
