#include "mercer/graphs/graphlets.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <mutex>

#include "mercer/graphs/graphlets_counts.hpp"
#include "mercer/graphs/graphlets_sample.hpp"
#include "mercer/graphs/graphlets_tally.hpp"
#include "mercer/graphs/graphlets_walk.hpp"

namespace mercer {

namespace {

constexpr double alone = 1 << 22;  // steps from which a graph gets all threads
constexpr std::int32_t roots_per_task = 64;

enum class Method { formulas, fives, sets, samples };

struct Plan {
  Method method;
  bool connected;  // whether only connected sets are enumerated
  double steps;
};

Plan plan_of(const SimpleGraph& graph, const GraphletRule& rule) {
  const double sets = choose(static_cast<double>(graph.n), rule.k);
  if (rule.samples && sets > static_cast<double>(rule.samples)) return {Method::samples, false, static_cast<double>(rule.samples) * pairs_of(rule.k)};
  if (!rule.labels.any() && rule.k <= 4) return {Method::formulas, rule.connected, 8.0 * static_cast<double>(graph.to.size())};
  const bool only = rule.connected && rule.k <= 5;
  const bool fives = only && rule.k == 5 && !rule.labels.any();
  return {fives ? Method::fives : Method::sets, only, walk_cost(graph, rule.k, only, fives)};
}

// Tallies the sets of a walk.
struct Visit {
  const SimpleGraph& graph;
  const GraphletRule& rule;
  Tally& tally;
  TaskLoop& loop;
  NodeSet nodes{};
  std::array<std::uint64_t, most_nodes + 1> form{};  // of the first nodes: code or hash

  bool enter(int level, std::int32_t v, unsigned bits) {
    nodes[static_cast<std::size_t>(level)] = v;
    form[static_cast<std::size_t>(level) + 1] = extended(level, v, bits);
    return level + 2 < rule.k || !loop.stop();
  }
  void last(std::int32_t v, unsigned bits) {
    const std::uint64_t whole = extended(rule.k - 1, v, bits);
    if (tally.dense()) return tally.add(static_cast<std::uint32_t>(whole));
    nodes[static_cast<std::size_t>(rule.k - 1)] = v;
    tally.add(whole, nodes, graph);
  }
  std::uint64_t extended(int level, std::int32_t v, unsigned bits) const {
    const std::uint64_t before = form[static_cast<std::size_t>(level)];
    if (tally.dense()) return before | static_cast<std::uint64_t>(bits) << pairs_of(level);
    return extended_hash(graph, before, nodes, level, v, bits);
  }
};

// What one thread works with.
struct Worker {
  explicit Worker(const GraphletRule& rule) : tally(rule.k, rule.labels.any()) {}
  CountScratch count;
  WalkScratch walk;
  Tally tally;
  GraphSums sums;
  std::vector<std::uint64_t> fives;
};

class GraphletCounter {
 public:
  GraphletCounter(const GraphletRule& rule, TaskLoop& loop) : rule_(rule), loop_(loop) {
    for (int t = 0; t < loop.threads(); ++t) workers_.push_back(std::make_unique<Worker>(rule));
  }

  static std::int64_t tasks(const SimpleGraph& graph, const GraphletRule& rule, const Plan& plan) {
    return plan.method == Method::samples ? sample_blocks(rule.samples) : (graph.n + roots_per_task - 1) / roots_per_task;
  }

  // One of the tasks of a graph: a range of roots, from the highest down because those have the most to do, or of samples.
  void work(const SimpleGraph& graph, const Plan& plan, std::int64_t task, int thread) {
    Worker& w = *workers_[static_cast<std::size_t>(thread)];
    if (plan.method == Method::samples) return draw_sets(graph, rule_.k, rule_.samples, rule_.seed, task, w.tally);
    const std::int32_t last = graph.n - static_cast<std::int32_t>(task) * roots_per_task, first = std::max(0, last - roots_per_task);
    if (plan.method == Method::formulas) return add_sums(graph, rule_.k, first, last, w.count, w.sums);
    if (plan.method == Method::fives) {
      w.fives.resize(std::size_t{1} << pairs_of(5));
      for (std::int32_t v = first; v < last && !loop_.stop(); ++v) count_fives(graph, v, w.walk, loop_, w.fives);
      return;
    }
    Visit visit{graph, rule_, w.tally, loop_};
    SubsetWalk walk(graph, rule_.k, w.walk, visit);
    for (std::int32_t v = first; v < last && !loop_.stop(); ++v) plan.connected ? walk.connected(v) : walk.all(v);
  }

