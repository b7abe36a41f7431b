#include "mercer/graphs/attributed_paths.hpp"

#include <algorithm>

#include "mercer/graphs/shortest_paths.hpp"

namespace mercer {

AttributedPaths::AttributedPaths(const CarryingGraphs& graphs, const double* attributes, std::int64_t width, const Execution& execution)
    : AttributedGraphs(graphs, attributes, width), graphs_(static_cast<std::size_t>(graphs.list.n)) {
  std::vector<Distances> workspaces(static_cast<std::size_t>(execution.threads));
  TaskLoop loop(execution.threads, execution.cancelled);
  loop.run(graphs.list.n, Schedule::dynamic, [&](std::int64_t i, int thread) {
    Distances& distances = workspaces[static_cast<std::size_t>(thread)];
    const GraphView graph = graphs[i];
    Paths& paths = graphs_[static_cast<std::size_t>(i)];
    if (graph.node_labels) paths.labels.assign(graph.node_labels, graph.node_labels + graph.n);
    for (std::int32_t u = 0; u < graph.n && !loop.stop(); ++u) {
      const std::size_t begun = paths.groups.size();
      for (const auto& [v, distance] : distances.from(graph, u).subspan(1)) {
        const auto at = static_cast<std::int64_t>(paths.ends.size());
        if (paths.groups.size() == begun || paths.groups.back().distance != distance) paths.groups.push_back({distance, u, at, at});
        paths.groups.back().last = at + 1;
        paths.ends.push_back(v);
      }
    }
    std::stable_sort(paths.groups.begin(), paths.groups.end(), [](const Group& a, const Group& b) { return a.distance < b.distance; });
  });
}

double AttributedPaths::value(std::int64_t i, const AttributedGraphs& other, std::int64_t j, std::span<double> kappa,
                              NodeWorkspace& workspace) const {
  const Paths& a = graphs_[static_cast<std::size_t>(i)];
  const Paths& b = static_cast<const AttributedPaths&>(other).graphs_[static_cast<std::size_t>(j)];
  const auto n = static_cast<std::size_t>(nodes(i)), m = static_cast<std::size_t>(other.nodes(j));
  auto& [_, turned, sums, columns, row] = workspace;
  turned.resize(n * m);
  for (std::size_t u = 0; u < n; ++u)
    for (std::size_t v = 0; v < m; ++v) {
      if (!a.labels.empty() && !b.labels.empty() && a.labels[u] != b.labels[v]) kappa[u * m + v] = 0.0;
      turned[v * n + u] = kappa[u * m + v];
    }
  double total = 0.0;
  auto x = a.groups.begin();
  auto z = b.groups.begin();
  while (x != a.groups.end() && z != b.groups.end()) {
    if (x->distance != z->distance) {
      if (x->distance < z->distance) ++x;
      else ++z;
      continue;
    }
    const double distance = x->distance;
    const auto beyond = [&](const Group& group) { return group.distance != distance; };
    const auto last_x = std::find_if(x, a.groups.end(), beyond), last_z = std::find_if(z, b.groups.end(), beyond);
    const auto width = static_cast<std::size_t>(last_z - z);
    // columns[v][g] = Σ κ(v, v') over the nodes v' of group g of b: summed along rows, then turned
    sums.resize(n);
    columns.resize(n * width);
    for (std::size_t g = 0; g < width; ++g) {
      std::fill(sums.begin(), sums.end(), 0.0);
      for (std::int64_t e = z[static_cast<std::ptrdiff_t>(g)].first; e < z[static_cast<std::ptrdiff_t>(g)].last; ++e) {
        const double* source = turned.data() + static_cast<std::size_t>(b.ends[static_cast<std::size_t>(e)]) * n;
        for (std::size_t v = 0; v < n; ++v) sums[v] += source[v];
      }
      for (std::size_t v = 0; v < n; ++v) columns[v * width + g] = sums[v];
    }
    for (; x != last_x; ++x) {
      row.assign(width, 0.0);
      for (std::int64_t e = x->first; e < x->last; ++e) {
        const double* source = columns.data() + static_cast<std::size_t>(a.ends[static_cast<std::size_t>(e)]) * width;
        for (std::size_t g = 0; g < width; ++g) row[g] += source[g];
      }
      const double* from = kappa.data() + static_cast<std::size_t>(x->node) * m;
      for (std::size_t g = 0; g < width; ++g) total += from[z[static_cast<std::ptrdiff_t>(g)].node] * row[g];
    }
    z = last_z;
  }
  return total;
}

}  // namespace mercer
