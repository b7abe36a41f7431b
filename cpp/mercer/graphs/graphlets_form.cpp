#include "mercer/graphs/graphlets_form.hpp"

#include <algorithm>
#include <bit>

#include "mercer/runtime/hash.hpp"

namespace mercer {

namespace {

using Colors = std::array<std::uint64_t, most_nodes>;

class Canonizer {
 public:
  explicit Canonizer(const SmallGraph& graph) : g_(graph), k_(graph.k) {}

  void run() {
    Colors colors{};
    for (int i = 0; i < k_; ++i) colors[at(i)] = combine(1, g_.nodes[at(i)]);
    descend(colors);
  }

  SmallGraph best;
  std::array<int, most_nodes> order{};

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  std::uint64_t link(int i, int j) const { return g_.has(i, j) ? combine(2, g_.edges[at(bit_of(i, j))]) : 3; }

  int different(const Colors& colors) const {
    int count = 0;
    for (int i = 0; i < k_; ++i) count += std::find(colors.begin(), colors.begin() + i, colors[at(i)]) == colors.begin() + i;
    return count;
  }

  // A sum over neighbours does not depend on their order.
  int refine(Colors& colors) const {
    for (int before = different(colors);;) {
      Colors next{};
      for (int i = 0; i < k_; ++i) {
        std::uint64_t sum = 0;
        for (int j = 0; j < k_; ++j)
          if (j != i) sum += mix(combine(link(i, j), colors[at(j)]));
        next[at(i)] = combine(colors[at(i)], sum);
      }
      colors = next;
      const int now = different(colors);
      if (now == before) return now;
      before = now;
    }
  }

  bool exchangeable(int u, int v) const {
    for (int x = 0; x < k_; ++x)
      if (x != u && x != v && link(u, x) != link(v, x)) return false;
    return true;
  }

  void descend(Colors colors) {  // at most k levels deep
    if (refine(colors) == k_) return leaf(colors);
    std::uint64_t cell = 0;
    bool found = false;
    for (int i = 0; i < k_; ++i)
      for (int j = 0; j < i; ++j)
        if (colors[at(i)] == colors[at(j)] && (!found || colors[at(i)] < cell)) cell = colors[at(i)], found = true;
    for (int v = 0; v < k_; ++v) {
      if (colors[at(v)] != cell) continue;
      bool again = false;
      for (int u = 0; u < v && !again; ++u) again = colors[at(u)] == cell && exchangeable(u, v);
      if (again) continue;
      Colors next = colors;
      next[at(v)] = mix(cell + golden);
      descend(next);
    }
  }

  void leaf(const Colors& colors) {
    std::array<int, most_nodes> place{};
    for (int i = 0; i < k_; ++i) {
      int rank = 0;
      for (int j = 0; j < k_; ++j) rank += colors[at(j)] < colors[at(i)];
      place[at(rank)] = i;
    }
    SmallGraph form;
    form.k = k_;
    for (int j = 0; j < k_; ++j) {
      form.nodes[at(j)] = g_.nodes[at(place[at(j)])];
      for (int i = 0; i < j; ++i)
        if (g_.has(place[at(i)], place[at(j)])) {
          form.code |= std::uint32_t{1} << bit_of(i, j);
          form.edges[at(bit_of(i, j))] = g_.edges[at(bit_of(place[at(i)], place[at(j)]))];
        }
    }
    if (seen_ && !(form < best)) return;
    seen_ = true;
    best = form;
    order = place;
  }

  const SmallGraph& g_;
  int k_;
  bool seen_ = false;
};

std::uint32_t canonical_code(int k, std::uint32_t code) {
  SmallGraph graph;
  graph.k = k;
  graph.code = code;
  return canonical(graph).code;
}

std::array<std::vector<std::uint32_t>, table_nodes + 1> make_tables() {
  std::array<std::vector<std::uint32_t>, table_nodes + 1> tables;
  for (int k = 0; k <= table_nodes; ++k)
    for (std::uint32_t code = 0; code < std::uint32_t{1} << pairs_of(k); ++code)
      tables[static_cast<std::size_t>(k)].push_back(canonical_code(k, code));
  return tables;
}

}  // namespace

bool is_connected(int k, std::uint32_t code) {
  std::uint32_t reached = 1, before = 0;
  while (reached != before) {
    before = reached;
    for (int j = 1; j < k; ++j)
      for (int i = 0; i < j; ++i)
        if (code >> bit_of(i, j) & 1 && (reached >> i | reached >> j) & 1) reached |= 1u << i | 1u << j;
  }
  return std::popcount(reached) == k;
}

SmallGraph canonical(const SmallGraph& graph, int* order) {
  Canonizer search(graph);
  search.run();
  if (order) std::copy_n(search.order.begin(), graph.k, order);
  return search.best;
}

std::uint64_t class_key(int k, std::uint32_t code) {
  static const auto tables = make_tables();
  const std::uint32_t form = k <= table_nodes ? tables[static_cast<std::size_t>(k)][code] : canonical_code(k, code);
  return static_cast<std::uint64_t>(k) << 32 | form;
}

std::uint64_t labelled_key(const SmallGraph& form) {
  std::uint64_t key = combine(static_cast<std::uint64_t>(form.k), form.code);
  for (int i = 0; i < form.k; ++i) key = combine(key, form.nodes[static_cast<std::size_t>(i)]);
  for (int b = 0; b < pairs_of(form.k); ++b)
    if (form.code >> b & 1) key = combine(key, form.edges[static_cast<std::size_t>(b)]);
  return key;
}

}  // namespace mercer
