// The end game after rows in float: slopes that could decide the stop test are computed in double, the others need not be.
//
// A slope that is farther from both extremes than its own error can have no part in the violation. The error is bounded from
// what is measured: the largest difference between float and double entries over thousands of them, relative to
// √(K_tt K_ss), is taken sixteenfold for all entries and summed over |Δβ| without any cancellation.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "mercer/dual.hpp"

namespace mercer {

class Audit {
 public:
  // Gives rows of the matrix in float.
  using Fetch = std::function<void(Rows rows, const float** out)>;

  // `most_rows` is how many rows may be fetched at once.
  Audit(RowSource& source, const DualProblem& problem, std::int64_t most_rows, const Execution& execution);

  // `gradient` follows β with float rows from `base` on, where it was exact. Makes it exact wherever it matters; false if that
  // is nearly everywhere, or if the kernel does not allow the bound: then everything has to be computed.
  bool refresh(const double* beta, const std::vector<double>& base_beta, const std::vector<double>& base_gradient,
               std::vector<double>& gradient, const Fetch& fetch);
  // After `refresh`: makes the gradient exact at every support vector too, which the objective needs.
  void complete(const double* beta, const std::vector<double>& base_beta, const std::vector<double>& base_gradient, std::vector<double>& gradient);
  // K over some variables in double, row-major.
  void block(Rows set, double* out);

 private:
  void include(const std::vector<std::int64_t>& set);
  void correct(Rows where, Rows changed, const std::vector<double>& steps, const std::vector<double>& base, std::vector<double>& gradient);
  double entry_error(const std::vector<std::int64_t>& changed, const std::vector<std::int64_t>& where, const Fetch& fetch);

  RowSource& source_;
  const DualProblem& problem_;
  const Execution& execution_;
  std::size_t most_rows_;
  std::vector<double> root_;          // √K_tt
  bool bounded_ = true;               // whether the diagonal bounds the entries
  std::vector<std::int64_t> known_;   // variables whose block in double is kept, in the order they came
  std::vector<std::int64_t> place_;   // of a variable in `known_`, or −1
  std::vector<double> kept_;          // K over `known_`, leading dimension `room_`
  std::size_t room_ = 0;
  std::vector<char> exact_;           // where the last `refresh` has left exact values
};

}  // namespace mercer
