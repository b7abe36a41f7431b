"""Partial tree kernel: common fragments that may leave out children."""

from dataclasses import KW_ONLY, dataclass
from typing import ClassVar, final

import mercer._core as _core
from mercer._validation import check_real
from mercer.kernels.definiteness import Certificate, Definiteness
from mercer.kernels.trees.base import NodeKernel, NodeKeys

__all__ = ["PartialTree"]


@final
@dataclass(frozen=True)
class PartialTree(NodeKernel):
    """Partial tree kernel: counts common fragments in which a node may have any of its children, in order.

    k(x, z) = Σ δ(u, v) over all nodes u of x and v of z with equal labels, where

    δ(u, v) = μ (λ² + Σ_{I, J} λ^(gaps(I) + gaps(J)) Π_k δ(u_{I_k}, v_{J_k}))

    over all pairs of non-empty subsequences I, J of equal length of the children of u and of v. gaps(I) is the number
    of children left out between the first and the last of I.

    Parameters
    ----------
    decay : float, default=0.4
        λ in (0, 1], the factor for every child left out between others; λ² for a node without children in the fragment.
    mu : float, default=0.4
        μ in (0, 1], the factor for every node of a fragment.
    terminal_factor : float, default=1.0
        τ > 0: two equal leaves have δ = τ μ λ².

    See Also
    --------
    SubsetTree : Fragments of whole productions.
    Subtree : Complete subtrees, with an explicit feature map.

    Notes
    -----
    PSD for τ ≥ 1: the leaves of fragments then have the features "node with this label" and, weighted by
    √(τ − 1), "leaf with this label". Not PSD for τ < 1: let x be one node a, and z_i a node a above one leaf b_i. Then
    the mean of the features of z_1, …, z_n minus those of x has the squared norm μ λ² (τ − 1) + O(1/n). The kernel is
    still PSD on trees in which no label occurs both at leaves and at inner nodes. The number of fragments is
    exponential, so there is no `feature_map`.

    Contiguous children are not penalised. A leaf and an inner node of the same label have δ = μ λ²: they share the
    fragment of one node, without τ.

    Complexity: O(m m') per pair of nodes with equal labels and m and m' children, for all lengths of subsequences at
    once. Labels are compared by 64-bit hashes, of which 52 bits vary. A value beyond the range of float64 raises
    OverflowError.

    References
    ----------
    * Moschitti, *Efficient convolution kernels for dependency and constituent syntactic trees*, ECML 2006,
      doi:10.1007/11871842_32.

    Examples
    --------
    >>> trees = ["(NP (DT the) (JJ old) (NN ox))", "(NP (DT the) (NN ox))"]
    >>> PartialTree(decay=1.0, mu=1.0)(trees)  # 3 leaves, 3·2 fragments rooted above one of them, 3·3·3 rooted at NP
    array([[36., 15.],
           [15., 15.]])
    """

    name: ClassVar[str] = "partial_tree"
    formula: ClassVar[str] = "Σ_uv μ(λ² + Σ_IJ λ^gaps Πδ)"
    keys: ClassVar[NodeKeys] = "labels"
    decay: float = 0.4
    mu: float = 0.4
    _: KW_ONLY
    terminal_factor: float = 1.0

    def __post_init__(self) -> None:
        for name, high in (("decay", 1.0), ("mu", 1.0), ("terminal_factor", 1e6)):
            value = check_real("PartialTree", name, getattr(self, name), low=0.0, strict=True, high=high)
            object.__setattr__(self, name, value)

    @property
    def rule(self) -> _core.PartialTree:
        return _core.PartialTree(self.decay, self.mu, self.terminal_factor)

    def proof(self) -> Certificate:
        if self.terminal_factor >= 1:
            return self._certify(Definiteness.PSD, "an inner product of weighted counts of fragments", "Moschitti 2006")
        return self._certify(
            Definiteness.NOT_PSD,
            "with terminal_factor < 1 a leaf is more similar to inner nodes of its label than to itself",
        )
