#include "mercer/dual/dual.hpp"

#include <algorithm>
#include <cmath>

#include "mercer/dual/constants.hpp"

namespace mercer {
namespace {

// What kink and bounds add to the gradient upwards and downwards.
double upwards(const DualProblem& p, std::int64_t t, double beta) {
  const double kink = p.kink ? p.kink[t] : 0.0;
  return beta >= p.upper[t] ? infinity : beta >= 0 ? kink : -kink;
}

double downwards(const DualProblem& p, std::int64_t t, double beta) {
  const double kink = p.kink ? p.kink[t] : 0.0;
  return beta <= p.lower[t] ? -infinity : beta > 0 ? kink : -kink;
}

}  // namespace

Slopes::Slopes(const DualProblem& p, const double* beta, const double* gradient)
    : rise(static_cast<std::size_t>(p.n)), fall(static_cast<std::size_t>(p.n)) {
  for (std::int64_t t = 0; t < p.n; ++t) {
    rise[static_cast<std::size_t>(t)] = gradient[t] + upwards(p, t, beta[t]);
    fall[static_cast<std::size_t>(t)] = gradient[t] + downwards(p, t, beta[t]);
  }
}

void Slopes::refresh(const DualProblem& p, std::int64_t t, double before, double beta) {
  const auto s = static_cast<std::size_t>(t);
  const double up = upwards(p, t, before);
  const double gradient = std::isfinite(up) ? rise[s] - up : fall[s] - downwards(p, t, before);
  rise[s] = gradient + upwards(p, t, beta);
  fall[s] = gradient + downwards(p, t, beta);
}

Extremes extremes(const DualProblem& p, const Slopes& slopes, int group) {
  Extremes e{0, infinity, -infinity};
  const std::int64_t begin = group ? p.split : 0, end = group ? p.n : p.split;
  for (std::int64_t t = begin; t < end; ++t) {
    if (slopes.rise[static_cast<std::size_t>(t)] < e.low) e.low = slopes.rise[static_cast<std::size_t>(t)], e.first = t - begin;
    e.high = std::max(e.high, slopes.fall[static_cast<std::size_t>(t)]);
  }
  return e;
}

double violation(const DualProblem& p, const Slopes& slopes) {
  double worst = -infinity;
  for (int g = 0; g < 2; ++g) {
    const Extremes e = extremes(p, slopes, g);
    worst = std::max(worst, e.high - e.low);
  }
  return worst;
}

bool is_free(const DualProblem& p, std::int64_t t, double beta) {
  return beta > p.lower[t] && beta < p.upper[t] && !(p.kink && p.kink[t] > 0 && beta == 0.0);
}

}  // namespace mercer
