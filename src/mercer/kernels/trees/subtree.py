"""Subtree kernel: common complete subtrees of two trees."""

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

import mercer._core as _core
from mercer._typing import Data
from mercer._validation import check_real
from mercer.data import Tree, Trees
from mercer.kernels.base import Reads
from mercer.kernels.definiteness import Certificate, Definiteness
from mercer.kernels.keyed import KeyArray, KeyedRows
from mercer.kernels.trees.base import as_trees
from mercer.kernels.vocabulary import KeyedKernel

__all__ = ["Subtree"]

LARGE = 200  # larger subtrees are named by label, size and hash


@final
@dataclass(frozen=True)
class Subtree(KeyedKernel):
    """Subtree kernel: counts common complete subtrees of two trees.

    ``k(x, z) = Σ_s λ^|s| n_s(x) n_s(z)`` over complete subtrees s, where n_s counts occurrences. A complete subtree is
    a node with children together with all of its descendants; ``|s|`` is its number of nodes with children.

    Parameters
    ----------
    decay : float, default=1.0
        λ in (0, 1], the factor for each node with children.

    See Also
    --------
    SubsetTree : Fragments that may stop above the leaves.
    PartialTree : Fragments that may leave out children.

    Notes
    -----
    PSD: an inner product of the features ``λ^(|s|/2) n_s(x)``. `feature_map` has one column for each
    subtree that occurs, named by its bracket notation; subtrees of more than 200 nodes are named by label, size and
    hash.

    Equivalently k(x, z) = Σ δ(u, v) over nodes with children. δ(u, v) is 0 if the productions of u and v differ.
    Otherwise it is λ times the product over pairs of children: δ of two nodes with children, 1 for two leaves, 0 for a
    leaf and a node with children. Leaves themselves are not counted.

    Complexity: O(n log n) per tree of n nodes, then a sparse product. Subtrees are compared by 64-bit hashes.

    References
    ----------
    * Vishwanathan & Smola, *Fast kernels for string and tree matching*, NIPS 15, 2002.

    Examples
    --------
    >>> trees = ["(S (NP ox) (VP eats))", "(S (NP ox) (VP sleeps))"]
    >>> Subtree()(trees)  # (NP ox) in common
    array([[3., 1.],
           [1., 3.]])
    """

    name: ClassVar[str] = "subtree"
    formula: ClassVar[str] = "Σ_s λ^|s| n_s(x)n_s(z)"
    reads: ClassVar[Reads] = "items"
    decay: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "decay", check_real("Subtree", "decay", self.decay, low=0.0, strict=True, high=1.0))

    def pack(self, X: Data) -> Trees:
        return as_trees(X, "Subtree")

    def rows(self, A: Trees) -> KeyedRows:
        keys, inner = _subtrees(A)
        tree = np.repeat(np.arange(len(A)), A.lengths)
        kept = np.flatnonzero(A.n_children)
        order = kept[np.lexsort((keys[kept], tree[kept]))]
        tree, keys = tree[order], keys[order]
        new = np.ones(len(order), dtype=np.bool_)
        new[1:] = (tree[1:] != tree[:-1]) | (keys[1:] != keys[:-1])
        starts = np.flatnonzero(new)
        counts = np.diff(starts, append=len(order))
        indptr = np.searchsorted(tree[starts], np.arange(len(A) + 1))
        return KeyedRows._of(indptr, keys[starts], counts * self.decay ** (inner[order[starts]] / 2))

    def names(self, A: Trees, keys: KeyArray) -> list[str]:
        found, node = np.unique(_subtrees(A)[0], return_index=True)
        return [_name(A, int(v), key) for v, key in zip(node[np.searchsorted(found, keys)], keys.tolist(), strict=True)]

    def proof(self) -> Certificate:
        return self._certify(
            Definiteness.PSD, "an inner product of weighted counts of complete subtrees", "Vishwanathan & Smola 2002"
        )


def _subtrees(trees: Trees) -> tuple[KeyArray, np.ndarray[tuple[int], np.dtype[np.int32]]]:
    """Key of the subtree of every node, and its number of nodes with children."""
    keys, inner = np.empty(len(trees.labels), dtype=np.uint64), np.empty(len(trees.labels), dtype=np.int32)
    _core.subtrees(trees.labels, trees.sizes, trees.n_children, trees.offsets, keys, inner)
    return keys, inner


def _name(trees: Trees, node: int, key: int) -> str:
    span = slice(node, node + int(trees.sizes[node]))
    tree = Tree._of(trees.labels[span], trees.sizes[span], trees.n_children[span], trees.texts)
    if tree.size > LARGE:
        return f"{tree!r} #{key:016x}"
    try:
        return tree.to_text()
    except ValueError:  # a label with blanks or brackets
        return repr(tree.to_tuple())
