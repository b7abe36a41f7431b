#include "mercer/sparse_panel.hpp"

#include <algorithm>
#include <cmath>

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

double correction(Op op, double x, double z) {
  return coordinate_term(op, x, z) - coordinate_term(op, x, 0.0) - coordinate_term(op, 0.0, z);
}

// Walks two rows in step; both(x, z) where they meet, one(x) where only one has a nonzero.
template <class Both, class One>
void merge(const CsrView& a, std::int64_t i, const CsrView& b, std::int64_t j, Both&& both, One&& one) {
  std::vector<std::pair<std::int64_t, double>> right;
  for_each_nonzero(b, j, [&](std::int64_t f, double v) { right.emplace_back(f, v); });
  std::size_t q = 0;
  for_each_nonzero(a, i, [&](std::int64_t f, double v) {
    for (; q < right.size() && right[q].first < f; ++q) one(right[q].second);
    if (q < right.size() && right[q].first == f) both(v, right[q++].second);
    else one(v);
  });
  for (; q < right.size(); ++q) one(right[q].second);
}

}  // namespace

double coordinate_term(Op op, double x, double z) {
  switch (op) {
    case Op::l1: return std::abs(x - z);
    case Op::chi2: return x + z > 0 ? (x - z) * (x - z) / (x + z) : 0.0;
    case Op::additive_chi2: return x + z > 0 ? 2 * x * z / (x + z) : 0.0;
    case Op::min_sum: return std::min(x, z);
    case Op::mismatch: return x == z ? 0.0 : 1.0;
    default: return 0.0;
  }
}

void SparsePanel::load(const Side& side, int operand, std::int64_t first, std::int64_t m) {
  const Operand& op = side.operands[static_cast<std::size_t>(operand)];
  for (const std::int64_t f : features_) slot_[static_cast<std::size_t>(f)] = -1;
  slot_.resize(static_cast<std::size_t>(op.d), -1);
  features_.clear();
  m_ = m;
  norms_.assign(static_cast<std::size_t>(m), 0.0);
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
      entries_[static_cast<std::size_t>(next[s]++)] = {static_cast<std::int32_t>(j), v};
      norms_[r] += v * v;
      sums_[r] += std::abs(v);
      counts_[r] += v != 0.0;
    });
  }
}

void SparsePanel::dot(const CsrView& left, std::int64_t row, double* out) const {
  std::fill(out, out + m_, 0.0);
  for_each_nonzero(left, row, [&](std::int64_t f, double v) {
    const std::int32_t s = slot_[static_cast<std::size_t>(f)];
    if (s < 0) return;
    const auto begin = static_cast<std::size_t>(starts_[static_cast<std::size_t>(s)]);
    const auto end = static_cast<std::size_t>(starts_[static_cast<std::size_t>(s) + 1]);
    for (std::size_t e = begin; e < end; ++e) out[entries_[e].row] += v * entries_[e].value;
  });
}

void SparsePanel::coordinate_sum(Op op, const CsrView& left, std::int64_t row, double* out) const {
  double sum = 0.0, count = 0.0;
  for_each_nonzero(left, row, [&](std::int64_t, double v) {
    sum += std::abs(v);
    count += v != 0.0;
  });
  for (std::int64_t j = 0; j < m_; ++j) {
    const auto r = static_cast<std::size_t>(j);
    out[j] = alone(op, sum, count) + alone(op, sums_[r], counts_[r]);
  }
  for_each_nonzero(left, row, [&](std::int64_t f, double v) {
    const std::int32_t s = slot_[static_cast<std::size_t>(f)];
    if (s < 0) return;
    const auto begin = static_cast<std::size_t>(starts_[static_cast<std::size_t>(s)]);
    const auto end = static_cast<std::size_t>(starts_[static_cast<std::size_t>(s) + 1]);
    for (std::size_t e = begin; e < end; ++e) out[entries_[e].row] += correction(op, v, entries_[e].value);
  });
}

double sparse_norm(const CsrView& m, std::int64_t row) {
  double sum = 0.0;
  for_each_nonzero(m, row, [&](std::int64_t, double v) { sum += v * v; });
  return sum;
}

double sparse_dot(const CsrView& a, std::int64_t i, const CsrView& b, std::int64_t j) {
  double sum = 0.0;
  merge(a, i, b, j, [&](double x, double z) { sum += x * z; }, [](double) {});
  return sum;
}

double sparse_sqdist(const CsrView& a, std::int64_t i, const CsrView& b, std::int64_t j) {
  double sum = 0.0;
  merge(a, i, b, j, [&](double x, double z) { sum += (x - z) * (x - z); }, [&](double v) { sum += v * v; });
  return sum;
}

double sparse_coordinate_sum(Op op, const CsrView& a, std::int64_t i, const CsrView& b, std::int64_t j) {
  double sum = 0.0;
  merge(a, i, b, j, [&](double x, double z) { sum += coordinate_term(op, x, z); }, [&](double v) { sum += coordinate_term(op, v, 0.0); });
  return sum;
}

}  // namespace mercer
