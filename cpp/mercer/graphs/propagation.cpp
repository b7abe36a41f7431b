#include "mercer/graphs/propagation.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace mercer {

namespace {

double mean(const GraphView& graph, std::int64_t v, const double* x, std::vector<std::pair<double, double>>& terms) {
  terms.clear();
  for (std::int64_t e = graph.indptr[v]; e < graph.indptr[v + 1]; ++e)
    terms.emplace_back(x[graph.neighbors[e]], graph.weights ? graph.weights[e] : 1.0);
  std::sort(terms.begin(), terms.end());
  double sum = 0.0, share = 0.0;
  for (const auto& [value, weight] : terms) sum += weight * value, share += weight;
  return share > 0.0 ? sum / share : x[v];
}

}  // namespace

void propagate(const CarryingGraphs& graphs, double* values, std::int64_t levels, const Execution& execution) {
  const std::int64_t size = graphs.list.nodes();
  TaskLoop loop(execution.threads, execution.cancelled);
  loop.run(graphs.list.n, Schedule::dynamic, [&](std::int64_t i, int) {
    const GraphView graph = graphs[i];
    std::vector<double> next(static_cast<std::size_t>(graph.n));
    std::vector<std::pair<double, double>> terms;
    for (std::int64_t level = 1; level < levels; ++level) {
      double* x = values + level * size + graphs.list.offsets[i];
      for (std::int64_t step = 0; step < level && !loop.stop(); ++step) {
        for (std::int64_t v = 0; v < graph.n; ++v) next[static_cast<std::size_t>(v)] = mean(graph, v, x, terms);
        std::copy(next.begin(), next.end(), x);
      }
    }
  });
}

}  // namespace mercer
