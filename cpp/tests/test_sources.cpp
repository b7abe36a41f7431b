// Row sources against the slow twin: a kernel program on vectors, and matrices in memory.
#include <algorithm>
#include <numeric>
#include <thread>

#include "check.hpp"
#include "mercer/rows/matrix_source.hpp"
#include "mercer/rows/native_source.hpp"
#include "reference.hpp"

namespace {

using mercer::MatrixSource;
using mercer::NativeSource;
using mercer::Op;
using mercer::Program;
using mercer::Rows;
using mercer::RowSource;
using reference::Matrix;
using reference::Numbers;
using reference::Random;
using reference::Sample;

using List = std::vector<std::int64_t>;

Program program() {
  return Program({{Op::sqdist, 0, 0, 0}, {Op::exp, 0, -0.7, 0}, {Op::dot, 0, 0, 0}, {Op::outer_scale, 0, 0, 0}, {Op::add, 0, 0, 0}}, {});
}

void fill(Random& random, Sample& sample, std::int64_t n) {
  sample.dense(reference::random_matrix(random, n, 6, -1, 1)).factor(reference::random_numbers(random, n, 0.5, 1.5));
}

Matrix values(const Program& p, const Sample& sample) {
  const std::int64_t n = sample.side().n;
  Matrix k(n, n);
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j <= i; ++j) k(i, j) = k(j, i) = static_cast<double>(reference::evaluate(p, sample, i, sample, j));
  return k;
}

Matrix chosen(const Matrix& k, const List& rows) {
  const auto m = static_cast<std::int64_t>(rows.size());
  Matrix part(m, m);
  for (std::int64_t i = 0; i < m; ++i)
    for (std::int64_t j = 0; j < m; ++j) part(i, j) = k(rows[static_cast<std::size_t>(i)], rows[static_cast<std::size_t>(j)]);
  return part;
}

// Some row numbers below n, in any order, some of them twice.
List some(Random& random, std::int64_t n, std::size_t count) {
  List rows(count);
  for (auto& r : rows) r = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n));
  if (count > 1) rows.back() = rows.front();
  return rows;
}

List range(std::int64_t first, std::int64_t last) {
  List rows(static_cast<std::size_t>(last - first));
  std::iota(rows.begin(), rows.end(), first);
  return rows;
}

// rows and dense in T; entries between the rows stay as they are.
template <class T>
void check_rows(RowSource& source, const Matrix& k, const List& rows, double tolerance, int threads) {
  constexpr T untouched = T(-77);
  const std::int64_t n = k.n, ld = n + 3;
  std::vector<T> out(rows.size() * static_cast<std::size_t>(ld), untouched), all(static_cast<std::size_t>(n * ld), untouched);
  source.rows(rows, out.data(), ld, {threads, {}});
  source.dense(all.data(), ld, {threads, {}});
  const auto check_row = [&](const T* row, std::int64_t i) {
    for (std::int64_t j = 0; j < n; ++j) CHECK(reference::near(row[j], k(i, j), tolerance));
    for (std::int64_t j = n; j < ld; ++j) CHECK(row[j] == untouched);
  };
  for (std::size_t r = 0; r < rows.size(); ++r) check_row(out.data() + static_cast<std::int64_t>(r) * ld, rows[r]);
  for (std::int64_t i = 0; i < n; ++i) {
    check_row(all.data() + i * ld, i);
    for (std::int64_t j = 0; j < i; ++j) CHECK(all[static_cast<std::size_t>(i * ld + j)] == all[static_cast<std::size_t>(j * ld + i)]);
  }
}

void check_sums(const Matrix& k, const List& rows, const List& cols, const Numbers& v, const Numbers& got, double tolerance) {
  for (std::size_t c = 0; c < cols.size(); ++c) {
    long double want = 0;
    for (std::size_t r = 0; r < rows.size(); ++r) want += static_cast<long double>(k(cols[c], rows[r])) * v[r];
    CHECK(reference::near(got[c], want, tolerance * static_cast<double>(1 + rows.size())));
  }
}

void check_product(RowSource& source, const Matrix& k, const List& rows, const List& cols, const Numbers& v, double tolerance, int threads) {
  const List all = range(0, k.n), &columns = cols.empty() ? all : cols;
  Numbers out(columns.size(), -77.0);
  source.product(rows, v.data(), cols, out.data(), {threads, {}});
  check_sums(k, rows, columns, v, out, tolerance);
}

