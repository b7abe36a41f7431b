// The key of node v with label l and children c₁, …, c_n is combine(… combine(mix(l ⊕ n g), key(c₁)) …, key(c_n)): the
// hash of a production, with the keys of subtrees in place of the labels of the children. In preorder every child comes
// after its parent, so one pass from the last node to the first finds all keys of the children known.
#include "mercer/trees/subtrees.hpp"

#include "mercer/runtime/hash.hpp"

namespace mercer {

bool are_trees(const Preorder& nodes, const std::int64_t* offsets, std::int64_t n) {
  if (offsets[n] != nodes.nodes) return false;
  for (std::int64_t i = 0; i < n; ++i) {
    if (offsets[i] >= offsets[i + 1] || nodes.sizes[offsets[i]] != offsets[i + 1] - offsets[i]) return false;
    for (std::int64_t v = offsets[i + 1] - 1; v >= offsets[i]; --v) {
      const std::int64_t end = v + nodes.sizes[v];
      if (nodes.sizes[v] < 1 || nodes.n_children[v] < 0 || end > offsets[i + 1]) return false;
      std::int64_t child = v + 1;
      for (std::int32_t k = 0; k < nodes.n_children[v]; ++k, child += nodes.sizes[child])
        if (child >= end) return false;
      if (child != end) return false;
    }
  }
  return true;
}

void subtrees(const Preorder& nodes, std::uint64_t* keys, std::int32_t* inner) {
  for (std::int64_t v = nodes.nodes - 1; v >= 0; --v) {
    const std::int32_t n = nodes.n_children[v];
    std::uint64_t key = mix(nodes.labels[v] ^ (static_cast<std::uint64_t>(n) * golden));
    std::int32_t below = n > 0;
    std::int64_t child = v + 1;
    for (std::int32_t k = 0; k < n; ++k, child += nodes.sizes[child]) {
      key = combine(key, keys[child]);
      below += inner[child];
    }
    keys[v] = key;
    inner[v] = below;
  }
}

}  // namespace mercer
