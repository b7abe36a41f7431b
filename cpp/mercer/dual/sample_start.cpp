#include "mercer/dual/sample_start.hpp"

#include <algorithm>
#include <cmath>

namespace mercer {
namespace {

// Every (n/m)-th variable, taken in turn from those that can only rise, only fall, or both: no side is left out.
std::vector<std::int64_t> stratified(const DualProblem& p, const double* beta, std::int64_t m) {
  std::vector<std::int64_t> order;
  for (int kind = 0; kind < 4; ++kind)
    for (std::int64_t t = 0; t < p.n; ++t)
      if ((beta[t] < p.upper[t]) + 2 * (beta[t] > p.lower[t]) == kind) order.push_back(t);
  std::vector<std::int64_t> sample;
  for (std::int64_t a = 0; a < m; ++a) sample.push_back(order[static_cast<std::size_t>((2 * a + 1) * p.n / (2 * m))]);
  std::sort(sample.begin(), sample.end());
  return sample;
}

// Where slope·b + kink|b| is least inside the box.
double linear_minimiser(const DualProblem& p, std::int64_t t, double slope) {
  const double kink = p.kink ? p.kink[t] : 0.0;
  if (slope + kink < 0) return p.upper[t];
  if (slope - kink > 0) return p.lower[t];
  return std::clamp(0.0, p.lower[t], p.upper[t]);
}

}  // namespace

std::int64_t sample_start(RowSource& source, const DualProblem& problem, double* beta, const DualOptions& options, std::int64_t m) {
  const std::vector<std::int64_t> sample = stratified(problem, beta, m);
  const double share = static_cast<double>(problem.n) / static_cast<double>(m);
  std::vector<double> linear, lower, upper, kink, coefficients(sample.size(), 0.0);
  for (const std::int64_t t : sample) {
    linear.push_back(problem.linear[t]);
    lower.push_back(problem.lower[t] * share);
    upper.push_back(problem.upper[t] * share);
    if (problem.kink) kink.push_back(problem.kink[t]);
  }
  DualProblem part{m, linear.data(), lower.data(), upper.data(), problem.kink ? kink.data() : nullptr, m};
  DualOptions rough = options;
  rough.tol = std::max(options.tol, 0.05);
  rough.most_polished = 0;
  rough.sampling = false;
  const auto rows = source.subset(sample);
  const DualResult result = solve_dual(*rows, part, coefficients.data(), rough);
  std::vector<double> slope(static_cast<std::size_t>(problem.n));
  std::vector<std::int64_t> support;
  std::vector<double> weights;
  for (std::size_t a = 0; a < sample.size(); ++a)
    if (coefficients[a] != 0.0) support.push_back(sample[a]), weights.push_back(coefficients[a]);
  // Free variables end anywhere between the ends: with many of them the guess would be worth little.
  if (support.empty() || 2 * result.free > static_cast<std::int64_t>(support.size())) return result.iterations;
  source.rough_product(support, weights.data(), slope.data(), options.execution);
  double excess = 0.0;
  for (std::int64_t t = 0; t < problem.n; ++t) {
    slope[static_cast<std::size_t>(t)] += problem.linear[t] + result.bias[0];
    const double to = linear_minimiser(problem, t, slope[static_cast<std::size_t>(t)]);
    excess += to - beta[t];
    beta[t] = to;
  }
  // The sum is off: give back where the sample is least sure.
  std::vector<std::int64_t> order;
  for (std::int64_t t = 0; t < problem.n; ++t) order.push_back(t);
  std::sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
    return std::abs(slope[static_cast<std::size_t>(a)]) < std::abs(slope[static_cast<std::size_t>(b)]);
  });
  for (const std::int64_t t : order) {
    if (excess == 0.0) break;
    const double to = std::clamp(beta[t] - excess, problem.lower[t], problem.upper[t]);
    excess -= beta[t] - to;
    beta[t] = to;
  }
  return result.iterations;
}

}  // namespace mercer
