// A block of CSR rows turned into columns, so that one sparse row meets all rows of the block that share a feature.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "mercer/gram/operand.hpp"
#include "mercer/gram/program.hpp"

namespace mercer {

// Calls visit(feature, value) for the nonzeros of a row as they are stored, features ascending.
template <class Visit>
void for_each_nonzero(const CsrView& m, std::int64_t row, Visit&& visit);

// The factor of a feature in distances.
inline double scale_of(const Operand& operand, std::int64_t feature) { return operand.scale ? operand.scale[feature] : 1.0; }

// The entries of some rows, sorted by feature.
class SparseEntries {
 public:
  // out_j = Σ_k s_k g(x_k, z_jk) for a coordinate sum with g(0, 0) = 0: what each row contributes alone, corrected on
  // the features both have. Where little is left of that, it is computed anew from the two rows.
  void coordinate_sum(Op op, const Operand& left, std::int64_t row, double* out) const;

 protected:
  struct Entry {
    std::int32_t row;
    double value;
  };
  // Rows first … first + m of the side; returns their squared norms.
  std::vector<double> sort(const Side& side, int operand, std::int64_t first, std::int64_t m);
  std::pair<std::size_t, std::size_t> range(std::int32_t slot) const {
    return {static_cast<std::size_t>(starts_[static_cast<std::size_t>(slot)]), static_cast<std::size_t>(starts_[static_cast<std::size_t>(slot) + 1])};
  }

  std::vector<std::int32_t> slot_;      // feature → position in starts_, or −1
  std::vector<std::int64_t> features_;  // features present, in slot order
  std::vector<std::int64_t> starts_;
  std::vector<Entry> entries_;
  std::int64_t m_ = 0;

 private:
  std::vector<double> sums_, counts_;
  const Side* side_ = nullptr;
  const Operand* operand_ = nullptr;
  std::int64_t first_ = 0;
};

// The products of many rows with one that has few nonzeros: features that a good part of the block has are kept as dense
// columns, which are added up in registers; the entries of the others are scattered.
template <class T>
class SparsePanel : public SparseEntries {
 public:
  // Rows first … first + m of the side.
  void load(const Side& side, int operand, std::int64_t first, std::int64_t m);

  // out_j = ⟨x, z_j⟩ of the scaled rows, for row x of the left side; padded(m) numbers are written.
  void dot(const Operand& left, std::int64_t row, T* out) const;
  const T* norms() const { return norms_.data(); }

 private:
  std::vector<std::int64_t> column_;  // slot → offset of its column, or −1
  std::vector<T> columns_;            // of features that many rows have
  std::vector<T> norms_;
};

// Sums that fall below this share of what was added and subtracted have lost too many digits.
template <class T>
constexpr T close_share = sizeof(T) == 8 ? T(0x1p-12) : T(0x1p-7);

double sparse_norm(const Operand& a, std::int64_t row);
double sparse_dot(const Operand& a, std::int64_t i, const Operand& b, std::int64_t j);
double sparse_sqdist(const Operand& a, std::int64_t i, const Operand& b, std::int64_t j);
double sparse_coordinate_sum(Op op, const Operand& a, std::int64_t i, const Operand& b, std::int64_t j);
double coordinate_term(Op op, double x, double z);

extern template class SparsePanel<float>;
extern template class SparsePanel<double>;

// ---- implementation of the template -----------------------------------------------------------------------------

template <class Index, class Value, class Visit>
void visit_row(const CsrView& m, std::int64_t row, Visit&& visit) {
  const auto* indptr = static_cast<const Index*>(m.indptr);
  const auto* indices = static_cast<const Index*>(m.indices);
  const auto* values = static_cast<const Value*>(m.values);
  for (std::int64_t p = indptr[row]; p < indptr[row + 1]; ++p) visit(static_cast<std::int64_t>(indices[p]), static_cast<double>(values[p]));
}

template <class Visit>
void for_each_nonzero(const CsrView& m, std::int64_t row, Visit&& visit) {
  if (m.wide) m.single ? visit_row<std::int64_t, float>(m, row, visit) : visit_row<std::int64_t, double>(m, row, visit);
  else m.single ? visit_row<std::int32_t, float>(m, row, visit) : visit_row<std::int32_t, double>(m, row, visit);
}

}  // namespace mercer
