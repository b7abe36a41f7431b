// Shortest paths, walks and what spreads along arcs, against plain loops over all pairs of nodes.
#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "check.hpp"
#include "graph_case.hpp"
#include "mercer/graphs/attributed_paths.hpp"
#include "mercer/graphs/graph_hopper.hpp"
#include "mercer/graphs/propagation.hpp"
#include "mercer/graphs/random_walk.hpp"
#include "mercer/graphs/shortest_paths.hpp"
#include "mercer/graphs/spectral_radius.hpp"

namespace {

using mercer::CarryingGraphs;
using mercer::GraphView;
using reference::Graphs;
using reference::Matrix;

constexpr double infinity = std::numeric_limits<double>::infinity();

Matrix adjacency(const GraphView& graph, double none = 0.0) {
  Matrix a(graph.n, graph.n, none);
  for (std::int64_t v = 0; v < graph.n; ++v)
    for (auto e = graph.indptr[v]; e < graph.indptr[v + 1]; ++e) a(v, graph.neighbors[e]) = graph.weights ? graph.weights[e] : 1.0;
  return a;
}

// Floyd and Warshall.
Matrix distances(const GraphView& graph) {
  Matrix d = adjacency(graph, infinity);
  for (std::int64_t v = 0; v < graph.n; ++v) d(v, v) = 0.0;
  for (std::int64_t k = 0; k < graph.n; ++k)
    for (std::int64_t i = 0; i < graph.n; ++i)
      for (std::int64_t j = 0; j < graph.n; ++j) d(i, j) = std::min(d(i, j), d(i, k) + d(k, j));
  return d;
}

// κ of nodes: a product of smooth functions of their numbers.
std::vector<double> node_kernel(std::int64_t rows, std::int64_t columns) {
  std::vector<double> kappa;
  for (std::int64_t u = 0; u < rows; ++u)
    for (std::int64_t v = 0; v < columns; ++v) kappa.push_back(std::cos(0.1 * static_cast<double>(u)) * std::cos(0.1 * static_cast<double>(v)));
  return kappa;
}

// The matrix of a kernel of attributed graphs against a twin that is given κ of the nodes of both as a function.
using Kappa = std::function<double(std::int64_t, std::int64_t)>;
void compare(const mercer::AttributedGraphs& list, const CarryingGraphs& graphs,
             const std::function<double(const GraphView&, const GraphView&, const Kappa&)>& twin) {
  const std::int64_t n = graphs.list.n, nodes = graphs.list.nodes();
  const auto kappa = node_kernel(nodes, nodes);
  const mercer::AttributedChoice all{&list, nullptr, n};
  std::vector<double> one(static_cast<std::size_t>(n * n)), three(one);
  mercer::attributed_block(all, all, kappa.data(), true, one.data(), n, {1, {}});
  mercer::attributed_block(all, all, kappa.data(), true, three.data(), n, {3, {}});
  CHECK(one == three);
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < n; ++j) {
      const auto entry = [&](std::int64_t u, std::int64_t v) {
        return kappa[static_cast<std::size_t>((graphs.list.offsets[i] + u) * nodes + graphs.list.offsets[j] + v)];
      };
      CHECK(reference::near(one[static_cast<std::size_t>(i * n + j)], twin(graphs[i], graphs[j], entry), 1e-10));
    }
}

// Calls visit with every shortest path of a graph as a list of nodes.
void each_shortest_path(const GraphView& graph, const std::function<void(const std::vector<std::int64_t>&)>& visit) {
  const Matrix d = distances(graph);
  std::vector<std::int64_t> path;
  const std::function<void(std::int64_t)> walk = [&](std::int64_t v) {
    path.push_back(v);
    visit(path);
    for (const std::int32_t u : graph.row(v))
      if (d(path.front(), u) == d(path.front(), v) + 1) walk(u);
    path.pop_back();
  };
  for (std::int64_t v = 0; v < graph.n; ++v) walk(v);
}

