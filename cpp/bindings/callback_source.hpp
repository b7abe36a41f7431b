// Rows of a kernel that lives in Python: one call per block, never one per entry.
#pragma once

#include <nanobind/ndarray.h>

#include <algorithm>
#include <vector>

#include "mercer/rows/row_source.hpp"
#include "side.hpp"

namespace mercer::bindings {

class CallbackSource final : public mercer::RowSource {
 public:
  // block(rows, columns) returns K[rows, columns] in float64; columns is None for all of them.
  CallbackSource(std::int64_t n, nb::callable block, Doubles diagonal) : n_(n), block_(std::move(block)), diagonal_(std::move(diagonal)) {
    require(static_cast<std::int64_t>(diagonal_.shape(0)) == n, "the diagonal needs one number per sample");
  }
  std::int64_t n() const override { return selected_ ? static_cast<std::int64_t>(selection_.size()) : n_; }
  void diagonal(double* out) override {
    for (std::int64_t i = 0; i < n(); ++i) out[i] = diagonal_.data()[at(i)];
  }
  void rows(Rows rows, float* out, std::int64_t ld, const Execution&) override { copy(rows, all(), out, ld); }
  void rows(Rows rows, double* out, std::int64_t ld, const Execution&) override { copy(rows, all(), out, ld); }
  void dense(float* out, std::int64_t ld, const Execution&) override { panels(out, ld); }
  void dense(double* out, std::int64_t ld, const Execution&) override { panels(out, ld); }
  void block(Rows rows, Rows cols, double* out, std::int64_t ld, const Execution&) override { copy(rows, cols, out, ld); }

  void product(Rows rows, const double* v, Rows cols, double* out, const Execution&) override {
    const auto columns = cols.empty() ? all() : std::vector<std::int64_t>(cols.begin(), cols.end());
    const std::size_t step = panel(columns.size());
    std::vector<double> part(std::min(step, rows.size()) * columns.size());
    std::fill_n(out, columns.size(), 0.0);
    for (std::size_t first = 0; first < rows.size(); first += step) {
      const Rows here = rows.subspan(first, std::min(step, rows.size() - first));
      copy(here, columns, part.data(), static_cast<std::int64_t>(columns.size()));
      for (std::size_t r = 0; r < here.size(); ++r)
        for (std::size_t c = 0; c < columns.size(); ++c) out[c] += v[first + r] * part[r * columns.size() + c];
    }
  }

  std::unique_ptr<mercer::RowSource> subset(Rows rows) override {
    nb::gil_scoped_acquire gil;
    auto part = std::make_unique<CallbackSource>(n_, block_, diagonal_);
    part->selected_ = true;
    for (const std::int64_t r : rows) part->selection_.push_back(at(r));
    return part;
  }
  bool dear() const override { return true; }
  bool concurrent() const override { return false; }

  ~CallbackSource() override {
    nb::gil_scoped_acquire gil;
    block_ = {};
    diagonal_ = {};
  }

 private:
  static std::size_t panel(std::size_t columns) {
    return std::max<std::size_t>(1, (std::size_t{32} << 20) / (8 * std::max<std::size_t>(columns, 1)));
  }
  std::int64_t at(std::int64_t i) const { return selected_ ? selection_[static_cast<std::size_t>(i)] : i; }
  std::vector<std::int64_t> all() const {
    std::vector<std::int64_t> list(static_cast<std::size_t>(n()));
    for (std::size_t i = 0; i < list.size(); ++i) list[i] = static_cast<std::int64_t>(i);
    return list;
  }
  nb::object indices(Rows rows) const {
    auto* data = new std::int64_t[rows.size() + 1];
    for (std::size_t i = 0; i < rows.size(); ++i) data[i] = at(rows[i]);
    nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<std::int64_t*>(p); });
    return nb::cast(nb::ndarray<nb::numpy, std::int64_t, nb::ndim<1>>(data, {rows.size()}, owner));
  }
  template <class T>
  void copy(Rows rows, const std::vector<std::int64_t>& cols, T* out, std::int64_t ld) {
    copy(rows, Rows(cols), out, ld);
  }
  template <class T>
  void copy(Rows rows, Rows cols, T* out, std::int64_t ld) {
    nb::gil_scoped_acquire gil;
    const bool whole = !selected_ && static_cast<std::int64_t>(cols.size()) == n_ && std::is_sorted(cols.begin(), cols.end());
    const nb::object values = block_(indices(rows), whole ? nb::none() : indices(cols));
    const auto array = nb::cast<nb::ndarray<const double, nb::ndim<2>, nb::device::cpu>>(values);
    require(array.shape(0) == rows.size() && array.shape(1) == cols.size(), "a block of kernel values has the wrong shape");
    for (std::size_t r = 0; r < rows.size(); ++r)
      for (std::size_t c = 0; c < cols.size(); ++c)
        out[static_cast<std::int64_t>(r) * ld + static_cast<std::int64_t>(c)] =
            static_cast<T>(array.data()[static_cast<std::int64_t>(r) * array.stride(0) + static_cast<std::int64_t>(c) * array.stride(1)]);
  }
  template <class T>
  void panels(T* out, std::int64_t ld) {
    const auto list = all();
    const std::size_t step = panel(list.size());
    for (std::size_t first = 0; first < list.size(); first += step)
      copy(Rows(list).subspan(first, std::min(step, list.size() - first)), Rows(list), out + static_cast<std::int64_t>(first) * ld, ld);
  }

  std::int64_t n_;
  bool selected_ = false;
  std::vector<std::int64_t> selection_;
  nb::callable block_;
  Doubles diagonal_;
};

}  // namespace mercer::bindings
