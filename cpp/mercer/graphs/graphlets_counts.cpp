// Subgraphs that need not be induced are counted from degrees and triangles of edges; how often each class contains them
// is a triangular system, which leaves the induced ones.
//
// Let d be degrees, t_e the number of triangles at edge e, T = Σ t_e / 3. On 4 nodes
//
//   star = Σ_v C(d_v, 3)   path = Σ_{uv} (d_u − 1)(d_v − 1) − 3T   paw = Σ_v t_v (d_v − 2)   diamond = Σ_e C(t_e, 2)
//
// and cycles and cliques are counted one by one. A 4-cycle v u w x has one node v of the highest number; the pairs of
// common neighbours u, x < v of v and w < v are found by walking from v down to u and from there to w, which costs the
// degree of the lower node of each edge: O(m · arboricity). The same walk meets the neighbours of v again, once for every
// triangle at vu. 4-cliques are found from their lowest node up, where a node has at most √(2m) neighbours.
//
// Disconnected classes follow from what a set of 4 nodes may hold beside a triangle, a wedge, two edges, an edge or nothing:
// T (n − 3), W (n − 3), C(m, 2) − W, m C(n − 2, 2) and C(n, 4), with W = Σ_v C(d_v, 2).
#include "mercer/graphs/graphlets_counts.hpp"

