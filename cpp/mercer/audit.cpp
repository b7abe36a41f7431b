#include "mercer/audit.hpp"

#include <algorithm>
#include <cmath>

namespace mercer {
namespace {

constexpr std::size_t most_kept = 2048;   // variables of the kept block: 32 MB
constexpr double safety = 16.0;
constexpr std::size_t sample_rows = 64, sample_columns = 256;

std::vector<std::int64_t> thinned(const std::vector<std::int64_t>& list, std::size_t most) {
  if (list.size() <= most) return list;
  std::vector<std::int64_t> few;
  for (std::size_t a = 0; a < most; ++a) few.push_back(list[a * list.size() / most]);
  return few;
}

}  // namespace

Audit::Audit(RowSource& source, const DualProblem& problem, std::int64_t most_rows, const Execution& execution)
    : source_(source), problem_(problem), execution_(execution), most_rows_(std::min(sample_rows, static_cast<std::size_t>(most_rows))), root_(static_cast<std::size_t>(problem.n)), place_(static_cast<std::size_t>(problem.n), -1) {
  source.diagonal(root_.data());
  for (double& k : root_) {
    bounded_ &= k >= 0;
    k = std::sqrt(std::max(k, 0.0));
  }
}

// Extends the kept block to these variables.
void Audit::include(const std::vector<std::int64_t>& set) {
  std::vector<std::int64_t> fresh;
  for (const std::int64_t t : set)
    if (place_[static_cast<std::size_t>(t)] < 0) {
      place_[static_cast<std::size_t>(t)] = static_cast<std::int64_t>(known_.size() + fresh.size());
      fresh.push_back(t);
    }
  if (fresh.empty()) return;
  const std::size_t old = known_.size(), now = old + fresh.size();
  if (now > room_) {
    const std::size_t room = std::max(now, std::min(most_kept, 2 * room_));
    std::vector<double> larger(room * room);
    for (std::size_t a = 0; a < old; ++a) std::copy_n(kept_.data() + a * room_, old, larger.data() + a * room);
    kept_ = std::move(larger);
    room_ = room;
  }
  known_.insert(known_.end(), fresh.begin(), fresh.end());
  source_.block(fresh, known_, kept_.data() + old * room_, static_cast<std::int64_t>(room_), execution_);
  for (std::size_t a = old; a < now; ++a)
    for (std::size_t b = 0; b < old; ++b) kept_[b * room_ + a] = kept_[a * room_ + b];
}

void Audit::block(Rows set, double* out) {
  const auto there = [&](std::int64_t t) { return place_[static_cast<std::size_t>(t)] >= 0; };
  if (!std::all_of(set.begin(), set.end(), there)) {
    source_.block(set, set, out, static_cast<std::int64_t>(set.size()), execution_);
    return;
  }
  for (const std::int64_t s : set)
    for (const std::int64_t t : set) *out++ = kept_[static_cast<std::size_t>(place_[static_cast<std::size_t>(s)]) * room_ + static_cast<std::size_t>(place_[static_cast<std::size_t>(t)])];
}

// gradient = base + K Δβ in double, for some variables.
void Audit::correct(Rows where, Rows changed, const std::vector<double>& steps, const std::vector<double>& base, std::vector<double>& gradient) {
  if (where.empty()) return;
  const auto there = [&](std::int64_t t) { return place_[static_cast<std::size_t>(t)] >= 0; };
  std::vector<double> sum(where.size(), 0.0);
  if (std::all_of(where.begin(), where.end(), there) && std::all_of(changed.begin(), changed.end(), there)) {
    for (std::size_t c = 0; c < changed.size(); ++c) {
      const double* row = kept_.data() + static_cast<std::size_t>(place_[static_cast<std::size_t>(changed[c])]) * room_;
      for (std::size_t w = 0; w < where.size(); ++w) sum[w] += steps[c] * row[place_[static_cast<std::size_t>(where[w])]];
    }
  } else {
    source_.product(changed, steps.data(), where, sum.data(), execution_);
  }
  for (std::size_t w = 0; w < where.size(); ++w) gradient[static_cast<std::size_t>(where[w])] = base[static_cast<std::size_t>(where[w])] + sum[w];
}

// The largest |K32 − K64| / √(K_ss K_tt) over a sample of entries, or −1 if entries exceed that root.
double Audit::entry_error(const std::vector<std::int64_t>& changed, const std::vector<std::int64_t>& where, const Fetch& fetch) {
  const auto rows = thinned(changed, most_rows_), columns = thinned(where, sample_columns);
  std::vector<const float*> rounded(rows.size());
  std::vector<double> exact(rows.size() * columns.size());
  fetch(rows, rounded.data());
  source_.block(rows, columns, exact.data(), static_cast<std::int64_t>(columns.size()), execution_);
  double worst = 0.0;
  for (std::size_t r = 0; r < rows.size(); ++r)
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const double size = root_[static_cast<std::size_t>(rows[r])] * root_[static_cast<std::size_t>(columns[c])], value = exact[r * columns.size() + c];
      const double error = std::abs(static_cast<double>(rounded[r][columns[c]]) - value);
      if (std::abs(value) > 1.001 * size) return -1.0;
      if (size > 0) worst = std::max(worst, error / size);
    }
  return worst;
}

