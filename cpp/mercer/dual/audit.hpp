// The end game after rows in float: slopes that could decide the stop test are computed in double, the others need not be.
//
// A slope that is farther from both extremes than its own error can have no part in the violation. How large errors are is
// measured: on all free variables and on an even sample of the others; sixteen times the largest of them, relative to √K_tt, is taken as
// the bound for those that are not computed.
#pragma once

#include <cstdint>
#include <vector>

#include "mercer/dual/dual.hpp"

namespace mercer {

class Audit {
 public:
  Audit(RowSource& source, const DualProblem& problem, const Execution& execution);

  // `gradient` follows β with float rows from `base` on, where it was exact. Makes it exact wherever it matters; false if that
  // is nearly everywhere: then everything has to be computed.
  bool refresh(const double* beta, const std::vector<double>& base_beta, const std::vector<double>& base_gradient, std::vector<double>& gradient);
  // After `refresh`: makes the gradient exact at every support vector too, which the objective needs.
  void complete(const double* beta, const std::vector<double>& base_beta, const std::vector<double>& base_gradient, std::vector<double>& gradient);
  // K over some variables in double, row-major.
  void block(Rows set, double* out);

 private:
  void include(const std::vector<std::int64_t>& set);
  double correct(Rows where, Rows changed, const std::vector<double>& steps, const std::vector<double>& base, std::vector<double>& gradient);

  RowSource& source_;
  const DualProblem& problem_;
  const Execution& execution_;
  std::vector<double> root_;         // √K_tt; 1 if some are not positive
  std::vector<std::int64_t> known_;  // variables whose block in double is kept, in the order they came
  std::vector<std::int64_t> place_;  // of a variable in `known_`, or −1
  std::vector<double> kept_;         // K over `known_`, leading dimension `room_`
  std::size_t room_ = 0;
  std::vector<char> exact_;  // where the last `refresh` has left exact values
};

}  // namespace mercer
