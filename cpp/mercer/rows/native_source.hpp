// Rows of a kernel program on vectors, computed where they are needed.
#pragma once

#include <memory>
#include <vector>

#include "mercer/rows/row_source.hpp"

namespace mercer {

class NativeSource final : public RowSource {
 public:
  // The program must have no input blocks.
  NativeSource(const Program& program, const Side& side);
  ~NativeSource() override;
  std::int64_t n() const override { return side_.n; }
  void diagonal(double* out) override;
  void rows(Rows rows, float* out, std::int64_t ld, const Execution& execution) override;
  void rows(Rows rows, double* out, std::int64_t ld, const Execution& execution) override;
  void dense(float* out, std::int64_t ld, const Execution& execution) override;
  void dense(double* out, std::int64_t ld, const Execution& execution) override;
  void block(Rows rows, Rows cols, double* out, std::int64_t ld, const Execution& execution) override;
  void product(Rows rows, const double* v, Rows cols, double* out, const Execution& execution) override;
  void rough_product(Rows rows, const double* v, double* out, const Execution& execution) override;
  void self_product(Rows rows, const double* v, double* out, const Execution& execution) override;
  std::unique_ptr<RowSource> subset(Rows rows) override;
  bool prefers_float() const override { return side_.n > 2048; }  // small ones fit a cache in double

 private:
  // Row numbers of this source as rows of the data.
  std::vector<std::int64_t> translated(Rows rows) const;
  Side view(const std::vector<std::int64_t>& rows) const;
  template <class T>
  void serve(Rows rows, T* out, std::int64_t ld, const Execution& execution);

  const Program& program_;
  Side side_;
  std::vector<std::int64_t> selection_;
  std::unique_ptr<ColumnPanels<float>> single_;  // packed when rows are first asked for
  std::unique_ptr<ColumnPanels<double>> twice_;
};

}  // namespace mercer
