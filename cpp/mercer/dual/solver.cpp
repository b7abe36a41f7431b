// The dual solver: descend, polish, make the gradient exact, and only then believe it.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "mercer/dual/constants.hpp"
#include "mercer/dual/descent.hpp"
#include "mercer/dual/sample_start.hpp"

namespace mercer {
namespace {

// Multipliers of the groups: the mean over free variables, else the middle of what is allowed.
void find_bias(const DualProblem& problem, const DescentState& state, DualResult& result) {
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
void certify(const DualProblem& problem, const DescentState& state, DualResult& result) {
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
double rounding(const DualProblem& problem, const DescentState& state, double largest_entry) {
  double sum = 0.0, largest = 0.0;
  for (std::int64_t t = 0; t < problem.n; ++t) {
    sum += std::abs(state.beta[t]);
    largest = std::max(largest, std::abs(state.gradient[static_cast<std::size_t>(t)]));
  }
  return 8 * std::numeric_limits<double>::epsilon() * std::max(largest_entry * sum, largest);
}

double largest_diagonal(RowSource& source) {
  std::vector<double> diagonal(static_cast<std::size_t>(source.n()));
  source.diagonal(diagonal.data());
  double largest = 0.0;
  for (const double k : diagonal) largest = std::max(largest, std::abs(k));
  return largest;
}

bool starts_at_zero(const DualProblem& problem, const double* beta) {
  return problem.split == problem.n && std::all_of(beta, beta + problem.n, [](double b) { return b == 0.0; });
}

bool is_wide(const DualProblem& problem, double largest_entry) {
  constexpr double wide = 1e6, hopeless = 1e15;  // times the largest entry: beyond, rounding hides everything
  double widest = 0.0;
  for (std::int64_t t = 0; t < problem.n; ++t) widest = std::max({widest, problem.upper[t], -problem.lower[t]});
  return problem.n <= whole_limit && widest * largest_entry > wide && widest * largest_entry < hopeless;
}

// Wide boxes make pairs creep. From a narrow one on, where the solution is near, each tenfold wider box starts from ten times the last
// solution: what stands at a bound mostly stays there.
void widen(RowSource& source, const DualProblem& problem, const DualOptions& options, double largest_entry, DescentState& state) {
  constexpr double narrow = 1e4, step = 10.0;
  double widest = 0.0;
  for (std::int64_t t = 0; t < problem.n; ++t) widest = std::max({widest, problem.upper[t], -problem.lower[t]});
  double* beta = state.beta;
  DualOptions rough = options;
  rough.tol = std::max(options.tol, 1e-2);
  rough.most_polished = 0;
  std::vector<double> lower(static_cast<std::size_t>(problem.n)), upper = lower;
  const double stages = std::ceil(std::log10(widest * largest_entry / narrow));
  for (double stage = stages; stage > 0; --stage) {
    const double share = std::pow(step, -stage);
    for (std::size_t t = 0; t < lower.size(); ++t) lower[t] = problem.lower[t] * share, upper[t] = problem.upper[t] * share;
    DualProblem part = problem;
    part.lower = lower.data();
    part.upper = upper.data();
    for (std::int64_t t = 0; t < problem.n; ++t)
      beta[t] = std::clamp(beta[t], lower[static_cast<std::size_t>(t)], upper[static_cast<std::size_t>(t)]);
    rough.widening = false;
    const DualResult result = solve_dual(source, part, beta, rough);
    state.iterations += result.iterations;
    state.negative_curvature |= result.status == DualStatus::not_psd;
    for (std::int64_t t = 0; t < problem.n; ++t) {
      const auto s = static_cast<std::size_t>(t);
      beta[t] = beta[t] == lower[s] ? lower[s] * step : beta[t] == upper[s] ? upper[s] * step : beta[t] * step;
    }
  }
  for (std::int64_t t = 0; t < problem.n; ++t) beta[t] = std::clamp(beta[t], problem.lower[t], problem.upper[t]);
}

}  // namespace

DualResult solve_dual(RowSource& source, const DualProblem& problem, double* beta, const DualOptions& given) {
  constexpr int most_refinements = 30;
  DescentState state{beta, {}, std::vector<double>(static_cast<std::size_t>(problem.n), 0.0), {problem.linear, problem.linear + problem.n}};
  const double largest_entry = largest_diagonal(source);
  if (given.max_iter < 0 && starts_at_zero(problem, beta)) {
    if (given.widening && is_wide(problem, largest_entry)) widen(source, problem, given, largest_entry, state);
    else if (given.sampling && problem.n >= 3 * whole_limit) state.iterations = sample_start(source, problem, beta, given, whole_limit);
  }
  const DualOptions options = given.bounded(problem.n, state.iterations);
  bool single = source.prefers_float();
  std::optional<Descent<float>> coarse;
  std::optional<Descent<double>> fine;
  if (single) coarse.emplace(source, problem, options, state).begin();
  else fine.emplace(source, problem, options, state).begin();
  const auto descend = [&](double tol) { single ? coarse->run(tol) : fine->run(tol); };
  const auto refresh = [&] { single ? coarse->refresh() : fine->refresh(); };
  const auto out_of_steps = [&] { return options.exhausted(state.iterations); };

  DualResult result;
  double tol = options.tol, worst = infinity;
  int stuck = 0;
  const auto floor_now = [&] { return rounding(problem, state, largest_entry); };
  const auto is_beyond = [&](double floor) { return floor > 1000 * options.tol; };
  bool beyond = false;  // whether rounding exceeds the tolerance by far: then nobody could reach it by descending
  bool polishing = options.most_polished > 0;
  for (int refinement = 0;; ++refinement) {
    const double before = floor_now();
    descend(is_beyond(before) ? 0.1 * before : tol);
    refresh();
    const bool blurred = state.drift > 0.25 * options.tol;
    const auto free = static_cast<std::int64_t>(free_variables(problem, beta).size());
    const bool enough = refinement >= most_refinements;
    const double floor = floor_now(), finest = std::min(options.tol, std::max(1e-10, floor));
    const double found = violation(problem, Slopes(problem, beta, state.gradient.data()));
    const bool polish = polishing && found > finest && free <= options.most_polished && !out_of_steps() && !enough;
    if (polish) {
      const NewtonReport outcome = single ? coarse->polish() : fine->polish();
      if (outcome.indefinite) polishing = false, state.negative_curvature = true;
      if (outcome.moved) refresh();
    }
    const double now = violation(problem, Slopes(problem, beta, state.gradient.data()));
    const double goal = polish ? finest : options.tol;
    beyond = is_beyond(floor);
    const bool settled = !(now > goal) || out_of_steps();
    if (enough && now > options.tol) result.status = DualStatus::precision;
    stuck = now > 0.5 * worst && now > options.tol ? stuck + 1 : 0;
    if (single && !settled && (stuck > 2 || blurred)) {  // rounded rows do not get closer: go on in double
      single = false;
      coarse.reset();
      fine.emplace(source, problem, options, state).refresh();
    }
    worst = now;
    result.polished = options.most_polished > 0 && free <= options.most_polished && !(now > finest);
    if (settled || enough || beyond) break;
    // A step that was cut short may leave a larger violation than it found: pairs have to come closer before the next one.
    tol = std::max(0.1 * std::min(tol, now), goal);
  }
  if (single) coarse->complete();
  find_bias(problem, state, result);
  certify(problem, state, result);
  result.violation = std::max(worst, 0.0);
  result.iterations = state.iterations;
  result.rounds = state.rounds;
  if (beyond && result.status == DualStatus::converged) result.status = DualStatus::precision;
  if (worst > options.tol && out_of_steps()) result.status = DualStatus::max_iter;
  else if (state.negative_curvature && result.status == DualStatus::converged) result.status = DualStatus::not_psd;
  result.gradient = std::move(state.gradient);
  return result;
}

}  // namespace mercer
