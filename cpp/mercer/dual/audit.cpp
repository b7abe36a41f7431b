#include "mercer/dual/audit.hpp"

#include <algorithm>
#include <cmath>

namespace mercer {
namespace {

constexpr std::size_t most_kept = 2048;  // variables of the kept block: 32 MB
constexpr double safety = 16.0;

// About a sixteenth of all variables, at most 256, evenly spaced.
std::vector<std::int64_t> sample_of(std::int64_t n) {
  const std::int64_t count = std::clamp<std::int64_t>(n / 16, std::min<std::int64_t>(n, 32), 256);
  std::vector<std::int64_t> sample;
  for (std::int64_t a = 0; a < count; ++a) sample.push_back((2 * a + 1) * n / (2 * count));
  return sample;
}

}  // namespace

Audit::Audit(RowSource& source, const DualProblem& problem, const Execution& execution)
    : source_(source), problem_(problem), execution_(execution), root_(static_cast<std::size_t>(problem.n)),
      place_(static_cast<std::size_t>(problem.n), -1) {
  source.diagonal(root_.data());
  const bool positive = std::all_of(root_.begin(), root_.end(), [](double k) { return k > 0; });
  for (double& k : root_) k = positive ? std::sqrt(k) : 1.0;
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
  if (old > 0) source_.block(fresh, Rows(known_).first(old), kept_.data() + old * room_, static_cast<std::int64_t>(room_), execution_);
  source_.subset(fresh)->dense(kept_.data() + old * room_ + old, static_cast<std::int64_t>(room_), execution_);
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
    for (const std::int64_t t : set)
      *out++ = kept_[static_cast<std::size_t>(place_[static_cast<std::size_t>(s)]) * room_ +
                     static_cast<std::size_t>(place_[static_cast<std::size_t>(t)])];
}

// gradient = base + K Δβ in double, for some variables. Returns the largest correction relative to √K_tt.
double Audit::correct(Rows where, Rows changed, const std::vector<double>& steps, const std::vector<double>& base, std::vector<double>& gradient) {
  if (where.empty()) return 0.0;
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
  double largest = 0.0;
  for (std::size_t w = 0; w < where.size(); ++w) {
    const auto t = static_cast<std::size_t>(where[w]);
    const double exact = base[t] + sum[w];
    largest = std::max(largest, std::abs(exact - gradient[t]) / root_[t]);
    gradient[t] = exact;
  }
  return largest;
}

void Audit::complete(const double* beta, const std::vector<double>& base_beta, const std::vector<double>& base_gradient,
                     std::vector<double>& gradient) {
  std::vector<std::int64_t> changed, support, where;
  std::vector<double> steps;
  for (std::int64_t t = 0; t < problem_.n; ++t) {
    if (const double step = beta[t] - base_beta[static_cast<std::size_t>(t)]; step != 0.0) changed.push_back(t), steps.push_back(step);
    if (beta[t] == 0.0) continue;
    support.push_back(t);
    if (!exact_[static_cast<std::size_t>(t)]) where.push_back(t), exact_[static_cast<std::size_t>(t)] = 1;
  }
  if (changed.empty()) return;
  const bool kept = changed.size() <= most_kept && place_[static_cast<std::size_t>(changed.front())] >= 0;
  if (kept || changed != support) {
    correct(where, changed, steps, base_gradient, gradient);
    return;
  }
  std::vector<double> sum(support.size());
  source_.self_product(support, steps.data(), sum.data(), execution_);
  for (std::size_t s = 0; s < support.size(); ++s)
    gradient[static_cast<std::size_t>(support[s])] = base_gradient[static_cast<std::size_t>(support[s])] + sum[s];
}

bool Audit::refresh(const double* beta, const std::vector<double>& base_beta, const std::vector<double>& base_gradient,
                    std::vector<double>& gradient) {
  std::vector<std::int64_t> changed;
  std::vector<double> steps;
  for (std::int64_t t = 0; t < problem_.n; ++t)
    if (const double step = beta[t] - base_beta[static_cast<std::size_t>(t)]; step != 0.0) changed.push_back(t), steps.push_back(step);
  exact_.assign(static_cast<std::size_t>(problem_.n), changed.empty());
  if (changed.empty()) {
    gradient = base_gradient;
    return true;
  }
  std::vector<std::int64_t> where;
  const auto add = [&](std::int64_t t) {
    if (!exact_[static_cast<std::size_t>(t)]) exact_[static_cast<std::size_t>(t)] = 1, where.push_back(t);
  };
  for (std::int64_t t = 0; t < problem_.n; ++t)
    if (is_free(problem_, t, beta[t])) add(t);
  for (const std::int64_t t : sample_of(problem_.n)) add(t);
  const bool small = changed.size() + where.size() <= most_kept;
  if (small) include(changed);
  // Then all that lie within their error of an extreme; the extremes move as slopes become exact.
  double error = 0.0;
  std::size_t count = 0;
  while (!where.empty()) {
    count += where.size();
    if (2 * count > exact_.size()) return false;
    if (small && known_.size() + where.size() <= most_kept) include(where);
    error = std::max(error, correct(where, changed, steps, base_gradient, gradient));
    const Slopes slopes(problem_, beta, gradient.data());
    const Extremes found[2] = {extremes(problem_, slopes, 0), extremes(problem_, slopes, 1)};
    where.clear();
    for (std::int64_t t = 0; t < problem_.n; ++t) {
      const Extremes& e = found[t >= problem_.split];
      const double radius = safety * error * root_[static_cast<std::size_t>(t)];
      if (slopes.rise[static_cast<std::size_t>(t)] < e.low + radius || slopes.fall[static_cast<std::size_t>(t)] > e.high - radius) add(t);
    }
  }
  return true;
}

}  // namespace mercer
