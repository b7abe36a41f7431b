#include <nanobind/ndarray.h>

#include "bindings.hpp"
#include "mercer/linalg/symmetric_product.hpp"
#include "side.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace mercer::bindings;

namespace {

using MatrixIn = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using MatrixOut = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

void symmetric_product(MatrixIn a, MatrixIn v, MatrixOut out, int threads) {
  const auto n = static_cast<std::int64_t>(a.shape(0)), b = static_cast<std::int64_t>(v.shape(1));
  require(a.shape(1) == a.shape(0) && v.shape(0) == a.shape(0), "a must be square, with a row of v for each of its own");
  require(out.shape(0) == v.shape(0) && out.shape(1) == v.shape(1), "out has the wrong shape");
  without_gil([&] { mercer::symmetric_product(a.data(), n, v.data(), b, out.data(), threads, signalled); });
}

}  // namespace

void bind_products(nb::module_& m) {
  m.def("symmetric_product", &symmetric_product, "a"_a.noconvert(), "v"_a.noconvert(), "out"_a.noconvert(), "threads"_a);
}