void Audit::complete(const double* beta, const std::vector<double>& base_beta, const std::vector<double>& base_gradient, std::vector<double>& gradient) {
  std::vector<std::int64_t> changed, where;
  std::vector<double> steps;
  for (std::int64_t t = 0; t < problem_.n; ++t) {
    if (const double step = beta[t] - base_beta[static_cast<std::size_t>(t)]; step != 0.0) changed.push_back(t), steps.push_back(step);
    if (beta[t] != 0.0 && !exact_[static_cast<std::size_t>(t)]) where.push_back(t), exact_[static_cast<std::size_t>(t)] = 1;
  }
  if (!changed.empty()) correct(where, changed, steps, base_gradient, gradient);
}

bool Audit::refresh(const double* beta, const std::vector<double>& base_beta, const std::vector<double>& base_gradient,
                    std::vector<double>& gradient, const Fetch& fetch) {
  if (!bounded_) return false;
  std::vector<std::int64_t> changed;
  std::vector<double> steps;
  double total = 0.0;
  for (std::int64_t t = 0; t < problem_.n; ++t)
    if (const double step = beta[t] - base_beta[static_cast<std::size_t>(t)]; step != 0.0) {
      changed.push_back(t);
      steps.push_back(step);
      total += std::abs(step) * root_[static_cast<std::size_t>(t)];
    }
  if (changed.empty()) {
    gradient = base_gradient;
    exact_.assign(static_cast<std::size_t>(problem_.n), 1);
    return true;
  }
  // First the free variables, whose slopes are the extremes of any good solution.
  std::vector<char>& exact = exact_;
  exact.assign(static_cast<std::size_t>(problem_.n), 0);
  std::vector<std::int64_t> where;
  for (std::int64_t t = 0; t < problem_.n; ++t)
    if (is_free(problem_, t, beta[t])) where.push_back(t), exact[static_cast<std::size_t>(t)] = 1;
  if (where.empty()) {
    where = thinned(changed, sample_columns);
    for (const std::int64_t t : where) exact[static_cast<std::size_t>(t)] = 1;
  }
  const bool small = changed.size() + where.size() <= most_kept;
  if (small) include(changed);
  const double error = entry_error(changed, where, fetch);
  if (error < 0) return false;
  // Then all that lie within their error of an extreme; the extremes move as slopes become exact.
  std::size_t count = 0;
  while (!where.empty()) {
    count += where.size();
    if (2 * count > exact.size()) return false;
    if (small && known_.size() + where.size() <= most_kept) include(where);
    correct(where, changed, steps, base_gradient, gradient);
    const Slopes slopes(problem_, beta, gradient.data());
    const Extremes found[2] = {extremes(problem_, slopes, 0), extremes(problem_, slopes, 1)};
    where.clear();
    for (std::int64_t t = 0; t < problem_.n; ++t) {
      const auto s = static_cast<std::size_t>(t);
      const Extremes& e = found[t >= problem_.split];
      const double radius = safety * error * root_[s] * total;
      if (!exact[s] && (slopes.rise[s] - radius < e.low + radius || slopes.fall[s] + radius > e.high - radius)) where.push_back(t), exact[s] = 1;
    }
  }
  return true;
}

}  // namespace mercer
