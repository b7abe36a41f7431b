#include <nanobind/ndarray.h>

#include "bindings.hpp"
#include "mercer/explain/shapley.hpp"
#include "side.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace mercer::bindings;

namespace {

using FactorsIn = nb::ndarray<const double, nb::ndim<3>, nb::c_contig, nb::device::cpu>;
using CoefIn = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using ValuesOut = nb::ndarray<double, nb::ndim<3>, nb::c_contig, nb::device::cpu>;

void shapley_products(FactorsIn explained, FactorsIn background, CoefIn coef, Doubles nodes, Doubles weights, Integers sizes, Doubles limits,
                      double negligible, bool pairs, ValuesOut out, int threads) {
  const std::size_t players = explained.shape(1), units = pairs ? players * (players - 1) / 2 : players;
  require(players > 0 && background.shape(1) == players && background.shape(2) == explained.shape(2),
          "both arrays of factors need the same players and points");
  require(coef.shape(0) == explained.shape(2), "coef must have a row for each point");
  require(nodes.shape(0) == weights.shape(0), "a quadrature rule needs a weight for each node");
  require(sizes.shape(0) > 0 && sizes.shape(0) == limits.shape(0), "expected at least one quadrature rule, each with a limit");
  mercer::Rules rules{{}, {limits.data(), limits.data() + limits.shape(0)}, negligible};
  std::int64_t start = 0;
  for (std::size_t k = 0; k < sizes.shape(0); ++k) {
    const std::int64_t size = sizes.data()[k];
    require(size > 0 && start + size <= static_cast<std::int64_t>(nodes.shape(0)), "the rules need more nodes than there are");
    rules.rules.push_back({nodes.data() + start, weights.data() + start, size});
    start += size;
  }
  require(out.shape(0) == explained.shape(0) && out.shape(1) == units && out.shape(2) == coef.shape(1), "out has the wrong shape");
  const auto whole = [](std::size_t size) { return static_cast<std::int64_t>(size); };
  const mercer::Factors left{explained.data(), whole(explained.shape(0))}, right{background.data(), whole(background.shape(0))};
  const mercer::Expansion expansion{coef.data(), whole(players), whole(coef.shape(0)), whole(coef.shape(1))};
  const mercer::Order order = pairs ? mercer::Order::pairs : mercer::Order::values;
  without_gil([&] { mercer::shapley_products(order, left, right, expansion, rules, out.data(), threads, signalled); });
}

}  // namespace

void bind_explain(nb::module_& m) {
  m.def("shapley_products", &shapley_products, "explained"_a.noconvert(), "background"_a.noconvert(), "coef"_a.noconvert(), "nodes"_a.noconvert(),
        "weights"_a.noconvert(), "sizes"_a.noconvert(), "limits"_a.noconvert(), "negligible"_a, "pairs"_a, "out"_a.noconvert(), "threads"_a);
}
