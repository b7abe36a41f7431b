#include "mercer/graphs/graphlets_sample.hpp"

#include <algorithm>

namespace mercer {

namespace {

constexpr std::int64_t block_size = 1 << 14;

std::uint64_t content(const SimpleGraph& graph) {
  std::uint64_t h = static_cast<std::uint64_t>(graph.n);
  for (std::int32_t v = 0; v < graph.n; ++v)
    for (const std::int32_t u : graph.higher(v)) h = combine(h, static_cast<std::uint64_t>(v) << 32 | static_cast<std::uint32_t>(u));
  return h;
}

// Whether two nodes are joined: from a matrix of bits where it stays in the cache, else by a search in the shorter list.
class Joined {
 public:
  explicit Joined(const SimpleGraph& graph) : graph_(graph), words_((static_cast<std::size_t>(graph.n) + 63) / 64) {
    if (graph.n > 1024) return;
    bits_.assign(words_ * static_cast<std::size_t>(graph.n), 0);
    for (std::int32_t v = 0; v < graph.n; ++v)
      for (const std::int32_t u : graph.neighbors(v)) bits_[place(v, u)] |= std::uint64_t{1} << (u & 63);
  }
  bool operator()(std::int32_t u, std::int32_t v) const {
    if (!bits_.empty()) return bits_[place(u, v)] >> (v & 63) & 1;
    return graph_.edge(std::min(u, v), std::max(u, v)) >= 0;  // the lower node has the shorter list
  }

 private:
  std::size_t place(std::int32_t u, std::int32_t v) const { return static_cast<std::size_t>(u) * words_ + static_cast<std::size_t>(v >> 6); }

  const SimpleGraph& graph_;
  std::size_t words_;
  std::vector<std::uint64_t> bits_;
};

// splitmix64, reduced to numbers below n without bias (Lemire 2019).
class Stream {
 public:
  explicit Stream(std::uint64_t seed) : state_(seed) {}
  std::int32_t below(std::uint32_t n) {
    for (;;) {
      const std::uint64_t product = static_cast<std::uint64_t>(static_cast<std::uint32_t>(mix(state_ += golden) >> 32)) * n;
      const auto low = static_cast<std::uint32_t>(product);
      if (low >= n || low >= (0u - n) % n) return static_cast<std::int32_t>(product >> 32);
    }
  }

 private:
  std::uint64_t state_;
};

}  // namespace

std::int64_t sample_blocks(std::int64_t samples) { return (samples + block_size - 1) / block_size; }

void draw_sets(const SimpleGraph& graph, int k, std::int64_t samples, std::uint64_t seed, std::int64_t block, Tally& tally) {
  Stream stream(combine(combine(content(graph), seed), static_cast<std::uint64_t>(block)));
  const std::int64_t count = std::min(block_size, samples - block * block_size);
  const Joined joined(graph);
  NodeSet nodes{};
  for (std::int64_t s = 0; s < count; ++s) {
    std::uint64_t form = 0;
    for (int j = 0; j < k; ++j) {
      const auto drawn = nodes.begin() + j;
      do *drawn = stream.below(static_cast<std::uint32_t>(graph.n));
      while (std::find(nodes.begin(), drawn, *drawn) != drawn);
      unsigned bits = 0;
      for (int i = 0; i < j; ++i) bits |= static_cast<unsigned>(joined(nodes[static_cast<std::size_t>(i)], *drawn)) << i;
      form = tally.dense() ? form | static_cast<std::uint64_t>(bits) << pairs_of(j) : extended_hash(graph, form, nodes, j, *drawn, bits);
    }
    if (tally.dense()) tally.add(static_cast<std::uint32_t>(form));
    else tally.add(form, nodes, graph);
  }
}

std::uint64_t extended_hash(const SimpleGraph& graph, std::uint64_t before, const NodeSet& nodes, int level, std::int32_t v, unsigned bits) {
  std::uint64_t hash = combine(before, bits + 1);
  if (!graph.node_labels.empty()) hash = combine(hash, graph.node_labels[static_cast<std::size_t>(v)]);
  if (!graph.edge_labels.empty())
    for (int i = 0; i < level; ++i)
      if (bits >> i & 1) hash = combine(hash, graph.edge_labels[static_cast<std::size_t>(graph.edge(v, nodes[static_cast<std::size_t>(i)]))]);
  return hash;
}

}  // namespace mercer
