#include "mercer/graphs/spectral_radius.hpp"

#include <algorithm>
#include <limits>

namespace mercer {

namespace {

// Strongly connected components by Tarjan's algorithm with a stack of its own; component[v] numbers that of v.
std::int32_t components(const GraphView& graph, std::vector<std::int32_t>& component) {
  struct Frame {
    std::int32_t node;
    std::int64_t arc;
  };
  const auto n = static_cast<std::size_t>(graph.n);
  std::vector<std::int32_t> order(n, -1), low(n), open;
  std::vector<Frame> frames;
  std::int32_t met = 0, found = 0;
  component.assign(n, -1);
  const auto enter = [&](std::int32_t v) {
    order[static_cast<std::size_t>(v)] = low[static_cast<std::size_t>(v)] = met++;
    open.push_back(v);
    frames.push_back({v, graph.indptr[v]});
  };
  for (std::int32_t root = 0; root < graph.n; ++root) {
    if (order[static_cast<std::size_t>(root)] >= 0) continue;
    enter(root);
    while (!frames.empty()) {
      const auto v = static_cast<std::size_t>(frames.back().node);
      if (frames.back().arc < graph.indptr[v + 1]) {
        const std::int32_t next = graph.neighbors[frames.back().arc++];
        const auto u = static_cast<std::size_t>(next);
        if (order[u] < 0) enter(next);
        else if (component[u] < 0) low[v] = std::min(low[v], order[u]);
        continue;
      }
      frames.pop_back();
      if (!frames.empty()) low[static_cast<std::size_t>(frames.back().node)] = std::min(low[static_cast<std::size_t>(frames.back().node)], low[v]);
      if (low[v] != order[v]) continue;
      std::int32_t last;
      do {
        last = open.back();
        open.pop_back();
        component[static_cast<std::size_t>(last)] = found;
      } while (static_cast<std::size_t>(last) != v);
      ++found;
    }
  }
  return found;
}

double bound(const GraphView& graph) {
  constexpr int sweeps = 400;
  constexpr double close = 1e-9, smallest = 1e-200;
  std::vector<std::int32_t> component;
  const auto found = static_cast<std::size_t>(components(graph, component));
  const auto n = static_cast<std::size_t>(graph.n);
  std::vector<double> w(n, 1.0), next(n), best(found, std::numeric_limits<double>::infinity()), shift(found, 0.0), upper(found), lower(found),
      largest(found);
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    std::fill(upper.begin(), upper.end(), 0.0);
    std::fill(lower.begin(), lower.end(), std::numeric_limits<double>::infinity());
    std::fill(largest.begin(), largest.end(), 0.0);
    for (std::size_t v = 0; v < n; ++v) {
      double sum = 0.0;
      for (std::int64_t e = graph.indptr[v]; e < graph.indptr[v + 1]; ++e) {
        const auto u = static_cast<std::size_t>(graph.neighbors[e]);
        if (component[u] == component[v]) sum += (graph.weights ? graph.weights[e] : 1.0) * w[u];
      }
      const auto c = static_cast<std::size_t>(component[v]);
      upper[c] = std::max(upper[c], sum / w[v]);
      lower[c] = std::min(lower[c], sum / w[v]);
      next[v] = sum + shift[c] * w[v];  // the shift keeps the method from swinging on bipartite graphs
      largest[c] = std::max(largest[c], next[v]);
    }
    double worst = 0.0;
    for (std::size_t c = 0; c < found; ++c) {
      best[c] = std::min(best[c], upper[c]);
      worst = std::max(worst, best[c]);
      if (sweep == 0) shift[c] = 0.25 * upper[c];
    }
    bool done = true;  // once no component that may have the largest radius can still give a smaller bound
    for (std::size_t c = 0; c < found && done; ++c) done = best[c] < (1.0 - close) * worst || lower[c] >= (1.0 - close) * worst;
    if (done || worst == 0.0) break;
    if (sweep == 0) continue;
    for (std::size_t v = 0; v < n; ++v) w[v] = std::max(next[v] / largest[static_cast<std::size_t>(component[v])], smallest);
  }
  double radius = 0.0;
  for (const double b : best) radius = std::max(radius, b);
  return radius * (1.0 + 1e-12);  // the sums are rounded
}

}  // namespace

std::vector<double> spectral_radii(const CarryingGraphs& graphs, const Execution& execution) {
  std::vector<double> radii(static_cast<std::size_t>(graphs.list.n));
  TaskLoop loop(execution.threads, execution.cancelled);
  loop.run(graphs.list.n, Schedule::dynamic, [&](std::int64_t i, int) {
    if (!loop.stop()) radii[static_cast<std::size_t>(i)] = bound(graphs[i]);
  });
  return radii;
}

}  // namespace mercer
