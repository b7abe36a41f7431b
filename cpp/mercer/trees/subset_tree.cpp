// k(a, b) = Σ δ(u, v) over inner nodes u of a and v of b with equal productions, where
//   δ(u, v) = λ Π_j (1 + δ(u_j, v_j))
// over the children in order (Collins & Duffy 2001). A child that is a leaf, or whose production is not that of the
// other, has δ = 0: below it nothing can be shared, so that its factor is 1.
#include "mercer/trees/subset_tree.hpp"

namespace mercer {

double SubsetTree::value(const TreeView& a, const TreeView& b, TreeWorkspace& workspace) const {
  Matching& matching = workspace.matching;
  const Matching::LeafPairs leaves = matching.match(a, b);
  const double shared = matching.sum(a, b, [&](std::int32_t u, std::int32_t v) {
    const std::int32_t c = a.children[u], d = b.children[v], n = a.children[u + 1] - c;
    double product = decay_;
    for (std::int32_t k = 0; k < n; ++k) {
      const std::int32_t p = a.child_nodes[c + k], q = b.child_nodes[d + k];
      if (p >= 0 && q >= 0 && a.child_keys[c + k] == b.child_keys[d + k]) product *= 1 + matching(b, p, q);
    }
    return product;
  });
  return decay_ * static_cast<double>(leaves.both) + shared;
}

}  // namespace mercer
