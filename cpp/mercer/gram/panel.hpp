// A panel: some consecutive rows of one side, copied into the form the inner loops read.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "mercer/gram/operand.hpp"
#include "mercer/gram/program.hpp"
#include "mercer/gram/sparse_panel.hpp"
#include "mercer/runtime/parallel.hpp"

namespace mercer {

enum class Place { left, right };

// What a program wants from each operand; found once per call.
struct Need {
  bool inner = false;        // inner products: centred rows with norms
  bool coordinates = false;  // coordinate sources: rows as they are
  std::size_t source = 0;    // the operand whose inner products serve: itself, or an earlier one over the same rows
};

std::vector<Need> needs_of(const Program& program, const Side& left, const Side& right);

// All rows of the left side, centred and scaled once for a whole call: left panels then only point into them.
template <class T>
class LeftRows {
 public:
  // Packs if it is worth it: the rows are read by several column tiles, and all of them take at most 64 MB.
  LeftRows(const Side& side, const std::vector<Need>& needs, std::int64_t column_tiles, TaskLoop& loop);
  // Rows from `first` on (m × d), or null if they are not packed; and their squared norms.
  const T* rows(std::size_t operand, std::int64_t first) const;
  const T* norms(std::size_t operand, std::int64_t first) const { return packed_[operand].norms.data() + first; }

 private:
  struct Packed {
    std::int64_t d = 0;
    std::unique_ptr<T[]> rows;  // not a vector: the threads that write it touch its pages first
    std::vector<T> norms;
  };
  std::vector<Packed> packed_;
};

template <class T>
struct Panel {
  struct Form {
    const T* rows = nullptr;             // (x − centre)·scale; left: m × d, right: in chunks of `lanes` with zero rows at the end
    const T* norms = nullptr;            // ‖(x − centre)·scale‖²
    std::vector<T> own_rows, own_norms;  // what they point to, unless the rows of the whole side are packed
    std::vector<T> plain;                // x, laid out alike
    std::vector<T> scale;                // of the coordinates, or empty
    SparsePanel<T> sparse;               // right side of a CSR operand
  };
  std::int64_t first = 0, m = 0;
  std::vector<Form> forms;
  std::vector<std::vector<T>> factors;

  void load(const Side& side, const std::vector<Need>& needs, Place place, std::int64_t first_row, std::int64_t rows,
            const LeftRows<T>* packed = nullptr);
};

// Σ_k (scale_k (x_k − z_k))² from the raw numbers, in double: exact where inner products cancel.
double exact_sqdist(const Operand& a, std::int64_t i, const Operand& b, std::int64_t j);
// One number of a dense view as double.
double element(const DenseView& v, std::int64_t row, std::int64_t k);

extern template class LeftRows<float>;
extern template class LeftRows<double>;
extern template struct Panel<float>;
extern template struct Panel<double>;

}  // namespace mercer
