#include "mercer/gram/sparse_panel.hpp"

#include <algorithm>
#include <cmath>

#include "mercer/gram/row_kernels.hpp"

namespace mercer {
namespace {

// Σ_k g(x_k, 0), which equals Σ_k g(0, x_k) for every coordinate sum: the contribution of features only one row has.
double alone(Op op, double sum_of_magnitudes, double count) {
  switch (op) {
    case Op::l1:
    case Op::chi2: return sum_of_magnitudes;  // chi2 is defined for x ≥ 0, where (x − 0)²/(x + 0) = x
    case Op::mismatch: return count;
    default: return 0.0;
  }
}

double correction(Op op, double x, double z) { return coordinate_term(op, x, z) - coordinate_term(op, x, 0.0) - coordinate_term(op, 0.0, z); }

// Walks two rows in step: visit(scale, x, z), with 0 where a row has nothing.
template <class Visit>
void merge(const Operand& a, std::int64_t i, const Operand& b, std::int64_t j, Visit&& visit) {
  std::vector<std::pair<std::int64_t, double>> right;
  for_each_nonzero(b.csr, j, [&](std::int64_t f, double v) { right.emplace_back(f, v); });
  std::size_t q = 0;
  const auto only_right = [&] {
    visit(scale_of(a, right[q].first), 0.0, right[q].second);
    ++q;
  };
  for_each_nonzero(a.csr, i, [&](std::int64_t f, double v) {
    while (q < right.size() && right[q].first < f) only_right();
    const bool both = q < right.size() && right[q].first == f;
    visit(scale_of(a, f), v, both ? right[q++].second : 0.0);
  });
  while (q < right.size()) only_right();
}

}  // namespace

double coordinate_term(Op op, double x, double z) {
  switch (op) {
    case Op::l1: return std::abs(x - z);
    case Op::chi2: return x + z > 0 ? (x - z) * ((x - z) / (x + z)) : 0.0;
    case Op::additive_chi2: return x + z > 0 ? 2 * x * (z / (x + z)) : 0.0;
    case Op::min_sum: return std::min(x, z);
    case Op::mismatch: return x == z ? 0.0 : 1.0;
    default: return 0.0;
  }
}

std::vector<double> SparseEntries::sort(const Side& side, int operand, std::int64_t first, std::int64_t m) {
  const Operand& op = side.operands[static_cast<std::size_t>(operand)];
  side_ = &side;
  operand_ = &op;
  first_ = first;
  for (const std::int64_t f : features_) slot_[static_cast<std::size_t>(f)] = -1;
  slot_.resize(static_cast<std::size_t>(op.d), -1);
  features_.clear();
  m_ = m;
  std::vector<double> norms(static_cast<std::size_t>(m), 0.0);
  sums_.assign(static_cast<std::size_t>(m), 0.0);
  counts_.assign(static_cast<std::size_t>(m), 0.0);

  // Count, place, fill: a counting sort by feature.
  starts_.assign(1, 0);
  for (std::int64_t j = 0; j < m; ++j)
    for_each_nonzero(op.csr, side.row(first + j), [&](std::int64_t f, double) {
      std::int32_t& s = slot_[static_cast<std::size_t>(f)];
      if (s < 0) {
        s = static_cast<std::int32_t>(features_.size());
        features_.push_back(f);
        starts_.push_back(0);
      }
      ++starts_[static_cast<std::size_t>(s) + 1];
    });
  for (std::size_t s = 1; s < starts_.size(); ++s) starts_[s] += starts_[s - 1];
  entries_.resize(static_cast<std::size_t>(starts_.back()));
  std::vector<std::int64_t> next(starts_.begin(), starts_.end() - 1);
  for (std::int64_t j = 0; j < m; ++j) {
    const auto r = static_cast<std::size_t>(j);
    for_each_nonzero(op.csr, side.row(first + j), [&](std::int64_t f, double v) {
      const auto s = static_cast<std::size_t>(slot_[static_cast<std::size_t>(f)]);
      const double scale = scale_of(op, f);
      entries_[static_cast<std::size_t>(next[s]++)] = {static_cast<std::int32_t>(j), v};
      norms[r] += (v * scale) * (v * scale);
      sums_[r] += std::abs(v) * scale;
      counts_[r] += v != 0.0 ? scale : 0.0;
    });
  }
  return norms;
}

void SparseEntries::coordinate_sum(Op op, const Operand& left, std::int64_t row, double* out) const {
  double sum = 0.0, count = 0.0;
  for_each_nonzero(left.csr, row, [&](std::int64_t f, double v) {
    sum += std::abs(v) * scale_of(left, f);
    count += v != 0.0 ? scale_of(left, f) : 0.0;
  });
  const auto total = [&](std::int64_t j) {
    return alone(op, sum, count) + alone(op, sums_[static_cast<std::size_t>(j)], counts_[static_cast<std::size_t>(j)]);
  };
  for (std::int64_t j = 0; j < m_; ++j) out[j] = total(j);
  for_each_nonzero(left.csr, row, [&](std::int64_t f, double v) {
    const std::int32_t s = slot_[static_cast<std::size_t>(f)];
    if (s < 0) return;
    const double scale = scale_of(left, f);
    for (auto [e, end] = range(s); e < end; ++e) out[entries_[e].row] += scale * correction(op, v, entries_[e].value);
  });
  if (op != Op::l1 && op != Op::chi2 && !(op == Op::mismatch && left.scale)) return;  // the others add terms of one sign, or count
  for (std::int64_t j = 0; j < m_; ++j)
    if (!(out[j] > close_share<double> * total(j))) out[j] = sparse_coordinate_sum(op, left, row, *operand_, side_->row(first_ + j));
}

// A column costs a multiply-add per vector of rows, an entry about two for itself alone.
template <class T>
void SparsePanel<T>::load(const Side& side, int operand, std::int64_t first, std::int64_t m) {
  const std::vector<double> norms = sort(side, operand, first, m);
  norms_.assign(norms.begin(), norms.end());
  const std::int64_t height = padded<T>(m_);
  column_.assign(features_.size(), -1);
  std::int64_t size = 0;
  for (std::size_t s = 0; s < features_.size(); ++s)
    if ((starts_[s + 1] - starts_[s]) * lanes<T> >= m_) column_[s] = size, size += height;
  columns_.assign(static_cast<std::size_t>(size), T(0));
  for (std::size_t s = 0; s < features_.size(); ++s)
    if (column_[s] >= 0)  // a feature may be stored twice in a row
      for (auto [e, end] = range(static_cast<std::int32_t>(s)); e < end; ++e)
        columns_[static_cast<std::size_t>(column_[s] + entries_[e].row)] += static_cast<T>(entries_[e].value);
}

template <class T>
void SparsePanel<T>::dot(const Operand& left, std::int64_t row, T* out) const {
  constexpr int together = 64;
  T steps[together];
  const T* columns[together];
  int count = 0;
  bool add = false;
  const auto combine = [&] {
    active_table().of<T>().combine(steps, columns, count, out, padded<T>(m_), add);
    count = 0;
    add = true;
  };
  const auto each = [&](auto&& visit) {
    for_each_nonzero(left.csr, row, [&](std::int64_t f, double v) {
      if (const std::int32_t s = slot_[static_cast<std::size_t>(f)]; s >= 0) visit(s, v * scale_of(left, f) * scale_of(left, f));
    });
  };
  each([&](std::int32_t s, double factor) {
    const std::int64_t column = column_[static_cast<std::size_t>(s)];
    if (column < 0) return;
    steps[count] = static_cast<T>(factor);
    columns[count++] = columns_.data() + column;
    if (count == together) combine();
  });
  combine();
  each([&](std::int32_t s, double factor) {
    if (column_[static_cast<std::size_t>(s)] >= 0) return;
    for (auto [e, end] = range(s); e < end; ++e) out[entries_[e].row] += static_cast<T>(factor * entries_[e].value);
  });
}

double sparse_norm(const Operand& a, std::int64_t row) {
  double sum = 0.0;
  for_each_nonzero(a.csr, row, [&](std::int64_t f, double v) { sum += (v * scale_of(a, f)) * (v * scale_of(a, f)); });
  return sum;
}

double sparse_dot(const Operand& a, std::int64_t i, const Operand& b, std::int64_t j) {
  double sum = 0.0;
  merge(a, i, b, j, [&](double scale, double x, double z) { sum += (scale * x) * (scale * z); });
  return sum;
}

double sparse_sqdist(const Operand& a, std::int64_t i, const Operand& b, std::int64_t j) {
  double sum = 0.0;
  merge(a, i, b, j, [&](double scale, double x, double z) { sum += (scale * (x - z)) * (scale * (x - z)); });
  return sum;
}

double sparse_coordinate_sum(Op op, const Operand& a, std::int64_t i, const Operand& b, std::int64_t j) {
  double sum = 0.0;
  merge(a, i, b, j, [&](double scale, double x, double z) { sum += scale * coordinate_term(op, x, z); });
  return sum;
}

template class SparsePanel<float>;
template class SparsePanel<double>;

}  // namespace mercer
