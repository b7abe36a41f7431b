#include "mercer/graphs/graph_hopper.hpp"

#include <algorithm>

#include "mercer/graphs/shortest_paths.hpp"

namespace mercer {

namespace {

std::int64_t longest_path(const GraphView& graph, Distances& distances, TaskLoop& loop) {
  double most = -1.0;
  for (std::int32_t s = 0; s < graph.n && !loop.stop(); ++s) most = std::max(most, distances.from(graph, s).back().distance);
  return static_cast<std::int64_t>(most) + 1;
}

// The paths from one root after the other.
class PathCounter {
 public:
  void add(const GraphView& graph, std::int32_t root, std::int64_t longest, double* counts, std::int64_t width) {
    const auto reached = distances_.from(graph, root);
    const auto size = static_cast<std::size_t>(graph.n), length = static_cast<std::size_t>(longest);
    depth_.assign(size, -1);
    paths_.assign(size, 0.0);
    onward_.assign(size * length, 0.0);
    for (const auto& [v, distance] : reached) depth_[static_cast<std::size_t>(v)] = static_cast<std::int64_t>(distance);
    paths_[static_cast<std::size_t>(root)] = 1.0;
    for (const auto& near : reached) {
      const double through = paths_[static_cast<std::size_t>(near.node)];
      each_successor(graph, near.node, [&](std::size_t w) { paths_[w] += through; });
    }
    for (auto at = reached.rbegin(); at != reached.rend(); ++at) {
      const auto v = static_cast<std::size_t>(at->node);
      double* own = onward_.data() + v * length;
      own[0] = 1.0;
      each_successor(graph, at->node, [&](std::size_t w) {
        const double* next = onward_.data() + w * length;
        for (std::size_t r = 1; r < length; ++r) own[r] += next[r - 1];
      });
      const std::int64_t i = depth_[v];
      for (std::int64_t r = 0; i + r < longest; ++r) {
        const std::int64_t j = i + r;
        counts[static_cast<std::int64_t>(v) * width + j * (j + 1) / 2 + i] += paths_[v] * own[r];
      }
    }
  }

 private:
  template <class Visit>
  void each_successor(const GraphView& graph, std::int32_t v, const Visit& visit) const {
    for (const std::int32_t w : graph.row(v))
      if (depth_[static_cast<std::size_t>(w)] == depth_[static_cast<std::size_t>(v)] + 1) visit(static_cast<std::size_t>(w));
  }

  Distances distances_;
  std::vector<std::int64_t> depth_;
  std::vector<double> paths_, onward_;
};

}  // namespace

std::vector<std::int64_t> longest_paths(const CarryingGraphs& graphs, const Execution& execution) {
  std::vector<std::int64_t> longest(static_cast<std::size_t>(graphs.list.n));
  std::vector<Distances> workspaces(static_cast<std::size_t>(execution.threads));
  TaskLoop loop(execution.threads, execution.cancelled);
  loop.run(graphs.list.n, Schedule::dynamic, [&](std::int64_t i, int thread) {
    longest[static_cast<std::size_t>(i)] = longest_path(graphs[i], workspaces[static_cast<std::size_t>(thread)], loop);
  });
  return longest;
}

GraphHopper::GraphHopper(const CarryingGraphs& graphs, const double* attributes, std::int64_t width, const Execution& execution)
    : AttributedGraphs(graphs, attributes, width), graphs_(static_cast<std::size_t>(graphs.list.n)) {
  const auto longest = longest_paths(graphs, execution);
  std::vector<PathCounter> workspaces(static_cast<std::size_t>(execution.threads));
  TaskLoop loop(execution.threads, execution.cancelled);
  loop.run(graphs.list.n, Schedule::dynamic, [&](std::int64_t i, int thread) {
    const GraphView graph = graphs[i];
    Places& places = graphs_[static_cast<std::size_t>(i)];
    const std::int64_t most = longest[static_cast<std::size_t>(i)];
    places.width = most * (most + 1) / 2;
    places.counts.assign(static_cast<std::size_t>(graph.n * places.width), 0.0);
    for (std::int32_t s = 0; s < graph.n && !loop.stop(); ++s)
      workspaces[static_cast<std::size_t>(thread)].add(graph, s, most, places.counts.data(), places.width);
  });
}

double GraphHopper::value(std::int64_t i, const AttributedGraphs& other, std::int64_t j, std::span<double> kappa, NodeWorkspace& workspace) const {
  const Places& a = graphs_[static_cast<std::size_t>(i)];
  const Places& b = static_cast<const GraphHopper&>(other).graphs_[static_cast<std::size_t>(j)];
  const auto width = static_cast<std::size_t>(std::min(a.width, b.width));
  const std::int64_t n = nodes(i), m = other.nodes(j);
  double total = 0.0;
  for (std::int64_t u = 0; u < n; ++u) {
    workspace.sums.assign(width, 0.0);
    for (std::int64_t v = 0; v < m; ++v) {
      const double weight = kappa[static_cast<std::size_t>(u * m + v)];
      const double* counts = b.counts.data() + v * b.width;
      for (std::size_t k = 0; k < width; ++k) workspace.sums[k] += weight * counts[k];
    }
    const double* own = a.counts.data() + u * a.width;
    for (std::size_t k = 0; k < width; ++k) total += own[k] * workspace.sums[k];
  }
  return total;
}

}  // namespace mercer
