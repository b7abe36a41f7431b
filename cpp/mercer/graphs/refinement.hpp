// Refinement of colours: every node takes in the colours of its neighbours, again and again.
//
// h_0(v) is the label of v. A rule gives h_{i+1}(v) from h_i(v) and the multiset of h_i over the neighbours of v:
//
//   Weisfeiler-Lehman   h_{i+1}(v) = H(h_i(v), {{ h_i(u) }}), or {{ (e, h_i(u)) }} with the label e of the arc. H hashes the
//                       sorted multiset, its size first. Of directed graphs it is that of the arcs from v, of those to v, or
//                       H takes in both, one after the other.
//   neighbourhood hash  numbers of b bits, rot(x, s) = x rotated left by s bits of b:
//                       h_{i+1}(v) = rot(h_i(v), 1) ⊕ ⊕_u h_i(u), or, with counts, over the different colours c of the
//                       neighbours, c that of m of them, rot(h_i(v), 1) ⊕ ⊕_c rot(c ⊕ m, m)   (Hido and Kashima 2009).
//
// Colours are stable hashes: graphs that are refined apart agree, and no dictionary is kept. Of m different colours two
// collide with probability about m²/2⁶⁵. A step costs O(arcs), and the sort of every neighbourhood.
#pragma once

#include <cstdint>
#include <vector>

#include "mercer/graphs/graph_list.hpp"
#include "mercer/items/keyed_rows.hpp"

namespace mercer {

enum class Direction { out, in, both };  // of graphs that are directed

struct WeisfeilerLehman {
  Direction direction = Direction::both;
  const std::uint64_t* edge_labels = nullptr;  // of every arc
};

struct NeighborhoodHash {
  int bits = 64;
  bool counted = true;
};

// h_0, …, h_n of all nodes, (n + 1) × nodes; a label is an arbitrary number.
std::vector<std::uint64_t> refined(const GraphList& graphs, const std::uint64_t* labels, std::int64_t n, const WeisfeilerLehman& rule,
                                   const Execution& execution);
std::vector<std::uint64_t> refined(const GraphList& graphs, const std::uint64_t* labels, std::int64_t n, const NeighborhoodHash& rule,
                                   const Execution& execution);

// How often each colour of each level occurs in the range offsets[i], …, offsets[i+1]−1: rows of n items, keys
// combine(level, colour). `colors` is levels × size.
KeyedRows count_colors(const std::int64_t* offsets, std::int64_t n, const std::uint64_t* colors, std::int64_t levels, std::int64_t size,
                       const Execution& execution);

}  // namespace mercer
