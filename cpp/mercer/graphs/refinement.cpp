#include "mercer/graphs/refinement.hpp"

#include <algorithm>

#include "mercer/runtime/hash.hpp"

namespace mercer {

namespace {

// The other ends of arcs, by the node at hand; `labels` of the arcs or null.
struct Arcs {
  const std::int64_t* indptr;
  const std::int32_t* neighbors;
  const std::uint64_t* labels;
};

// The arcs that lead to every node.
class Reversed {
 public:
  Reversed(const GraphList& graphs, const std::uint64_t* labels) : indptr_(static_cast<std::size_t>(graphs.nodes()) + 1, 0) {
    neighbors_.resize(static_cast<std::size_t>(graphs.arcs()));
    if (labels) labels_.resize(neighbors_.size());
    each_arc(graphs, [&](std::int64_t head, std::int64_t, std::int64_t) { ++indptr_[static_cast<std::size_t>(head) + 1]; });
    for (std::size_t v = 1; v < indptr_.size(); ++v) indptr_[v] += indptr_[v - 1];
    std::vector<std::int64_t> next(indptr_.begin(), indptr_.end() - 1);
    each_arc(graphs, [&](std::int64_t head, std::int64_t tail, std::int64_t arc) {
      const auto at = static_cast<std::size_t>(next[static_cast<std::size_t>(head)]++);
      neighbors_[at] = static_cast<std::int32_t>(tail);
      if (labels) labels_[at] = labels[arc];
    });
  }
  Arcs arcs() const { return {indptr_.data(), neighbors_.data(), labels_.empty() ? nullptr : labels_.data()}; }

 private:
  // visit(head among all nodes, tail within its graph, arc)
  template <class Visit>
  static void each_arc(const GraphList& graphs, const Visit& visit) {
    for (std::int64_t g = 0; g < graphs.n; ++g)
      for (std::int64_t v = graphs.offsets[g]; v < graphs.offsets[g + 1]; ++v)
        for (std::int64_t a = graphs.indptr[v]; a < graphs.indptr[v + 1]; ++a)
          visit(graphs.offsets[g] + graphs.neighbors[a], v - graphs.offsets[g], a);
  }

