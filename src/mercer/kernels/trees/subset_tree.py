"""Subset tree kernel: common fragments of whole productions."""

from dataclasses import KW_ONLY, dataclass
from typing import ClassVar, final

import mercer._core as _core
from mercer._validation import check_flag, check_real
from mercer.kernels.definiteness import Certificate, Definiteness
from mercer.kernels.trees.base import NodeKernel, NodeKeys

__all__ = ["SubsetTree"]


@final
@dataclass(frozen=True)
class SubsetTree(NodeKernel):
    """Subset tree kernel: counts common fragments made of whole productions.

    ``k(x, z) = Σ_f λ^|f| n_f(x) n_f(z)`` over fragments f, where n_f counts occurrences. A fragment is a connected part
    of a tree in which every node has either all of its children or none, and its root has children. ``|f|`` is its
    number of productions.

    Parameters
    ----------
    decay : float, default=0.4
        λ in (0, 1], the factor for each production. With 1, large fragments dominate, because they are the most
        frequent.
    leaves : bool, default=False
        Whether every pair of equal leaves adds λ, as in KeLP.

    See Also
    --------
    Subtree : Only complete subtrees, with an explicit feature map.
    PartialTree : Fragments that may leave out children.

    Notes
    -----
    PSD: an inner product of the features ``λ^(|f|/2) n_f(x)``. Their number is exponential in the size of the tree, so
    there is no `feature_map`.

    k(x, z) = Σ δ(u, v) over nodes u, v with children, where δ(u, v) = λ Π_j (1 + δ(u_j, v_j)) over their children if
    the productions of u and v are equal, else 0. A leaf has no production and contributes the factor 1. Equal
    preterminals have δ = λ. A tree of one node has no fragments: k is 0 without `leaves`.

    Complexity: linear in the number of nodes plus the number of pairs of nodes with equal productions, O(n n') at worst
    for trees of n and n' nodes. Productions are compared by 64-bit hashes. A value beyond the range of float64 raises
    OverflowError.

    References
    ----------
    * Collins & Duffy, *Convolution kernels for natural language*, NIPS 14, 2001.
    * Moschitti, *Making tree kernels practical for natural language learning*, EACL 2006.

    Examples
    --------
    >>> trees = ["(NP (DT the) (NN ox))", "(NP (DT the) (NN cow))"]
    >>> SubsetTree(decay=1.0)(trees)  # in common: DT, NP, and NP with DT expanded
    array([[6., 3.],
           [3., 6.]])
    """

    name: ClassVar[str] = "subset_tree"
    formula: ClassVar[str] = "Σ_f λ^|f| n_f(x)n_f(z)"
    keys: ClassVar[NodeKeys] = "productions"
    decay: float = 0.4
    _: KW_ONLY
    leaves: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "decay", check_real("SubsetTree", "decay", self.decay, low=0.0, strict=True, high=1.0))
        object.__setattr__(self, "leaves", check_flag("SubsetTree", "leaves", self.leaves))

    @property
    def rule(self) -> _core.SubsetTree:
        return _core.SubsetTree(self.decay)

    @property
    def counts_leaves(self) -> bool:
        return self.leaves

    def proof(self) -> Certificate:
        what = "an inner product of weighted counts of fragments" + (" and of leaves" if self.leaves else "")
        return self._certify(Definiteness.PSD, what, "Collins & Duffy 2001")
