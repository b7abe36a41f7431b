#include "mercer/graphs/graphlets_walk.hpp"

#include <limits>

namespace mercer {

void count_fives(const SimpleGraph& graph, std::int32_t root, WalkScratch& s, TaskLoop& loop, std::vector<std::uint64_t>& counts) {
  constexpr std::int32_t taken = std::numeric_limits<std::int32_t>::max();
  s.fit(graph.n);
  Near* near = s.near.data();
  const auto join = [&](unsigned bit, std::int32_t v, std::vector<std::int32_t>& candidates) {
    for (const std::int32_t u : beyond(graph, v, root)) {
      if (!near[u].members) candidates.push_back(u);
      near[u].members = static_cast<std::uint8_t>(near[u].members | bit);
    }
  };
  const auto leave = [&](unsigned bit, std::int32_t v) {
    for (const std::int32_t u : beyond(graph, v, root)) near[u].members = static_cast<std::uint8_t>(near[u].members & ~bit);
  };
  auto &first = s.candidates[1], &second = s.candidates[2], &third = s.candidates[3];
  first.clear();
  join(1, root, first);
  for (std::size_t i = first.size(); i-- > 0 && !loop.stop();) {
    near[first[i]].place = taken;
    second.assign(first.begin(), first.begin() + static_cast<std::ptrdiff_t>(i));
    join(2, first[i], second);
    for (std::size_t j = second.size(); j-- > 0;) {
      const std::uint32_t code3 = 1u | static_cast<std::uint32_t>(near[second[j]].members) << 1;
      near[second[j]].place = taken;
      third.assign(second.begin(), second.begin() + static_cast<std::ptrdiff_t>(j));
      join(4, second[j], third);
      std::array<std::uint64_t, 8> left{};  // candidates by members
      for (std::size_t c = 0; c < third.size(); ++c) {
        near[third[c]].place = static_cast<std::int32_t>(c);
        ++left[near[third[c]].members];
      }
      for (auto c = static_cast<std::int32_t>(third.size()); c-- > 0;) {
        const std::int32_t v = third[static_cast<std::size_t>(c)];
        --left[near[v].members];
        std::uint64_t* row = counts.data() + ((code3 | static_cast<std::uint32_t>(near[v].members) << 3) << 4);
        for (std::size_t q = 0; q < 8; ++q) row[q] += left[q];
        std::uint64_t fresh = 0;
        for (const std::int32_t u : beyond(graph, v, root)) {
          const Near there = near[u];
          if (!there.members) ++fresh;
          else if (there.place < c) --row[there.members], ++row[there.members | 8u];
        }
        row[8] += fresh;
      }
      leave(4, second[j]);
    }
    leave(2, first[i]);
  }
  leave(1, root);
}

double choose(double n, int k) {
  double c = n < k ? 0 : 1;
  for (int i = 0; i < k && c > 0; ++i) c = c * (n - i) / (i + 1);
  return c;
}

double walk_cost(const SimpleGraph& graph, int k, bool connected, bool by_histogram) {
  const auto n = static_cast<double>(graph.n);
  if (!connected || k > 5) return choose(n, k);
  // Trees on 2 to 5 nodes: edges, wedges, stars and paths of 4; stars, forks and paths of 5.
  double edges = 0, wedges = 0, stars4 = 0, paths4 = 0, stars5 = 0, forks = 0, paths5 = 0;
  for (std::int32_t v = 0; v < graph.n; ++v) {
    const auto d = static_cast<double>(graph.degree(v));
    edges += d / 2;
    wedges += choose(d, 2);
    stars4 += choose(d, 3);
    stars5 += choose(d, 4);
    double sum = 0, squares = 0;
    for (const std::int32_t u : graph.neighbors(v)) {
      const auto e = static_cast<double>(graph.degree(u)) - 1;
      sum += e;
      squares += e * e;
    }
    paths4 += (d - 1) * sum / 2;
    forks += choose(d - 1, 2) * sum;
    paths5 += (sum * sum - squares) / 2;
  }
  const double fours = std::min(stars4 + paths4, choose(n, 4)), fives = std::min(stars5 + forks + paths5, choose(n, 5));
  switch (k) {
    case 2: return edges;
    case 3: return std::min(wedges, choose(n, 3));
    case 4: return fours;
    default: return by_histogram ? std::min(8 * fours + forks + paths5, 8 * fours + fives) : fives;
  }
}

}  // namespace mercer
