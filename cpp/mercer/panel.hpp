// A panel: some consecutive rows of one side, copied into the form the inner loops read.
#pragma once

#include <cstdint>
#include <vector>

#include "mercer/operand.hpp"
#include "mercer/program.hpp"
#include "mercer/sparse_panel.hpp"

namespace mercer {

enum class Place { left, right };

// What a program wants from each operand; found once per call.
struct Need {
  bool inner = false;        // inner products: centred rows with norms
  bool coordinates = false;  // coordinate sources: rows as they are
  std::size_t source = 0;    // the operand whose inner products serve: itself, or an earlier one over the same rows
};

std::vector<Need> needs_of(const Program& program, const Side& left, const Side& right);

template <class T>
struct Panel {
  struct Form {
    std::vector<T> rows;    // (x − centre)·scale; left: m × d, right: in chunks of `lanes` with zero rows at the end
    std::vector<T> norms;   // ‖(x − centre)·scale‖²
    std::vector<T> plain;   // x, laid out alike
    std::vector<T> scale;   // of the coordinates, or empty
    SparsePanel sparse;     // right side of a CSR operand
  };
  std::int64_t first = 0, m = 0;
  std::vector<Form> forms;
  std::vector<std::vector<T>> factors;

  void load(const Side& side, const std::vector<Need>& needs, Place place, std::int64_t first_row, std::int64_t rows);
};

// Σ_k (scale_k (x_k − z_k))² from the raw numbers, in double: exact where inner products cancel.
double exact_sqdist(const Operand& a, std::int64_t i, const Operand& b, std::int64_t j);
// One number of a dense view as double.
double element(const DenseView& v, std::int64_t row, std::int64_t k);

extern template struct Panel<float>;
extern template struct Panel<double>;

}  // namespace mercer
