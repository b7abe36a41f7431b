#include "mercer/dual/descent.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "mercer/dual/constants.hpp"

namespace mercer {
namespace {

constexpr std::int64_t patience = 2000;
constexpr std::size_t most_leaping = 4096;  // free variables of a Newton step on the way: their system takes 128 MB

// Nanoseconds, roughly: what decides is only their ratio.
double pair_cost(std::size_t set, std::int64_t iterations) { return static_cast<double>(set) * static_cast<double>(iterations); }
double leap_cost(std::size_t free) { return std::pow(static_cast<double>(free), 3) / 60; }

double objective(const DualProblem& problem, const DescentState& state) {
  double sum = 0.0;
  for (std::int64_t t = 0; t < problem.n; ++t)
    sum += state.beta[t] * (state.gradient[static_cast<std::size_t>(t)] + problem.linear[t]) / 2 +
           (problem.kink ? problem.kink[t] * std::abs(state.beta[t]) : 0.0);
  return sum;
}

// Where β differs from an earlier one, and by how much.
struct Change {
  std::vector<std::int64_t> where;
  std::vector<double> steps;
  Change(const double* beta, const std::vector<double>& before) {
    for (std::size_t t = 0; t < before.size(); ++t)
      if (const double step = beta[t] - before[t]; step != 0.0) where.push_back(static_cast<std::int64_t>(t)), steps.push_back(step);
  }
};

}  // namespace

template <class T>
Descent<T>::Descent(RowSource& source, const DualProblem& problem, const DualOptions& options, DescentState& state)
    : source_(source), problem_(problem), options_(options), state_(state), cache_(source, options.cache_bytes, source.cheap() ? 0 : whole_limit) {}

template <class T>
void Descent<T>::begin() {
  state_.gradient = state_.exact_gradient;
  const Change change(state_.beta, state_.exact_beta);
  if (change.where.empty()) return;
  if constexpr (std::is_same_v<T, double>) return refresh_all();
  std::vector<double> product(static_cast<std::size_t>(problem_.n));
  source_.rough_product(change.where, change.steps.data(), product.data(), options_.execution);
  for (std::size_t t = 0; t < product.size(); ++t) state_.gradient[t] += product[t];
}

// Variables that could take part in a violating pair: all of them, or the worst ones as far as there is room.
template <class T>
std::vector<std::int64_t> Descent<T>::choose(const Slopes& slopes) {
  const std::int64_t n = problem_.n;
  const auto free = static_cast<std::int64_t>(free_variables(problem_, state_.beta).size());
  const std::int64_t wanted = std::max(options_.working_set, std::min(2 * free, whole_limit));  // room for the free, and as many others
  const std::int64_t room = n <= whole_limit && cache_.capacity() == n ? n : std::max<std::int64_t>(2, std::min(wanted, cache_.capacity()));
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
      if (room<n&& static_cast<std::int64_t>(list->size())> share) {
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
    for (std::size_t a = 0; a < set.size(); ++a) diagonal[a] = static_cast<double>(static_cast<T>(diagonal_[static_cast<std::size_t>(set[a])]));
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

template <class T>
void Descent<T>::run(double tol) {
  double spent = 0.0;  // on pairs since the last leap
  double best = infinity;
  double lowest = best;     // objective
  std::int64_t idle = 0;    // rounds that lowered neither the violation nor the objective
  std::size_t earlier = 0;  // free variables a round ago: while their number changes, a leap would miss
  for (;;) {
    const Slopes slopes(problem_, state_.beta, state_.gradient.data());
    const double worst = violation(problem_, slopes);
    if (!(worst > tol)) return;
    const double now = objective(problem_, state_);
    const bool lower = worst > options_.tol && now < lowest - 1e-10 * std::abs(lowest);  // below it only the violation counts
    idle = worst < 0.99 * best || lower ? 0 : idle + 1;
    best = std::min(best, worst);
    lowest = std::min(lowest, now);
    if (idle > patience) return;  // rounding keeps it from getting lower
    if (options_.progress) options_.progress->round(worst);
    if (options_.exhausted(state_.iterations)) return;
    const std::int64_t left = options_.max_iter < 0 ? std::numeric_limits<std::int64_t>::max() : options_.max_iter - state_.iterations;
    const auto set = choose(slopes);
    const bool all = static_cast<std::int64_t>(set.size()) < std::min(options_.working_set, cache_.capacity()) ||
                     (problem_.n <= whole_limit && cache_.capacity() == problem_.n);
    WorkingSet<T> working = gather(set);
    bool stopped = false;
    const SmoLimits limits{all ? tol : std::max(tol, 0.1 * worst), std::min(left, 10 * static_cast<std::int64_t>(set.size())),
                           options_.shrinking && all && set.size() > 256,
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
    const bool settled = std::max(free, earlier) - std::min(free, earlier) <= 2 + std::min(free, earlier) / 10;
    earlier = free;
    if (report.violation > tol && settled && free <= most_leaping && spent > leap_cost(free)) {
      spent = 0.0;
      leap();
    }
  }
}

// What has changed since the gradient was last exact costs a product in double; the rest is exact already.
template <class T>
void Descent<T>::refresh_all() {
  const Change change(state_.beta, state_.exact_beta);
  const bool at_hand = sizeof(T) == 8 && cache_.has(change.where);
  if (source_.dear() && !at_hand && state_.iterations > 0 && !behind_) return;  // rows are double there: the running gradient is as good
  if (at_hand && !change.where.empty()) {
    rows_.resize(change.where.size());
    cache_.fetch(change.where, rows_.data(), options_.execution);
    active_table().of<T>().accumulate(change.steps.data(), rows_.data(), static_cast<std::int64_t>(rows_.size()), state_.exact_gradient.data(),
                                      problem_.n);
  } else if (!change.where.empty()) {
    std::vector<double> product(static_cast<std::size_t>(problem_.n));
    source_.product(change.where, change.steps.data(), {}, product.data(), options_.execution);
    for (std::size_t t = 0; t < product.size(); ++t) state_.exact_gradient[t] += product[t];
  }
  std::copy_n(state_.beta, problem_.n, state_.exact_beta.begin());
  state_.gradient = state_.exact_gradient;
  behind_ = false;
}

template <class T>
void Descent<T>::refresh() {
  const std::vector<double> before = state_.gradient;
  if constexpr (std::is_same_v<T, float>) {
    if (!audit_) audit_ = std::make_unique<Audit>(source_, problem_, options_.execution);
    audited_ = audit_->refresh(state_.beta, state_.exact_beta, state_.exact_gradient, state_.gradient);
  }
  if (!audited_) refresh_all();
  state_.drift = 0.0;
  for (std::size_t t = 0; t < before.size(); ++t) state_.drift = std::max(state_.drift, std::abs(state_.gradient[t] - before[t]));
}

template <class T>
void Descent<T>::complete() {
  if (audited_) audit_->complete(state_.beta, state_.exact_beta, state_.exact_gradient, state_.gradient);
}

template <class T>
NewtonReport Descent<T>::polish() {
  FreeSystem system;
  system.free = free_variables(problem_, state_.beta);
  const std::size_t k = system.free.size();
  if (k < 2) return {false, false, true};
  system.kernel.resize(k * k);
  if (sizeof(T) == 8 && cache_.has(system.free)) {
    rows_.resize(k);
    cache_.fetch(system.free, rows_.data(), options_.execution);
    for (std::size_t a = 0; a < k; ++a)
      for (std::size_t b = 0; b < k; ++b) system.kernel[a * k + b] = static_cast<double>(rows_[a][system.free[b]]);
  } else if (audit_) {
    audit_->block(system.free, system.kernel.data());
  } else {
    source_.block(system.free, system.free, system.kernel.data(), static_cast<std::int64_t>(k), options_.execution);
  }
  for (const std::int64_t t : system.free)
    system.slope.push_back(state_.gradient[static_cast<std::size_t>(t)] + kink_slope(problem_, t, state_.beta[t]));
  const NewtonReport report = newton_step(problem_, system, state_.beta, 1e-13, options_.execution);
  behind_ |= report.moved;
  return report;
}

template class Descent<float>;
template class Descent<double>;

}  // namespace mercer