// How far each answer may be from K.
struct Tolerances {
  double single, twice, diagonal;
};
constexpr Tolerances computed{1e-5, 1e-12, 1e-12};

void check_source(RowSource& source, const Matrix& k, Tolerances tolerance, int threads = 1) {
  Random random(7);
  CHECK(source.n() == k.n);
  Numbers diagonal(static_cast<std::size_t>(k.n));
  source.diagonal(diagonal.data());
  for (std::int64_t i = 0; i < k.n; ++i) CHECK(reference::near(diagonal[static_cast<std::size_t>(i)], k(i, i), tolerance.diagonal));
  for (const std::size_t count : {1u, 2u, 9u, 40u}) {
    const List rows = some(random, k.n, count), cols = some(random, k.n, count / 2 + 1);
    check_rows<float>(source, k, rows, tolerance.single, threads);
    check_rows<double>(source, k, rows, tolerance.twice, threads);
    const std::int64_t ld = static_cast<std::int64_t>(cols.size()) + 2;
    Numbers block(rows.size() * static_cast<std::size_t>(ld), -77.0);
    source.block(rows, cols, block.data(), ld, {threads, {}});
    for (std::size_t r = 0; r < rows.size(); ++r) {
      const double* row = block.data() + static_cast<std::int64_t>(r) * ld;
      for (std::size_t c = 0; c < cols.size(); ++c) CHECK(reference::near(row[c], k(rows[r], cols[c]), tolerance.twice));
      CHECK(row[cols.size()] == -77.0);
    }
    const Numbers v = reference::random_numbers(random, static_cast<std::int64_t>(count), -1, 1);
    check_product(source, k, rows, cols, v, tolerance.twice, threads);
    check_product(source, k, rows, {}, v, tolerance.twice, threads);
    Numbers rough(static_cast<std::size_t>(k.n), -77.0), own(count, -77.0);
    source.rough_product(rows, v.data(), rough.data(), {threads, {}});
    source.self_product(rows, v.data(), own.data(), {threads, {}});
    check_sums(k, rows, range(0, k.n), v, rough, tolerance.single);
    check_sums(k, rows, rows, v, own, tolerance.twice);
  }
}

// Subsets, and subsets of subsets: scattered, repeated, in runs, one row, all in reverse.
void check_subsets(RowSource& source, const Matrix& k, Tolerances tolerance) {
  Random random(8);
  List reversed = range(0, k.n), runs = range(k.n / 2, k.n);
  std::reverse(reversed.begin(), reversed.end());
  const List front = range(0, k.n / 3);
  runs.insert(runs.end(), front.begin(), front.end());
  for (const List& rows : {some(random, k.n, 25), runs, reversed, range(0, k.n), List{k.n - 1}, List(5, k.n / 2)}) {
    const auto part = source.subset(rows);
    const Matrix of_part = chosen(k, rows);
    check_source(*part, of_part, tolerance);
    const List inner = some(random, of_part.n, 11);
    check_source(*part->subset(inner), chosen(of_part, inner), tolerance);
  }
}

TEST(sources_native_serves_a_program) {
  Random random(0);
  const Program p = program();
  for (const std::int64_t n : {1, 3, 70}) {
    Sample sample(n);
    fill(random, sample, n);
    NativeSource source(p, sample.side());
    const Matrix k = values(p, sample);
    check_source(source, k, computed);
    check_source(source, k, computed, 3);  // with the panels packed before
    check_subsets(source, k, computed);
  }
}

TEST(sources_native_over_many_panels) {
  Random random(1);
  const Program p = program();
  const std::int64_t n = 300;
  Sample sample(n);
  fill(random, sample, n);
  NativeSource source(p, sample.side());
  const Matrix k = values(p, sample);
  const List rows = some(random, n, 50);
  check_rows<float>(source, k, rows, computed.single, 2);
  check_rows<double>(source, k, rows, computed.twice, 2);
  check_product(source, k, range(0, n), {}, reference::random_numbers(random, n, -1, 1), computed.twice, 2);
}

TEST(sources_native_on_a_side_with_a_selection) {
  Random random(2);
  const Program p = program();
  Sample sample(40);
  fill(random, sample, 40);
  sample.select({39, 3, 3, 17, 0, 8, 9, 10, 30, 29});
  NativeSource source(p, sample.side());
  const Matrix k = values(p, sample);
  check_source(source, k, computed);
  check_subsets(source, k, computed);
}

