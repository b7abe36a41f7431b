#include "mercer/graphs/shortest_paths.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "mercer/items/key_counts.hpp"
#include "mercer/items/key_index.hpp"

namespace mercer {

namespace {

constexpr double unreached = std::numeric_limits<double>::infinity();

bool later(const Distances::Reached& a, const Distances::Reached& b) { return a.distance > b.distance; }

std::uint64_t key_of(const GraphView& graph, std::int32_t u, std::int32_t v, double distance) {
  const auto bits = std::bit_cast<std::uint64_t>(distance);
  return graph.node_labels ? combine(combine(graph.node_labels[u], graph.node_labels[v]), bits) : bits;
}

}  // namespace

std::span<const Distances::Reached> Distances::from(const GraphView& graph, std::int32_t source) {
  best_.resize(std::max(best_.size(), static_cast<std::size_t>(graph.n)), unreached);
  reached_.clear();
  if (graph.weights) dijkstra(graph, source);
  else breadth_first(graph, source);
  for (const Reached& r : reached_) best_[static_cast<std::size_t>(r.node)] = unreached;
  return reached_;
}

void Distances::breadth_first(const GraphView& graph, std::int32_t source) {
  reached_.push_back({source, 0.0});
  best_[static_cast<std::size_t>(source)] = 0.0;
  for (std::size_t next = 0; next < reached_.size(); ++next) {
    const double distance = reached_[next].distance + 1.0;
    for (const std::int32_t v : graph.row(reached_[next].node))
      if (best_[static_cast<std::size_t>(v)] == unreached) {
        best_[static_cast<std::size_t>(v)] = distance;
        reached_.push_back({v, distance});
      }
  }
}

void Distances::dijkstra(const GraphView& graph, std::int32_t source) {
  heap_.assign(1, {source, 0.0});
  best_[static_cast<std::size_t>(source)] = 0.0;
  while (!heap_.empty()) {
    std::pop_heap(heap_.begin(), heap_.end(), later);
    const Reached nearest = heap_.back();
    heap_.pop_back();
    if (nearest.distance > best_[static_cast<std::size_t>(nearest.node)]) continue;  // a shorter way was found meanwhile
    reached_.push_back(nearest);
    for (std::int64_t e = graph.indptr[nearest.node]; e < graph.indptr[nearest.node + 1]; ++e) {
      const double distance = nearest.distance + graph.weights[e];
      double& best = best_[static_cast<std::size_t>(graph.neighbors[e])];
      if (distance >= best) continue;
      best = distance;
      heap_.push_back({graph.neighbors[e], distance});
      std::push_heap(heap_.begin(), heap_.end(), later);
    }
  }
}

KeyedRows keyed_paths(const CarryingGraphs& graphs, const Execution& execution) {
  struct Workspace {
    Distances distances;
    KeyCounts counts;
  };
  std::vector<Workspace> workspaces(static_cast<std::size_t>(execution.threads));
  return gather_long_rows(graphs.list.n, execution, [&](std::int64_t i, int thread, TaskLoop& loop, auto& keys, auto& values) {
    auto& [distances, counts] = workspaces[static_cast<std::size_t>(thread)];
    const GraphView graph = graphs[i];
    for (std::int32_t u = 0; u < graph.n && !loop.stop(); ++u)
      for (const auto& [v, distance] : distances.from(graph, u).subspan(1)) counts.add(key_of(graph, u, v, distance));
    counts.move_to(keys, values);
  });
}

std::vector<FoundPath> find_paths(const CarryingGraphs& graphs, std::span<const std::uint64_t> wanted, const Cancelled& cancelled) {
  std::vector<FoundPath> found(wanted.size(), {-1, -1, 0.0});
  std::size_t missing = wanted.size();
  KeyIndex index;
  std::vector<std::int32_t> numbers(wanted.size());
  index.add(wanted, numbers.data());
  TaskLoop loop(1, cancelled);
  loop.run(graphs.list.n, Schedule::dynamic, [&](std::int64_t i, int) {
    Distances distances;
    const GraphView graph = graphs[i];
    for (std::int32_t u = 0; u < graph.n && missing && !loop.stop(); ++u)
      for (const auto& [v, distance] : distances.from(graph, u).subspan(1)) {
        const std::uint64_t key = key_of(graph, u, v, distance);
        std::int32_t at;
        index.find({&key, 1}, &at);
        if (at < 0 || found[static_cast<std::size_t>(at)].first >= 0) continue;
        found[static_cast<std::size_t>(at)] = {graphs.list.offsets[i] + u, graphs.list.offsets[i] + v, distance};
        --missing;
      }
  });
  return found;
}

}  // namespace mercer
