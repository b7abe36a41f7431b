#include "mercer/dual/feature_ascent.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <utility>

#include "mercer/dual/constants.hpp"
#include "mercer/dual/feature_loops.hpp"
#include "mercer/runtime/hash.hpp"
#include "mercer/runtime/parallel.hpp"

namespace mercer {
namespace {

constexpr std::int64_t most_passes = 10'000;
constexpr double least_share = 0.05;      // ρ over the mean curvature, at the start and at least
constexpr double most_stiff = 1e8;        // ρ over the least one, at most
constexpr int most_idle = 2;              // idle visits before a variable is visited more rarely
constexpr int rarest = 5;                 // a variable is visited every 2⁵ passes at least
constexpr std::int64_t most_vain = 5;     // certificates in a row without progress after which the multiplier waits
constexpr std::int64_t most_drift = 100;  // passes after which a certificate computes w anew
constexpr double at_bound = 1e-12;        // of the box: as near to a bound is at it
constexpr std::int64_t menders = 64;      // free variables that share what the sum is off

double relative_gap(const FeatureResult& result) {
  const double scale = std::max(std::abs(result.objective), std::abs(result.objective - result.gap));
  return result.gap <= 0 ? 0.0 : scale > 0 ? result.gap / scale : infinity;
}

template <class T>
class FeatureAscent {
 public:
  FeatureAscent(const FeatureRows<T>& features, const FeatureMachine& machine, const FeatureOptions& options, TaskLoop& loop, std::uint64_t seed)
      : features_(features), members_(machine.members), problem_(machine.problem), beta_(machine.beta), options_(options), loop_(loop),
        loops_(feature_loops<T>()), n_(problem_.n), state_(seed), w_(static_cast<std::size_t>(features.r), 0.0), centre_(w_),
        along_(static_cast<std::size_t>(n_)), curvature_(along_), slope_(along_), loss_(along_), idle_(along_.size(), 0), due_(along_.size(), 0) {
    problem_.split = n_;
  }

  FeatureResult solve() {
    prepare();
    const std::int64_t most = options_.max_iter < 0 ? most_passes : options_.max_iter;
    certify();
    std::int64_t checked = 0, vain = 0;
    double best = result_.gap, ratio = 0.5;  // gap over its estimate from the slopes that a pass has seen
    while (!met() && result_.iterations < most && !halted()) {
      unmend();
      pass();
      const double value = dual_value(), estimate = lost();
      const bool promising = ratio * estimate <= options_.tol * std::max(std::abs(value), std::abs(value - estimate));
      if (!promising && result_.iterations < checked + checked / 2 + 4 && result_.iterations < most) continue;
      certify();
      if (estimate > 0) ratio = std::clamp(result_.gap / estimate, 0.05, 100.0);
      checked = result_.iterations;
      vain = result_.gap < best ? 0 : vain + 1;
      best = std::min(best, result_.gap);
      if (vain >= most_vain) eager_ = false;
      if (options_.progress) options_.progress->round(relative_gap(result_));
    }
    result_.status = met() ? DualStatus::converged : DualStatus::max_iter;
    result_.weights = w_;
    result_.gradient = std::move(gradient_);
    return std::move(result_);
  }

 private:
  std::size_t at(std::int64_t t) const { return static_cast<std::size_t>(t); }
  const T* row(std::int64_t t) const { return features_[members_[at(t)]]; }
  double kink(std::int64_t t) const { return problem_.kink ? problem_.kink[t] : 0.0; }
  double dot(const T* x, const std::vector<double>& v, const T* next = nullptr) const { return loops_.dot(x, v.data(), features_.r, next); }
  void add(double a, std::int64_t t, std::vector<double>& v) const { loops_.add(a, row(t), v.data(), features_.r); }
  static double inner(const std::vector<double>& a, const std::vector<double>& b) { return std::inner_product(a.begin(), a.end(), b.begin(), 0.0); }
  bool met() const { return relative_gap(result_) <= options_.tol; }
  bool halted() const { return options_.progress && options_.progress->halted(); }
  void poll() {
    if (loop_.stop()) throw Interrupted{};
  }