TEST(sources_native_subsets_work_side_by_side) {
  Random random(3);
  const Program p = program();
  Sample sample(60);
  fill(random, sample, 60);
  NativeSource source(p, sample.side());
  const Matrix k = values(p, sample);
  CHECK(source.concurrent());
  std::vector<Numbers> out(4, Numbers(30 * 30));
  const auto members = [](std::int64_t part) { return range(10 * part, 10 * part + 30); };
  std::vector<std::thread> threads;
  for (std::int64_t part = 0; part < 4; ++part)
    threads.emplace_back([&, part] {
      const List own = members(part);
      const auto rows = source.subset(own);
      rows->rows(range(0, 30), out[static_cast<std::size_t>(part)].data(), 30, {});
    });
  for (auto& thread : threads) thread.join();
  for (std::int64_t part = 0; part < 4; ++part) {
    const Matrix want = chosen(k, members(part));
    for (std::size_t e = 0; e < want.values.size(); ++e) CHECK(reference::near(out[static_cast<std::size_t>(part)][e], want.values[e], 1e-12));
  }
}

// A symmetric matrix whose rows lie at distance ld; what is between them must not be read.
template <class T>
std::vector<T> stored(const Matrix& k, std::int64_t ld) {
  std::vector<T> held(static_cast<std::size_t>((k.n - 1) * ld + k.n), std::numeric_limits<T>::quiet_NaN());
  for (std::int64_t i = 0; i < k.n; ++i)
    for (std::int64_t j = 0; j < k.n; ++j) held[static_cast<std::size_t>(i * ld + j)] = static_cast<T>(k(i, j));
  return held;
}

// The matrix of a source that has it in memory, with rows at this distance.
template <class T>
const T* held_at(const RowSource& source, std::int64_t distance) {
  std::int64_t ld = 0;
  const T* matrix = source.held(T(), &ld);
  CHECK(ld == distance);
  return matrix;
}

Matrix symmetric(Random& random, std::int64_t n) {
  Matrix k(n, n);
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j <= i; ++j) k(i, j) = k(j, i) = std::uniform_real_distribution<double>(-1, 1)(random);
  return k;
}

TEST(sources_matrix_in_double) {
  Random random(4);
  for (const std::int64_t n : {1, 3, 55}) {
    const Matrix k = symmetric(random, n);
    const auto held = stored<double>(k, n + 2);
    MatrixSource<double> source(held.data(), n + 2, n);
    CHECK(held_at<double>(source, n + 2) == held.data());
    CHECK(held_at<float>(source, 0) == nullptr);
    CHECK(!source.prefers_float() && source.cheap());
    check_source(source, k, {1e-7, 1e-15, 0});
    check_subsets(source, k, {1e-7, 1e-15, 0});
  }
}

TEST(sources_matrix_in_float) {
  Random random(5);
  const std::int64_t n = 48;
  const Matrix k = symmetric(random, n);
  const auto held = stored<float>(k, n);
  Matrix rounded = k;
  for (double& v : rounded.values) v = static_cast<float>(v);
  MatrixSource<float> source(held.data(), n, n);
  CHECK(held_at<float>(source, n) == held.data());
  CHECK(held_at<double>(source, 0) == nullptr);
  CHECK(source.prefers_float());
  check_source(source, rounded, {1e-15, 1e-15, 0});
  check_subsets(source, rounded, {1e-15, 1e-15, 0});
}

// Whatever is asked for in double comes from the exact source; floats are those of the matrix.
TEST(sources_matrix_in_float_beside_the_exact) {
  Random random(6);
  const Program p = program();
  const std::int64_t n = 48;
  Sample sample(n);
  fill(random, sample, n);
  const Matrix k = values(p, sample);
  NativeSource exact(p, sample.side());
  const auto held = stored<float>(k, n);
  MatrixSource<float> source(held.data(), n, n, &exact);
  const Tolerances tolerance{1e-7, 1e-12, 1e-7};
  check_source(source, k, tolerance);
  check_subsets(source, k, tolerance);
}

TEST(sources_subset_of_a_matrix_is_held_if_it_is_all) {
  const Matrix k(4, 4, 1.0);
  MatrixSource<double> source(k.values.data(), 4, 4);
  const List all{0, 1, 2, 3};
  CHECK(held_at<double>(*source.subset(all), 4) == k.values.data());
  for (const List& rows : {List{0, 1, 2}, List{1, 2, 3}, List{3, 2, 1, 0}, List{0, 1, 1, 3}})
    CHECK(held_at<double>(*source.subset(rows), 0) == nullptr);
}

}  // namespace
