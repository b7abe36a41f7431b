#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include "bindings.hpp"
#include "graphs.hpp"
#include "mercer/graphs/graphlets.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace mercer::bindings;

namespace {

auto graphlets(const OwnedGraphs& graphs, std::optional<Hashes> node_labels, std::optional<Hashes> edge_labels, int size, bool connected,
               std::int64_t samples, std::uint64_t seed, double most_steps, int threads) {
  require(size >= 2 && size <= 8 && samples >= 0, "size must be between 2 and 8, samples at least 0");
  require(samples > 0 || size <= 5, "subgraphs of more than 5 nodes are only sampled");
  require(!graphs.list().directed || !edge_labels, "labels of edges need undirected graphs");
  for (std::int64_t g = 0; g < graphs.list().n; ++g)
    require(graphs.list().nodes(g) < std::int64_t{1} << 31, "a graph has more nodes than 31 bits can number");
  const mercer::GraphLabels labels{graphs.of_nodes<std::uint64_t>(node_labels), graphs.of_arcs<std::uint64_t>(edge_labels)};
  const mercer::GraphletRule rule{size, connected, labels, samples, seed, most_steps};
  mercer::GraphletRows rows;
  without_gil([&] { rows = mercer::graphlet_rows(graphs.list(), rule, {threads, signalled}); });
  return std::make_tuple(handed_over(std::move(rows.indptr)), handed_over(std::move(rows.keys)), handed_over(std::move(rows.counts)),
                         handed_over(std::move(rows.examples)), handed_over(std::move(rows.sets)), handed_over(std::move(rows.drawn)), rows.refused,
                         rows.steps);
}

}  // namespace

void bind_graphlets(nb::module_& m) {
  m.def("graphlets", &graphlets, "graphs"_a, "node_labels"_a.noconvert().none(), "edge_labels"_a.noconvert().none(), "size"_a, "connected"_a,
        "samples"_a, "seed"_a, "most_steps"_a, "threads"_a);
}