  // Work over all variables in pieces: in parallel if this machine has the threads for itself.
  template <class Work>
  void everywhere(Work&& work) {
    constexpr std::int64_t piece = 512;
    const std::int64_t pieces = (n_ + piece - 1) / piece;
    const auto run = [&](std::int64_t p, int) {
      for (std::int64_t t = p * piece; t < std::min(n_, (p + 1) * piece); ++t) work(t, t + 1 < n_ ? row(t + 1) : nullptr);
    };
    if (options_.execution.threads > 1 && n_ * features_.r > 1'000'000) {
      TaskLoop team(options_.execution.threads, options_.execution.cancelled);
      team.run(pieces, Schedule::dynamic, run);
      return;
    }
    for (std::int64_t p = 0; p < pieces; ++p) {
      poll();
      run(p, 0);
    }
  }

  // The mean row and everything that steps need of the rows; w of the start.
  void prepare() {
    long double sum = 0.0;
    for (std::int64_t t = 0; t < n_; ++t) sum += beta_[t];
    target_ = static_cast<double>(sum);
    for (std::int64_t t = 0; t < n_; ++t) {
      if (t % 256 == 0) poll();
      add(1.0, t, centre_);
    }
    rebuild();
    for (double& c : centre_) c /= static_cast<double>(n_);
    norm_ = inner(centre_, centre_);
    everywhere([&](std::int64_t t, const T* next) {
      const T* x = row(t);
      const double square = dot(x, std::vector<double>(x, x + features_.r));
      along_[at(t)] = dot(x, centre_, next);
      curvature_[at(t)] = std::max(square - 2 * along_[at(t)] + norm_, 0.0);
    });
    const double mean = std::accumulate(curvature_.begin(), curvature_.end(), 0.0) / static_cast<double>(n_);
    least_penalty_ = penalty_ = mean > 0 ? least_share * mean : 1.0;
  }

  // w from β: what thousands of steps have rounded goes.
  void rebuild() {
    std::fill(w_.begin(), w_.end(), 0.0);
    for (std::int64_t t = 0; t < n_; ++t) {
      if (t % 256 == 0) poll();
      if (beta_[t] != 0.0) add(beta_[t], t, w_);
    }
    rebuilt_ = result_.iterations;
  }

  // The most that the objective's linear model at a slope could fall for one variable.
  double loss(std::int64_t t, double slope) const {
    const double lower = problem_.lower[t], upper = problem_.upper[t], k = kink(t);
    const auto model = [&](double b) { return slope * b + k * std::abs(b); };
    double least = std::min(model(lower), model(upper));
    if (lower <= 0 && upper >= 0) least = std::min(least, 0.0);
    return model(beta_[t]) - least;
  }
  // The nearest point of the box; as near to a bound as rounding is at the bound.
  double inside(std::int64_t t, double beta) const {
    const double lower = problem_.lower[t], upper = problem_.upper[t], near = at_bound * (upper - lower);
    return beta <= lower + near ? lower : beta >= upper - near ? upper : beta;
  }
  double lost() const { return std::accumulate(loss_.begin(), loss_.end(), 0.0); }

  double dual_value() const {
    double value = 0.0;
    for (std::int64_t t = 0; t < n_; ++t) value += beta_[t] * problem_.linear[t] + kink(t) * std::abs(beta_[t]);
    return value + inner(w_, w_) / 2;
  }

  std::uint64_t draw(std::uint64_t below) {
    state_ += golden;
    return ((mix(state_) >> 32) * below) >> 32;  // rows number less than 2³²
  }

  // One visit of every variable that is due, in random order, then a step of the multiplier.
  void pass() {
    const std::int64_t now = ++result_.iterations;
    order_.clear();
    for (std::int64_t t = 0; t < n_; ++t)
      if (due_[at(t)] <= now) order_.push_back(t);
    for (std::size_t i = order_.size(); i > 1; --i) std::swap(order_[i - 1], order_[draw(i)]);
    const double off = sigma_;
    double along = inner(w_, centre_), farthest = 0.0;
    for (std::size_t i = 0; i < order_.size(); ++i) {
      if (i % 64 == 0) poll();
      const std::int64_t t = order_[i];
      const std::size_t s = at(t);
      const T* x = row(t);
      const double product = dot(x, w_, i + 1 < order_.size() ? row(order_[i + 1]) : nullptr);
      const double slope = product - along + sigma_ * (norm_ - along_[s] + penalty_) + multiplier_ + problem_.linear[t];
      slope_[s] = slope;
      loss_[s] = loss(t, slope);
      const double h = curvature_[s] + penalty_, before = beta_[t], free = before - slope / h, threshold = kink(t) / h;
      const double shrunk = free > threshold ? free - threshold : free < -threshold ? free + threshold : 0.0;
      const double after = inside(t, shrunk), step = after - before;
      if (step == 0.0) {
        idle_[s] = static_cast<std::uint8_t>(std::min(idle_[s] + 1, most_idle + rarest));
        due_[s] = now + (idle_[s] <= most_idle ? 1 : std::int64_t{1} << (idle_[s] - most_idle));
        continue;
      }
      idle_[s] = 0;
      beta_[t] = after;
      loops_.add(step, x, w_.data(), features_.r);
      along += step * along_[s];
      sigma_ += step;
      farthest = std::max(farthest, std::abs(step) * h);
    }
    result_.steps += static_cast<std::int64_t>(order_.size());
    if (!eager_ && farthest > penalty_ * std::abs(sigma_)) return;  // L is not minimised well enough
    multiplier_ += penalty_ * sigma_;
    slow_ = sigma_ * off > 0 && std::abs(sigma_) > 0.5 * std::abs(off) ? slow_ + 1 : 0;
    if (slow_ >= 3) penalty_ = std::min(2 * penalty_, most_stiff * least_penalty_);
    else if (sigma_ * off < 0) penalty_ = std::max(penalty_ / 2, least_penalty_);
  }

