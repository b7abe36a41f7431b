#include "mercer/dual/newton.hpp"

#include <algorithm>
#include <cmath>

#include "mercer/linalg/cholesky.hpp"

namespace mercer {
namespace {

// The part of the box on which the objective is smooth around β.
struct Piece {
  double low, high;
};

Piece smooth_piece(const DualProblem& p, std::int64_t t, double beta) {
  Piece piece{p.lower[t], p.upper[t]};
  if (p.kink && p.kink[t] > 0) {
    if (beta > 0) piece.low = std::max(piece.low, 0.0);
    else piece.high = std::min(piece.high, 0.0);
  }
  return piece;
}

// The members of one group of a system, first … last.
struct Group {
  std::size_t first, last;
};

// wanted ← the nearest point with the same sum as `from` inside the pieces: clip(wanted − shift) for the right shift.
void project(Group group, const std::vector<Piece>& pieces, const std::vector<double>& from, std::vector<double>& wanted) {
  double sum = 0.0, low = 0.0, high = 0.0;
  for (std::size_t a = group.first; a < group.last; ++a) sum += from[a];
  const auto clipped_sum = [&](double shift) {
    double total = 0.0;
    for (std::size_t a = group.first; a < group.last; ++a) total += std::clamp(wanted[a] - shift, pieces[a].low, pieces[a].high);
    return total;
  };
  for (std::size_t a = group.first; a < group.last; ++a) {
    low = std::min(low, wanted[a] - pieces[a].high);
    high = std::max(high, wanted[a] - pieces[a].low);
  }
  if (clipped_sum(0.0) != sum)
    for (int k = 0; k < 100 && low < high; ++k) {
      const double middle = low + (high - low) / 2;
      if (middle == low || middle == high) break;
      (clipped_sum(middle) > sum ? low : high) = middle;
    }
  else low = high = 0.0;
  double left = sum;
  std::size_t inner = group.last;
  for (std::size_t a = group.first; a < group.last; ++a) {
    wanted[a] = std::clamp(wanted[a] - high, pieces[a].low, pieces[a].high);
    left -= wanted[a];
    if (wanted[a] > pieces[a].low && wanted[a] < pieces[a].high) inner = a;
  }
  if (inner < group.last) wanted[inner] = std::clamp(wanted[inner] + left, pieces[inner].low, pieces[inner].high);  // what rounding has left over
}

// Whether the slopes are equal over each group after the change, compared with what they were. Where rows depend on each other, they
// need not be: equal rows keep the difference of their slopes.
bool levelled(const Group (&groups)[2], const std::vector<double>& slope, const std::vector<double>& change) {
  for (const Group& group : groups) {
    if (group.first == group.last) continue;
    double low = slope[group.first], high = low, after_low = low + change[group.first], after_high = after_low, largest = 0.0;
    for (std::size_t a = group.first; a < group.last; ++a) {
      low = std::min(low, slope[a]);
      high = std::max(high, slope[a]);
      after_low = std::min(after_low, slope[a] + change[a]);
      after_high = std::max(after_high, slope[a] + change[a]);
      largest = std::max(largest, std::abs(slope[a]));
    }
    if (after_high - after_low > std::max(1e-6 * (high - low), 1e-9 * largest)) return false;
  }
  return true;
}

}  // namespace

double kink_slope(const DualProblem& p, std::int64_t t, double beta) { return p.kink ? (beta > 0 ? p.kink[t] : -p.kink[t]) : 0.0; }

std::vector<std::int64_t> free_variables(const DualProblem& problem, const double* beta) {
  std::vector<std::int64_t> free;
  for (std::int64_t t = 0; t < problem.n; ++t)
    if (is_free(problem, t, beta[t])) free.push_back(t);
  return free;
}

NewtonReport newton_step(const DualProblem& problem, FreeSystem& system, double* beta, double zero, const Execution& execution) {
  constexpr double snap = 1e-12;  // of the largest coefficient: nearer to a bound is at the bound
  NewtonReport report;
  const std::size_t k = system.free.size();
  if (k < 2) return report;
  const std::size_t split = static_cast<std::size_t>(std::lower_bound(system.free.begin(), system.free.end(), problem.split) - system.free.begin());
  const Group groups[2] = {{0, split}, {split, k}};
  std::vector<double> from(k);
  std::vector<Piece> pieces(k);
  double largest = 0.0;
  for (std::size_t a = 0; a < k; ++a) {
    from[a] = beta[system.free[a]];
    pieces[a] = smooth_piece(problem, system.free[a], from[a]);
    largest = std::max(largest, std::abs(from[a]));
  }
  // x = −K⁻¹(slope + Σ_g shift_g 1_g) with shifts such that the sums over groups stay.
  const Cholesky cholesky(system.kernel.data(), static_cast<std::int64_t>(k), zero, execution);
  if (cholesky.indefinite()) {
    report.indefinite = true;
    return report;
  }
  std::vector<double> x = system.slope, ones[2];
  cholesky.solve(x.data());
  double matrix[2][2] = {{0, 0}, {0, 0}}, right[2] = {0, 0};
  for (int g = 0; g < 2; ++g) {
    ones[g].assign(k, 0.0);
    std::fill(ones[g].begin() + static_cast<std::ptrdiff_t>(groups[g].first), ones[g].begin() + static_cast<std::ptrdiff_t>(groups[g].last), 1.0);
    cholesky.solve(ones[g].data());
  }
  for (int h = 0; h < 2; ++h) {
    for (std::size_t a = groups[h].first; a < groups[h].last; ++a) {
      right[h] -= x[a];
      for (int g = 0; g < 2; ++g) matrix[h][g] += ones[g][a];
    }
    if (matrix[h][h] == 0.0) matrix[h][h] = 1.0, right[h] = 0.0;  // nobody moves in this group
  }
  const double determinant = matrix[0][0] * matrix[1][1] - matrix[0][1] * matrix[1][0];
  if (!(std::abs(determinant) > 0)) return report;
  const double shift[2] = {(right[0] * matrix[1][1] - right[1] * matrix[0][1]) / determinant,
                           (right[1] * matrix[0][0] - right[0] * matrix[1][0]) / determinant};
  std::vector<double> wanted(k);
  bool inside = true;
  for (std::size_t a = 0; a < k; ++a) {
    wanted[a] = from[a] - (x[a] + shift[0] * ones[0][a] + shift[1] * ones[1][a]);
    if (!std::isfinite(wanted[a])) return report;
    const double margin = snap * largest;
    if (std::abs(wanted[a] - pieces[a].low) <= margin) wanted[a] = pieces[a].low;
    if (std::abs(wanted[a] - pieces[a].high) <= margin) wanted[a] = pieces[a].high;
    inside &= wanted[a] >= pieces[a].low && wanted[a] <= pieces[a].high;
  }
  for (const Group& group : groups) project(group, pieces, from, wanted);
  double slope = 0.0;
  for (std::size_t a = 0; a < k; ++a) slope += system.slope[a] * (wanted[a] - from[a]);
  if (!(slope < 0)) {  // already there, up to rounding
    report.exact = inside;
    return report;
  }
  std::vector<double> way(k);
  for (std::size_t a = 0; a < k; ++a) way[a] = wanted[a] - from[a];
  const bool whole = inside && cholesky.regular();
  const std::vector<double> change = whole ? std::vector<double>() : cholesky.multiply(way);
  double length = 1.0;
  if (!inside) {  // along the way to the projected point
    double curvature = 0.0;
    for (std::size_t a = 0; a < k; ++a) curvature += way[a] * change[a];
    length = std::min(1.0, curvature > 0 ? -slope / curvature : 1.0);
  }
  for (std::size_t a = 0; a < k; ++a) {
    const double to = length == 1.0 ? wanted[a] : from[a] + length * (wanted[a] - from[a]);
    beta[system.free[a]] = std::clamp(to, pieces[a].low, pieces[a].high);
  }
  report.moved = true;
  report.exact = whole || (inside && levelled(groups, system.slope, change));
  return report;
}

}  // namespace mercer
