#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>

#include <optional>

#include "bindings.hpp"
#include "mercer/linalg/normal_product.hpp"
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

using VectorIn = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class T>
void normal_product(nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu> a, std::optional<VectorIn> scale, MatrixIn v, MatrixOut out,
                    int threads) {
  const auto n = static_cast<std::int64_t>(a.shape(0)), r = static_cast<std::int64_t>(a.shape(1)), t = static_cast<std::int64_t>(v.shape(0));
  require(v.shape(1) == a.shape(1), "v must have an entry for each column of a");
  require(!scale || scale->shape(0) == a.shape(0), "scale must have an entry for each row of a");
  require(out.shape(0) == v.shape(0) && out.shape(1) == v.shape(1), "out has the wrong shape");
  const double* diagonal = scale ? scale->data() : nullptr;
  without_gil([&] { mercer::normal_product(a.data(), n, r, diagonal, v.data(), t, out.data(), threads, signalled); });
}

}  // namespace

void bind_products(nb::module_& m) {
  m.def("symmetric_product", &symmetric_product, "a"_a.noconvert(), "v"_a.noconvert(), "out"_a.noconvert(), "threads"_a);
  m.def("normal_product", &normal_product<float>, "a"_a.noconvert(), "scale"_a.noconvert().none(), "v"_a.noconvert(), "out"_a.noconvert(),
        "threads"_a);
  m.def("normal_product", &normal_product<double>, "a"_a.noconvert(), "scale"_a.noconvert().none(), "v"_a.noconvert(), "out"_a.noconvert(),
        "threads"_a);
}
