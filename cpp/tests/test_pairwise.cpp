// Gram matrices, products and paired rows over many tiles.
#include <cmath>
#include <stdexcept>

#include "check.hpp"
#include "mercer/gram/pairwise.hpp"
#include "reference.hpp"

namespace {

using mercer::Execution;
using mercer::Op;
using mercer::Program;
using reference::Layout;
using reference::Matrix;
using reference::Numbers;
using reference::Random;
using reference::Sample;

// Sources of three operands, two factors, most maps, both joins; its values stay near 1.
Program mixture() {
  return Program({{Op::sqdist, 0, 0, 0},
                  {Op::exp, 0, -0.4, 0},
                  {Op::outer_scale, 0, 0, 0},
                  {Op::dot, 2, 0, 0},
                  {Op::affine, 0, 0.5, 1},
                  {Op::power_int, 2, 0, 0},
                  {Op::add, 0, 0, 0},
                  {Op::l1, 1, 0, 0},
                  {Op::sqrt, 0, 0, 0},
                  {Op::matern52, 0, 0.8, 0},
                  {Op::multiply, 0, 0, 0},
                  {Op::min_sum, 1, 0, 0},
                  {Op::outer_ratio, 1, 0, 0},
                  {Op::polynomial, 1, 3, 0},
                  {Op::tanh, 0, 0, 0},
                  {Op::add, 0, 0, 0},
                  {Op::constant, 0, 2, 0},
                  {Op::multiply, 0, 0, 0}},
                 {7, 0.1, 0.2, 0.3});
}

Numbers row_sums(const Matrix& x) {
  Numbers sums(static_cast<std::size_t>(x.n), 0.0);
  for (std::int64_t i = 0; i < x.n; ++i)
    for (std::int64_t k = 0; k < x.d; ++k) sums[static_cast<std::size_t>(i)] += x(i, k);
  return sums;
}

// n rows that fit mixture().
struct Data {
  Matrix x, y;
  Numbers f, sums;
  Data(Random& random, std::int64_t n)
      : x(reference::random_matrix(random, n, 5, -1, 1)), y(reference::random_matrix(random, n, 3, 0, 1, 0.2)),
        f(reference::random_numbers(random, n, 0.5, 1.5)), sums(row_sums(y)) {}
  void into(Sample& sample, Layout layout = Layout::rows, bool single = false) const {
    sample.dense(x, layout, single).centre(Numbers(5, 0.1)).dense(y, layout, single).dense(x, layout, single).factor(f).factor(sums);
  }
};

template <class T>
std::vector<T> gram_of(const mercer::Problem<T>& problem, bool symmetric, const Execution& execution = {}) {
  std::vector<T> out(static_cast<std::size_t>(problem.left.n * problem.right.n), T(-5));
  mercer::gram(problem, symmetric, out.data(), problem.right.n, execution);
  return out;
}

template <class T>
void check_gram(const Program& program, const Sample& left, const Sample& right, bool symmetric, int threads = 1) {
  const mercer::Problem<T> problem(program, left.side(), right.side(), {});
  const std::vector<T> out = gram_of<T>(problem, symmetric, {threads, {}});
  const std::int64_t n = problem.right.n;
  for (std::int64_t i = 0; i < problem.left.n; ++i)
    for (std::int64_t j = 0; j < n; ++j) {
      const T got = out[static_cast<std::size_t>(i * n + j)];
      CHECK(reference::near(got, reference::evaluate(program, left, i, right, j), reference::tolerance<T>));
      if (symmetric) CHECK(got == out[static_cast<std::size_t>(j * n + i)]);
    }
}

TEST(gram_symmetric_and_rectangular) {
  Random random(0);
  const Program program = mixture();
  for (const std::int64_t n : {1, 2, 17, 300}) {
    Sample left(n), right(53);
    Data(random, n).into(left);
    Data(random, 53).into(right);
    for (const int threads : {1, 4}) {
      check_gram<double>(program, left, left, true, threads);
      check_gram<double>(program, left, right, false, threads);
      check_gram<float>(program, right, left, false, threads);
    }
    check_gram<float>(program, left, left, true, 3);
  }
}

TEST(gram_of_every_layout_and_type) {
  Random random(1);
  const Program program = mixture();
  const Data data(random, 37);
  for (const Layout layout : reference::layouts)
    for (const bool single : {false, true}) {
      Sample sample(37);
      data.into(sample, layout, single);
      check_gram<double>(program, sample, sample, true);
      check_gram<float>(program, sample, sample, true);
    }
}

TEST(gram_of_selected_rows) {
  Random random(2);
  const Program program = mixture();
  const Data data(random, 40);
  Sample all(40), some(40), none(40);
  data.into(all);
  data.into(some, Layout::columns);
  data.into(none);
  some.select({39, 0, 7, 7, 12});
  none.select({});
  check_gram<double>(program, some, all, false);
  check_gram<double>(program, all, some, false, 4);
  check_gram<double>(program, some, some, true);
  check_gram<double>(program, none, all, false);
  check_gram<double>(program, all, none, false);
  check_gram<double>(program, none, none, true, 4);
}

TEST(gram_leaves_the_gap_between_rows_alone) {
  Random random(3);
  Sample sample(270);
  sample.dense(reference::random_matrix(random, 270, 2, -1, 1));
  const Program program({{Op::l1, 0, 0, 0}, {Op::exp, 0, -1, 0}}, {});
  const mercer::Problem<double> problem(program, sample.side(), sample.side(), {});
  for (const bool symmetric : {false, true}) {
    std::vector<double> out(270 * 275, -5.0);
    mercer::gram(problem, symmetric, out.data(), 275, {});
    for (std::size_t p = 0; p < out.size(); ++p) CHECK(p % 275 < 270 ? out[p] > 0 : out[p] == -5);
  }
}

// Wide rows get narrower tiles; the result is the same.
TEST(gram_of_wide_rows) {
  Random random(4);
  Sample sample(40);
  sample.dense(reference::random_matrix(random, 40, 20000, -0.01, 0.01));
  const Program program({{Op::sqdist, 0, 0, 0}, {Op::exp, 0, -0.5, 0}}, {});
  const mercer::Problem<double> problem(program, sample.side(), sample.side(), {});
  const auto out = gram_of<double>(problem, true);
  for (const std::int64_t j : {0, 1, 39})
    CHECK(reference::near(out[static_cast<std::size_t>(3 * 40 + j)], reference::evaluate(program, sample, 3, sample, j), 1e-11));
}

TEST(gram_reads_input_blocks_of_any_strides) {
  Random random(5);
  Sample left(6), right(290);
  left.dense(reference::random_matrix(random, 6, 2, -1, 1));
  right.dense(reference::random_matrix(random, 290, 2, -1, 1));
  const std::vector<Matrix> inputs{reference::random_matrix(random, 6, 290, -1, 1), reference::random_matrix(random, 6, 290, -1, 1)};
  std::vector<double> transposed(6 * 290);
  for (std::int64_t i = 0; i < 6; ++i)
    for (std::int64_t j = 0; j < 290; ++j) transposed[static_cast<std::size_t>(j * 6 + i)] = inputs[1](i, j);
  const Program program({{Op::input, 0, 0, 0}, {Op::input, 1, 0, 0}, {Op::multiply, 0, 0, 0}, {Op::dot, 0, 0, 0}, {Op::add, 0, 0, 0}}, {});
  const mercer::Problem<double> problem(program, left.side(), right.side(), {{inputs[0].values.data(), 290, 1}, {transposed.data(), 1, 6}});
  const auto out = gram_of<double>(problem, false, {2, {}});
  for (std::int64_t i = 0; i < 6; ++i)
    for (std::int64_t j = 0; j < 290; ++j)
      CHECK(reference::near(out[static_cast<std::size_t>(i * 290 + j)], reference::evaluate(program, left, i, right, j, inputs), 1e-13));
}

TEST(gram_repeats_to_the_bit) {
  Random random(6);
  const Program program = mixture();
  Sample sample(280);
  Data(random, 280).into(sample);
  const mercer::Problem<double> problem(program, sample.side(), sample.side(), {});
  CHECK(gram_of<double>(problem, true, {4, {}}) == gram_of<double>(problem, true, {4, {}}));
  CHECK(gram_of<double>(problem, true, {4, {}}) == gram_of<double>(problem, true, {1, {}}));
}

template <class T>
void check_matmul(const Sample& left, const Sample& right, bool symmetric, std::int64_t columns, int threads) {
  Random random(7);
  const Program program = mixture();
  const mercer::Problem<T> problem(program, left.side(), right.side(), {});
  const std::int64_t m = problem.left.n, n = problem.right.n;
  const Numbers numbers = reference::random_numbers(random, n * columns, -1, 1);
  const std::vector<T> v(numbers.begin(), numbers.end()), k = gram_of<T>(problem, symmetric);
  Numbers out(static_cast<std::size_t>(m * columns), NAN);
  mercer::matmul(problem, symmetric, v.data(), columns, out.data(), {threads, {}});
  for (std::int64_t i = 0; i < m; ++i)
    for (std::int64_t c = 0; c < columns; ++c) {
      long double want = 0, size = 0;
      for (std::int64_t j = 0; j < n; ++j) {
        const long double term = static_cast<long double>(k[static_cast<std::size_t>(i * n + j)]) * v[static_cast<std::size_t>(j * columns + c)];
        want += term;
        size += std::abs(term);
      }
      CHECK(std::abs(out[static_cast<std::size_t>(i * columns + c)] - want) <= (sizeof(T) == 8 ? 1e-13 : 1e-5) * (1 + size));
    }
}

template <class T>
void check_grouped_matmul(const Sample& left, const Sample& right, const std::vector<std::int64_t>& starts, int threads) {
  Random random(9);
  const Program program = mixture();
  const mercer::Problem<T> problem(program, left.side(), right.side(), {});
  const std::int64_t m = problem.left.n, n = problem.right.n, columns = 2, groups = static_cast<std::int64_t>(starts.size()) - 1;
  const Numbers numbers = reference::random_numbers(random, n * columns, -1, 1);
  std::vector<T> v(numbers.begin(), numbers.end());
  Numbers out(static_cast<std::size_t>(groups * m * columns), NAN);
  mercer::grouped_matmul<T>(problem, starts, v.data(), columns, out.data(), {threads, {}});
  for (std::int64_t g = 0; g < groups; ++g) {  // the twin: a product with all other rows of V set to zero
    std::vector<T> alone(v.size(), T(0));
    const std::int64_t begin = starts[static_cast<std::size_t>(g)] * columns, end = starts[static_cast<std::size_t>(g + 1)] * columns;
    std::copy(v.begin() + begin, v.begin() + end, alone.begin() + begin);
    Numbers want(static_cast<std::size_t>(m * columns), NAN);
    mercer::matmul(problem, false, alone.data(), columns, want.data(), {threads, {}});
    for (std::int64_t i = 0; i < m * columns; ++i)
      CHECK(std::abs(out[static_cast<std::size_t>(g * m * columns + i)] - want[static_cast<std::size_t>(i)]) <=
            (sizeof(T) == 8 ? 1e-12 : 1e-4) * static_cast<double>(n));
  }
}

TEST(grouped_matmul_is_a_product_for_each_group) {
  Random random(8);
  for (const std::int64_t n : {1, 19, 310}) {
    Sample left(45), right(n);
    Data(random, 45).into(left);
    Data(random, n).into(right);
    for (const int threads : {1, 3}) {
      check_grouped_matmul<double>(left, right, {0, n}, threads);
      check_grouped_matmul<double>(left, right, {0, 0, n / 3, n / 3, n}, threads);
      check_grouped_matmul<float>(left, right, {0, n / 2, n, n}, threads);
    }
    const Program program = mixture();
    const mercer::Problem<double> problem(program, left.side(), right.side(), {});
    std::vector<double> v(static_cast<std::size_t>(n)), out(static_cast<std::size_t>(45 * 3));
    for (const std::vector<std::int64_t>& wrong : {std::vector<std::int64_t>{0}, {0, n + 1}, {1, n}, {0, n, 0, n}})
      CHECK_THROWS(std::invalid_argument, mercer::grouped_matmul<double>(problem, wrong, v.data(), 1, out.data(), {1, {}}));
  }
}

TEST(matmul_is_gram_times_v) {
  Random random(8);
  for (const std::int64_t n : {1, 19, 310}) {
    Sample left(n), right(45), none(45);
    Data(random, n).into(left);
    const Data data(random, 45);
    data.into(right);
    data.into(none);
    none.select({});
    for (const std::int64_t columns : {1, 3})
      for (const int threads : {1, 3}) {
        check_matmul<double>(left, left, true, columns, threads);
        check_matmul<double>(left, right, false, columns, threads);
        check_matmul<float>(right, left, false, columns, threads);
        check_matmul<float>(left, left, true, columns, threads);
      }
    check_matmul<double>(left, none, false, 2, 2);
    check_matmul<double>(none, left, false, 2, 2);
  }
}

TEST(matmul_with_equal_threads_repeats_to_the_bit) {
  Random random(9);
  const Program program = mixture();
  Sample sample(520);
  Data(random, 520).into(sample);
  const mercer::Problem<double> problem(program, sample.side(), sample.side(), {});
  const Numbers v = reference::random_numbers(random, 520, -1, 1);
  Numbers first(520), again(520);
  mercer::matmul(problem, true, v.data(), 1, first.data(), {3, {}});
  for (int round = 0; round < 3; ++round) {
    mercer::matmul(problem, true, v.data(), 1, again.data(), {3, {}});
    CHECK(first == again);
  }
}

TEST(paired_is_the_diagonal) {
  Random random(10);
  const Program program = mixture();
  for (const std::int64_t n : {1, 31, 600}) {
    Sample left(n), right(n);
    Data(random, n).into(left, Layout::strided);
    Data(random, n).into(right);
    const mercer::Problem<double> problem(program, left.side(), right.side(), {});
    const mercer::Problem<float> single(program, left.side(), right.side(), {});
    Numbers out(static_cast<std::size_t>(n));
    std::vector<float> short_out(static_cast<std::size_t>(n));
    mercer::paired(problem, out.data(), {3, {}});
    mercer::paired(single, short_out.data(), {1, {}});
    for (std::int64_t i = 0; i < n; ++i) {
      const long double want = reference::evaluate(program, left, i, right, i);
      CHECK(reference::near(out[static_cast<std::size_t>(i)], want, 1e-12));
      CHECK(reference::near(short_out[static_cast<std::size_t>(i)], want, 1e-4));
    }
  }
}

TEST(paired_sources_selections_and_inputs) {
  Random random(11);
  const Matrix x = reference::random_matrix(random, 9, 4, 0, 1, 0.3), block = reference::random_matrix(random, 5, 1, -1, 1);
  Sample left(9), right(9);
  const Numbers scale{1, 2, 0.5, 3};
  left.dense(x, Layout::columns, true).dense(x).scale(scale).csr(x).scale(scale).select({8, 1, 1, 0, 5});
  right.dense(x).dense(x, Layout::strided).scale(scale).csr(x).scale(scale).select({2, 1, 7, 0, 3});
  const mercer::Step sources[] = {{Op::sqdist, 0, 0, 0},      {Op::l1, 0, 0, 0},       {Op::chi2, 0, 0, 0},        {Op::additive_chi2, 0, 0, 0},
                                  {Op::min_sum, 0, 0, 0},     {Op::mismatch, 0, 0, 0}, {Op::min_product, 0, 0, 0}, {Op::anova_dot, 0, 2, 0},
                                  {Op::anova_rbf, 0, 2, 0.5}, {Op::sqdist, 1, 0, 0},   {Op::l1, 1, 0, 0},          {Op::sqdist, 2, 0, 0},
                                  {Op::l1, 2, 0, 0},          {Op::mismatch, 1, 0, 0}, {Op::mismatch, 2, 0, 0},    {Op::power_sum, 0, 0.5, 0},
                                  {Op::power_sum, 1, 1.3, 0}};
  for (const mercer::Step& source : sources) {
    const Program program({source, {Op::input, 0, 0, 0}, {Op::add, 0, 0, 0}}, {});
    const mercer::Problem<double> problem(program, left.side(), right.side(), {{block.values.data(), 1, 1}});
    Matrix diagonal(5, 5);
    for (std::int64_t i = 0; i < 5; ++i) diagonal(i, i) = block(i, 0);
    double out[5];
    mercer::paired(problem, out, {});
    for (std::int64_t i = 0; i < 5; ++i) CHECK(reference::near(out[i], reference::evaluate(program, left, i, right, i, {diagonal}), 1e-13));
  }
}

TEST(pairwise_mismatched_sides_are_refused) {
  Random random(12);
  Sample three(4), four(4), bare(4), short_(3), factored(4);
  three.dense(reference::random_matrix(random, 4, 3, -1, 1));
  four.dense(reference::random_matrix(random, 4, 4, -1, 1));
  short_.dense(reference::random_matrix(random, 3, 3, -1, 1));
  factored.dense(reference::random_matrix(random, 4, 3, -1, 1)).factor(Numbers(4, 1.0));
  const Program dot({{Op::dot, 0, 0, 0}}, {}), second({{Op::dot, 1, 0, 0}}, {}), input({{Op::input, 0, 0, 0}}, {});
  const Program outer({{Op::dot, 0, 0, 0}, {Op::outer_scale, 0, 0, 0}}, {});
  const auto problem = [](const Program& p, const Sample& l, const Sample& r) { return mercer::Problem<double>(p, l.side(), r.side(), {}); };
  CHECK_THROWS(std::invalid_argument, problem(dot, three, four));
  CHECK_THROWS(std::invalid_argument, problem(dot, three, bare));
  CHECK_THROWS(std::invalid_argument, problem(dot, bare, three));
  CHECK_THROWS(std::invalid_argument, problem(dot, bare, bare));
  CHECK_THROWS(std::invalid_argument, problem(second, three, three));
  CHECK_THROWS(std::invalid_argument, problem(input, three, three));
  CHECK_THROWS(std::invalid_argument, problem(outer, three, three));
  CHECK_THROWS(std::invalid_argument, problem(outer, factored, three));
  const mercer::Problem<double> uneven = problem(dot, three, short_);
  double out[12], v[12] = {};
  CHECK_THROWS(std::invalid_argument, mercer::gram(uneven, true, out, 3, {}));
  CHECK_THROWS(std::invalid_argument, mercer::matmul(uneven, true, v, 1, out, {}));
  CHECK_THROWS(std::invalid_argument, mercer::paired(uneven, out, {}));
}

}  // namespace
