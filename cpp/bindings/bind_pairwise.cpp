#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <span>
#include <stdexcept>

#include "bindings.hpp"
#include "mercer/gram/pairwise.hpp"
#include "side.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace mercer::bindings;

namespace {

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
void declare_pairwise(nb::module_& m) {
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
      "grouped_matmul",
      [](const mercer::Program& program, const OwnedSide& left, const OwnedSide& right,
         nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu> starts,
         nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu> v, nb::ndarray<double, nb::ndim<3>, nb::c_contig, nb::device::cpu> out,
         int threads) {
        const auto &l = left.side(), &r = right.side();
        require(starts.shape(0) == out.shape(0) + 1 && static_cast<std::int64_t>(v.shape(0)) == r.n &&
                    static_cast<std::int64_t>(out.shape(1)) == l.n && v.shape(1) == out.shape(2),
                "starts, v and out do not fit the operator");
        mercer::Problem<T> problem(program, l, r, {});
        const std::span<const std::int64_t> groups(starts.data(), starts.shape(0));
        const T* vectors = v.data();
        double* data = out.data();
        const auto columns = static_cast<std::int64_t>(v.shape(1));
        without_gil([&] { mercer::grouped_matmul(problem, groups, vectors, columns, data, {threads, signalled}); });
      },
      "program"_a, "left"_a, "right"_a, "starts"_a.noconvert(), "v"_a.noconvert(), "out"_a.noconvert(), "threads"_a);
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
      .value("dot", mercer::Op::dot)
      .value("sqdist", mercer::Op::sqdist)
      .value("l1", mercer::Op::l1)
      .value("chi2", mercer::Op::chi2)
      .value("additive_chi2", mercer::Op::additive_chi2)
      .value("min_sum", mercer::Op::min_sum)
      .value("mismatch", mercer::Op::mismatch)
      .value("min_product", mercer::Op::min_product)
      .value("power_sum", mercer::Op::power_sum)
      .value("anova_dot", mercer::Op::anova_dot)
      .value("anova_rbf", mercer::Op::anova_rbf)
      .value("interactions", mercer::Op::interactions)
      .value("input", mercer::Op::input)
      .value("constant", mercer::Op::constant)
      .value("affine", mercer::Op::affine)
      .value("exp", mercer::Op::exp)
      .value("sqrt", mercer::Op::sqrt)
      .value("power_int", mercer::Op::power_int)
      .value("power", mercer::Op::power)
      .value("tanh", mercer::Op::tanh)
      .value("log1p", mercer::Op::log1p)
      .value("matern32", mercer::Op::matern32)
      .value("matern52", mercer::Op::matern52)
      .value("rational_quadratic", mercer::Op::rational_quadratic)
      .value("polynomial", mercer::Op::polynomial)
      .value("is_zero", mercer::Op::is_zero)
      .value("outer_scale", mercer::Op::outer_scale)
      .value("outer_ratio", mercer::Op::outer_ratio)
      .value("add", mercer::Op::add)
      .value("multiply", mercer::Op::multiply);

  using Steps = std::vector<std::tuple<mercer::Op, std::int32_t, double, double>>;
  nb::class_<mercer::Program>(m, "Program")
      .def(
          "__init__",
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
      .def("add_csr", &OwnedSide::add_csr, "indptr"_a.noconvert(), "indices"_a.noconvert(), "values"_a.noconvert(), "d"_a,
           "scale"_a.noconvert().none() = nb::none())
      .def("add_factor", &OwnedSide::add_factor, "factor"_a.noconvert())
      .def("select", &OwnedSide::select, "rows"_a.noconvert());

  declare_pairwise<float>(m);
  declare_pairwise<double>(m);
}
