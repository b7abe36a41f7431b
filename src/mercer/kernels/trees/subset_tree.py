"""The subset tree kernel: fragments of a grammar that two trees have in common."""

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
    r"""Subset tree kernel  k(x, z) = Σ_f λ^{|f|} n_f(x) n_f(z) over all fragments f; n_f counts occurrences.

    A fragment is a part of a tree in which every node has either all of its children or none of them, and at least the
    top has them: whole productions, no more and no less. |f| is the number of its productions.

    Parameters
    ----------
    decay : float
        λ in (0, 1]: what a production is worth. At 1 large fragments, of which a tree has most, outweigh all others.
    leaves : bool
        Whether every pair of equal leaves adds λ, as in KeLP.

    Notes
    -----
    k(x, z) = Σ δ(u, v) over nodes u, v with children, and δ(u, v) = λ Π_j (1 + δ(u_j, v_j)) over their children if the
    productions of u and v are equal, else 0. A leaf has no production: as a child it has the factor 1, also next to
    children that have one, and preterminals that match have δ = λ.

    Time is linear in the nodes plus the pairs of nodes with equal productions, O(|x| |z|) at worst; memory per thread
    is that of the pairs that wait for their parents. PSD: an inner product of the counts λ^{|f|/2} n_f. The number of
    fragments is exponential, so there is no `feature_map`. A value beyond the range of floats raises OverflowError.
    Productions are compared by hashes of 64 bits. A tree of one node has no fragments: k is 0 without `leaves`.

    References
    ----------
    Collins & Duffy 2001, Convolution kernels for natural language, NIPS 14.
    Moschitti 2006, Making tree kernels practical for natural language learning, EACL, E06-1015.

    Examples
    --------
    >>> trees = ["(NP (DT the) (NN ox))", "(NP (DT the) (NN cow))"]
    >>> SubsetTree(decay=1.0)(trees)  # DT, NN, and NP with or without each of them
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
        what = "an inner product of the counts of fragments" + (" and of leaves" if self.leaves else "")
        return self._certify(Definiteness.PSD, what, "Collins & Duffy 2001")
