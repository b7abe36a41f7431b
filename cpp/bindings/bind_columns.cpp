#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>

#include <algorithm>
#include <optional>

#include "bindings.hpp"
#include "mercer/gram/columns.hpp"
#include "side.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace mercer::bindings;

namespace {

using DoublesOut = nb::ndarray<double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

mercer::Strided<double> strided(const Input<double>& a) { return {a.data(), a.stride(0), a.stride(1)}; }

void column_slopes(Input<double> x, Input<double> z, Input<double> v, bool symmetric, Integers chosen, std::int64_t numerical,
                   std::optional<Doubles> weights, double p, double g, std::optional<DoublesOut> totals, std::optional<DoublesOut> sums,
                   int threads) {
  const auto columns = static_cast<std::int64_t>(chosen.shape(0));
  require(x.shape(1) == z.shape(1) && v.shape(0) == x.shape(0) && v.shape(1) == z.shape(0), "x, z and v do not fit together");
  require(numerical >= 0 && numerical <= columns && p > 0 && g > 0, "expected numerical columns first, and positive exponents");
  require(std::all_of(chosen.data(), chosen.data() + columns, [&](std::int64_t k) { return k >= 0 && k < static_cast<std::int64_t>(x.shape(1)); }),
          "a chosen column lies outside the data");
  require(!weights || static_cast<std::int64_t>(weights->shape(0)) == columns, "weights needs one number per chosen column");
  require((!totals || (weights && totals->shape(0) == 3)) && (!sums || static_cast<std::int64_t>(sums->shape(0)) == columns),
          "totals needs three numbers and weights, sums one number per chosen column");
  mercer::ColumnPairs pairs{
      strided(x), strided(z), static_cast<std::int64_t>(x.shape(0)),    static_cast<std::int64_t>(z.shape(0)),
      strided(v), symmetric,  {chosen.data(), chosen.data() + columns}, {weights ? weights->data() : nullptr, columns, numerical, p, g}};
  without_gil([&] { mercer::column_slopes(pairs, totals ? totals->data() : nullptr, sums ? sums->data() : nullptr, {threads, signalled}); });
}

}  // namespace

void bind_columns(nb::module_& m) {
  m.def("column_slopes", &column_slopes, "x"_a.noconvert(), "z"_a.noconvert(), "v"_a.noconvert(), "symmetric"_a, "chosen"_a.noconvert(),
        "numerical"_a, "weights"_a.noconvert().none(), "p"_a, "g"_a, "totals"_a.noconvert().none(), "sums"_a.noconvert().none(), "threads"_a);
}