  double excess() const {
    long double sum = 0.0;
    for (std::int64_t t = 0; t < n_; ++t) sum += beta_[t];
    return static_cast<double>(sum - target_);
  }

  // Makes the sum right again. Variables move whose slope says that it costs least; a share each, as far as their boxes allow.
  void mend() {
    double size = std::abs(target_);
    for (std::int64_t t = 0; t < n_; ++t) size += std::abs(beta_[t]);
    sigma_ = excess();
    if (std::abs(sigma_) <= 1e-13 * size) {  // rounding, which is not worth a variable that leaves its bound
      sigma_ = 0.0;
      return;
    }
    const bool down = sigma_ > 0;
    std::vector<std::pair<double, std::int64_t>> able;
    const auto room = [&](std::int64_t t) { return down ? beta_[t] - problem_.lower[t] : problem_.upper[t] - beta_[t]; };
    for (std::int64_t t = 0; t < n_; ++t)
      if (room(t) > 0) able.emplace_back(is_free(problem_, t, beta_[t]) ? 0.0 : std::abs(slope_[at(t)]) + kink(t), t);
    std::sort(able.begin(), able.end());
    std::int64_t ready = 0;
    while (ready < menders && at(ready) < able.size() && able[at(ready)].first == 0.0) ++ready;
    double left = std::abs(sigma_);
    const auto move = [&](std::int64_t t, double by) {
      const double before = beta_[t];
      const double after = by >= room(t) ? (down ? problem_.lower[t] : problem_.upper[t]) : (down ? before - by : before + by);
      mended_.emplace_back(t, before);
      beta_[t] = after;
      add(after - before, t, w_);
      left -= std::abs(after - before);
    };
    const double share = left / static_cast<double>(std::max<std::int64_t>(ready, 1));
    for (const double most : {share, infinity})
      for (const auto& [cost, t] : able) {
        if (left <= 1e-13 * size) break;
        const double by = std::min({most, left, room(t)});
        if (by > 0) move(t, by);
      }
    sigma_ = 0.0;
  }

  // Takes back what `mend` has done, so that certificates have no effect on the passes.
  void unmend() {
    for (; !mended_.empty(); mended_.pop_back()) {
      const auto [t, before] = mended_.back();
      add(before - beta_[t], t, w_);
      sigma_ += before - beta_[t];
      beta_[t] = before;
    }
  }

  // The bias at which the primal value is least: where Σ_t argmin_x ((g_t + b) x + kink_t |x|) falls below the sum of β.
  double best_bias() const {
    std::vector<std::pair<double, double>> drops;  // at which b, by how much
    long double sum = -static_cast<long double>(target_);
    for (std::int64_t t = 0; t < n_; ++t) {
      const double lower = problem_.lower[t], upper = problem_.upper[t], k = kink(t), g = gradient_[at(t)];
      sum += upper;
      if (lower == upper) continue;
      const double middle = std::clamp(0.0, lower, upper);
      if (upper > middle) drops.emplace_back(-g - k, upper - middle);
      if (middle > lower) drops.emplace_back(-g + k, middle - lower);
    }
    std::sort(drops.begin(), drops.end());
    if (drops.empty()) return multiplier_;
    for (std::size_t i = 0; i < drops.size(); ++i) {
      sum -= drops[i].second;
      if (sum < 0) return drops[i].first;
      if (sum == 0) return i + 1 < drops.size() ? (drops[i].first + drops[i + 1].first) / 2 : drops[i].first;
    }
    return drops.back().first;
  }