  // Classes from what threads `from` .. `to` − 1 have counted of a graph.
  std::vector<ClassEntry> collect(const SimpleGraph& graph, const Plan& plan, int from, int to) {
    std::vector<ClassEntry> found;
    GraphSums sums;
    for (int t = from; t < to; ++t) {
      Worker& w = *workers_[static_cast<std::size_t>(t)];
      sums.add(w.sums);
      w.sums = {};
      for (std::size_t c = 0; c < w.fives.size(); ++c) {  // rows of 16 by the fifth node
        w.tally.codes()[c >> 4 | (c & 15) << pairs_of(4)] += w.fives[c];
        w.fives[c] = 0;
      }
      const auto part = w.tally.finish(graph, rule_.connected);
      found.insert(found.end(), part.begin(), part.end());
    }
    if (plan.method == Method::formulas)
      for (const ClassCount& c : classes_from_sums(graph, rule_.k, rule_.connected, sums)) found.push_back({c.key, c.count, {}});
    return merged(std::move(found));
  }

 private:
  const GraphletRule& rule_;
  TaskLoop& loop_;
  std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace

GraphletRows graphlet_rows(const GraphList& graphs, const GraphletRule& rule, const Execution& execution) {
  constexpr std::int64_t step = 8;  // graphs of a task
  GraphletRows rows;
  const auto n = static_cast<std::size_t>(graphs.n);
  std::vector<std::vector<ClassEntry>> found(n);
  std::vector<std::uint8_t> large(n, 0);
  rows.sets.resize(n);
  rows.drawn.assign(n, 0);
  TaskLoop loop(execution.threads, execution.cancelled);
  GraphletCounter counter(rule, loop);
  std::vector<SimpleGraph> seen(static_cast<std::size_t>(loop.threads()));
  std::mutex refusal;

  loop.run((graphs.n + step - 1) / step, Schedule::dynamic, [&](std::int64_t task, int thread) {
    SimpleGraph& graph = seen[static_cast<std::size_t>(thread)];
    for (std::int64_t g = task * step; g < std::min((task + 1) * step, graphs.n) && !loop.stop(); ++g) {
      const auto i = static_cast<std::size_t>(g);
      graph.read(graphs, g, rule.labels);
      rows.sets[i] = choose(static_cast<double>(graph.n), rule.k);
      const Plan plan = plan_of(graph, rule);
      rows.drawn[i] = plan.method == Method::samples ? rule.samples : 0;
      if (plan.method != Method::formulas && plan.method != Method::samples && plan.steps > rule.most_steps) {
        const std::lock_guard lock(refusal);
        if (rows.refused < 0 || g < rows.refused) rows.refused = g, rows.steps = plan.steps;
      } else if (plan.steps > alone) {
        large[i] = 1;
      } else {
        for (std::int64_t t = 0; t < GraphletCounter::tasks(graph, rule, plan); ++t) counter.work(graph, plan, t, thread);
        found[i] = counter.collect(graph, plan, thread, thread + 1);
      }
    }
  });
  if (rows.refused >= 0) return rows;
  for (std::size_t i = 0; i < n; ++i) {
    if (!large[i]) continue;
    SimpleGraph& graph = seen[0];
    if (n > 1) graph.read(graphs, static_cast<std::int64_t>(i), rule.labels);  // a single one was read last
    const Plan plan = plan_of(graph, rule);
    loop.run(GraphletCounter::tasks(graph, rule, plan), Schedule::dynamic,
             [&](std::int64_t task, int thread) { counter.work(graph, plan, task, thread); });
    found[i] = counter.collect(graph, plan, 0, loop.threads());
  }

  rows.indptr.assign(n + 1, 0);
  for (std::size_t i = 0; i < n; ++i) rows.indptr[i + 1] = rows.indptr[i] + static_cast<std::int64_t>(found[i].size());
  rows.keys.reserve(static_cast<std::size_t>(rows.indptr[n]));
  rows.counts.reserve(static_cast<std::size_t>(rows.indptr[n]));
  for (auto& entries : found) {
    for (const ClassEntry& e : entries) {
      rows.keys.push_back(e.key);
      rows.counts.push_back(e.count);
      if (rule.labels.any()) rows.examples.insert(rows.examples.end(), e.nodes.begin(), e.nodes.begin() + rule.k);
    }
    entries = {};
  }
  return rows;
}

}  // namespace mercer
