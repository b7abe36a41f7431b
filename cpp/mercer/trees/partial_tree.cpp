// k(a, b) = Σ δ(u, v) over nodes u of a and v of b with equal labels (Moschitti 2006, Efficient convolution kernels for
// dependency and constituent syntactic trees). With the children u_1, …, u_m and v_1, …, v_n
//   δ(u, v) = μ (λ² + Σ_{I, J} λ^{gaps(I) + gaps(J)} Π_k δ(u_{I_k}, v_{J_k}))
// over all pairs of non-empty subsequences of equal length; gaps(I) is the number of children skipped between the first
// and the last of I. If both u and v are leaves, δ = τ μ λ²; if one of them is, the sum is empty.
//
// The sum over subsequences that end at children i and j is S(i, j) = δ(u_i, v_j) (1 + T(i − 1, j − 1)), where
//   T(i, j) = Σ_{i' ≤ i, j' ≤ j} λ^{(i − i') + (j − j')} S(i', j') = λ T(i − 1, j) + Σ_{j' ≤ j} λ^{j − j'} S(i, j').
// All lengths at once, O(mn) time, and one row of T: nothing is subtracted, so nothing cancels.
#include "mercer/trees/partial_tree.hpp"

namespace mercer {

double PartialTree::value(const TreeView& a, const TreeView& b, TreeWorkspace& workspace) const {
  Matching& matching = workspace.matching;
  std::vector<double>& reach = workspace.reach;
  const Matching::LeafPairs leaves = matching.match(a, b);
  const auto child = [&](std::int32_t c, std::int32_t d) {  // δ of two children by their places in the lists
    if (a.child_keys[c] != b.child_keys[d]) return 0.0;
    const std::int32_t p = a.child_nodes[c], q = b.child_nodes[d];
    return p >= 0 && q >= 0 ? matching(b, p, q) : p < 0 && q < 0 ? two_leaves_ : one_leaf_;
  };
  const double shared = matching.sum(a, b, [&](std::int32_t u, std::int32_t v) {
    const std::int32_t c0 = a.children[u], c1 = a.children[u + 1], d0 = b.children[v], d1 = b.children[v + 1];
    double total = 0;
    if (c1 - c0 == 1 || d1 - d0 == 1) {
      for (std::int32_t c = c0; c < c1; ++c)
        for (std::int32_t d = d0; d < d1; ++d) total += child(c, d);
      return mu_ * (decay_ * decay_ + total);
    }
    reach.assign(static_cast<std::size_t>(d1 - d0), 0.0);  // T(i, ·)
    for (std::int32_t c = c0; c < c1; ++c) {
      double before = 0, along = 0;  // T(i − 1, j − 1) and Σ_{j' ≤ j} λ^{j − j'} S(i, j')
      for (std::int32_t d = d0; d < d1; ++d) {
        double& here = reach[static_cast<std::size_t>(d - d0)];
        const double ending = child(c, d) * (1 + before);
        before = here;
        along = decay_ * along + ending;
        here = decay_ * here + along;
        total += ending;
      }
    }
    return mu_ * (decay_ * decay_ + total);
  });
  return two_leaves_ * static_cast<double>(leaves.both) + one_leaf_ * static_cast<double>(leaves.one) + shared;
}

}  // namespace mercer
