// How often each class of subgraphs was met.
//
// Sets of nodes are tallied as they come, in the order in which their nodes were taken; only the different forms that
// occurred are brought into canonical form, at the end. Without labels a form is a code of at most 10 bits: an index.
// Otherwise it is found by a hash, with one set of nodes as its example.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "mercer/graphs/graphlets_form.hpp"
#include "mercer/graphs/simple_graph.hpp"
#include "mercer/runtime/hash.hpp"

namespace mercer {

using NodeSet = std::array<std::int32_t, most_nodes>;

// A class that occurs in a graph; `nodes` is one set, numbered as in the list of graphs and in canonical order.
struct ClassEntry {
  std::uint64_t key;
  double count;
  NodeSet nodes;
};

class Tally {
 public:
  Tally(int k, bool labelled);

  bool dense() const { return !dense_.empty(); }
  std::vector<std::uint64_t>& codes() { return dense_; }
  void add(std::uint32_t code) { ++dense_[code]; }
  void add(std::uint64_t hash, const NodeSet& nodes, const SimpleGraph& graph) {
    Slot& slot = find(hash);
    if (slot.count++ == 0) {
      slot.hash = hash;
      slot.nodes = nodes;
      if (++used_ > limit_) grow(graph);
    }
  }

  // Classes that were met, by ascending key; with `connected` those that are. Starts anew.
  std::vector<ClassEntry> finish(const SimpleGraph& graph, bool connected);

 private:
  struct Slot {
    std::uint64_t hash, count;
    NodeSet nodes;
  };
  Slot& find(std::uint64_t hash) {
    const std::size_t last = slots_.size() - 1;
    for (std::size_t i = static_cast<std::size_t>(hash) & last;; i = (i + 1) & last)
      if (slots_[i].count == 0 || slots_[i].hash == hash) return slots_[i];
  }
  void grow(const SimpleGraph& graph);
  void canonize(const SimpleGraph& graph);

  int k_;
  bool labelled_;
  std::vector<std::uint64_t> dense_;
  std::vector<Slot> slots_;
  std::size_t used_ = 0, limit_ = 0;
  std::vector<ClassEntry> classes_;  // of the slots that were cleared, disconnected ones too
};

// The graph that a set of nodes induces, with the labels that the graph has.
SmallGraph induced(const SimpleGraph& graph, const NodeSet& nodes, int k);

// Entries with equal keys added up, by ascending key.
std::vector<ClassEntry> merged(std::vector<ClassEntry> entries);

}  // namespace mercer
