// CSR rows against the same numbers stored densely.
#include <cmath>
#include <stdexcept>

#include "check.hpp"
#include "mercer/gram/pairwise.hpp"
#include "reference.hpp"

namespace {

using mercer::Op;
using mercer::Program;
using mercer::Step;
using reference::CsrStyle;
using reference::Matrix;
using reference::Random;
using reference::Sample;

const CsrStyle styles[] = {{false, false, false}, {false, true, true}, {true, false, true}, {true, true, false}};
const Op sources[] = {Op::dot, Op::sqdist, Op::l1, Op::chi2, Op::additive_chi2, Op::min_sum, Op::mismatch};

Matrix sparse_matrix(Random& random, std::int64_t n, std::int64_t d) {
  Matrix x = reference::random_matrix(random, n, d, 0, 1, 0.7);
  for (std::int64_t i = 0; i < n; i += 4)
    for (std::int64_t k = 0; k < d; ++k) x(i, k) = 0;  // empty rows
  if (n > 2)
    for (std::int64_t k = 0; k < d; ++k) x(n - 1, k) = x(1, k);  // a repeated row
  return x;
}

template <class T>
void check_gram(const Program& program, const Sample& left, const Sample& right, bool symmetric = false) {
  const std::int64_t m = left.side().n, n = right.side().n;
  const mercer::Problem<T> problem(program, left.side(), right.side(), {});
  std::vector<T> out(static_cast<std::size_t>(m * n), T(-5));
  mercer::gram(problem, symmetric, out.data(), n, {2, {}});
  for (std::int64_t i = 0; i < m; ++i)
    for (std::int64_t j = 0; j < n; ++j)
      CHECK(reference::near(out[static_cast<std::size_t>(i * n + j)], reference::evaluate(program, left, i, right, j), reference::tolerance<T>));
}

TEST(sparse_sources_in_every_style) {
  Random random(0);
  const std::int64_t d = 23;
  const Matrix x = sparse_matrix(random, 13, d), z = sparse_matrix(random, 21, d);
  for (const CsrStyle& style : styles) {
    Sample left(13), right(21), same(13);
    left.csr(x, style);
    right.csr(z, {!style.wide, !style.single, !style.explicit_zeros});  // the sides need not be stored alike
    for (const Op op : sources) {
      check_gram<double>(Program({{op, 0, 0, 0}}, {}), left, right);
      check_gram<float>(Program({{op, 0, 0, 0}}, {}), left, right);
      check_gram<double>(Program({{op, 0, 0, 0}}, {}), left, left, true);
    }
  }
}

// Features that all, many, few and no rows have; more of them than are combined at once, and rows beyond a whole chunk.
TEST(sparse_features_of_every_frequency) {
  Random random(5);
  const std::int64_t n = 301, d = 90;
  Matrix x = reference::random_matrix(random, n, d, -1, 1);
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t k = 0; k < d; ++k)
      if (k > 70 && static_cast<std::int64_t>(random() % 40) < k - 70) x(i, k) = 0;
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t k = 80; k < d; ++k)
      if ((i + k) % 50) x(i, k) = 0;
  const reference::Numbers scale = reference::random_numbers(random, d, 0.5, 2);
  Sample sample(n), scaled(n);
  sample.csr(x);
  scaled.csr(x).scale(scale);
  for (const Op op : {Op::dot, Op::sqdist}) {
    check_gram<double>(Program({{op, 0, 0, 0}}, {}), sample, sample);
    check_gram<float>(Program({{op, 0, 0, 0}}, {}), sample, sample);
    check_gram<double>(Program({{op, 0, 0, 0}}, {}), sample, sample, true);
  }
  for (const Op op : {Op::sqdist, Op::mismatch}) check_gram<double>(Program({{op, 0, 0, 0}}, {}), scaled, scaled);
}

TEST(sparse_l1_and_mismatch_take_negative_numbers) {
  Random random(1);
  const Matrix x = reference::random_matrix(random, 10, 12, -1, 1, 0.5);
  Sample sample(10);
  sample.csr(x);
  for (const Op op : {Op::dot, Op::sqdist, Op::l1, Op::mismatch}) check_gram<double>(Program({{op, 0, 0, 0}}, {}), sample, sample);
}

TEST(sparse_selection_and_one_column) {
  Random random(2);
  const Matrix x = sparse_matrix(random, 30, 1), z = sparse_matrix(random, 30, 9);
  Sample narrow(30), wide(30), chosen(30);
  narrow.csr(x);
  wide.csr(z);
  chosen.csr(z).select({29, 3, 3, 0, 17});
  for (const Op op : sources) {
    check_gram<double>(Program({{op, 0, 0, 0}}, {}), narrow, narrow);
    check_gram<double>(Program({{op, 0, 0, 0}}, {}), wide, chosen);
    check_gram<double>(Program({{op, 0, 0, 0}}, {}), chosen, wide);
  }
}

