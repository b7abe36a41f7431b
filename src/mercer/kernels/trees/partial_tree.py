"""The partial tree kernel: fragments that leave out nodes."""

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
    r"""Partial tree kernel  k(x, z) = Σ δ(u, v) over all nodes u of x and v of z with equal labels.

    δ(u, v) = μ (λ² + Σ_{I, J} λ^{gaps(I) + gaps(J)} Π_k δ(u_{I_k}, v_{J_k})) over all pairs of non-empty subsequences
    of equal length of the children of u and of v; gaps(I) counts the children left out between the first and the last
    of I. So k is an inner product over all fragments: a node may have any of its children, in order.

    Parameters
    ----------
    decay : float
        λ in (0, 1]: for every child that is left out between others, and for the leaves of a fragment.
    mu : float
        μ in (0, 1]: for every node of a fragment.
    terminal_factor : float
        τ > 0: δ of two equal leaves is τ μ λ².

    Notes
    -----
    A run of neighbouring children is not penalised. Of a leaf and a node of the same label that has children,
    δ = μ λ²: they share the fragment of one node, and τ does not enter.

    O(m n) per pair of equally labelled nodes with m and n children, all lengths of subsequences at once; memory per
    thread is that of the pairs that wait for their parents. Labels are compared by hashes of 64 bits, of which 52 vary;
    the number of fragments is exponential, so there is no `feature_map`. A value beyond the range of floats raises
    OverflowError.

    PSD for τ ≥ 1: the leaves of fragments then have the features "a node with this label" and, weighted by √(τ − 1), "a
    leaf with this label". Not PSD for τ < 1: with x one node a, and z_i a node a above one leaf b_i, the mean of
    z_1, …, z_n minus x has the squared norm μ λ² (τ − 1) + O(1/n). It still is on trees in which no label stands
    both at leaves and at other nodes.

    References
    ----------
    Moschitti 2006, Efficient convolution kernels for dependency and constituent syntactic trees,
    doi:10.1007/11871842_32.

    Examples
    --------
    >>> trees = ["(NP (DT the) (JJ old) (NN ox))", "(NP (DT the) (NN ox))"]
    >>> PartialTree(decay=1.0, mu=1.0)(trees)  # 3 leaves, 3·2 fragments above one of them, 3·3·3 below NP
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
            Definiteness.NOT_PSD, "with terminal_factor < 1 a leaf is nearer to nodes with children than to itself"
        )