namespace mercer {

namespace {

Wide choose2(Wide n) { return n * (n - 1) / 2; }

std::size_t at(std::int32_t v) { return static_cast<std::size_t>(v); }

// Triangles at the edges from v down, and 4-cycles whose highest node is v.
void walk_down(const SimpleGraph& graph, std::int32_t v, CountScratch& s, GraphSums& sums) {
  const auto lower = std::span(graph.to.data() + graph.start[at(v)], graph.to.data() + graph.above[at(v)]);
  const std::int64_t dv = graph.degree(v);
  std::uint64_t cycles = 0;  // of one node: at most (arcs walked)² / 2
  for (const std::int32_t u : lower) {
    std::int64_t triangles = 0;
    const std::int64_t du = graph.degree(u);
    for (const std::int32_t w : graph.neighbors(u)) {
      triangles += s.mark[at(w)];
      if (w < v) cycles += static_cast<std::uint64_t>(s.common[at(w)]++);  // pairs with those that came before
    }
    sums.triangles += triangles;
    sums.diamonds += choose2(triangles);
    sums.tails += Wide(triangles) * (du + dv - 4);
    sums.paths += Wide(du - 1) * (dv - 1);
  }
  sums.cycles += cycles;
  for (const std::int32_t u : lower)
    for (const std::int32_t w : graph.neighbors(u)) s.common[at(w)] = 0;
}

// 4-cliques whose lowest node is v; its higher neighbours are marked with 1.
std::int64_t cliques_above(const SimpleGraph& graph, std::int32_t v, CountScratch& s, std::vector<std::int32_t>& shared) {
  std::int64_t cliques = 0;
  for (const std::int32_t u : graph.higher(v)) {
    shared.clear();
    for (const std::int32_t w : graph.higher(u))
      if (s.mark[at(w)]) shared.push_back(w);
    if (shared.size() < 2) continue;
    for (const std::int32_t w : shared) s.mark[at(w)] = 3;
    for (const std::int32_t w : shared)
      for (const std::int32_t x : graph.higher(w)) cliques += s.mark[at(x)] >> 1;
    for (const std::int32_t w : shared) s.mark[at(w)] = 1;
  }
  return cliques;
}

}  // namespace

void GraphSums::add(const GraphSums& o) {
  wedges += o.wedges;
  triangles += o.triangles;
  stars += o.stars;
  paths += o.paths;
  tails += o.tails;
  diamonds += o.diamonds;
  cycles += o.cycles;
  cliques += o.cliques;
}

void add_sums(const SimpleGraph& graph, int k, std::int32_t first, std::int32_t last, CountScratch& s, GraphSums& sums) {
  if (s.mark.size() < static_cast<std::size_t>(graph.n)) {
    s.mark.resize(static_cast<std::size_t>(graph.n));
    s.common.resize(static_cast<std::size_t>(graph.n));
  }
  std::vector<std::int32_t> shared;
  for (std::int32_t v = first; v < last; ++v) {
    const Wide d = graph.degree(v);
    sums.wedges += choose2(d);
    if (k == 3) {
      for (const std::int32_t u : graph.higher(v)) s.mark[at(u)] = 1;
      std::int64_t triangles = 0;
      for (const std::int32_t u : graph.higher(v))
        for (const std::int32_t w : graph.higher(u)) triangles += s.mark[at(w)];
      sums.triangles += Wide(3) * triangles;
      for (const std::int32_t u : graph.higher(v)) s.mark[at(u)] = 0;
    } else if (k == 4) {
      sums.stars += d * (d - 1) * (d - 2) / 6;
      for (const std::int32_t u : graph.neighbors(v)) s.mark[at(u)] = 1;
      walk_down(graph, v, s, sums);
      sums.cliques += cliques_above(graph, v, s, shared);
      for (const std::int32_t u : graph.neighbors(v)) s.mark[at(u)] = 0;
    }
  }
}

std::vector<ClassCount> classes_from_sums(const SimpleGraph& graph, int k, bool connected, const GraphSums& s) {
  std::vector<ClassCount> found;
  // Codes of one member of each class: bits 0 | 1, 2 | 3, 4, 5 are the edges of nodes 1, 2 and 3 to those before.
  const auto put = [&](std::uint32_t code, Wide count) {
    if (count > 0 && (!connected || is_connected(k, code))) found.push_back({class_key(k, code), as_double(count)});
  };
  const Wide n = graph.n, m = graph.edges(), T = s.triangles / 3, W = s.wedges;
  if (k == 2) {
    put(0b1, m);
    put(0b0, choose2(n) - m);
  } else if (k == 3) {
    const Wide path = W - 3 * T, edge = m * (n - 2) - 2 * path - 3 * T;
    put(0b11'1, T);
    put(0b01'1, path);
    put(0b00'1, edge);
    put(0b00'0, n * (n - 1) * (n - 2) / 6 - T - path - edge);
  } else {
    const Wide clique = s.cliques;
    const Wide diamond = s.diamonds - 6 * clique;
    const Wide cycle = s.cycles - diamond - 3 * clique;
    const Wide paw = s.tails / 2 - 4 * diamond - 12 * clique;
    const Wide path = s.paths - 3 * T - 2 * paw - 4 * cycle - 6 * diamond - 12 * clique;
    const Wide star = s.stars - paw - 2 * diamond - 4 * clique;
    put(0b111'11'1, clique);
    put(0b011'11'1, diamond);
    put(0b110'01'1, cycle);
    put(0b001'11'1, paw);
    put(0b010'01'1, path);
    put(0b001'01'1, star);
    if (!connected) {
      const Wide triangle = T * (n - 3) - 4 * clique - 2 * diamond - paw;
      const Wide wedge = W * (n - 3) - 12 * clique - 8 * diamond - 4 * cycle - 5 * paw - 2 * path - 3 * star - 3 * triangle;
      const Wide pair = choose2(m) - W - 3 * clique - 2 * diamond - 2 * cycle - paw - path;
      const Wide edge =
          m * choose2(n - 2) - 6 * clique - 5 * diamond - 4 * cycle - 4 * paw - 3 * path - 3 * star - 3 * triangle - 2 * wedge - 2 * pair;
      put(0b000'11'1, triangle);
      put(0b000'01'1, wedge);
      put(0b100'00'1, pair);
      put(0b000'00'1, edge);
      put(0, n * (n - 1) * (n - 2) / 6 * (n - 3) / 4 - clique - diamond - cycle - paw - path - star - triangle - wedge - pair - edge);
    }
  }
  return found;
}

}  // namespace mercer