  // Makes β feasible and finds its gap and everything else that the result reports.
  void certify() {
    const bool first = gradient_.empty();
    mend();
    if (result_.iterations >= rebuilt_ + most_drift) rebuild();
    gradient_.resize(at(n_));
    if (inner(w_, w_) == 0.0) std::copy(problem_.linear, problem_.linear + n_, gradient_.begin());
    else everywhere([&](std::int64_t t, const T* next) { gradient_[at(t)] = dot(row(t), w_, next) + problem_.linear[t]; });
    result_.bias = best_bias();
    if (first) multiplier_ = result_.bias + inner(w_, centre_);
    long double gap = 0.0, linear = 0.0;
    double low = infinity, high = -infinity;
    result_.free = 0;
    for (std::int64_t t = 0; t < n_; ++t) {
      const double beta = beta_[t], g = gradient_[at(t)], k = kink(t);
      slope_[at(t)] = g + result_.bias;
      loss_[at(t)] = loss(t, slope_[at(t)]);
      gap += loss_[at(t)];
      linear += beta * problem_.linear[t] + k * std::abs(beta);
      const double near = at_bound * (problem_.upper[t] - problem_.lower[t]);
      const bool rises = beta<problem_.upper[t] - near, falls = beta> problem_.lower[t] + near;
      if (rises) low = std::min(low, g + (beta >= 0 ? k : -k));
      if (falls) high = std::max(high, g + (beta > 0 ? k : -k));
      result_.free += rises && falls && (k == 0.0 || beta != 0.0);
    }
    result_.objective = static_cast<double>(linear) + inner(w_, w_) / 2;
    result_.gap = std::max(static_cast<double>(gap), 0.0);
    result_.violation = std::max(high - low, 0.0);
  }

  const FeatureRows<T>& features_;
  Rows members_;
  DualProblem problem_;
  double* beta_;
  const FeatureOptions& options_;
  TaskLoop& loop_;
  const FeatureLoops<T>& loops_;
  std::int64_t n_, rebuilt_ = 0;
  std::uint64_t state_;
  std::vector<double> w_, centre_;         // Fᵀβ and μ
  std::vector<double> along_, curvature_;  // f_t · μ and ‖f_t − μ‖²
  std::vector<double> slope_, loss_;       // as last seen
  std::vector<std::uint8_t> idle_;         // visits in a row without a step
  std::vector<std::int64_t> due_, order_;  // the next pass that visits a variable; the current pass
  std::vector<double> gradient_;
  std::vector<std::pair<std::int64_t, double>> mended_;  // variables that the last certificate has moved, and where they were
  double target_ = 0, norm_ = 0, penalty_ = 1, least_penalty_ = 1, multiplier_ = 0, sigma_ = 0;  // s, ‖μ‖², ρ, b, σ
  int slow_ = 0;                                                                                 // passes in a row in which σ has hardly fallen
  bool eager_ = true;                                                                            // whether b moves after every pass
  FeatureResult result_;
};

}  // namespace

template <class T>
std::vector<FeatureResult> solve_on_features(const FeatureRows<T>& features, const std::vector<FeatureMachine>& machines,
                                             const FeatureOptions& options) {
  std::vector<FeatureResult> results(machines.size());
  std::vector<std::size_t> order(machines.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return machines[a].problem.n > machines[b].problem.n; });
  const bool alone = machines.size() < 2;
  TaskLoop loop(alone ? 1 : options.execution.threads, options.execution.cancelled);
  FeatureOptions own = options;
  if (!alone) own.execution.threads = 1;
  loop.run(static_cast<std::int64_t>(machines.size()), Schedule::dynamic, [&](std::int64_t task, int) {
    const std::size_t m = order[static_cast<std::size_t>(task)];
    try {
      results[m] = FeatureAscent<T>(features, machines[m], own, loop, combine(options.seed, m)).solve();
    } catch (const Interrupted&) {
      if (alone && !loop.stop()) throw;  // its own team was interrupted
      return;
    }
    if (own.progress) {
      own.progress->machine_done();
      own.progress->round(relative_gap(results[m]));
    }
  });
  return results;
}

template std::vector<FeatureResult> solve_on_features(const FeatureRows<float>&, const std::vector<FeatureMachine>&, const FeatureOptions&);
template std::vector<FeatureResult> solve_on_features(const FeatureRows<double>&, const std::vector<FeatureMachine>&, const FeatureOptions&);

}  // namespace mercer
