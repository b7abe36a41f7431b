#include "mercer/dual/sample_step.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

namespace mercer {

void settle(std::vector<double>& slack, std::int64_t label, double bound, double* beta) {
  const double unit = std::max(std::ldexp(1.0, std::ilogb(bound) - 52), std::numeric_limits<double>::denorm_min());
  double rest = bound;
  for (double& a : slack) rest -= a = std::nearbyint(std::clamp(a, 0.0, bound) / unit) * unit;
  *std::max_element(slack.begin(), slack.end()) += rest;
  for (std::size_t m = 0; m < slack.size(); ++m) beta[m] = (m == at(label) ? bound : 0.0) - slack[m];
}

// In slacks: the projection of α + G/K_ii to the simplex α ≥ 0, Σα = C, which is max(· − θ, 0). Where the kernel has failed to
// give numbers β stays as it is.
void SampleStep::solve(double curvature, const double* gradient, std::int64_t label, double bound, double* beta) {
  const auto classes = static_cast<std::int64_t>(target_.size());
  const double high = *std::max_element(gradient, gradient + classes);  // does not change the projection, but saves digits
  for (std::int64_t m = 0; m < classes; ++m) {
    target_[at(m)] = (m == label ? bound : 0.0) - beta[m] + (gradient[m] - high) / curvature;
    if (std::isnan(target_[at(m)])) return;
  }
  sorted_ = target_;
  std::sort(sorted_.begin(), sorted_.end(), std::greater<>());
  double sum = 0.0, theta = 0.0;
  for (std::size_t m = 0; m < sorted_.size(); ++m) {
    sum += sorted_[m];
    const double candidate = (sum - bound) / static_cast<double>(m + 1);
    if (!(sorted_[m] > candidate)) break;
    theta = candidate;
  }
  for (double& t : target_) t -= theta;
  settle(target_, label, bound, beta);
}

}  // namespace mercer
