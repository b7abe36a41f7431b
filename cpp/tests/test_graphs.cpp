// Colours of nodes against partitions by signatures, and their counts.
#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "check.hpp"
#include "graph_case.hpp"
#include "mercer/graphs/refinement.hpp"
#include "mercer/runtime/hash.hpp"
#include "reference.hpp"

namespace {

using Signature = std::vector<std::uint64_t>;

using reference::Graphs;
using reference::random_graphs;

// Numbers for the pairs (label of the arc, number of the neighbour) of a node, sorted, behind how many they are.
void see(Signature& signature, std::vector<std::uint64_t> pairs) {
  std::sort(pairs.begin(), pairs.end());
  signature.push_back(pairs.size());
  signature.insert(signature.end(), pairs.begin(), pairs.end());
}

std::vector<std::uint64_t> numbered(const Graphs& graphs, const std::vector<std::uint64_t>& old, mercer::Direction direction, bool bonds) {
  std::vector<std::vector<std::uint64_t>> leaving(old.size()), reaching(old.size());
  for (std::size_t g = 0; g + 1 < graphs.offsets.size(); ++g)
    for (auto v = graphs.offsets[g]; v < graphs.offsets[g + 1]; ++v)
      for (auto a = graphs.indptr[static_cast<std::size_t>(v)]; a < graphs.indptr[static_cast<std::size_t>(v) + 1]; ++a) {
        const auto tail = static_cast<std::size_t>(v), arc = static_cast<std::size_t>(a);
        const auto head = static_cast<std::size_t>(graphs.offsets[g] + graphs.neighbors[arc]);
        const std::uint64_t bond = bonds ? graphs.bonds[arc] << 32 : 0;
        leaving[tail].push_back(bond | old[head]);
        reaching[head].push_back(bond | old[tail]);
      }
  std::map<Signature, std::uint64_t> numbers;
  std::vector<std::uint64_t> out(old.size());
  for (std::size_t v = 0; v < old.size(); ++v) {
    Signature signature{old[v]};
    if (!graphs.directed || direction != mercer::Direction::in) see(signature, leaving[v]);
    if (graphs.directed && direction != mercer::Direction::out) see(signature, reaching[v]);
    out[v] = numbers.try_emplace(signature, numbers.size()).first->second;
  }
  return out;
}

TEST(colours_are_equal_where_neighbourhoods_are) {
  for (const bool directed : {false, true}) {
    const Graphs graphs = random_graphs(300, directed);
    for (const bool bonds : {false, true})
      for (const auto direction : {mercer::Direction::out, mercer::Direction::in, mercer::Direction::both}) {
        const mercer::WeisfeilerLehman rule{direction, bonds ? graphs.bonds.data() : nullptr};
        const auto colors = mercer::refined(graphs.list(), graphs.labels.data(), 3, rule, {1, {}});
        CHECK(colors == mercer::refined(graphs.list(), graphs.labels.data(), 3, rule, {3, {}}));
        const std::size_t n = graphs.labels.size();
        CHECK(colors.size() == 4 * n && std::equal(graphs.labels.begin(), graphs.labels.end(), colors.begin()));
        std::vector<std::uint64_t> numbers = graphs.labels;
        for (std::size_t i = 1; i <= 3; ++i) {
          numbers = numbered(graphs, numbers, direction, bonds);
          std::map<std::uint64_t, std::uint64_t> forth, back;
          for (std::size_t v = 0; v < n; ++v) {
            const std::uint64_t color = colors[i * n + v];
            CHECK(forth.try_emplace(color, numbers[v]).first->second == numbers[v]);
            CHECK(back.try_emplace(numbers[v], color).first->second == color);
          }
        }
      }
  }
}

TEST(colours_are_counted_by_graph_and_level) {
  const Graphs graphs = random_graphs(300, false);
  const auto n = static_cast<std::int64_t>(graphs.labels.size());
  const auto colors = mercer::refined(graphs.list(), graphs.labels.data(), 2, mercer::WeisfeilerLehman{}, {2, {}});
  const auto rows = mercer::count_colors(graphs.offsets.data(), 300, colors.data(), 3, n, {2, {}});
  for (std::size_t g = 0; g < 300; ++g) {
    std::map<std::uint64_t, double> counts;
    for (std::uint64_t level = 0; level < 3; ++level)
      for (auto v = graphs.offsets[g]; v < graphs.offsets[g + 1]; ++v)
        ++counts[mercer::combine(level, colors[static_cast<std::size_t>(static_cast<std::int64_t>(level) * n + v)])];
    auto at = static_cast<std::size_t>(rows.indptr[g]);
    CHECK(rows.indptr[g + 1] - rows.indptr[g] == static_cast<std::int64_t>(counts.size()));
    for (const auto& [key, count] : counts) {
      CHECK(rows.keys[at] == key && rows.values[at] == count);
      ++at;
    }
  }
}

TEST(hashes_of_few_bits_stay_within_them) {
  // By hand, for a path of two nodes with the numbers a and b: rot(a, 1) ⊕ b, or rot(a, 1) ⊕ rot(b ⊕ 1, 1) with counts.
  reference::Random random(0);
  Graphs graphs;
  graphs.add({{1}, {0}}, random);
  for (const int bits : {1, 2, 5, 63, 64})
    for (const bool counted : {false, true}) {
      const std::uint64_t mask = ~std::uint64_t{0} >> (64 - bits);
      const auto rotated = [&](std::uint64_t x) { return ((x << 1) | (x >> (bits - 1))) & mask; };
      const auto h = mercer::refined(graphs.list(), graphs.labels.data(), 1, mercer::NeighborhoodHash{bits, counted}, {1, {}});
      CHECK(h[0] <= mask && h[1] <= mask);
      CHECK(h[2] == (rotated(h[0]) ^ (counted ? rotated(h[1] ^ 1) : h[1])));
      CHECK(h[3] == (rotated(h[1]) ^ (counted ? rotated(h[0] ^ 1) : h[0])));
    }
}

TEST(no_graphs_and_no_nodes_have_no_colours) {
  Graphs none;
  CHECK(mercer::refined(none.list(), nullptr, 3, mercer::WeisfeilerLehman{}, {2, {}}).empty());
  reference::Random random(0);
  none.add({}, random);
  none.add({}, random);
  const auto rows = mercer::count_colors(none.offsets.data(), 2, none.labels.data(), 1, 0, {2, {}});
  CHECK(rows.indptr == std::vector<std::int64_t>(3, 0) && rows.keys.empty());
}

}  // namespace
