#include "mercer/graphs/graphlets_tally.hpp"

#include <algorithm>
#include <cmath>

namespace mercer {

namespace {

constexpr std::size_t few = 1 << 8, many = 1 << 20;  // slots at first, and when forms give way to classes

}  // namespace

Tally::Tally(int k, bool labelled) : k_(k), labelled_(labelled) {
  if (!labelled && k <= table_nodes) dense_.assign(std::size_t{1} << pairs_of(k), 0);
  else slots_.assign(few, Slot{}), limit_ = few / 2;
}

void Tally::grow(const SimpleGraph& graph) {
  if (slots_.size() >= many) return canonize(graph);
  std::vector<Slot> old(2 * slots_.size(), Slot{});
  old.swap(slots_);
  limit_ = slots_.size() / 2;
  for (const Slot& slot : old)
    if (slot.count) find(slot.hash) = slot;
}

void Tally::canonize(const SimpleGraph& graph) {
  for (Slot& slot : slots_) {
    if (!slot.count) continue;
    std::array<int, most_nodes> order{};
    const SmallGraph form = canonical(induced(graph, slot.nodes, k_), order.data());
    ClassEntry entry{labelled_ ? labelled_key(form) : static_cast<std::uint64_t>(k_) << 32 | form.code, static_cast<double>(slot.count), {}};
    for (int i = 0; i < k_; ++i)
      entry.nodes[static_cast<std::size_t>(i)] =
          graph.original[static_cast<std::size_t>(slot.nodes[static_cast<std::size_t>(order[static_cast<std::size_t>(i)])])];
    if (!is_connected(k_, form.code)) entry.count = -entry.count;  // told apart until the end
    classes_.push_back(entry);
    slot.count = 0;
  }
  used_ = 0;
  classes_ = merged(std::move(classes_));
}

std::vector<ClassEntry> Tally::finish(const SimpleGraph& graph, bool connected) {
  for (std::size_t code = 0; code < dense_.size(); ++code)
    if (dense_[code]) {
      const auto bits = static_cast<std::uint32_t>(code);
      const auto count = static_cast<double>(dense_[code]);
      classes_.push_back({class_key(k_, bits), is_connected(k_, bits) ? count : -count, {}});
      dense_[code] = 0;
    }
  canonize(graph);
  std::vector<ClassEntry> found = merged(std::move(classes_));
  classes_.clear();
  if (slots_.size() > few) slots_.assign(few, Slot{}), slots_.shrink_to_fit(), limit_ = few / 2;  // the next graph may be small
  if (connected) std::erase_if(found, [](const ClassEntry& e) { return e.count < 0; });
  for (ClassEntry& e : found) e.count = std::abs(e.count);
  return found;
}

SmallGraph induced(const SimpleGraph& graph, const NodeSet& nodes, int k) {
  SmallGraph small;
  small.k = k;
  for (int j = 0; j < k; ++j) {
    const std::int32_t v = nodes[static_cast<std::size_t>(j)];
    if (!graph.node_labels.empty()) small.nodes[static_cast<std::size_t>(j)] = graph.node_labels[static_cast<std::size_t>(v)];
    for (int i = 0; i < j; ++i) {
      const std::int64_t edge = graph.edge(v, nodes[static_cast<std::size_t>(i)]);
      if (edge < 0) continue;
      small.code |= std::uint32_t{1} << bit_of(i, j);
      if (!graph.edge_labels.empty()) small.edges[static_cast<std::size_t>(bit_of(i, j))] = graph.edge_labels[static_cast<std::size_t>(edge)];
    }
  }
  return small;
}

std::vector<ClassEntry> merged(std::vector<ClassEntry> entries) {
  std::sort(entries.begin(), entries.end(), [](const ClassEntry& a, const ClassEntry& b) { return a.key < b.key; });
  std::size_t kept = 0;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (kept && entries[kept - 1].key == entries[i].key) entries[kept - 1].count += entries[i].count;
    else entries[kept++] = entries[i];
  }
  entries.resize(kept);
  return entries;
}

}  // namespace mercer
