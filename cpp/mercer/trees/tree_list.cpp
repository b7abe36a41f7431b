#include "mercer/trees/tree_list.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace mercer {

namespace {

constexpr std::int32_t leaf = std::numeric_limits<std::int32_t>::max();  // behind every inner node of its key

}  // namespace

TreeList::TreeList(const Preorder& nodes, const std::uint64_t* keys, const std::int64_t* offsets, std::int64_t n, bool leaves) {
  std::vector<std::uint64_t> identity(static_cast<std::size_t>(nodes.nodes));
  std::vector<std::int32_t> inner_nodes(static_cast<std::size_t>(nodes.nodes));
  subtrees(nodes, identity.data(), inner_nodes.data());
  views_.resize(static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < n; ++i) {
    TreeView& view = views_[static_cast<std::size_t>(i)];
    view.nodes = offsets[i + 1] - offsets[i];
    view.identity = identity[static_cast<std::size_t>(offsets[i])];
    view.inner = inner_nodes[static_cast<std::size_t>(offsets[i])];
    const std::size_t groups = keys_.size();
    add(nodes, keys, offsets[i], offsets[i + 1], leaves);
    view.groups = static_cast<std::int32_t>(keys_.size() - groups);
  }
  std::size_t group = 0, inner = 0, child = 0;
  for (std::size_t i = 0; i < views_.size(); ++i) {  // the vectors have stopped growing
    TreeView& view = views_[i];
    view.keys = keys_.data() + group;
    view.first = first_.data() + group + i;
    view.leaves = leaves_.data() + group;
    view.members = members_.data() + inner;
    view.rank = rank_.data() + inner;
    view.parent = parent_.data() + inner;
    view.children = children_.data() + inner + i;
    view.child_keys = child_keys_.data() + child;
    view.child_nodes = child_nodes_.data() + child;
    group += static_cast<std::size_t>(view.groups);
    inner += static_cast<std::size_t>(view.inner);
    child += static_cast<std::size_t>(view.nodes - 1);
  }
}

void TreeList::add(const Preorder& nodes, const std::uint64_t* keys, std::int64_t begin, std::int64_t end, bool leaves) {
  const std::size_t base = members_.size(), child_base = child_nodes_.size();
  std::vector<std::int32_t> number(static_cast<std::size_t>(end - begin), -1);  // of inner nodes
  std::vector<std::pair<std::uint64_t, std::int32_t>> sorted;
  std::int32_t inner = 0;
  for (std::int64_t v = begin; v < end; ++v) {
    const bool has_children = nodes.n_children[v] > 0;
    if (has_children) number[static_cast<std::size_t>(v - begin)] = inner;
    if (has_children || leaves) sorted.emplace_back(keys[v], has_children ? inner : leaf);
    inner += has_children;
  }
  parent_.resize(base + static_cast<std::size_t>(inner), -1);
  for (std::int64_t v = begin; v < end; ++v) {
    if (nodes.n_children[v] == 0) continue;
    children_.push_back(static_cast<std::int32_t>(child_nodes_.size() - child_base));
    std::int64_t child = v + 1;
    for (std::int32_t k = 0; k < nodes.n_children[v]; ++k, child += nodes.sizes[child]) {
      const std::int32_t c = number[static_cast<std::size_t>(child - begin)];
      child_keys_.push_back(keys[child]);
      child_nodes_.push_back(c);
      if (c >= 0) parent_[base + static_cast<std::size_t>(c)] = number[static_cast<std::size_t>(v - begin)];
    }
  }
  children_.push_back(static_cast<std::int32_t>(child_nodes_.size() - child_base));

  std::sort(sorted.begin(), sorted.end());
  rank_.resize(base + static_cast<std::size_t>(inner));
  for (std::size_t s = 0; s < sorted.size(); ++s) {
    if (s == 0 || sorted[s].first != sorted[s - 1].first) {
      keys_.push_back(sorted[s].first);
      first_.push_back(static_cast<std::int32_t>(members_.size() - base));
      leaves_.push_back(0);
    }
    if (sorted[s].second == leaf) {
      ++leaves_.back();
    } else {
      rank_[base + static_cast<std::size_t>(sorted[s].second)] = static_cast<std::int32_t>(members_.size() - base);
      members_.push_back(sorted[s].second);
    }
  }
  first_.push_back(static_cast<std::int32_t>(members_.size() - base));
}

}  // namespace mercer
