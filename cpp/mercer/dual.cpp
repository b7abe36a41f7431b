#include "mercer/dual.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mercer {

constexpr double infinity = std::numeric_limits<double>::infinity();

Directions::Directions(const DualProblem& p, const double* beta) : problem(p), up(static_cast<std::size_t>(p.n)), down(static_cast<std::size_t>(p.n)) {
  for (std::int64_t t = 0; t < p.n; ++t) refresh(t, beta[t]);
}

void Directions::refresh(std::int64_t t, double beta) {
  const double kink = problem.kink ? problem.kink[t] : 0.0;
  up[static_cast<std::size_t>(t)] = beta >= problem.upper[t] ? infinity : beta >= 0 ? kink : -kink;
  down[static_cast<std::size_t>(t)] = beta <= problem.lower[t] ? -infinity : beta > 0 ? kink : -kink;
}

Extremes extremes(const Directions& d, const double* gradient, int group) {
  Extremes e{0, infinity, -infinity};
  const std::int64_t begin = group ? d.problem.split : 0, end = group ? d.problem.n : d.problem.split;
  for (std::int64_t t = begin; t < end; ++t) {
    const double up = gradient[t] + d.up[static_cast<std::size_t>(t)], down = gradient[t] + d.down[static_cast<std::size_t>(t)];
    if (up < e.low) e.low = up, e.first = t - begin;
    e.high = std::max(e.high, down);
  }
  return e;
}

double violation(const Directions& directions, const double* gradient) {
  double worst = -infinity;
  for (int g = 0; g < 2; ++g) {
    const Extremes e = extremes(directions, gradient, g);
    worst = std::max(worst, e.high - e.low);
  }
  return worst;
}

bool is_free(const DualProblem& p, std::int64_t t, double beta) {
  return beta > p.lower[t] && beta < p.upper[t] && !(p.kink && p.kink[t] > 0 && beta == 0.0);
}

}  // namespace mercer
