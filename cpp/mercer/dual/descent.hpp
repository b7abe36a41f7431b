// The outer loop of the dual solver: choose a working set, optimise it, carry the change to the whole gradient.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "mercer/dual/audit.hpp"
#include "mercer/dual/dual.hpp"
#include "mercer/dual/newton.hpp"
#include "mercer/dual/smo.hpp"
#include "mercer/rows/row_cache.hpp"

namespace mercer {

// β, its gradient and what the run has cost so far.
struct DescentState {
  double* beta;
  std::vector<double> gradient;                    // follows every step, with the rounding of the rows
  std::vector<double> exact_beta, exact_gradient;  // where the whole gradient was last computed in double
  std::int64_t iterations = 0, rounds = 0;
  bool negative_curvature = false;
  double drift = 0.0;  // the most that the last refresh has changed a slope: what rounding of the rows had done to it
};

// T is the type of the rows.
template <class T>
class Descent {
 public:
  Descent(RowSource& source, const DualProblem& problem, const DualOptions& options, DescentState& state);

  // The gradient at the start, as exact as the rows.
  void begin();
  // Steps until the gradient at hand violates no condition by more than tol, or the iterations are used up.
  void run(double tol);
  // Makes the gradient exact in double wherever it could decide the stop test.
  void refresh();
  // After the last `refresh`: makes it exact at the support vectors too.
  void complete();
  // A Newton step on the free variables in double; the gradient must have been refreshed, and has to be again.
  NewtonReport polish();

 private:
  std::vector<std::int64_t> choose(const Slopes& slopes);
  WorkingSet<T> gather(const std::vector<std::int64_t>& set);
  void carry(const std::vector<std::int64_t>& set, const std::vector<double>& beta);
  bool leap();
  void refresh_all();

  RowSource& source_;
  const DualProblem& problem_;
  const DualOptions& options_;
  DescentState& state_;
  RowCache<T> cache_;
  std::unique_ptr<Audit> audit_;
  bool audited_ = false;        // whether the last refresh was an audit
  bool behind_ = false;         // whether β has moved without its gradient
  std::vector<const T*> rows_;  // of the current set
  std::vector<double> diagonal_;
};

extern template class Descent<float>;
extern template class Descent<double>;

}  // namespace mercer
