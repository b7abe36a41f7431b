#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>

#include "check.hpp"
#include "mercer/gram/program.hpp"

namespace {

using mercer::Op;
using mercer::Program;
using mercer::Step;

constexpr double nan_ = std::numeric_limits<double>::quiet_NaN(), inf_ = std::numeric_limits<double>::infinity();

TEST(program_counts_what_it_needs) {
  // ((dot(2) + input(1)) · factor 3) · sqdist(0)
  const Program p(
      {{Op::dot, 2, 0, 0}, {Op::input, 1, 0, 0}, {Op::add, 0, 0, 0}, {Op::outer_scale, 3, 0, 0}, {Op::sqdist, 0, 0, 0}, {Op::multiply, 0, 0, 0}}, {});
  CHECK(p.depth() == 2);
  CHECK(p.operands() == 3);
  CHECK(p.inputs() == 2);
  CHECK(p.factors() == 4);
  CHECK(p.uses(Op::dot, 2) && !p.uses(Op::dot, 0) && !p.uses(Op::l1, 2));
}

TEST(program_depth_is_the_highest_stack) {
  std::vector<Step> steps(50, {Op::constant, 0, 1, 0});
  steps.insert(steps.end(), 49, {Op::add, 0, 0, 0});
  CHECK(Program(steps, {}).depth() == 50);
}

TEST(program_rejects_malformed_steps) {
  const Step dot{Op::dot, 0, 0, 0}, add{Op::add, 0, 0, 0};
  const auto program = [](std::vector<Step> steps, std::vector<double> pool = {}) { return Program(std::move(steps), std::move(pool)); };
  CHECK_THROWS(std::invalid_argument, program({}));
  CHECK_THROWS(std::invalid_argument, program({dot, dot}));
  CHECK_THROWS(std::invalid_argument, program({dot, dot, dot, add}));
  CHECK_THROWS(std::invalid_argument, program({add}));
  CHECK_THROWS(std::invalid_argument, program({dot, add}));
  CHECK_THROWS(std::invalid_argument, program({{Op::exp, 0, 1, 0}, dot}));
  CHECK_THROWS(std::invalid_argument, program({{Op::dot, -1, 0, 0}}));
  CHECK_THROWS(std::invalid_argument, program({dot, {Op::power_int, -3, 0, 0}}));
  CHECK_THROWS(std::invalid_argument, program({dot, {Op::outer_scale, std::numeric_limits<std::int32_t>::min(), 0, 0}}));
  for (const int op : {-1, static_cast<int>(Op::multiply) + 1, std::numeric_limits<int>::min(), std::numeric_limits<int>::max()})
    CHECK_THROWS(std::invalid_argument, program({dot, {static_cast<Op>(op), 0, 0, 0}}));
}

TEST(program_rejects_arguments_whose_successor_overflows) {
  constexpr std::int32_t most = std::numeric_limits<std::int32_t>::max();
  CHECK_THROWS(std::invalid_argument, Program({{Op::dot, most, 0, 0}}, {}));
  CHECK_THROWS(std::invalid_argument, Program({{Op::input, most, 0, 0}}, {}));
  CHECK_THROWS(std::invalid_argument, Program({{Op::dot, 0, 0, 0}, {Op::outer_ratio, most, 0, 0}}, {}));
}

TEST(program_rejects_parameters_out_of_range) {
  for (const Op op : {Op::anova_dot, Op::anova_rbf})
    for (const double degree : {0.0, 0.5, -1.0, mercer::max_anova_degree + 1.0, nan_, inf_, -inf_})
      CHECK_THROWS(std::invalid_argument, Program({{op, 0, degree, 1}}, {}));
  for (const double exponent : {0.0, -1.0, nan_, inf_}) CHECK_THROWS(std::invalid_argument, Program({{Op::power_sum, 0, exponent, 0}}, {}));
  const auto polynomial = [](std::int32_t first, double terms) {
    return Program({{Op::dot, 0, 0, 0}, {Op::polynomial, first, terms, 0}}, {1, 2, 3});
  };
  CHECK(polynomial(0, 3).depth() == 1);
  CHECK(polynomial(2, 1).depth() == 1);
  for (const double terms : {0.0, -1.0, 4.0, nan_, inf_, 1e300}) CHECK_THROWS(std::invalid_argument, polynomial(0, terms));
  CHECK_THROWS(std::invalid_argument, polynomial(3, 1));
  CHECK_THROWS(std::invalid_argument, polynomial(std::numeric_limits<std::int32_t>::max(), 1));
}

TEST(program_rejects_interactions_outside_the_pool) {
  // Q = 2, D = 3, one numerical column, p = 1, three orders, one rate, six shares
  const std::vector<double> pool{2, 3, 1, 1, 1, 1, 1, 0.5, 1, 1, 0.5, 1, 0.3, 0.6};
  const auto program = [](double first, std::vector<double> numbers) { return Program({{Op::interactions, 1, first, 0}}, std::move(numbers)); };
  const Program p = program(0, pool);
  const mercer::InteractionTerms terms = p.interactions(p.steps()[0]);
  CHECK(p.operands() == 2 && terms.degree == 2 && terms.columns == 3 && terms.numerical == 1 && terms.p == 1);
  CHECK(terms.rates[0] == 0.5 && terms.shares[5] == 0.6);
  CHECK_THROWS(std::invalid_argument, program(0, {}));
  CHECK_THROWS(std::invalid_argument, program(0, {pool.begin(), pool.end() - 1}));
  for (const double first : {-1.0, 0.5, 14.0, nan_, inf_, 1e300}) CHECK_THROWS(std::invalid_argument, program(first, pool));
  const auto with = [&](std::size_t at, double value) {
    std::vector<double> numbers = pool;
    numbers[at] = value;
    return program(0, numbers);
  };
  for (const double value : {0.0, -1.0, 1.5, mercer::max_anova_degree + 1.0, nan_, inf_}) CHECK_THROWS(std::invalid_argument, with(0, value));
  for (const double value : {-1.0, 0.0, 2.5, 4.0, 1e300, nan_}) CHECK_THROWS(std::invalid_argument, with(1, value));
  for (const double value : {-1.0, 0.5, 4.0, nan_}) CHECK_THROWS(std::invalid_argument, with(2, value));
  for (const double value : {0.0, -1.0, nan_, inf_}) CHECK_THROWS(std::invalid_argument, with(3, value));
}

// Random steps either make a program that keeps its invariants or are refused; nothing else may happen.
TEST(program_survives_random_steps) {
  std::mt19937_64 random(0);
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  const double numbers[] = {0, 1, 2, 3, -1, 0.5, 16, 17, nan_, inf_, 1e300};
  int accepted = 0;
  for (int round = 0; round < 20000; ++round) {
    std::vector<Step> steps(static_cast<std::size_t>(below(8)));
    for (Step& s : steps) {
      const int op = below(20) ? below(static_cast<int>(Op::multiply) + 1) : static_cast<int>(random());
      s = {static_cast<Op>(op), below(20) ? below(4) : static_cast<std::int32_t>(random()), numbers[below(11)], numbers[below(11)]};
    }
    try {
      const Program p(steps, std::vector<double>(static_cast<std::size_t>(below(5)), 1.0));
      ++accepted;
      int height = 0, highest = 0;
      for (const Step& s : p.steps()) {
        height += is_source(s.op) ? 1 : is_join(s.op) ? -1 : 0;
        highest = std::max(highest, height);
        CHECK(height >= 1);
        CHECK(s.arg >= 0);
        if (is_source(s.op)) CHECK(s.op == Op::constant || s.arg < (s.op == Op::input ? p.inputs() : p.operands()));
        if (is_outer(s.op)) CHECK(s.arg < p.factors());
      }
      CHECK(height == 1 && highest == p.depth());
    } catch (const std::invalid_argument&) {}
  }
  CHECK(accepted > 500);
}

}  // namespace