TEST(paths_are_those_of_floyd_and_warshall) {
  for (const bool directed : {false, true}) {
    const Graphs graphs = reference::random_graphs(120, directed);
    const auto list = graphs.list();
    for (const bool labeled : {false, true})
      for (const bool weighted : {false, true}) {
        const CarryingGraphs carrying{list, labeled ? graphs.labels.data() : nullptr, nullptr, weighted ? graphs.weights.data() : nullptr};
        const auto rows = mercer::keyed_paths(carrying, {1, {}});
        const auto again = mercer::keyed_paths(carrying, {3, {}});
        CHECK(rows.indptr == again.indptr && rows.keys == again.keys && rows.values == again.values);
        const std::set<std::uint64_t> distinct(rows.keys.begin(), rows.keys.end());
        const std::vector<std::uint64_t> keys(distinct.begin(), distinct.end());
        const auto found = mercer::find_paths(carrying, keys, {});
        for (std::int64_t g = 0; g < list.n; ++g) {
          const Matrix d = distances(carrying[g]);
          std::map<std::tuple<std::uint64_t, std::uint64_t, double>, double> counts;
          const auto label = [&](std::int64_t v) { return labeled ? graphs.labels[static_cast<std::size_t>(v)] : 0; };
          for (std::int64_t u = 0; u < d.n; ++u)
            for (std::int64_t v = 0; v < d.n; ++v)
              if (u != v && d(u, v) < infinity) ++counts[{label(list.offsets[g] + u), label(list.offsets[g] + v), d(u, v)}];
          const auto first = static_cast<std::size_t>(rows.indptr[static_cast<std::size_t>(g)]);
          const auto last = static_cast<std::size_t>(rows.indptr[static_cast<std::size_t>(g) + 1]);
          CHECK(last - first == counts.size());
          for (std::size_t at = first; at < last; ++at) {
            const auto& path =
                found[static_cast<std::size_t>(std::distance(keys.begin(), std::lower_bound(keys.begin(), keys.end(), rows.keys[at])))];
            CHECK(path.first >= 0);
            CHECK(rows.values[at] == counts[{label(path.first), label(path.last), path.distance}]);
            if (!labeled) CHECK(rows.keys[at] == std::bit_cast<std::uint64_t>(path.distance));
          }
        }
      }
  }
}

TEST(attributed_paths_sum_over_pairs_of_pairs) {
  for (const bool directed : {false, true}) {
    const Graphs graphs = reference::random_graphs(30, directed);
    const auto list = graphs.list();
    for (const bool carried : {false, true}) {
      const CarryingGraphs carrying{list, carried ? graphs.labels.data() : nullptr, nullptr, carried ? graphs.weights.data() : nullptr};
      const std::vector<double> attributes(static_cast<std::size_t>(list.nodes()), 1.0);
      compare(mercer::AttributedPaths(carrying, attributes.data(), 1, {2, {}}), carrying,
              [](const GraphView& a, const GraphView& b, const Kappa& kappa) {
                const Matrix d = distances(a), e = distances(b);
                const auto same = [&](std::int64_t u, std::int64_t v) { return !a.node_labels || a.node_labels[u] == b.node_labels[v]; };
                double sum = 0.0;
                for (std::int64_t u = 0; u < a.n; ++u)
                  for (std::int64_t v = 0; v < a.n; ++v)
                    for (std::int64_t s = 0; s < b.n; ++s)
                      for (std::int64_t t = 0; t < b.n; ++t)
                        if (u != v && s != t && d(u, v) < infinity && d(u, v) == e(s, t) && same(u, s) && same(v, t))
                          sum += kappa(u, s) * kappa(v, t);
                return sum;
              });
    }
  }
}

TEST(hoppers_meet_on_paths_of_equal_length) {
  for (const bool directed : {false, true}) {
    reference::Random random(1);
    Graphs graphs;
    graphs.directed = directed;
    graphs.add({}, random);
    graphs.add({{}}, random);
    graphs.add({{0, 1, 2}, {0, 3}, {0, 3}, {1, 2, 4}, {3}}, random);
    graphs.add({{1}, {0, 2}, {1, 3}, {2}}, random);
    const auto list = graphs.list();
    const CarryingGraphs carrying{list};
    CHECK(mercer::longest_paths(carrying, {2, {}}) == std::vector<std::int64_t>{0, 1, 4, 4});
    const std::vector<double> attributes(static_cast<std::size_t>(list.nodes()), 1.0);
    compare(mercer::GraphHopper(carrying, attributes.data(), 1, {2, {}}), carrying, [](const GraphView& a, const GraphView& b, const Kappa& kappa) {
      double sum = 0.0;
      each_shortest_path(a, [&](const auto& p) {
        each_shortest_path(b, [&](const auto& q) {
          if (p.size() == q.size())
            for (std::size_t i = 0; i < p.size(); ++i) sum += kappa(p[i], q[i]);
        });
      });
      return sum;
    });
  }
}

