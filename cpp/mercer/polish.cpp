#include "mercer/polish.hpp"

#include <algorithm>
#include <cmath>

#include "mercer/cholesky.hpp"

namespace mercer {
namespace {

// The free variables and what is needed to move them.
struct System {
  std::vector<std::int64_t> free;
  std::vector<double> kernel;    // K over the free variables
  std::vector<double> value;     // β of them
  std::vector<double> residual;  // gradient plus kinks of them
};

double kink_slope(const DualProblem& p, std::int64_t t, double beta) { return p.kink ? (beta > 0 ? p.kink[t] : -p.kink[t]) : 0.0; }

// The ends of the piece of the box on which the objective is smooth around β.
std::pair<double, double> smooth_piece(const DualProblem& p, std::int64_t t, double beta) {
  double low = p.lower[t], high = p.upper[t];
  if (p.kink && p.kink[t] > 0) (beta > 0 ? low : high) = beta > 0 ? std::max(low, 0.0) : std::min(high, 0.0);
  return {low, high};
}

System build(RowSource& source, const DualProblem& problem, const double* beta, const Execution& execution) {
  System s;
  std::vector<std::int64_t> support;
  std::vector<double> coefficients;
  for (std::int64_t t = 0; t < problem.n; ++t) {
    if (is_free(problem, t, beta[t])) s.free.push_back(t);
    if (beta[t] != 0.0) support.push_back(t), coefficients.push_back(beta[t]);
  }
  const auto m = s.free.size();
  if (m == 0) return s;
  s.kernel.resize(m * m);
  s.residual.resize(m);
  source.block(s.free, s.free, s.kernel.data(), static_cast<std::int64_t>(m), execution);
  source.product(support, coefficients.data(), s.free, s.residual.data(), execution);
  for (std::size_t a = 0; a < m; ++a) {
    s.value.push_back(beta[s.free[a]]);
    s.residual[a] += problem.linear[s.free[a]] + kink_slope(problem, s.free[a], beta[s.free[a]]);
  }
  return s;
}

}  // namespace

Polish polish(RowSource& source, const DualProblem& problem, double* beta, const Execution& execution) {
  constexpr int most_rounds = 12;
  constexpr double zero_pivot = 1e-13, snap = 1e-12;
  System s = build(source, problem, beta, execution);
  const auto m = s.free.size();
  if (m == 0) return Polish::done;
  double largest = 0.0;
  for (std::int64_t t = 0; t < problem.n; ++t) largest = std::max(largest, std::abs(beta[t]));
  std::vector<double> target = s.value, factor, steps[2], rest;
  std::vector<std::size_t> moving(m);  // members of `free` that are still free
  for (std::size_t a = 0; a < m; ++a) moving[a] = a;
  double owed[2] = {0, 0};  // what clipped variables have taken from the sum of their group
  for (int round = 0; round < most_rounds; ++round) {
    const std::size_t k = moving.size();
    if (k == 0) return Polish::failed;
    factor.resize(k * k);
    for (std::size_t a = 0; a < k; ++a)
      for (std::size_t b = 0; b <= a; ++b) factor[a * k + b] = s.kernel[moving[a] * m + moving[b]];
    const Cholesky cholesky(factor.data(), static_cast<std::int64_t>(k), zero_pivot);
    if (cholesky.indefinite()) return Polish::indefinite;
    const std::size_t split = static_cast<std::size_t>(
        std::find_if(moving.begin(), moving.end(), [&](std::size_t a) { return s.free[a] >= problem.split; }) - moving.begin());
    // x = −A⁻¹(r + Σ_g b_g 1_g), with b such that the sums over groups make up for what is owed.
    rest.resize(k);
    for (std::size_t a = 0; a < k; ++a) rest[a] = s.residual[moving[a]];
    cholesky.solve(rest.data());
    double matrix[2][2] = {{0, 0}, {0, 0}}, right[2] = {0, 0};
    for (int g = 0; g < 2; ++g) {
      steps[g].assign(k, 0.0);
      for (std::size_t a = g ? split : 0; a < (g ? k : split); ++a) steps[g][a] = 1.0;
      cholesky.solve(steps[g].data());
    }
    for (std::size_t a = 0; a < k; ++a) {
      const int h = a >= split;
      right[h] -= rest[a];
      for (int g = 0; g < 2; ++g) matrix[h][g] += steps[g][a];
    }
    for (int g = 0; g < 2; ++g) {
      right[g] += owed[g];
      if (matrix[g][g] == 0.0) matrix[g][g] = 1.0, right[g] = 0.0;  // a group without moving members
    }
    const double determinant = matrix[0][0] * matrix[1][1] - matrix[0][1] * matrix[1][0];
    if (!(std::abs(determinant) > 0)) return Polish::failed;
    const double bias[2] = {(right[0] * matrix[1][1] - right[1] * matrix[0][1]) / determinant,
                            (right[1] * matrix[0][0] - right[0] * matrix[1][0]) / determinant};
    std::vector<std::size_t> staying, clipped;
    std::vector<double> moved(k);
    for (std::size_t a = 0; a < k; ++a) {
      const std::int64_t t = s.free[moving[a]];
      const auto [low, high] = smooth_piece(problem, t, s.value[moving[a]]);
      double to = target[moving[a]] - (rest[a] + bias[0] * steps[0][a] + bias[1] * steps[1][a]);
      if (!std::isfinite(to)) return Polish::failed;
      const double margin = snap * largest;
      const bool out = to <= low + margin || to >= high - margin;
      if (out) to = to <= low + margin ? low : high;
      moved[a] = to - target[moving[a]];
      target[moving[a]] = to;
      (out ? clipped : staying).push_back(moving[a]);
    }
    // The gradient follows everything that moved.
    for (std::size_t b = 0; b < m; ++b) {
      double change = 0.0;
      for (std::size_t a = 0; a < k; ++a) change += s.kernel[b * m + moving[a]] * moved[a];
      s.residual[b] += change;
    }
    owed[0] = owed[1] = 0;
    double sum[2] = {0, 0};
    for (std::size_t b = 0; b < m; ++b) sum[s.free[b] >= problem.split] += target[b] - s.value[b];
    owed[0] = sum[0], owed[1] = sum[1];
    moving = std::move(staying);
    if (clipped.empty() && round > 0) {  // one more round after the last clip refines what the factor has left
      for (std::size_t b = 0; b < m; ++b) beta[s.free[b]] = target[b];
      return Polish::done;
    }
  }
  return Polish::failed;
}

}  // namespace mercer
