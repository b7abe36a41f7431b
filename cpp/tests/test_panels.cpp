// Panels and tiles: rows of any storage brought into the form of the inner loops, and one tile computed from them.
#include <cmath>

#include "check.hpp"
#include "mercer/gram/tile.hpp"
#include "reference.hpp"

namespace {

using mercer::Op;
using mercer::Program;
using mercer::Step;
using reference::Layout;
using reference::Matrix;
using reference::Numbers;
using reference::Random;
using reference::Sample;

const Step all_sources[] = {{Op::dot, 0, 0, 0},           {Op::sqdist, 0, 0, 0},      {Op::l1, 0, 0, 0},         {Op::chi2, 0, 0, 0},
                            {Op::additive_chi2, 0, 0, 0}, {Op::min_sum, 0, 0, 0},     {Op::mismatch, 0, 0, 0},   {Op::min_product, 0, 0, 0},
                            {Op::anova_dot, 0, 3, 0},     {Op::anova_rbf, 0, 2, 0.5}, {Op::power_sum, 0, 1.3, 0}};

// The tile of rows [i0, i0 + m) and [j0, j0 + n), in an output wider than the tile, against pair by pair.
template <class T>
void check_tile(const Program& program, const Sample& left, const Sample& right, std::int64_t i0, std::int64_t m, std::int64_t j0, std::int64_t n) {
  const mercer::Problem<T> problem(program, left.side(), right.side(), {});
  mercer::Tile<T> tile(problem);
  tile.load_right(j0, n);
  tile.load_left(i0, m);
  const std::int64_t ld = n + 3;
  std::vector<T> out(static_cast<std::size_t>(m * ld), T(-5));
  tile.evaluate(out.data(), ld);
  for (std::int64_t i = 0; i < m; ++i)
    for (std::int64_t j = 0; j < ld; ++j) {
      const T got = out[static_cast<std::size_t>(i * ld + j)];
      if (j >= n) CHECK(got == T(-5));
      else CHECK(reference::near(got, reference::evaluate(program, left, i0 + i, right, j0 + j), reference::tolerance<T>));
    }
}

template <class T>
void check_tile(const Program& program, const Sample& left, const Sample& right) {
  check_tile<T>(program, left, right, 0, left.side().n, 0, right.side().n);
}

TEST(panel_element_reads_every_layout) {
  Random random(0);
  const Matrix x = reference::random_matrix(random, 5, 3, -1, 1);
  for (const Layout layout : reference::layouts)
    for (const bool single : {false, true}) {
      Sample sample(5);
      sample.dense(x, layout, single);
      for (std::int64_t i = 0; i < 5; ++i)
        for (std::int64_t k = 0; k < 3; ++k) CHECK(mercer::element(sample.side().operands[0].right, i, k) == x(i, k));
    }
}

TEST(tile_sources_on_ragged_sizes) {
  Random random(1);
  for (const std::int64_t n : {1, 7, 16, 35})
    for (const std::int64_t d : {1, 3, 17}) {
      const Matrix x = reference::random_matrix(random, 9, d, 0, 1, 0.3), z = reference::random_matrix(random, n, d, 0, 1, 0.3);
      Sample left(9), right(n);
      left.dense(x);
      right.dense(z);
      for (const Step& s : all_sources) {
        check_tile<double>(Program({s}, {}), left, right);
        check_tile<float>(Program({s}, {}), left, right);
      }
    }
}

TEST(tile_sources_on_every_layout) {
  Random random(2);
  const Matrix x = reference::random_matrix(random, 6, 5, 0, 1, 0.3), z = reference::random_matrix(random, 19, 5, 0, 1, 0.3);
  for (const Layout layout : reference::layouts)
    for (const bool single : {false, true}) {
      Sample left(6), right(19);
      left.dense(x, layout, single);
      right.dense(z, Layout::columns, !single);  // the sides need not be stored alike
      for (const Step& s : all_sources) {
        check_tile<double>(Program({s}, {}), left, right);
        check_tile<float>(Program({s}, {}), left, right);
      }
    }
}

TEST(tile_reuses_its_memory_for_other_panels) {
  Random random(3);
  Sample sample(40);
  sample.dense(reference::random_matrix(random, 40, 4, -1, 1));
  const Program program({{Op::sqdist, 0, 0, 0}, {Op::l1, 0, 0, 0}, {Op::multiply, 0, 0, 0}}, {});
  const mercer::Problem<double> problem(program, sample.side(), sample.side(), {});
  mercer::Tile<double> tile(problem);
  const std::int64_t parts[][4] = {{0, 30, 0, 40}, {5, 2, 33, 7}, {0, 1, 0, 1}, {10, 30, 3, 17}};
  for (const auto& [i0, m, j0, n] : parts) {
    std::vector<double> out(static_cast<std::size_t>(m * n));
    tile.load_right(j0, n);
    tile.load_left(i0, m);
    tile.evaluate(out.data(), n);
    for (std::int64_t i = 0; i < m; ++i)
      for (std::int64_t j = 0; j < n; ++j)
        CHECK(reference::near(out[static_cast<std::size_t>(i * n + j)], reference::evaluate(program, sample, i0 + i, sample, j0 + j), 1e-12));
  }
}

// Centring changes the way to a distance, not its value. Operands that look at the same rows share their products.
TEST(tile_distances_are_centred_and_operands_shared) {
  Random random(4);
  const Matrix x = reference::random_matrix(random, 21, 6, 4, 6), z = reference::random_matrix(random, 18, 6, 4, 6);
  Sample left(21), right(18);
  left.dense(x).again().again().centre(Numbers(6, 5.0)).again();
  right.dense(z).again().again().centre(Numbers(6, 5.0)).again();
  const Program program({{Op::dot, 1, 0, 0},
                         {Op::sqdist, 3, 0, 0},
                         {Op::exp, 0, -0.3, 0},
                         {Op::multiply, 0, 0, 0},
                         {Op::l1, 0, 0, 0},
                         {Op::add, 0, 0, 0},
                         {Op::dot, 0, 0, 0},
                         {Op::add, 0, 0, 0},
                         {Op::sqdist, 2, 0, 0},
                         {Op::add, 0, 0, 0}},
                        {});
  check_tile<double>(program, left, right);
  check_tile<float>(program, left, right);
}

TEST(tile_scaled_distances) {
  Random random(5);
  const Matrix x = reference::random_matrix(random, 8, 3, 0, 1), z = reference::random_matrix(random, 20, 3, 0, 1);
  const Numbers scale{0.5, 2, 0}, centre{0.5, 0.25, 1};
  for (const bool centred : {false, true}) {
    Sample left(8), right(20);
    left.dense(x).scale(scale);
    right.dense(z).scale(scale);
    if (centred) left.centre(centre), right.centre(centre);
    for (const Op op : {Op::sqdist, Op::l1}) {
      check_tile<double>(Program({{op, 0, 0, 0}}, {}), left, right);
      check_tile<float>(Program({{op, 0, 0, 0}}, {}), left, right);
    }
  }
}

TEST(tile_left_takes_the_place_of_right) {
  Random random(6);
  const Matrix x = reference::random_matrix(random, 7, 4, -1, 1), xa = reference::random_matrix(random, 7, 4, -1, 1);
  Sample left(7), right(7);
  left.dense(x).left(xa);
  right.dense(x).left(xa);
  check_tile<double>(Program({{Op::dot, 0, 0, 0}}, {}), left, right);
  check_tile<float>(Program({{Op::dot, 0, 0, 0}}, {}), left, right);
}

// Points 1e-6 apart at an offset of 1e6: the distance must come from the differences, to the last digits.
template <class T>
void close_pairs(double offset, double step) {
  Matrix x(30, 3);
  Random random(7);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (double& v : x.values) v = offset + step * uniform(random);
  for (std::int64_t k = 0; k < 3; ++k) x(29, k) = x(28, k);
  x(0, 0) = -offset;  // one far away, so that the centre helps nobody
  Sample sample(30);
  sample.dense(x).centre(Numbers(3, 0.5 * offset));
  const Program program({{Op::sqdist, 0, 0, 0}}, {});
  const mercer::Problem<T> problem(program, sample.side(), sample.side(), {});
  mercer::Tile<T> tile(problem);
  std::vector<T> out(900);
  tile.load_right(0, 30);
  tile.load_left(0, 30);
  tile.evaluate(out.data(), 30);
  for (std::int64_t i = 0; i < 30; ++i)
    for (std::int64_t j = 0; j < 30; ++j) {
      const long double want = reference::evaluate(program, sample, i, sample, j);
      const double error = sizeof(T) == 8 ? 1e-11 : 1e-4;
      CHECK(std::abs(out[static_cast<std::size_t>(i * 30 + j)] - want) <= error * want);  // 0 stays exactly 0
    }
}

TEST(tile_close_pairs_are_recomputed) {
  close_pairs<double>(1e6, 1e-6);
  close_pairs<float>(1e6, 1e-6);
  close_pairs<double>(1, 1e-12);
  close_pairs<float>(1000, 1);
}

// Norms and products overflow where the distance itself may not be told from them.
TEST(tile_distances_survive_overflowing_norms) {
  Matrix x(3, 1);
  x(0, 0) = 1e200;
  x(1, 0) = 2e200;
  x(2, 0) = 1e200;
  Sample sample(3);
  sample.dense(x);
  const Program program({{Op::sqdist, 0, 0, 0}, {Op::exp, 0, -1, 0}}, {});
  const mercer::Problem<double> problem(program, sample.side(), sample.side(), {});
  mercer::Tile<double> tile(problem);
  double out[9];
  tile.load_right(0, 3);
  tile.load_left(0, 3);
  tile.evaluate(out, 3);
  CHECK(out[0] == 1 && out[2] == 1);
  CHECK(out[1] == 0 && out[3] == 0);
}

}  // namespace
