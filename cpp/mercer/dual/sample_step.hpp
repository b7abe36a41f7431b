// One sample of the machine of Crammer & Singer, all others standing still.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mercer {

inline std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

// The slacks α_m = C [m = y] − β_m of a sample are nonnegative and sum to C. They are kept on the grid of the last bit of C:
// there all sums are exact. Rounds α to it, what is left over going to the largest, which has C/k at least; then sets β.
void settle(std::vector<double>& slack, std::int64_t label, double bound, double* beta);

// The coefficients β of one sample that are optimal while all others stand still: K_ii > 0, β and its gradient as they are
// now; β is replaced. O(k log k) for k classes.
class SampleStep {
 public:
  explicit SampleStep(std::int64_t classes) : target_(static_cast<std::size_t>(classes)), sorted_(target_.size()) {}
  void solve(double curvature, const double* gradient, std::int64_t label, double bound, double* beta);

 private:
  std::vector<double> target_, sorted_;
};

}  // namespace mercer
