// Isomorphism classes of small graphs.
//
// The code of a graph on k ≤ 8 nodes has bit j(j−1)/2 + i for the edge between nodes i < j: node j adds j bits, which tell
// its neighbours among the nodes before it. A canonical form is the code and the labels in an order of the nodes that
// depends on the isomorphism class only: colours (label and degree) are refined by the colours of neighbours; while nodes
// share a colour, each of them in turn is given one of its own (McKay's individualisation), and of all orders that are
// found this way the one with the least form counts. Of nodes that can be exchanged without any change one is enough.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <vector>

namespace mercer {

constexpr int most_nodes = 8;   // of a graphlet
constexpr int table_nodes = 5;  // up to which classes are looked up

// Number of pairs of nodes: bits of a code.
constexpr int pairs_of(int k) { return k * (k - 1) / 2; }
constexpr int bit_of(int i, int j) { return i < j ? pairs_of(j) + i : pairs_of(i) + j; }

struct SmallGraph {
  int k = 0;
  std::uint32_t code = 0;
  std::array<std::uint64_t, most_nodes> nodes{};                                      // labels; zeros if there are none
  std::array<std::uint64_t, static_cast<std::size_t>(pairs_of(most_nodes))> edges{};  // by bit; zeros without labels or edge

  bool has(int i, int j) const { return code >> bit_of(i, j) & 1; }
  auto operator<=>(const SmallGraph&) const = default;
};

bool is_connected(int k, std::uint32_t code);

// The same graph for all that are isomorphic. `order`, if given, receives the node that comes at each place.
SmallGraph canonical(const SmallGraph& graph, int* order = nullptr);

// Key of a class without labels: the number of nodes and the canonical code. From a table up to 5 nodes.
std::uint64_t class_key(int k, std::uint32_t code);

// Key of a class with labels: a stable hash of the canonical form.
std::uint64_t labelled_key(const SmallGraph& canonical_form);

}  // namespace mercer
