#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <stdexcept>

#include "bindings.hpp"
#include "mercer/pairwise.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using Rows = nb::ndarray<nb::ro, nb::ndim<2>, nb::device::cpu>;  // float32 or float64, any strides
using Flat = nb::ndarray<nb::ro, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Doubles = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Integers = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Output = nb::ndarray<T, nb::ndim<2>, nb::device::cpu>;
template <class T>
using Input = nb::ndarray<const T, nb::ndim<2>, nb::device::cpu>;

void require(bool holds, const char* what) {
  if (!holds) throw std::invalid_argument(what);
}

bool is_single(const nb::dlpack::dtype& type) {
  if (type == nb::dtype<float>()) return true;
  require(type == nb::dtype<double>(), "expected float32 or float64 numbers");
  return false;
}

mercer::DenseView view_of(const Rows& x) { return {x.data(), is_single(x.dtype()), x.stride(0), x.stride(1)}; }

// A side together with the arrays its views point into.
class OwnedSide {
 public:
  explicit OwnedSide(std::int64_t n) { side_.n = rows_ = n; }

  void add_dense(Rows right, std::optional<Rows> left, std::optional<Doubles> centre, std::optional<Doubles> scale) {
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

// Ctrl-C: asked on the calling thread, which holds no GIL while it works.
bool signalled() {
  nb::gil_scoped_acquire gil;
  return PyErr_CheckSignals() != 0;
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
  if (interrupted) throw nb::python_error();  // PyErr_CheckSignals has set the exception
}

template <class T>
std::vector<mercer::Strided<T>> blocks_of(const std::vector<Input<T>>& inputs, std::int64_t rows, std::int64_t columns) {
  std::vector<mercer::Strided<T>> blocks;
  for (const auto& x : inputs) {
    require(static_cast<std::int64_t>(x.shape(0)) == rows && static_cast<std::int64_t>(x.shape(1)) == columns, "an input block has the wrong shape");
    blocks.push_back({x.data(), x.stride(0), x.stride(1)});
  }
  return blocks;
}

template <class T>
void declare(nb::module_& m) {
  m.def(
      "gram",
      [](const mercer::Program& program, const OwnedSide& left, const OwnedSide& right, bool symmetric, const std::vector<Input<T>>& inputs,
         Output<T> out, int threads) {
        const auto &l = left.side(), &r = right.side();
        require(static_cast<std::int64_t>(out.shape(0)) == l.n && static_cast<std::int64_t>(out.shape(1)) == r.n && (out.stride(1) == 1 || r.n <= 1),
                "out must have one row per left and one contiguous entry per right sample");
        mercer::Problem<T> problem(program, l, r, blocks_of<T>(inputs, l.n, r.n));
        T* data = out.data();
        const std::int64_t ld = out.stride(0);
        without_gil([&] { mercer::gram(problem, symmetric, data, ld, {threads, signalled}); });
      },
      "program"_a, "left"_a, "right"_a, "symmetric"_a, "inputs"_a.noconvert(), "out"_a.noconvert(), "threads"_a);
  m.def(
      "matmul",
      [](const mercer::Program& program, const OwnedSide& left, const OwnedSide& right, bool symmetric,
         nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu> v, nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu> out,
         int threads) {
        const auto &l = left.side(), &r = right.side();
        require(static_cast<std::int64_t>(v.shape(0)) == r.n && static_cast<std::int64_t>(out.shape(0)) == l.n && v.shape(1) == out.shape(1),
                "v and out do not fit the operator");
        mercer::Problem<T> problem(program, l, r, {});
        const T* vectors = v.data();
        double* data = out.data();
        const auto columns = static_cast<std::int64_t>(v.shape(1));
        without_gil([&] { mercer::matmul(problem, symmetric, vectors, columns, data, {threads, signalled}); });
      },
      "program"_a, "left"_a, "right"_a, "symmetric"_a, "v"_a.noconvert(), "out"_a.noconvert(), "threads"_a);
  m.def(
      "paired",
      [](const mercer::Program& program, const OwnedSide& left, const OwnedSide& right, const std::vector<Input<T>>& inputs,
         nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu> out, int threads) {
        const auto &l = left.side(), &r = right.side();
        require(static_cast<std::int64_t>(out.shape(0)) == l.n, "out needs one entry per pair");
        mercer::Problem<T> problem(program, l, r, blocks_of<T>(inputs, l.n, 1));
        T* data = out.data();
        without_gil([&] { mercer::paired(problem, data, {threads, signalled}); });
      },
      "program"_a, "left"_a, "right"_a, "inputs"_a.noconvert(), "out"_a.noconvert(), "threads"_a);
}

}  // namespace

void bind_pairwise(nb::module_& m) {
  nb::enum_<mercer::Op>(m, "Op")
      .value("dot", mercer::Op::dot).value("sqdist", mercer::Op::sqdist).value("l1", mercer::Op::l1).value("chi2", mercer::Op::chi2)
      .value("additive_chi2", mercer::Op::additive_chi2).value("min_sum", mercer::Op::min_sum).value("mismatch", mercer::Op::mismatch)
      .value("min_product", mercer::Op::min_product).value("anova_dot", mercer::Op::anova_dot).value("anova_rbf", mercer::Op::anova_rbf)
      .value("input", mercer::Op::input).value("constant", mercer::Op::constant).value("affine", mercer::Op::affine)
      .value("exp", mercer::Op::exp).value("sqrt", mercer::Op::sqrt).value("power_int", mercer::Op::power_int)
      .value("power", mercer::Op::power).value("tanh", mercer::Op::tanh).value("log1p", mercer::Op::log1p)
      .value("matern32", mercer::Op::matern32).value("matern52", mercer::Op::matern52)
      .value("rational_quadratic", mercer::Op::rational_quadratic).value("polynomial", mercer::Op::polynomial)
      .value("is_zero", mercer::Op::is_zero).value("outer_scale", mercer::Op::outer_scale).value("outer_ratio", mercer::Op::outer_ratio)
      .value("add", mercer::Op::add).value("multiply", mercer::Op::multiply);

  using Steps = std::vector<std::tuple<mercer::Op, std::int32_t, double, double>>;
  nb::class_<mercer::Program>(m, "Program")
      .def("__init__",
           [](mercer::Program* self, const Steps& steps, std::vector<double> pool) {
             std::vector<mercer::Step> list;
             for (const auto& [op, arg, a, b] : steps) list.push_back({op, arg, a, b});
             new (self) mercer::Program(std::move(list), std::move(pool));
           },
           "steps"_a, "pool"_a);

  nb::class_<OwnedSide>(m, "Side")
      .def(nb::init<std::int64_t>(), "n"_a)
      .def("add_dense", &OwnedSide::add_dense, "right"_a.noconvert(), "left"_a.noconvert().none() = nb::none(),
           "centre"_a.noconvert().none() = nb::none(), "scale"_a.noconvert().none() = nb::none())
      .def("add_csr", &OwnedSide::add_csr, "indptr"_a.noconvert(), "indices"_a.noconvert(), "values"_a.noconvert(), "d"_a, "scale"_a.noconvert().none() = nb::none())
      .def("add_factor", &OwnedSide::add_factor, "factor"_a.noconvert())
      .def("select", &OwnedSide::select, "rows"_a.noconvert());

  declare<float>(m);
  declare<double>(m);
}
