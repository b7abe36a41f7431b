// Rows of a matrix that is in memory, or of some of its rows and columns.
#pragma once

#include <type_traits>
#include <vector>

#include "mercer/rows/row_source.hpp"

namespace mercer {

template <class T>
class MatrixSource final : public RowSource {
 public:
  // K of order n, rows contiguous at distance ld. `exact`, if given, is the source the matrix was rounded from; products and
  // blocks in double then come from it.
  MatrixSource(const T* matrix, std::int64_t ld, std::int64_t n, RowSource* exact = nullptr) : matrix_(matrix), ld_(ld), n_(n), exact_(exact) {}
  std::int64_t n() const override { return n_; }
  void diagonal(double* out) override;
  void rows(Rows rows, float* out, std::int64_t ld, const Execution& execution) override;
  void rows(Rows rows, double* out, std::int64_t ld, const Execution& execution) override;
  void dense(float* out, std::int64_t ld, const Execution& execution) override;
  void dense(double* out, std::int64_t ld, const Execution& execution) override;
  void block(Rows rows, Rows cols, double* out, std::int64_t ld, const Execution& execution) override;
  void product(Rows rows, const double* v, Rows cols, double* out, const Execution& execution) override;
  void self_product(Rows rows, const double* v, double* out, const Execution& execution) override {
    exact_ ? exact_->self_product(rows, v, out, execution) : product(rows, v, rows, out, execution);
  }
  const float* held(float, std::int64_t* ld) const override { return held_as<float>(ld); }
  const double* held(double, std::int64_t* ld) const override { return held_as<double>(ld); }
  std::unique_ptr<RowSource> subset(Rows rows) override;
  bool prefers_float() const override { return sizeof(T) == 4; }
  bool cheap() const override { return true; }

 private:
  template <class U>
  const U* held_as(std::int64_t* ld) const {
    if constexpr (std::is_same_v<T, U>) {
      if (!selection_.empty()) return nullptr;
      *ld = ld_;
      return matrix_;
    }
    return nullptr;
  }
  template <class U>
  void copy(std::int64_t row, U* out) const;
  std::int64_t at(std::int64_t i) const { return selection_.empty() ? i : selection_[static_cast<std::size_t>(i)]; }

  const T* matrix_;
  std::int64_t ld_, n_;
  RowSource* exact_;
  std::unique_ptr<RowSource> exact_part_;
  std::vector<std::int64_t> selection_;  // of a subset
  struct Run {
    std::int64_t first, length;
  };
  std::vector<Run> runs_;  // the same as runs of consecutive numbers
};

extern template class MatrixSource<float>;
extern template class MatrixSource<double>;

}  // namespace mercer