  std::vector<std::int64_t> indptr_;
  std::vector<std::int32_t> neighbors_;
  std::vector<std::uint64_t> labels_;
};

// Most neighbourhoods are those of atoms: a handful.
void sort_colors(std::vector<std::uint64_t>& colors) {
  if (colors.size() > 24) return std::sort(colors.begin(), colors.end());
  for (std::size_t i = 1; i < colors.size(); ++i) {
    const std::uint64_t color = colors[i];
    std::size_t j = i;
    for (; j > 0 && colors[j - 1] > color; --j) colors[j] = colors[j - 1];
    colors[j] = color;
  }
}

// Sorted colours of the neighbours of `node`; `colors` are those of its graph.
void gather(const Arcs& arcs, std::int64_t node, const std::uint64_t* colors, std::vector<std::uint64_t>& found) {
  found.clear();
  for (std::int64_t a = arcs.indptr[node]; a < arcs.indptr[node + 1]; ++a) {
    const std::uint64_t color = colors[arcs.neighbors[a]];
    found.push_back(arcs.labels ? combine(arcs.labels[a], color) : color);
  }
  sort_colors(found);
}

constexpr std::int64_t block = 4096;  // nodes of a task

// `first` holds h_0; step(node, colours of its graph, scratch) is the next colour of a node.
template <class Step>
std::vector<std::uint64_t> levels(const GraphList& graphs, std::vector<std::uint64_t> first, std::int64_t n, const Execution& execution,
                                  const Step& step) {
  const std::int64_t nodes = graphs.nodes();
  first.resize(static_cast<std::size_t>(nodes * (n + 1)));
  TaskLoop loop(execution.threads, execution.cancelled);
  for (std::int64_t i = 0; i < n; ++i) {
    const std::uint64_t* old = first.data() + i * nodes;
    std::uint64_t* out = first.data() + (i + 1) * nodes;
    loop.run((nodes + block - 1) / block, Schedule::dynamic, [&](std::int64_t task, int) {
      std::vector<std::uint64_t> scratch;
      const std::int64_t end = std::min((task + 1) * block, nodes);
      const std::int64_t* graph = std::upper_bound(graphs.offsets, graphs.offsets + graphs.n, task * block) - 1;
      for (std::int64_t v = task * block; v < end; ++v) {
        if (v % 256 == 0 && loop.stop()) return;
        while (v >= graph[1]) ++graph;
        out[v] = step(v, old + *graph, old[v], scratch);
      }
    });
  }
  return first;
}

}  // namespace

std::vector<std::uint64_t> refined(const GraphList& graphs, const std::uint64_t* labels, std::int64_t n, const WeisfeilerLehman& rule,
                                   const Execution& execution) {
  std::vector<Arcs> sides;
  std::vector<Reversed> kept;
  if (!graphs.directed || rule.direction != Direction::in) sides.push_back({graphs.indptr, graphs.neighbors, rule.edge_labels});
  if (graphs.directed && rule.direction != Direction::out) {
    kept.emplace_back(graphs, rule.edge_labels);
    sides.push_back(kept.back().arcs());
  }
  return levels(graphs, {labels, labels + graphs.nodes()}, n, execution,
                [&](std::int64_t node, const std::uint64_t* colors, std::uint64_t own, std::vector<std::uint64_t>& found) {
                  std::uint64_t h = own;
                  for (const Arcs& arcs : sides) {
                    gather(arcs, node, colors, found);
                    h = combine(h, found.size());
                    for (const std::uint64_t color : found) h = combine(h, color);
                  }
                  return h;
                });
}

std::vector<std::uint64_t> refined(const GraphList& graphs, const std::uint64_t* labels, std::int64_t n, const NeighborhoodHash& rule,
                                   const Execution& execution) {
  const auto bits = static_cast<std::uint64_t>(rule.bits);
  const std::uint64_t mask = bits < 64 ? (std::uint64_t{1} << bits) - 1 : ~std::uint64_t{0};
  const auto rotated = [=](std::uint64_t x, std::uint64_t by) {
    by %= bits;
    return by ? ((x << by) & mask) | (x >> (bits - by)) : x;
  };
  std::vector<std::uint64_t> first(static_cast<std::size_t>(graphs.nodes()));
  for (std::size_t v = 0; v < first.size(); ++v) first[v] = combine(bits, labels[v]) & mask;
  const Arcs arcs{graphs.indptr, graphs.neighbors, nullptr};
  return levels(graphs, std::move(first), n, execution,
                [&](std::int64_t node, const std::uint64_t* colors, std::uint64_t own, std::vector<std::uint64_t>& found) {
                  std::uint64_t h = rotated(own, 1);
                  if (!rule.counted) {
                    for (std::int64_t a = arcs.indptr[node]; a < arcs.indptr[node + 1]; ++a) h ^= colors[arcs.neighbors[a]];
                    return h;
                  }
                  gather(arcs, node, colors, found);
                  for (std::size_t i = 0; i < found.size();) {
                    std::size_t j = i + 1;
                    while (j < found.size() && found[j] == found[i]) ++j;
                    h ^= rotated((found[i] ^ (j - i)) & mask, j - i);
                    i = j;
                  }
                  return h;
                });
}

KeyedRows count_colors(const std::int64_t* offsets, std::int64_t n, const std::uint64_t* colors, std::int64_t levels, std::int64_t size,
                       const Execution& execution) {
  std::vector<std::vector<std::uint64_t>> scratch(static_cast<std::size_t>(std::max(1, execution.threads)));
  return gather_rows(n, execution, [&](std::int64_t i, int thread, std::vector<std::uint64_t>& keys, std::vector<double>& values) {
    auto& found = scratch[static_cast<std::size_t>(thread)];
    found.clear();
    for (std::int64_t level = 0; level < levels; ++level)
      for (std::int64_t v = offsets[i]; v < offsets[i + 1]; ++v)
        found.push_back(combine(static_cast<std::uint64_t>(level), colors[level * size + v]));
    std::sort(found.begin(), found.end());
    for (std::size_t a = 0; a < found.size();) {
      std::size_t b = a + 1;
      while (b < found.size() && found[b] == found[a]) ++b;
      keys.push_back(found[a]);
      values.push_back(static_cast<double>(b - a));
      a = b;
    }
  });
}

}  // namespace mercer