// Σ_l c_l 1ᵀ A^l 1 on the product of two graphs, each power formed.
long double walks(const GraphView& a, const GraphView& b, const std::function<long double(int)>& coefficient, int longest) {
  const Matrix first = adjacency(a), second = adjacency(b);
  const auto same = [&](std::int64_t u, std::int64_t v) { return !a.node_labels || a.node_labels[u] == b.node_labels[v]; };
  std::vector<long double> x;
  for (std::int64_t u = 0; u < a.n; ++u)
    for (std::int64_t v = 0; v < b.n; ++v) x.push_back(same(u, v));
  long double sum = 0.0L;
  for (int l = 0; l <= longest; ++l) {
    for (const long double value : x) sum += coefficient(l) * value;
    std::vector<long double> next(x.size(), 0.0L);
    for (std::int64_t u = 0; u < a.n; ++u)
      for (std::int64_t v = 0; v < b.n; ++v)
        for (std::int64_t s = 0; same(u, v) && s < a.n; ++s)
          for (std::int64_t t = 0; t < b.n; ++t)
            next[static_cast<std::size_t>(u * b.n + v)] += first(u, s) * second(v, t) * x[static_cast<std::size_t>(s * b.n + t)];
    x.swap(next);
  }
  return sum;
}

TEST(walks_are_counted_by_powers) {
  for (const bool directed : {false, true}) {
    const Graphs graphs = reference::random_graphs(40, directed);
    const auto list = graphs.list();
    for (const bool carried : {false, true}) {
      const CarryingGraphs carrying{list, carried ? graphs.labels.data() : nullptr, nullptr, carried ? graphs.weights.data() : nullptr};
      const auto radii = mercer::spectral_radii(carrying, {2, {}});
      for (std::int64_t i = 1; i < 30; ++i) {
        const GraphView a = carrying[i], b = carrying[i + 1];
        const mercer::WalkGraph left(a, !directed), right(b, !directed);
        CHECK(radii[static_cast<std::size_t>(i)] <= left.widest * (1 + 1e-9) + 1e-12);  // by rows
        const double product = radii[static_cast<std::size_t>(i)] * radii[static_cast<std::size_t>(i) + 1];
        const double decay = 0.5 / std::max(product, 1.0);
        const mercer::WalkRule geometric{mercer::WalkForm::geometric, decay, {}}, steps{mercer::WalkForm::steps, 1.0, {1.0, 0.5, 0.25}};
        const mercer::WalkRule exponential{mercer::WalkForm::exponential, decay, {}};
        CHECK(reference::near(mercer::WalkValue(geometric)(left, right),
                              walks(a, b, [&](int l) { return std::pow(static_cast<long double>(decay), l); }, 60), 1e-9));
        CHECK(reference::near(mercer::WalkValue(exponential)(left, right),
                              walks(a, b, [&](int l) { return std::pow(static_cast<long double>(decay), l) / std::tgamma(l + 1.0L); }, 40), 1e-12));
        CHECK(reference::near(mercer::WalkValue(steps)(left, right), walks(a, b, [](int l) { return std::pow(0.5L, l); }, 2), 1e-12));
        CHECK(mercer::WalkValue(geometric)(left, right) == mercer::WalkValue(geometric)(right, left));
      }
    }
  }
}

TEST(what_spreads_is_a_mean_of_neighbours) {
  const Graphs graphs = reference::random_graphs(60, true);
  const auto list = graphs.list();
  for (const bool weighted : {false, true}) {
    const CarryingGraphs carrying{list, nullptr, nullptr, weighted ? graphs.weights.data() : nullptr};
    const auto nodes = static_cast<std::size_t>(list.nodes());
    std::vector<double> values(3 * nodes);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = std::sin(static_cast<double>(i % nodes));
    auto spread = values;
    mercer::propagate(carrying, spread.data(), 3, {2, {}});
    for (std::int64_t g = 0; g < list.n; ++g) {
      const Matrix a = adjacency(carrying[g]);
      std::vector<double> x(values.begin() + list.offsets[g], values.begin() + list.offsets[g + 1]);
      for (std::size_t level = 0; level < 3; ++level) {
        for (std::int64_t v = 0; v < a.n; ++v)
          CHECK(reference::near(spread[level * nodes + static_cast<std::size_t>(list.offsets[g] + v)], x[static_cast<std::size_t>(v)], 1e-12));
        auto next = x;
        for (std::int64_t v = 0; v < a.n; ++v) {
          double sum = 0.0, share = 0.0;
          for (std::int64_t u = 0; u < a.n; ++u) sum += a(v, u) * x[static_cast<std::size_t>(u)], share += a(v, u);
          if (share > 0.0) next[static_cast<std::size_t>(v)] = sum / share;
        }
        x.swap(next);
      }
    }
  }
}

}  // namespace
