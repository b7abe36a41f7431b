// Classes of small graphs under permutations, and subgraphs counted in every way against one plain loop.
#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <vector>

#include "check.hpp"
#include "mercer/graphs/graphlets.hpp"
#include "mercer/graphs/graphlets_form.hpp"
#include "mercer/graphs/graphlets_tally.hpp"
#include "reference.hpp"

namespace {

using mercer::GraphletRule;
using mercer::SmallGraph;

// Graphs in the arrays that the core reads.
struct Packed {
  std::vector<std::int64_t> offsets{0}, indptr{0};
  std::vector<std::int32_t> neighbors;
  std::vector<std::uint64_t> nodes, arcs;

  // A random graph; with loops at some nodes.
  void add(reference::Random& random, std::int32_t n, double density, bool loops = false) {
    std::vector<std::vector<std::int32_t>> rows(static_cast<std::size_t>(n));
    const auto cut = static_cast<std::uint64_t>(density * 1000);
    for (std::int32_t v = 0; v < n; ++v) {
      if (loops && random() % 3 == 0) rows[static_cast<std::size_t>(v)].push_back(v);
      for (std::int32_t u = 0; u < v; ++u)
        if (random() % 1000 < cut) rows[static_cast<std::size_t>(v)].push_back(u), rows[static_cast<std::size_t>(u)].push_back(v);
    }
    add(random, rows);
  }
  void add(reference::Random& random, std::vector<std::vector<std::int32_t>>& rows) {
    for (std::size_t v = 0; v < rows.size(); ++v) {
      std::sort(rows[v].begin(), rows[v].end());
      for (const std::int32_t u : rows[v]) {
        neighbors.push_back(u);
        arcs.push_back(std::min<std::uint64_t>(v, static_cast<std::uint64_t>(u)) % 2);
      }
      indptr.push_back(static_cast<std::int64_t>(neighbors.size()));
      nodes.push_back(random() % 2);
    }
    offsets.push_back(offsets.back() + static_cast<std::int64_t>(rows.size()));
  }
  mercer::GraphList list() const {
    mercer::GraphList graphs;
    graphs.n = static_cast<std::int64_t>(offsets.size()) - 1;
    graphs.offsets = offsets.data();
    graphs.indptr = indptr.data();
    graphs.neighbors = neighbors.data();
    return graphs;
  }
};

using Counts = std::map<std::uint64_t, double>;

Counts row(const mercer::GraphletRows& rows, std::size_t g) {
  Counts counts;
  for (auto e = rows.indptr[g]; e < rows.indptr[g + 1]; ++e)
    counts[rows.keys[static_cast<std::size_t>(e)]] = rows.counts[static_cast<std::size_t>(e)];
  return counts;
}

// Every set of nodes, one after the other.
Counts plain(const Packed& packed, std::int64_t g, const GraphletRule& rule) {
  mercer::SimpleGraph graph;
  graph.read(packed.list(), g, rule.labels);
  Counts counts;
  if (graph.n < rule.k) return counts;
  std::vector<bool> chosen(static_cast<std::size_t>(graph.n), false);
  std::fill(chosen.begin(), chosen.begin() + rule.k, true);
  do {
    mercer::NodeSet nodes{};
    int j = 0;
    for (std::int32_t v = 0; v < graph.n; ++v)
      if (chosen[static_cast<std::size_t>(v)]) nodes[static_cast<std::size_t>(j++)] = v;
    const SmallGraph small = mercer::induced(graph, nodes, rule.k);
    if (rule.connected && !mercer::is_connected(rule.k, small.code)) continue;
    ++counts[rule.labels.any() ? mercer::labelled_key(mercer::canonical(small)) : mercer::class_key(rule.k, small.code)];
  } while (std::prev_permutation(chosen.begin(), chosen.end()));
  return counts;
}

TEST(canonical_forms_do_not_depend_on_the_order) {
  reference::Random random(0);
  for (int k = 2; k <= mercer::most_nodes; ++k)
    for (int trial = 0; trial < 60; ++trial) {
      SmallGraph graph;
      graph.k = k;
      const bool labels = trial % 2;
      for (int i = 0; i < k; ++i) graph.nodes[static_cast<std::size_t>(i)] = labels ? random() % 2 : 0;
      const std::uint64_t cut = random() % 5;
      for (int b = 0; b < mercer::pairs_of(k); ++b)
        if (random() % 4 < cut) graph.code |= 1u << b, graph.edges[static_cast<std::size_t>(b)] = labels ? random() % 2 : 0;
      std::vector<int> order(static_cast<std::size_t>(k)), back(static_cast<std::size_t>(k));
      std::iota(order.begin(), order.end(), 0);
      std::shuffle(order.begin(), order.end(), random);
      SmallGraph other;
      other.k = k;
      for (int j = 0; j < k; ++j) {
        other.nodes[static_cast<std::size_t>(j)] = graph.nodes[static_cast<std::size_t>(order[static_cast<std::size_t>(j)])];
        for (int i = 0; i < j; ++i) {
          const int b = mercer::bit_of(order[static_cast<std::size_t>(i)], order[static_cast<std::size_t>(j)]);
          if (graph.code >> b & 1) other.code |= 1u << mercer::bit_of(i, j);
          other.edges[static_cast<std::size_t>(mercer::bit_of(i, j))] = graph.edges[static_cast<std::size_t>(b)];
        }
      }
      CHECK(mercer::canonical(graph) == mercer::canonical(other));
      CHECK(mercer::canonical(mercer::canonical(graph)) == mercer::canonical(graph));
    }
}

TEST(numbers_of_classes) {
  // Sloane's A000088 and A001349.
  const int all[] = {0, 1, 2, 4, 11, 34, 156}, connected[] = {0, 1, 1, 2, 6, 21, 112};
  for (int k = 2; k <= 6; ++k) {
    std::set<std::uint64_t> keys, joined;
    for (std::uint32_t code = 0; code < 1u << mercer::pairs_of(k); ++code) {
      keys.insert(mercer::class_key(k, code));
      if (mercer::is_connected(k, code)) joined.insert(mercer::class_key(k, code));
    }
    CHECK(static_cast<int>(keys.size()) == all[k]);
    CHECK(static_cast<int>(joined.size()) == connected[k]);
  }
}

TEST(every_way_to_count_is_the_plain_one) {
  reference::Random random(1);
  Packed packed;
  for (const double density : {0.0, 0.1, 0.3, 0.6, 1.0})
    for (const std::int32_t n : {0, 1, 3, 7, 11}) packed.add(random, n, density, n == 7);
  for (int k = 2; k <= 5; ++k)
    for (const bool connected : {true, false})
      for (const int labels : {0, 1, 2, 3})
        for (const int threads : {1, 3}) {
          GraphletRule rule{k, connected, {labels & 1 ? packed.nodes.data() : nullptr, labels & 2 ? packed.arcs.data() : nullptr}};
          const auto rows = mercer::graphlet_rows(packed.list(), rule, {threads, {}});
          CHECK(rows.refused == -1 && rows.examples.size() == (labels ? rows.keys.size() * static_cast<std::size_t>(k) : 0));
          for (std::size_t g = 0; g + 1 < packed.offsets.size(); ++g) CHECK(row(rows, g) == plain(packed, static_cast<std::int64_t>(g), rule));
        }
}

TEST(large_graphs_are_shared) {
  reference::Random random(2);
  Packed dense;
  dense.add(random, 45, 0.5);
  GraphletRule rule{5, true};
  for (const int threads : {1, 3}) {
    const Counts found = row(mercer::graphlet_rows(dense.list(), rule, {threads, {}}), 0);
    CHECK(found.size() == 21);
    for (auto [key, count] : row(mercer::graphlet_rows(dense.list(), {5, false}, {threads, {}}), 0))
      if (found.contains(key)) CHECK(found.at(key) == count);
  }
  Packed wide;  // a ring of 4-cliques that share nodes, with many leaves at one node
  const std::int32_t n = 120'000;
  std::vector<std::vector<std::int32_t>> rows(static_cast<std::size_t>(n) + 50);
  const auto join = [&](std::int32_t u, std::int32_t v) {
    rows[static_cast<std::size_t>(u)].push_back(v), rows[static_cast<std::size_t>(v)].push_back(u);
  };
  for (std::int32_t v = 0; v < n; v += 3)
    for (int a = 0; a < 4; ++a)
      for (int b = 0; b < a; ++b) join((v + a) % n, (v + b) % n);
  for (std::int32_t leaf = n; leaf < n + 50; ++leaf) join(1, leaf);
  wide.add(random, rows);
  for (const int k : {3, 4}) {
    const auto one = mercer::graphlet_rows(wide.list(), {k, true}, {1, {}}), two = mercer::graphlet_rows(wide.list(), {k, true}, {3, {}});
    CHECK(row(one, 0) == row(two, 0));
    CHECK(row(one, 0)[mercer::class_key(k, k == 3 ? 7 : 63)] == (k == 3 ? 4 : 1) * n / 3.0);
  }
}

TEST(samples_do_not_depend_on_threads_or_neighbours) {
  reference::Random random(3);
  Packed both, alone;
  for (int i = 0; i < 2; ++i) both.add(random, 30, 0.2);
  reference::Random again(3);
  alone.add(again, 30, 0.2);
  for (const int k : {3, 6, 8}) {
    GraphletRule rule{k, false, {}, 1000, 7};
    const auto two = mercer::graphlet_rows(both.list(), rule, {3, {}}), one = mercer::graphlet_rows(alone.list(), rule, {1, {}});
    CHECK(row(two, 0) == row(one, 0));
    double hits = 0;
    for (auto [key, count] : row(one, 0)) hits += count;
    CHECK(hits == 1000 && one.drawn[0] == 1000);
    rule.samples = k == 3 ? 4060 : 40'000;  // all sets of 3, three blocks of samples else
    const auto many = mercer::graphlet_rows(alone.list(), rule, {3, {}});
    CHECK(many.drawn[0] == (k == 3 ? 0 : rule.samples));
    if (k == 3) CHECK(row(many, 0) == plain(alone, 0, rule));
  }
}

TEST(too_much_work_is_refused_and_can_be_stopped) {
  reference::Random random(4);
  Packed packed;
  packed.add(random, 3, 0.5);
  packed.add(random, 60, 1.0);
  GraphletRule rule{5, true};
  rule.most_steps = 1e6;
  const auto rows = mercer::graphlet_rows(packed.list(), rule, {1, {}});
  CHECK(rows.refused == 1 && rows.steps > 5e6);
  Packed large;
  large.add(random, 400, 0.5);
  CHECK_THROWS(mercer::Interrupted, mercer::graphlet_rows(large.list(), {5, true}, {2, [] { return true; }}));
}

}  // namespace
