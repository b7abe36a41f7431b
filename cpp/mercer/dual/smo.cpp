#include "mercer/dual/smo.hpp"

#include <algorithm>
#include <cmath>

#include "mercer/dual/constants.hpp"

namespace mercer {

template <class T>
WorkingSet<T>::WorkingSet(const DualProblem& problem, Rows set, Row row, std::vector<double> diagonal, const double* beta, const double* gradient)
    : set_(set), whole_row_(std::move(row)), identity_(static_cast<std::int64_t>(set.size()) == problem.n), local_(problem),
      diagonal_(std::move(diagonal)), local_rows_(set.size()) {
  const auto gather = [&](const double* from, std::vector<double>& to) {
    to.resize(set.size());
    for (std::size_t a = 0; a < set.size(); ++a) to[a] = from[set[a]];
    return to.data();
  };
  local_.n = size();
  local_.linear = gather(problem.linear, linear_);
  local_.lower = gather(problem.lower, lower_);
  local_.upper = gather(problem.upper, upper_);
  local_.kink = problem.kink ? gather(problem.kink, kink_) : nullptr;
  local_.split = std::lower_bound(set.begin(), set.end(), problem.split) - set.begin();
  gather(beta, beta_);
  gather(gradient, gradient_);
  for (const double k : diagonal_) largest_ = std::max(largest_, std::abs(k));
}

// Row a over the working set only, gathered when it is first needed.
template <class T>
const T* WorkingSet<T>::row(std::int64_t a) {
  const T*& known = local_rows_[static_cast<std::size_t>(a)];
  if (known) return known;
  ++fetched_;
  const T* whole = whole_row_(a);
  if (identity_) return known = whole;
  std::vector<T>& copy = gathered_.emplace_back(set_.size());
  for (std::size_t b = 0; b < set_.size(); ++b) copy[b] = whole[set_[b]];
  return known = copy.data();
}

template <class T>
SmoReport WorkingSet<T>::optimise(const SmoLimits& limits) {
  constexpr std::int64_t poll = 512, rows_between = 16;  // a row of many samples may take longer than all of the steps
  const RowKernels<T>& kernels = active_table().of<T>();
  Slopes slopes(local_, beta_.data(), gradient_.data());
  const std::vector<T> diagonal(diagonal_.begin(), diagonal_.end());
  const double tiny = tiny_share * (largest_ > 0 ? std::min(largest_, 1.0) : 1.0);  // equal points of any size may go to the ends of their boxes
  const std::int64_t begin[2] = {0, local_.split}, length[2] = {local_.split, local_.n - local_.split};
  Extremes found[2] = {extremes(local_, slopes, 0), extremes(local_, slopes, 1)};
  SmoReport report;
  const std::int64_t settling = std::max<std::int64_t>(size(), 1000);
  for (std::int64_t check = settling;;) {
    const int g = found[1].high - found[1].low > found[0].high - found[0].low ? 1 : 0;
    report.violation = found[g].high - found[g].low;
    if (!(report.violation > limits.tol) || report.iterations >= limits.max_iter) break;
    if (report.iterations % poll == poll - 1 || fetched_ >= rows_between) {
      fetched_ = 0;
      if (limits.stop()) break;
    }
    if (limits.may_shrink && report.iterations >= check) {
      if (mostly_settled(slopes)) break;
      check += settling;
    }
    const std::int64_t at = begin[g], i = at + found[g].first;
    const T* row_i = row(i);
    const std::int64_t chosen = kernels.partner(row_i + at, diagonal[static_cast<std::size_t>(i)], diagonal.data() + at, slopes.fall.data() + at,
                                                found[g].low, 1 / report.violation, static_cast<T>(tiny), length[g]);
    if (chosen < 0) break;  // only rounding is left
    const std::int64_t j = at + chosen;
    const auto p = static_cast<std::size_t>(i), q = static_cast<std::size_t>(j);
    const double slope = slopes.fall[q] - found[g].low, curvature = diagonal_[p] + diagonal_[q] - 2.0 * static_cast<double>(row_i[j]);
    report.negative_curvature |= curvature < -negative_share<T> * largest_;
    // A kink is a bound for this step; the next one may start beyond it.
    const double end_i = local_.kink && beta_[p] < 0 ? std::min(0.0, upper_[p]) : upper_[p];
    const double end_j = local_.kink && beta_[q] > 0 ? std::max(0.0, lower_[q]) : lower_[q];
    const double newton = slope / std::max(curvature, tiny), room_i = end_i - beta_[p], room_j = beta_[q] - end_j;
    const double step = std::min({newton, room_i, room_j}), before_i = beta_[p], before_j = beta_[q];
    beta_[p] = step >= room_i ? end_i : before_i + step;
    beta_[q] = step >= room_j ? end_j : before_j - step;
    slopes.refresh(local_, i, before_i, beta_[p]);
    slopes.refresh(local_, j, before_j, beta_[q]);
    const T* row_j = row(j);
    for (int h = 0; h < 2; ++h)
      if (length[h] > 0)
        found[h] = kernels.advance(step, row_i + begin[h], row_j + begin[h], slopes.rise.data() + begin[h], slopes.fall.data() + begin[h], length[h]);
    ++report.iterations;
  }
  return report;
}

template <class T>
bool WorkingSet<T>::mostly_settled(const Slopes& slopes) const {
  const Extremes found[2] = {extremes(local_, slopes, 0), extremes(local_, slopes, 1)};
  std::int64_t settled = 0;
  for (std::int64_t t = 0; t < size(); ++t) {
    const Extremes& e = found[t >= local_.split];
    settled += !(slopes.rise[static_cast<std::size_t>(t)] < e.high) && !(slopes.fall[static_cast<std::size_t>(t)] > e.low);
  }
  return 2 * settled > size();
}

template class WorkingSet<float>;
template class WorkingSet<double>;

}  // namespace mercer