TEST(sparse_without_any_nonzero) {
  Sample sample(5);
  sample.csr(Matrix(5, 7));
  for (const Op op : sources) check_gram<double>(Program({{op, 0, 0, 0}}, {}), sample, sample, true);
}

TEST(sparse_distances_of_close_rows_are_exact) {
  Matrix x(6, 4);
  for (std::int64_t i = 0; i < 6; ++i) x(i, 1) = 1e6 + 1e-6 * static_cast<double>(i), x(i, 3) = 3e5;
  Sample sample(6);
  sample.csr(x);
  const Program program({{Op::sqdist, 0, 0, 0}}, {});
  const mercer::Problem<double> problem(program, sample.side(), sample.side(), {});
  double out[36];
  mercer::gram(problem, true, out, 6, {});
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j) {
      const long double want = reference::evaluate(program, sample, i, sample, j);
      CHECK(std::abs(out[6 * i + j] - want) <= 1e-14 * want);
    }
}

TEST(sparse_and_dense_operands_in_one_program) {
  Random random(3);
  const Matrix x = sparse_matrix(random, 17, 11), y = reference::random_matrix(random, 17, 3, -1, 1);
  Sample sample(17);
  sample.csr(x, {true, false, true}).dense(y, reference::Layout::columns);
  const Program program({{Op::sqdist, 0, 0, 0},
                         {Op::exp, 0, -0.5, 0},
                         {Op::dot, 1, 0, 0},
                         {Op::add, 0, 0, 0},
                         {Op::l1, 0, 0, 0},
                         {Op::matern32, 0, 0.4, 0},
                         {Op::multiply, 0, 0, 0}},
                        {});
  check_gram<double>(program, sample, sample, true);
  check_gram<float>(program, sample, sample, false);
}

TEST(sparse_scaled_distances) {
  Random random(6);
  const Matrix x = sparse_matrix(random, 12, 5), z = sparse_matrix(random, 20, 5);
  const reference::Numbers scale{0.5, 2, 0, 1, 3};
  Sample left(12), right(20);
  left.csr(x).scale(scale);
  right.csr(z, {true, true, true}).scale(scale);
  for (const Op op : {Op::sqdist, Op::l1}) {
    check_gram<double>(Program({{op, 0, 0, 0}}, {}), left, right);
    check_gram<float>(Program({{op, 0, 0, 0}}, {}), right, right, true);
  }
}

TEST(sparse_paired_rows) {
  Random random(4);
  const Matrix x = sparse_matrix(random, 14, 9), z = sparse_matrix(random, 14, 9);
  for (const CsrStyle& style : styles) {
    Sample left(14), right(14);
    left.csr(x, style);
    right.csr(z, style);
    for (const Op op : sources) {
      const Program program({{op, 0, 0, 0}}, {});
      const mercer::Problem<double> problem(program, left.side(), right.side(), {});
      double out[14];
      mercer::paired(problem, out, {});
      for (int i = 0; i < 14; ++i) CHECK(reference::near(out[i], reference::evaluate(program, left, i, right, i), 1e-13));
    }
  }
}

TEST(sparse_refuses_what_needs_dense_rows) {
  Random random(5);
  const Matrix x = sparse_matrix(random, 4, 5);
  Sample sparse(4), dense(4);
  sparse.csr(x);
  dense.dense(x);
  for (const Op op : {Op::min_product, Op::power_sum, Op::anova_dot, Op::anova_rbf}) {
    const Program program({{op, 0, 1, 1}}, {});
    CHECK_THROWS(std::invalid_argument, mercer::Problem<double>(program, sparse.side(), sparse.side(), {}));
  }
  const Program interactions({{Op::interactions, 0, 0, 0}}, {1, 5, 0, 1, 0, 1, 1, 1, 1, 1, 1}),
      narrow({{Op::interactions, 0, 0, 0}}, {1, 1, 0, 1, 0, 1, 1});
  CHECK_THROWS(std::invalid_argument, mercer::Problem<double>(interactions, sparse.side(), sparse.side(), {}));
  CHECK_THROWS(std::invalid_argument, mercer::Problem<double>(narrow, dense.side(), dense.side(), {}));  // of another number of columns
  const Program dot({{Op::dot, 0, 0, 0}}, {});
  CHECK_THROWS(std::invalid_argument, mercer::Problem<double>(dot, sparse.side(), dense.side(), {}));
  CHECK_THROWS(std::invalid_argument, mercer::Problem<float>(dot, dense.side(), sparse.side(), {}));
}

}  // namespace
