// What the bindings share: arrays as the core sees them, one side of a pairwise evaluation, work without the GIL.
#pragma once

#include <nanobind/ndarray.h>

#include <optional>
#include <stdexcept>
#include <vector>

#include "mercer/gram/operand.hpp"
#include "mercer/runtime/parallel.hpp"

namespace mercer::bindings {

namespace nb = nanobind;

using Matrix = nb::ndarray<nb::ro, nb::ndim<2>, nb::device::cpu>;  // float32 or float64, any strides
using Flat = nb::ndarray<nb::ro, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Doubles = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Integers = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Output = nb::ndarray<T, nb::ndim<2>, nb::device::cpu>;
template <class T>
using Input = nb::ndarray<const T, nb::ndim<2>, nb::device::cpu>;

inline void require(bool holds, const char* what) {
  if (!holds) throw std::invalid_argument(what);
}

inline bool is_single(const nb::dlpack::dtype& type) {
  if (type == nb::dtype<float>()) return true;
  require(type == nb::dtype<double>(), "expected float32 or float64 numbers");
  return false;
}

inline mercer::DenseView view_of(const Matrix& x) { return {x.data(), is_single(x.dtype()), x.stride(0), x.stride(1)}; }

// Whether offsets rise from 0 to the number of entries and every index lies in [0, d): with anything else, the core
// would read outside the arrays. Sums of comparisons instead of early exits, so that the loops are vectorised.
template <class Index>
bool is_sound_csr(const Index* indptr, std::size_t rows, const Index* indices, std::size_t entries, std::int64_t d) {
  if (indptr[0] != 0 || static_cast<std::size_t>(indptr[rows]) != entries) return false;
  bool falls = false, outside = false;
  for (std::size_t i = 0; i < rows; ++i) falls |= indptr[i + 1] < indptr[i];
  for (std::size_t i = 0; i < entries; ++i) outside |= (indices[i] < 0) | (static_cast<std::int64_t>(indices[i]) >= d);
  return !falls && !outside;
}

// A side together with the arrays its views point into.
class OwnedSide {
 public:
  explicit OwnedSide(std::int64_t n) { side_.n = rows_ = n; }

  void add_dense(Matrix right, std::optional<Matrix> left, std::optional<Doubles> centre, std::optional<Doubles> scale) {
    const auto d = static_cast<std::int64_t>(right.shape(1));
    require(static_cast<std::int64_t>(right.shape(0)) == rows_, "an operand needs one row per sample");
    require(!left || (left->shape(0) == right.shape(0) && left->shape(1) == right.shape(1)), "left and right must have one shape");
    require((!centre || static_cast<std::int64_t>(centre->shape(0)) == d) && (!scale || static_cast<std::int64_t>(scale->shape(0)) == d),
            "centre and scale need one number per column");
    mercer::Operand o;
    o.d = d;
    o.right = view_of(right);
    o.left = left ? view_of(*left) : o.right;
    o.centre = centre ? centre->data() : nullptr;
    o.scale = scale ? scale->data() : nullptr;
    side_.operands.push_back(o);
    keep(right, left, centre, scale);
  }

  void add_csr(Flat indptr, Flat indices, Flat values, std::int64_t d, std::optional<Doubles> scale) {
    require(!scale || static_cast<std::int64_t>(scale->shape(0)) == d, "scale needs one number per column");
    mercer::Operand o;
    o.storage = mercer::Storage::csr;
    o.d = d;
    o.csr.wide = indptr.dtype() == nb::dtype<std::int64_t>();
    require(indptr.dtype() == indices.dtype() && (o.csr.wide || indptr.dtype() == nb::dtype<std::int32_t>()),
            "indptr and indices must both be int32 or both int64");
    require(static_cast<std::int64_t>(indptr.shape(0)) == rows_ + 1 && indices.shape(0) == values.shape(0), "the CSR arrays do not fit together");
    const auto rows = static_cast<std::size_t>(rows_), entries = indices.shape(0);
    require(o.csr.wide
                ? is_sound_csr(static_cast<const std::int64_t*>(indptr.data()), rows, static_cast<const std::int64_t*>(indices.data()), entries, d)
                : is_sound_csr(static_cast<const std::int32_t*>(indptr.data()), rows, static_cast<const std::int32_t*>(indices.data()), entries, d),
            "the CSR arrays hold offsets or indices outside the matrix");
    o.csr.indptr = indptr.data();
    o.csr.indices = indices.data();
    o.csr.values = values.data();
    o.csr.single = is_single(values.dtype());
    o.scale = scale ? scale->data() : nullptr;
    side_.operands.push_back(o);
    keep(indptr, indices, values, scale);
  }

  void add_factor(Doubles factor) {
    require(static_cast<std::int64_t>(factor.shape(0)) == rows_, "a factor needs one number per sample");
    side_.factors.push_back(factor.data());
    keep(factor);
  }

  // The same data seen through a choice of rows.
  OwnedSide select(Integers rows) const {
    for (std::size_t i = 0; i < rows.shape(0); ++i) require(rows.data()[i] >= 0 && rows.data()[i] < rows_, "a row number lies outside the data");
    OwnedSide chosen = *this;
    chosen.side_.selection = rows.data();
    chosen.side_.n = static_cast<std::int64_t>(rows.shape(0));
    chosen.keep(rows);
    return chosen;
  }

  const mercer::Side& side() const { return side_; }

 private:
  template <class... A>
  void keep(const A&... arrays) {
    (owners_.push_back(nb::cast(arrays)), ...);
  }

  mercer::Side side_;
  std::int64_t rows_;
  std::vector<nb::object> owners_;
};

// A Python function that raises if the computation of its thread is to end: signals reach the main thread only. Never released.
inline nb::handle& question() {
  static nb::handle function;
  return function;
}

// Ctrl-C: asked on the calling thread, which holds no GIL while it works.
inline bool signalled() {
  nb::gil_scoped_acquire gil;
  if (PyErr_CheckSignals() != 0) return true;
  if (!question().is_valid()) return false;
  PyObject* answer = PyObject_CallNoArgs(question().ptr());
  Py_XDECREF(answer);
  return answer == nullptr;
}

template <class Work>
void without_gil(Work&& work) {
  bool interrupted = false;
  {
    nb::gil_scoped_release release;
    try {
      work();
    } catch (const mercer::Interrupted&) {
      interrupted = true;
    }
  }
  if (interrupted) throw nb::python_error();  // signalled has set the exception
}

}  // namespace mercer::bindings
