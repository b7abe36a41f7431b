"""The subtree kernel: complete subtrees that two trees have in common."""

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

LARGE = 200  # nodes beyond which a name tells the size of a subtree only


@final
@dataclass(frozen=True)
class Subtree(KeyedKernel):
    r"""Subtree kernel  k(x, z) = Σ_s λ^{|s|} n_s(x) n_s(z) over complete subtrees s; n_s counts occurrences.

    A complete subtree is a node with children and everything below it; |s| is the number of its nodes with children.

    Parameters
    ----------
    decay : float
        λ in (0, 1].

    Notes
    -----
    The same as Σ δ(u, v) over nodes with children, where δ is 0 if the productions of u and v differ, else λ times the
    product of δ over their children with children; two leaves have the factor 1, a leaf and a node with children 0.
    Leaves themselves are not counted.

    O(|x| log |x|) per tree, then a sparse product. PSD: an inner product of the counts λ^{|s|/2} n_s. Subtrees are
    compared by hashes of 64 bits. `feature_map` has a column for every subtree, named by its brackets; beyond 200 nodes
    by label, size and hash.

    References
    ----------
    Vishwanathan & Smola 2002, Fast kernels for string and tree matching, NIPS 15.

    Examples
    --------
    >>> trees = ["(S (NP ox) (VP eats))", "(S (NP ox) (VP sleeps))"]
    >>> Subtree()(trees)
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
            Definiteness.PSD, "an inner product of the counts of complete subtrees", "Vishwanathan & Smola 2002"
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
