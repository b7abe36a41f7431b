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

mercer::ColumnPairs pairs_of(const Input<double>& x, const Input<double>& z, const Input<double>& v, bool symmetric, const Integers& chosen) {
  const std::int64_t *begin = chosen.data(), *end = begin + chosen.shape(0);
  require(x.shape(1) == z.shape(1) && v.shape(0) == x.shape(0) && v.shape(1) == z.shape(0), "x, z and v do not fit together");
  require(std::all_of(begin, end, [&](std::int64_t k) { return k >= 0 && k < static_cast<std::int64_t>(x.shape(1)); }),
          "a chosen column lies outside the data");
  return {strided(x), strided(z), static_cast<std::int64_t>(x.shape(0)), static_cast<std::int64_t>(z.shape(0)), strided(v), symmetric, {begin, end}};
}

void column_slopes(Input<double> x, Input<double> z, Input<double> v, bool symmetric, Integers chosen, std::int64_t numerical,
                   std::optional<Doubles> weights, double p, double g, std::optional<DoublesOut> totals, std::optional<DoublesOut> sums,
                   int threads) {
  const auto columns = static_cast<std::int64_t>(chosen.shape(0));
  const mercer::ColumnPairs pairs = pairs_of(x, z, v, symmetric, chosen);
  require(numerical >= 0 && numerical <= columns && p > 0 && g > 0, "expected numerical columns first, and positive exponents");
  require(!weights || static_cast<std::int64_t>(weights->shape(0)) == columns, "weights needs one number per chosen column");
  require((!totals || (weights && totals->shape(0) == 3)) && (!sums || static_cast<std::int64_t>(sums->shape(0)) == columns),
          "totals needs three numbers and weights, sums one number per chosen column");
  const mercer::ColumnTerms terms{weights ? weights->data() : nullptr, columns, numerical, p, g};
  without_gil([&] { mercer::column_slopes(pairs, terms, totals ? totals->data() : nullptr, sums ? sums->data() : nullptr, {threads, signalled}); });
}

void interaction_slopes(Input<double> x, Input<double> z, Input<double> v, bool symmetric, Integers chosen, std::int64_t numerical, double p,
                        Doubles orders, Doubles rates, Doubles shares, DoublesOut sums, int threads) {
  const auto columns = static_cast<std::int64_t>(chosen.shape(0)), degree = static_cast<std::int64_t>(orders.shape(0)) - 1;
  const mercer::ColumnPairs pairs = pairs_of(x, z, v, symmetric, chosen);
  require(degree >= 1 && degree <= mercer::max_anova_degree && p > 0, "expected orders up to 1 to 16, and a positive exponent");
  require(numerical >= 0 && numerical <= columns, "expected numerical columns first");
  require(static_cast<std::int64_t>(rates.shape(0)) == numerical && static_cast<std::int64_t>(shares.shape(0)) == columns * degree,
          "rates needs one number per numerical column, shares one per column and order");
  require(static_cast<std::int64_t>(sums.shape(0)) == degree + 1 + columns + numerical, "sums has the wrong length");
  const mercer::InteractionTerms terms{degree, columns, numerical, p, orders.data(), rates.data(), shares.data()};
  double* out = sums.data();
  without_gil([&] { mercer::interaction_slopes(pairs, terms, out, {threads, signalled}); });
}

}  // namespace

void bind_columns(nb::module_& m) {
  m.def("interaction_slopes", &interaction_slopes, "x"_a.noconvert(), "z"_a.noconvert(), "v"_a.noconvert(), "symmetric"_a, "chosen"_a.noconvert(),
        "numerical"_a, "p"_a, "orders"_a.noconvert(), "rates"_a.noconvert(), "shares"_a.noconvert(), "sums"_a.noconvert(), "threads"_a);
  m.def("column_slopes", &column_slopes, "x"_a.noconvert(), "z"_a.noconvert(), "v"_a.noconvert(), "symmetric"_a, "chosen"_a.noconvert(),
        "numerical"_a, "weights"_a.noconvert().none(), "p"_a, "g"_a, "totals"_a.noconvert().none(), "sums"_a.noconvert().none(), "threads"_a);
}
