// The outer loop: choose a working set, optimise it, carry the change to the whole gradient, until the whole gradient is
// optimal. The gradient is kept in double; if rows are float, it is computed anew in double before anything is called done.
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>

#include "mercer/dual.hpp"
#include "mercer/newton.hpp"
#include "mercer/row_cache.hpp"
#include "mercer/sample_start.hpp"
#include "mercer/smo.hpp"

namespace mercer {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr std::size_t most_leaping = 4096;  // free variables: their system takes 128 MB
constexpr std::int64_t whole_limit = 4096;  // up to here one working set holds every variable

// β, its gradient and what the run has cost so far.
struct State {
  double* beta;
  std::vector<double> gradient;                    // follows every step, with the rounding of the rows
  std::vector<double> exact_beta, exact_gradient;  // where the gradient was last computed in double
  std::int64_t iterations = 0, rounds = 0;
  bool negative_curvature = false;
};

template <class T>
class Descent {
 public:
  Descent(RowSource& source, const DualProblem& problem, const DualOptions& options, State& state)
      : source_(source), problem_(problem), options_(options), state_(state),
        cache_(source, options.cache_bytes, source.cheap() ? 0 : whole_limit) {}

  // Steps until the gradient at hand violates no condition by more than tol, or the iterations are used up. The gradient is
  // exact up to rounding of the rows.
  void run(double tol);
  // Computes the gradient from β alone, in double.
  void refresh();
  const RowCache<T>& cache() const { return cache_; }

 private:
  std::vector<std::int64_t> choose(const Slopes& slopes);
  WorkingSet<T> gather(const std::vector<std::int64_t>& set);
  void carry(const std::vector<std::int64_t>& set, const std::vector<double>& beta);
  bool leap();

