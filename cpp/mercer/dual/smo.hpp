// Sequential minimal optimisation inside a working set: pairs of variables move until the set is optimal.
//
// The pair is chosen by second-order information (Fan, Chen & Lin 2005, jmlr.org/papers/v6/fan05a.html): i goes up where the
// slope is lowest, j goes down where b²/a promises most.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "mercer/dual/dual.hpp"

namespace mercer {

struct SmoLimits {
  double tol;
  std::int64_t max_iter;
  bool may_shrink;             // leave when most variables stand at bounds they will not leave
  std::function<bool()> stop;  // asked now and then; true: leave
};

struct SmoReport {
  std::int64_t iterations = 0;
  double violation = 0;
  bool negative_curvature = false;  // beyond rounding
};

// The variables `set` (ascending) of the problem. `row` gives the whole row of a member of the set, by its place in it; `diagonal`
// holds K_tt of the members as the rows have it, so that curvature and gradient agree.
template <class T>
class WorkingSet {
 public:
  using Row = std::function<const T*(std::int64_t place)>;
  WorkingSet(const DualProblem& problem, Rows set, Row row, std::vector<double> diagonal, const double* beta, const double* gradient);
  SmoReport optimise(const SmoLimits& limits);
  const std::vector<double>& beta() const { return beta_; }

 private:
  const T* row(std::int64_t a);
  std::int64_t size() const { return static_cast<std::int64_t>(set_.size()); }
  bool mostly_settled(const Slopes& slopes) const;

  Rows set_;
  Row whole_row_;
  bool identity_;
  DualProblem local_;
  std::vector<double> linear_, lower_, upper_, kink_, beta_, gradient_, diagonal_;
  double largest_ = 0;
  std::vector<const T*> local_rows_;
  std::vector<std::vector<T>> gathered_;
  std::int64_t fetched_ = 0;  // rows since the last poll for Ctrl-C
};

extern template class WorkingSet<float>;
extern template class WorkingSet<double>;

}  // namespace mercer
