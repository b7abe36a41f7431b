#include "mercer/gram/program.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>

namespace mercer {
namespace {

[[noreturn]] void reject(std::size_t position, const char* why) {
  throw std::invalid_argument("kernel program, step " + std::to_string(position) + ": " + why);
}

// Whether the pool has terms of interactions from `first` on.
bool has_terms(const std::vector<double>& pool, double first) {
  constexpr double limit = 1 << 24;
  const auto count = [](double v, double low, double high) {
    return v >= low && v <= high && v == static_cast<double>(static_cast<std::int64_t>(v));
  };
  if (!count(first, 0, static_cast<double>(pool.size()) - InteractionTerms::header)) return false;
  const double* at = pool.data() + static_cast<std::size_t>(first);
  if (!count(at[0], 1, max_anova_degree) || !count(at[1], 0, limit) || !count(at[2], 0, at[1])) return false;
  if (!(at[3] > 0 && at[3] <= std::numeric_limits<double>::max())) return false;
  const auto whole = [&](int i) { return static_cast<std::int64_t>(at[i]); };
  return static_cast<std::int64_t>(first) + InteractionTerms::size(whole(0), whole(1), whole(2)) <= static_cast<std::int64_t>(pool.size());
}

}  // namespace

Program::Program(std::vector<Step> steps, std::vector<double> pool) : steps_(std::move(steps)), pool_(std::move(pool)) {
  int height = 0;
  for (std::size_t p = 0; p < steps_.size(); ++p) {
    const Step& s = steps_[p];
    if (s.op < Op::dot || s.op > Op::multiply) reject(p, "unknown operation");
    if (s.arg < 0 || s.arg == std::numeric_limits<std::int32_t>::max()) reject(p, "argument out of range");
    if (is_source(s.op)) {
      ++height;
      if (s.op == Op::input) inputs_ = std::max(inputs_, s.arg + 1);
      else if (s.op != Op::constant) operands_ = std::max(operands_, s.arg + 1);
      const bool anova = s.op == Op::anova_dot || s.op == Op::anova_rbf;
      if (anova && !(s.a >= 1 && s.a <= max_anova_degree)) reject(p, "degree out of range");
      if (s.op == Op::interactions && !has_terms(pool_, s.a)) reject(p, "terms outside the pool");
      if (s.op == Op::power_sum && !(s.a > 0 && s.a <= std::numeric_limits<double>::max())) reject(p, "expected a positive exponent");
    } else if (is_join(s.op)) {
      if (height < 2) reject(p, "fewer than two tiles to join");
      --height;
    } else {
      if (height < 1) reject(p, "no tile to change");
      if (is_outer(s.op)) factors_ = std::max(factors_, s.arg + 1);
      if (s.op == Op::polynomial && !(s.a >= 1 && s.arg + s.a <= static_cast<double>(pool_.size()))) reject(p, "coefficients outside the pool");
    }
    depth_ = std::max(depth_, height);
  }
  if (height != 1) reject(steps_.size(), "the steps must leave exactly one tile");
}

bool Program::uses(Op op, int operand) const {
  return std::any_of(steps_.begin(), steps_.end(), [&](const Step& s) { return s.op == op && s.arg == operand; });
}

InteractionTerms Program::interactions(const Step& step) const {
  const double* at = pool_.data() + static_cast<std::size_t>(step.a);
  const auto degree = static_cast<std::int64_t>(at[0]), columns = static_cast<std::int64_t>(at[1]), numerical = static_cast<std::int64_t>(at[2]);
  const double *orders = at + InteractionTerms::header, *rates = orders + degree + 1, *shares = rates + numerical;
  return {degree, columns, numerical, at[3], orders, rates, shares};
}

}  // namespace mercer
