// Sets of nodes drawn at random.
#pragma once

#include <cstdint>

#include "mercer/graphs/graphlets_tally.hpp"

namespace mercer {

// Samples come in blocks, each with a stream of its own: they can be drawn in any order.
std::int64_t sample_blocks(std::int64_t samples);

// Tallies the sets of k nodes of one block, drawn uniformly and with replacement of sets.
void draw_sets(const SimpleGraph& graph, int k, std::int64_t samples, std::uint64_t seed, std::int64_t block, Tally& tally);

// Hash of a form that grows by a node at a level: its edges to the members before it and all labels.
std::uint64_t extended_hash(const SimpleGraph& graph, std::uint64_t before, const NodeSet& nodes, int level, std::int32_t v, unsigned bits);

}  // namespace mercer
