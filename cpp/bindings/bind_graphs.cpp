#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include "bindings.hpp"
#include "graphs.hpp"
#include "mercer/graphs/refinement.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace mercer::bindings;

namespace {

using Levels = nb::ndarray<const std::uint64_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

template <class Rule>
Array<std::uint64_t> refined(const OwnedGraphs& graphs, const Hashes& labels, std::int64_t n_iter, const Rule& rule, int threads) {
  require(n_iter >= 0, "n_iter must not be negative");
  const std::uint64_t* first = graphs.of_nodes<std::uint64_t>(labels);
  std::vector<std::uint64_t> colors;
  without_gil([&] { colors = mercer::refined(graphs.list(), first, n_iter, rule, {threads, signalled}); });
  return handed_over(std::move(colors));
}

}  // namespace

void bind_graphs(nb::module_& m) {
  nb::class_<OwnedGraphs>(m, "GraphList")
      .def(nb::init<Integers, Integers, Numbers, bool>(), "offsets"_a.noconvert(), "indptr"_a.noconvert(), "neighbors"_a.noconvert(), "directed"_a);
  nb::enum_<mercer::Direction>(m, "Direction")
      .value("outgoing", mercer::Direction::out)
      .value("incoming", mercer::Direction::in)
      .value("both", mercer::Direction::both);
  m.def(
      "weisfeiler_lehman",
      [](const OwnedGraphs& graphs, Hashes labels, std::int64_t n_iter, std::optional<Hashes> edge_labels, mercer::Direction direction, int threads) {
        return refined(graphs, labels, n_iter, mercer::WeisfeilerLehman{direction, graphs.of_arcs<std::uint64_t>(edge_labels)}, threads);
      },
      "graphs"_a, "labels"_a.noconvert(), "n_iter"_a, "edge_labels"_a.noconvert().none(), "direction"_a, "threads"_a);
  m.def(
      "neighborhood_hash",
      [](const OwnedGraphs& graphs, Hashes labels, std::int64_t n_iter, int bits, bool counted, int threads) {
        require(bits >= 1 && bits <= 64, "bits must be between 1 and 64");
        return refined(graphs, labels, n_iter, mercer::NeighborhoodHash{bits, counted}, threads);
      },
      "graphs"_a, "labels"_a.noconvert(), "n_iter"_a, "bits"_a, "counted"_a, "threads"_a);
  m.def(
      "count_colors",
      [](Integers offsets, Levels colors, int threads) {
        const std::int64_t n = item_count(offsets, colors.shape(1));
        mercer::KeyedRows rows;
        without_gil([&] {
          rows = mercer::count_colors(offsets.data(), n, colors.data(), static_cast<std::int64_t>(colors.shape(0)),
                                      static_cast<std::int64_t>(colors.shape(1)), {threads, signalled});
        });
        return std::make_tuple(handed_over(std::move(rows.indptr)), handed_over(std::move(rows.keys)), handed_over(std::move(rows.values)));
      },
      "offsets"_a.noconvert(), "colors"_a.noconvert(), "threads"_a);
}