  RowSource& source_;
  const DualProblem& problem_;
  const DualOptions& options_;
  State& state_;
  RowCache<T> cache_;
  std::vector<const T*> rows_;  // of the current set
  std::vector<double> diagonal_;
};

// Variables that could take part in a violating pair: all of them, or the worst ones as far as there is room.
template <class T>
std::vector<std::int64_t> Descent<T>::choose(const Slopes& slopes) {
  const std::int64_t n = problem_.n;
  const std::int64_t room = n <= whole_limit && cache_.capacity() == n ? n : std::max<std::int64_t>(2, std::min(options_.working_set, cache_.capacity()));
  std::vector<std::int64_t> chosen;
  if (!options_.shrinking && room == n) {
    for (std::int64_t t = 0; t < n; ++t) chosen.push_back(t);
    return chosen;
  }
  std::vector<char> taken(static_cast<std::size_t>(n), 0);
  const auto add = [&](std::int64_t t) {
    if (!taken[static_cast<std::size_t>(t)]) taken[static_cast<std::size_t>(t)] = 1, chosen.push_back(t);
  };
  if (room < n) {  // fine tuning happens among the free: they keep up to half of the room
    for (std::int64_t t = 0; t < n && static_cast<std::int64_t>(chosen.size()) < room / 2; ++t)
      if (is_free(problem_, t, state_.beta[t])) add(t);
  }
  const std::int64_t vacant = room - static_cast<std::int64_t>(chosen.size());
  const int groups = problem_.split < n ? 2 : 1;
  for (int g = 0; g < groups; ++g) {
    const Extremes e = extremes(problem_, slopes, g);
    if (!(e.high > e.low)) continue;
    const std::int64_t begin = g ? problem_.split : 0, end = g ? n : problem_.split, share = std::max<std::int64_t>(1, vacant / (2 * groups));
    std::vector<std::pair<double, std::int64_t>> rising, falling;
    for (std::int64_t t = begin; t < end; ++t) {
      const double up = slopes.rise[static_cast<std::size_t>(t)], down = slopes.fall[static_cast<std::size_t>(t)];
      if (up < e.high) rising.emplace_back(up, t);
      if (down > e.low) falling.emplace_back(-down, t);
    }
    for (auto* list : {&rising, &falling}) {
      auto last = list->end();
      if (room < n && static_cast<std::int64_t>(list->size()) > share) {
        // Ties, which is all there is at the start, are broken by a scattering of the numbers, not by their order.
        last = list->begin() + share;
        std::nth_element(list->begin(), last, list->end(), [](const auto& a, const auto& b) {
          const auto scattered = [](std::int64_t t) { return static_cast<std::uint64_t>(t) * 0x9E3779B97F4A7C15u; };
          return a.first != b.first ? a.first < b.first : scattered(a.second) < scattered(b.second);
        });
      }
      for (auto it = list->begin(); it != last; ++it) add(it->second);
    }
  }
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

// The set with its rows: all of them in one go, or one by one where that is cheaper and none has to make room.
template <class T>
WorkingSet<T> Descent<T>::gather(const std::vector<std::int64_t>& set) {
  std::vector<double> diagonal(set.size());
  rows_.assign(set.size(), nullptr);
  const bool lazy = source_.cheap() && cache_.capacity() == problem_.n;
  if (lazy) {
    if (diagonal_.empty()) diagonal_.resize(static_cast<std::size_t>(problem_.n)), source_.diagonal(diagonal_.data());
    for (std::size_t a = 0; a < set.size(); ++a) diagonal[a] = diagonal_[static_cast<std::size_t>(set[a])];
  } else {
    cache_.fetch(set, rows_.data(), options_.execution);
    for (std::size_t a = 0; a < set.size(); ++a) diagonal[a] = static_cast<double>(rows_[a][set[a]]);
  }
  const auto row = [this, &set](std::int64_t place) {
    const T*& known = rows_[static_cast<std::size_t>(place)];
    if (!known) cache_.fetch({&set[static_cast<std::size_t>(place)], 1}, &known, options_.execution);
    return known;
  };
  return WorkingSet<T>(problem_, set, row, std::move(diagonal), state_.beta, state_.gradient.data());
}

// gradient += K Δβ over all variables.
template <class T>
void Descent<T>::carry(const std::vector<std::int64_t>& set, const std::vector<double>& beta) {
  constexpr std::int64_t chunk = 4096;
  std::vector<double> steps;
  std::vector<const T*> rows;
  for (std::size_t a = 0; a < set.size(); ++a)
    if (const double change = beta[a] - state_.beta[set[a]]; change != 0.0) steps.push_back(change), rows.push_back(rows_[a]);
  for (std::size_t a = 0; a < set.size(); ++a) state_.beta[set[a]] = beta[a];
  TaskLoop loop(problem_.n > chunk ? options_.execution.threads : 1, options_.execution.cancelled);
  loop.run((problem_.n + chunk - 1) / chunk, Schedule::dynamic, [&](std::int64_t task, int) {
    const std::int64_t first = task * chunk;
    std::vector<const T*> here = rows;
    for (auto& row : here) row += first;
    active_table().of<T>().accumulate(steps.data(), here.data(), static_cast<std::int64_t>(steps.size()), state_.gradient.data() + first,
                                      std::min(chunk, problem_.n - first));
  });
}

// A Newton step on the free variables with the rows at hand. Says whether it has moved anything.
template <class T>
bool Descent<T>::leap() {
  constexpr double zero = sizeof(T) == 4 ? 1e-6 : 1e-12;  // rounding of the rows
  FreeSystem system;
  system.free = free_variables(problem_, state_.beta);
  const std::size_t k = system.free.size();
  if (k < 2 || static_cast<std::int64_t>(k) > cache_.capacity()) return false;
  rows_.resize(k);
  cache_.fetch(system.free, rows_.data(), options_.execution);
  system.kernel.resize(k * k);
  std::vector<double> beta(k);
  for (std::size_t a = 0; a < k; ++a) {
    const std::int64_t t = system.free[a];
    for (std::size_t b = 0; b < k; ++b) system.kernel[a * k + b] = static_cast<double>(rows_[a][system.free[b]]);
    system.slope.push_back(state_.gradient[static_cast<std::size_t>(t)] + kink_slope(problem_, t, state_.beta[t]));
  }
  std::vector<double> moved(state_.beta, state_.beta + problem_.n);
  const NewtonReport report = newton_step(problem_, system, moved.data(), zero, options_.execution);
  if (!report.moved) return false;
  for (std::size_t a = 0; a < k; ++a) beta[a] = moved[static_cast<std::size_t>(system.free[a])];
  carry(system.free, beta);
  return true;
}

// Nanoseconds, roughly: what decides is only their ratio.
double pair_cost(std::size_t set, std::int64_t iterations) { return 1.0 * static_cast<double>(set) * static_cast<double>(iterations); }
double leap_cost(std::size_t free) { return std::pow(static_cast<double>(free), 3) / 3 / 20; }

template <class T>
void Descent<T>::run(double tol) {
  double spent = 0.0;        // on pairs since the last leap
  std::size_t earlier = 0;   // free variables a round ago: while their number changes, a leap would miss
  for (;;) {
    const Slopes slopes(problem_, state_.beta, state_.gradient.data());
    const double worst = violation(problem_, slopes);
    if (!(worst > tol)) return;
    const std::int64_t left = options_.max_iter < 0 ? std::numeric_limits<std::int64_t>::max() : options_.max_iter - state_.iterations;
    if (left <= 0) return;
    const auto set = choose(slopes);
    const bool all = static_cast<std::int64_t>(set.size()) < options_.working_set || problem_.n <= whole_limit;
    WorkingSet<T> working = gather(set);
    bool stopped = false;
    const SmoLimits limits{all ? tol : std::max(tol, 0.1 * worst), std::min(left, 10 * static_cast<std::int64_t>(set.size())), options_.shrinking && all && set.size() > 256,
                           [&] { return stopped = options_.execution.cancelled && options_.execution.cancelled(); }};
    const SmoReport report = working.optimise(limits);
    if (stopped) throw Interrupted{};
    state_.iterations += report.iterations;
    state_.negative_curvature |= report.negative_curvature;
    ++state_.rounds;
    carry(set, working.beta());
    if (report.iterations == 0) return;  // nothing can move: rounding
    spent += pair_cost(set.size(), report.iterations);
    const std::size_t free = free_variables(problem_, state_.beta).size();
    const bool settled = 10 * std::max(free, earlier) < 11 * std::min(free, earlier);
    earlier = free;
    if (report.violation > tol && settled && free <= most_leaping && spent > leap_cost(free)) {
      spent = 0.0;
      leap();
    }
  }
}

// What has changed since the gradient was last exact costs a product in double; the rest is exact already.
template <class T>
void Descent<T>::refresh() {
  std::vector<std::int64_t> changed;
  std::vector<double> steps;
  for (std::int64_t t = 0; t < problem_.n; ++t)
    if (const double step = state_.beta[t] - state_.exact_beta[static_cast<std::size_t>(t)]; step != 0.0) changed.push_back(t), steps.push_back(step);
  const bool at_hand = sizeof(T) == 8 && cache_.has(changed);
  if (source_.dear() && !at_hand && state_.iterations > 0) return;
  if (at_hand && !changed.empty()) {
    rows_.resize(changed.size());
    cache_.fetch(changed, rows_.data(), options_.execution);
    active_table().of<T>().accumulate(steps.data(), rows_.data(), static_cast<std::int64_t>(changed.size()), state_.exact_gradient.data(), problem_.n);
  } else if (!changed.empty()) {
    std::vector<double> product(static_cast<std::size_t>(problem_.n));
    source_.product(changed, steps.data(), {}, product.data(), options_.execution);
    for (std::size_t t = 0; t < product.size(); ++t) state_.exact_gradient[t] += product[t];
  }
  std::copy_n(state_.beta, problem_.n, state_.exact_beta.begin());
  state_.gradient = state_.exact_gradient;
}

// Multipliers of the groups: the mean over free variables, else the middle of what is allowed.
void find_bias(const DualProblem& problem, const State& state, DualResult& result) {
  const Slopes slopes(problem, state.beta, state.gradient.data());
  for (int g = 0; g < 2; ++g) {
    const std::int64_t begin = g ? problem.split : 0, end = g ? problem.n : problem.split;
    double sum = 0.0;
    std::int64_t count = 0;
    for (std::int64_t t = begin; t < end; ++t)
      if (is_free(problem, t, state.beta[t])) sum += slopes.rise[static_cast<std::size_t>(t)], ++count;
    const Extremes e = extremes(problem, slopes, g);
    double middle = 0.0;
    if (std::isfinite(e.low) && std::isfinite(e.high)) middle = (e.low + e.high) / 2;
    else if (std::isfinite(e.low) || std::isfinite(e.high)) middle = std::isfinite(e.low) ? e.low : e.high;
    result.bias[g] = -(count ? sum / static_cast<double>(count) : middle);
    result.free += count;
  }
}

// Objective, and how far it can be above the optimum: the most a linear model of it could still fall inside the box.
void certify(const DualProblem& problem, const State& state, DualResult& result) {
  double quadratic = 0.0, linear = 0.0, gap = 0.0;
  for (std::int64_t t = 0; t < problem.n; ++t) {
    const double beta = state.beta[t], gradient = state.gradient[static_cast<std::size_t>(t)], kink = problem.kink ? problem.kink[t] : 0.0;
    quadratic += beta * (gradient - problem.linear[t]);
    linear += beta * problem.linear[t] + kink * std::abs(beta);
    const double slope = gradient + result.bias[t >= problem.split];
    const auto model = [&](double b) { return b == 0.0 ? 0.0 : slope * b + kink * std::abs(b); };
    double least = std::min(model(problem.lower[t]), model(problem.upper[t]));
    if (problem.lower[t] <= 0 && problem.upper[t] >= 0) least = std::min(least, 0.0);
    gap += model(beta) - least;
  }
  result.objective = quadratic / 2 + linear;
  result.gap = std::max(gap, 0.0);
}

// Rounding of a gradient computed in double: nothing below it can be asked for.
double rounding(const DualProblem& problem, const State& state) {
  double sum = 0.0, largest = 0.0;
  for (std::int64_t t = 0; t < problem.n; ++t) {
    sum += std::abs(state.beta[t]);
    largest = std::max(largest, std::abs(state.gradient[static_cast<std::size_t>(t)]));
  }
  return 64 * std::numeric_limits<double>::epsilon() * std::max(sum, largest);
}

// The system of the free variables from the source itself, in double.
NewtonReport polish(RowSource& source, const DualProblem& problem, const DualOptions& options, State& state) {
  FreeSystem system;
  system.free = free_variables(problem, state.beta);
  const std::size_t k = system.free.size();
  if (k < 2) return {false, false, true};
  std::vector<std::int64_t> support;
  std::vector<double> coefficients;
  for (std::int64_t t = 0; t < problem.n; ++t)
    if (state.beta[t] != 0.0) support.push_back(t), coefficients.push_back(state.beta[t]);
  system.kernel.resize(k * k);
  system.slope.resize(k);
  source.block(system.free, system.free, system.kernel.data(), static_cast<std::int64_t>(k), options.execution);
  source.product(support, coefficients.data(), system.free, system.slope.data(), options.execution);
  for (std::size_t a = 0; a < k; ++a) system.slope[a] += problem.linear[system.free[a]] + kink_slope(problem, system.free[a], state.beta[system.free[a]]);
  return newton_step(problem, system, state.beta, 1e-13, options.execution);
}

}  // namespace

DualResult solve_dual(RowSource& source, const DualProblem& problem, double* beta, const DualOptions& options) {
  constexpr int most_refinements = 30;
  State state{beta, {}, std::vector<double>(static_cast<std::size_t>(problem.n), 0.0), {problem.linear, problem.linear + problem.n}};
  if (options.sampling && problem.n >= 3 * whole_limit && problem.split == problem.n && std::all_of(beta, beta + problem.n, [](double b) { return b == 0.0; }))
    state.iterations = sample_start(source, problem, beta, options, whole_limit);
  bool single = source.prefers_float();
  std::optional<Descent<float>> coarse;
  std::optional<Descent<double>> fine;
  if (single) coarse.emplace(source, problem, options, state).refresh();
  else fine.emplace(source, problem, options, state).refresh();
  const auto descend = [&](double tol) { single ? coarse->run(tol) : fine->run(tol); };
  const auto refresh = [&] { single ? coarse->refresh() : fine->refresh(); };
  const auto out_of_steps = [&] { return options.max_iter >= 0 && state.iterations >= options.max_iter; };

  DualResult result;
  double tol = options.tol, worst = infinity;
  bool polishing = options.most_polished > 0;
  for (int refinement = 0;; ++refinement) {
    descend(tol);
    std::int64_t free = 0;
    for (std::int64_t t = 0; t < problem.n; ++t) free += is_free(problem, t, beta[t]);
    if (polishing && free <= options.most_polished && !out_of_steps()) {
      const NewtonReport outcome = polish(source, problem, options, state);
      if (outcome.indefinite) polishing = false, state.negative_curvature = true;
      result.polished = outcome.exact;
    }
    refresh();
    const double now = violation(problem, Slopes(problem, beta, state.gradient.data()));
    const double floor = rounding(problem, state);
    const double goal = polishing && free <= options.most_polished ? std::min(options.tol, std::max(1e-10, floor)) : options.tol;
    if (!(now > goal) || out_of_steps()) {
      worst = now;
      break;
    }
    if (refinement >= most_refinements) {
      worst = now;
      if (now > options.tol) result.status = DualStatus::precision;
      break;
    }
    if (single && now > 0.5 * worst && now > options.tol) {  // rounded rows do not get closer: go on in double
      single = false;
      coarse.reset();
      fine.emplace(source, problem, options, state);
    }
    worst = now;
    tol = std::min(tol, std::max(0.1 * now, goal));
  }
  find_bias(problem, state, result);
  certify(problem, state, result);
  result.violation = std::max(worst, 0.0);
  result.iterations = state.iterations;
  result.rounds = state.rounds;
  if (worst > options.tol && out_of_steps()) result.status = DualStatus::max_iter;
  else if (state.negative_curvature && result.status == DualStatus::converged) result.status = DualStatus::not_psd;
  result.gradient = std::move(state.gradient);
  return result;
}

}  // namespace mercer
