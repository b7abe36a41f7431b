"""One tree of `Trees`."""

from collections.abc import Iterator
from typing import Any, final

import numpy as np
import numpy.typing as npt

from mercer._validation import refusals
from mercer.data.hashing.texts import HashArray, used_texts
from mercer.data.trees.checks import check_trees

__all__ = ["Tree"]


@final
class Tree:
    """One ordered labelled tree; indexing `Trees` with an integer returns it.

    Trees compare and hash by structure and labels. The interface is that of ``nltk.Tree``: ``tree.label()`` is the
    label of the root, and iteration yields the children as trees.

    Parameters
    ----------
    labels : ndarray of uint64 of shape (n_nodes,)
        Hash of the label of each node, in preorder.
    sizes : ndarray of int32 of shape (n_nodes,)
        Number of nodes of the subtree of each node, including itself.
    n_children : ndarray of int32 of shape (n_nodes,)
        Number of children of each node.
    texts : dict of int to str
        Label of each hash.

    See Also
    --------
    Trees : Container of trees.

    Examples
    --------
    >>> from mercer.data import Trees
    >>> tree = Trees(["(S (NP (DT the) (NN ox)) (VP eats))"])[0]
    >>> tree
    Tree(S, 8 nodes)
    >>> [child.label() for child in tree]
    ['NP', 'VP']
    >>> tree.to_text()
    '(S (NP (DT the) (NN ox)) (VP eats))'
    """

    __slots__ = ("_labels", "_n_children", "_sizes", "_texts")

    def __init__(
        self, labels: HashArray, sizes: npt.NDArray[np.int32], n_children: npt.NDArray[np.int32], texts: dict[int, str]
    ) -> None:
        with refusals("Tree"):
            offsets = np.array([0, len(labels)])
            fields = check_trees(
                "Tree", offsets=offsets, labels=labels, sizes=sizes, n_children=n_children, texts=texts
            )
        self._set(fields["labels"], fields["sizes"], fields["n_children"], fields["texts"])

    @classmethod
    def _of(cls, *fields: Any) -> "Tree":
        """Tree from valid arrays of `Trees`, without checks."""
        tree = cls.__new__(cls)
        tree._set(*fields)
        return tree

    def _set(self, labels: Any, sizes: Any, n_children: Any, texts: dict[int, str]) -> None:
        self._labels, self._sizes, self._n_children, self._texts = labels, sizes, n_children, texts

    @property
    def size(self) -> int:
        """Number of nodes."""
        return len(self._labels)

    def label(self) -> str:
        """Label of the root.

        Returns
        -------
        str
            The label.
        """
        return self._texts[int(self._labels[0])]

    def __iter__(self) -> Iterator["Tree"]:
        node = 1
        while node < self.size:
            span = slice(node, node + int(self._sizes[node]))
            yield Tree._of(self._labels[span], self._sizes[span], self._n_children[span], self._texts)
            node = span.stop

    def to_text(self) -> str:
        """Convert to bracket notation.

        Returns
        -------
        str
            The tree in brackets; leaves are written without brackets.

        Raises
        ------
        ValueError
            If a label is empty or contains white space or brackets.
        """
        out: list[str] = []
        ends: list[int] = []
        sizes, n_children = self._sizes.tolist(), self._n_children.tolist()
        for node, number in enumerate(self._labels.tolist()):
            text = self._texts[number]
            if not text or any(c in "()" or c.isspace() for c in text):
                raise ValueError(f"Tree: the label {text!r} cannot be written in bracket notation; use to_tuple().")
            if n_children[node] or not node:
                out.append(f" ({text}")
                ends.append(node + sizes[node])
            else:
                out.append(f" {text}")
            while ends and ends[-1] == node + 1:
                out.append(")")
                ends.pop()
        return "".join(out)[1:]

    def to_tuple(self) -> tuple[str, list[Any]]:
        """Convert to nested pairs.

        Returns
        -------
        tuple
            Pair (label, children); leaves below the root are labels.

        Examples
        --------
        >>> from mercer.data import Trees
        >>> Trees(["(S (NP ox) (VP eats))"])[0].to_tuple()
        ('S', [('NP', ['ox']), ('VP', ['eats'])])
        """
        done: list[Any] = []  # completed subtrees to the right, the nearest last
        for number, n in zip(self._labels[::-1].tolist(), self._n_children[::-1].tolist(), strict=True):
            children = [done.pop() for _ in range(n)]
            done.append((self._texts[number], children) if children else self._texts[number])
        root = done.pop()
        return (root, []) if isinstance(root, str) else root

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tree):
            return NotImplemented
        return bool(np.array_equal(self._sizes, other._sizes) and np.array_equal(self._labels, other._labels))

    def __hash__(self) -> int:
        return hash((self._sizes.tobytes(), self._labels.tobytes()))

    def __reduce__(self) -> tuple[Any, ...]:
        return Tree, (self._labels, self._sizes, self._n_children, used_texts(self._texts, self._labels))

    def __repr__(self) -> str:
        return f"Tree({self.label()}, {self.size} node{'' if self.size == 1 else 's'})"
