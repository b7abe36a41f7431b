"""`Trees`: many ordered labelled trees packed in preorder."""

from collections.abc import Iterable, Sequence
from typing import Any, Self, final

import numpy as np
import numpy.typing as npt

from mercer._typing import Data, IndexArray
from mercer.data.hashing.categories import is_missing
from mercer.data.hashing.texts import HashArray, hash_texts, merge_texts, used_texts
from mercer.data.packed import Packed, gather, joined_offsets, listed, record_error
from mercer.data.readers.brackets import parse_texts, read_brackets
from mercer.data.readers.lines import Path
from mercer.data.readers.tree_objects import read_tree
from mercer.data.trees.checks import check_trees
from mercer.data.trees.grower import Grower
from mercer.data.trees.productions import production_codes
from mercer.data.trees.tree import Tree

__all__ = ["Trees"]

_FLATS = ("labels", "sizes", "n_children", "productions")


@final
class Trees(Packed):
    """Ordered labelled trees packed into flat arrays over all nodes.

    Parameters
    ----------
    trees : list, tuple, 1-D array, column of a frame, or Trees
        Each tree is a string in bracket notation, ``"(S (NP (DT the) (NN ox)) (VP eats))"``; a nested pair ``(label,
        children)`` with labels as leaves; an ``nltk.Tree`` or any object with a method ``label()`` that iterates over
        its children; or a `Tree`.

    Attributes
    ----------
    labels : ndarray of uint64 of shape (n_nodes,)
        Stable hash of the label of each node. The nodes of a tree are in preorder. All arrays are read-only.
    sizes : ndarray of int32 of shape (n_nodes,)
        Number of nodes of the subtree of each node, including itself. The first child of node v is v + 1, the next
        sibling of node c is c + sizes[c].
    n_children : ndarray of int32 of shape (n_nodes,)
        Number of children of each node.
    productions : ndarray of uint64 of shape (n_nodes,)
        Stable hash of the label of a node and the ordered labels of its children.
    offsets : ndarray of int64 of shape (n_trees + 1,)
        Tree i has the nodes ``offsets[i]`` to ``offsets[i + 1] - 1``, the first of which is its root.
    texts : dict of int to str
        Label of each hash.

    See Also
    --------
    Tree : One tree.
    Strings : Packed strings.
    Graphs : Packed graphs.
    mercer.kernels.SubsetTree : A tree kernel.

    Notes
    -----
    Packing takes O(nodes) time and 24 bytes per node. Nothing is recursive: depth is limited by memory only.

    Examples
    --------
    >>> trees = Trees(["(S (NP ox) (VP eats))", ("S", [("NP", ["ox"]), ("VP", ["eats"])])])
    >>> trees
    Trees(2 of 5 nodes, 5 labels)
    >>> trees[1].to_text()
    '(S (NP ox) (VP eats))'
    >>> trees.sizes[:5].tolist(), trees.n_children[:5].tolist()
    ([5, 2, 1, 2, 1], [2, 1, 0, 1, 0])
    """

    labels: HashArray
    sizes: npt.NDArray[np.int32]
    n_children: npt.NDArray[np.int32]
    productions: HashArray
    texts: dict[int, str]

    def __init__(self, trees: Data) -> None:
        if isinstance(trees, Trees):
            self._fill(offsets=trees.offsets, texts=trees.texts, **{name: getattr(trees, name) for name in _FLATS})
            return
        grower = Grower()
        for i, tree in enumerate(listed("Trees", trees)):
            _add(grower, i, tree)
        self._pack(grower)

    @classmethod
    def from_column(cls, column: Data) -> Self:
        """Pack a column of pandas, polars or pyarrow that holds trees in bracket notation.

        Parameters
        ----------
        column : series or frame
            Column of str.

        Returns
        -------
        Trees
            Packed trees.
        """
        return cls(listed("Trees.from_column", column))

    @classmethod
    def read_brackets(cls, path: Path) -> Self:
        """Read a file of trees in bracket notation, plain or gzip: one tree per line, or as in the Penn Treebank.

        Parameters
        ----------
        path : str or path
            File to read. Outer brackets without a label are dropped.

        Returns
        -------
        Trees
            Packed trees.

        Raises
        ------
        ValueError
            If the file is invalid. The message names file, line and record.
        """
        return cls._of(read_brackets(path))

    @classmethod
    def _of(cls, grower: Grower) -> Self:
        trees = cls.__new__(cls)
        trees._pack(grower)
        return trees

    def _pack(self, grower: Grower) -> None:
        labels, texts = hash_texts("Trees", grower.labels)
        sizes = np.array(grower.sizes, dtype=np.int32)
        n_children = np.array(grower.n_children, dtype=np.int32)
        self._fill(
            labels=labels,
            sizes=sizes,
            n_children=n_children,
            productions=production_codes(labels, sizes, n_children),
            offsets=np.array([0, *grower.ends], dtype=np.int64),
            texts=texts,
        )

    # ---- samples

    def _fields(self) -> dict[str, Any]:
        fields = {name: getattr(self, name) for name in ("offsets", *_FLATS)}
        return fields | {"texts": used_texts(self.texts, self.labels)}

    @classmethod
    def _checked(cls, **fields: Any) -> dict[str, Any]:
        return check_trees("Trees", **fields)

    def _item(self, i: int) -> Tree:
        span = slice(int(self.offsets[i]), int(self.offsets[i + 1]))
        return Tree._of(self.labels[span], self.sizes[span], self.n_children[span], self.texts)

    def _new(self, offsets: IndexArray, flats: Iterable[Any], texts: dict[int, str]) -> "Trees":
        fields = dict(zip(_FLATS, flats, strict=True))
        return Trees.__new__(Trees)._fill(offsets=offsets, texts=texts, **fields)

    def _take(self, rows: Any) -> "Trees":
        offsets, *flats = gather(self.offsets, rows, *(getattr(self, name) for name in _FLATS))
        return self._new(offsets, flats, self.texts)

    def _join(self, others: Sequence["Trees"]) -> "Trees":
        parts = [self, *others]
        flats = [np.concatenate([getattr(part, name) for part in parts]) for name in _FLATS]
        return self._new(
            joined_offsets(parts), flats, merge_texts("Trees", (pair for part in parts for pair in part.texts.items()))
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Trees):
            return NotImplemented
        return all(np.array_equal(getattr(self, name), getattr(other, name)) for name in ("offsets", "sizes", "labels"))

    __hash__ = None  # type: ignore[assignment]

    # ---- nodes

    @property
    def is_leaf(self) -> npt.NDArray[np.bool_]:
        """Whether each node has no children."""
        return np.equal(self.n_children, 0)

    @property
    def is_preterminal(self) -> npt.NDArray[np.bool_]:
        """Whether each node has children, all of them leaves."""
        return np.greater(self.n_children, 0) & np.equal(self.sizes, self.n_children + 1)

    def __repr__(self) -> str:
        sizes = self.lengths
        low, high = (int(sizes.min()), int(sizes.max())) if len(self) else (0, 0)
        span = f"{low}" if low == high else f"{low} to {high}"
        n_labels = len(np.unique(self.labels))
        return f"Trees({len(self)} of {span} nodes, {n_labels} label{'' if n_labels == 1 else 's'})"


def _add(grower: Grower, record: int, tree: Any) -> None:
    if is_missing(tree):
        raise record_error("Trees", record, tree, "a tree")
    try:
        parse_texts([tree], grower) if isinstance(tree, str) else read_tree(grower, tree)
    except ValueError as error:
        raise ValueError(f"Trees: record {record} is not a tree in bracket notation: {error}.") from None
    except TypeError as error:
        raise TypeError(f"Trees: record {record} is not a tree: {error}.") from None
