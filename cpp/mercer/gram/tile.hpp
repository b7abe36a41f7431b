// One tile of a Gram matrix: a kernel program run on a left and a right panel.
#pragma once

#include <cstdint>
#include <vector>

#include "mercer/gram/panel.hpp"
#include "mercer/gram/row_kernels.hpp"

namespace mercer {

// Everything that stays the same over the tiles of one call.
template <class T>
struct Problem {
  const Program& program;
  const Side& left;
  const Side& right;
  std::vector<Strided<T>> inputs;  // blocks the caller computed, one entry per pair
  std::vector<Need> needs;

  // Throws std::invalid_argument if the sides do not fit the program or each other.
  Problem(const Program& program, const Side& left, const Side& right, std::vector<Strided<T>> inputs);
};

// The working memory of one thread. Load a right panel, then left panels, and evaluate the tile between them.
template <class T>
class Tile {
 public:
  explicit Tile(const Problem<T>& problem, const LeftRows<T>* left_rows = nullptr);
  void load_right(std::int64_t first, std::int64_t n) {
    own_right_.load(problem_.right, problem_.needs, Place::right, first, n);
    right_ = &own_right_;
  }
  // A right panel packed elsewhere, which must stay alive.
  void use_right(const Panel<T>& panel) { right_ = &panel; }
  void load_left(std::int64_t first, std::int64_t m) { left_.load(problem_.left, problem_.needs, Place::left, first, m, left_rows_); }
  // out[i·ld + j] = k(x_i, z_j) over the loaded panels.
  void evaluate(T* out, std::int64_t ld);

 private:
  void source(const Step& step, std::int64_t i, T* out);
  void distances(int operand, std::int64_t i, T* out);

  const Problem<T>& problem_;
  const LeftRows<T>* left_rows_;
  const RowKernels<T>& kernels_;
  Panel<T> left_, own_right_;
  const Panel<T>* right_ = &own_right_;
  std::vector<std::vector<T>> products_;  // inner products per operand, m × padded(n)
  std::vector<std::vector<T>> stack_;     // one row per level
  std::vector<T> sparse_products_;        // of one row, and its coordinate sums
  std::vector<double> sparse_sums_;
};

extern template struct Problem<float>;
extern template struct Problem<double>;
extern template class Tile<float>;
extern template class Tile<double>;

}  // namespace mercer
