"""What kernels of trees share: how data become trees, and how the core reads them."""

from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Literal, TypeAlias

import mercer._core as _core
from mercer._typing import Data, DoubleArray, IndexArray
from mercer._validation import check_rows
from mercer.data import Trees
from mercer.kernels.packed import PackedKernel, owned
from mercer.kernels.sharing import as_container, once

__all__ = ["Forest", "NodeKernel", "NodeKeys", "as_trees"]

NodeKeys: TypeAlias = Literal["labels", "productions"]


def as_trees(X: Data, who: str) -> Trees:
    """Trees of a list, array or column of texts in brackets or tree objects; a table or matrix needs a single column.

    >>> as_trees(["(S (NP ox) (VP eats))"], "SubsetTree")
    Trees(1 of 5 nodes, 5 labels)
    """
    return as_container(X, Trees, who, "tree")


@dataclass(frozen=True, eq=False)
class Forest:
    """Trees with their nodes sorted by key, once: nodes of two trees then meet by a merge.

    Attributes
    ----------
    trees : Trees
    keys : {"labels", "productions"}
        What matching nodes have in common.
    leaves : bool
        Whether leaves match too.
    rows : array of int64 or None
        Which of the trees these are, in order; None if all. A choice copies nothing.
    """

    trees: Trees
    keys: NodeKeys
    leaves: bool
    rows: IndexArray | None = None

    def __len__(self) -> int:
        return len(self.trees) if self.rows is None else len(self.rows)

    def __getitem__(self, rows: Any) -> "Forest":
        chosen = check_rows("Forest", rows, len(self))
        forest = Forest(self.trees, self.keys, self.leaves, chosen if self.rows is None else self.rows[chosen])
        forest.__dict__["nodes"] = self.nodes
        return forest

    @cached_property
    def nodes(self) -> _core.TreeList:
        """The nodes of all trees as the core reads them."""
        trees = self.trees
        keys = getattr(trees, self.keys)
        return _core.TreeList(keys, trees.labels, trees.sizes, trees.n_children, trees.offsets, self.leaves)

    def compact(self) -> "Forest":
        """The chosen trees in arrays of their own."""
        return Forest(owned(self.trees, self.rows), self.keys, self.leaves)

    def __reduce__(self) -> tuple[Any, ...]:
        return Forest, (owned(self.trees, self.rows), self.keys, self.leaves)


class NodeKernel(PackedKernel):
    """A kernel Σ δ(u, v) over matching nodes u, v of two trees.

    Samples are texts in brackets, objects such as ``nltk.Tree``, or `mercer.data.Trees`; see there. A subclass says
    what matching nodes have in common (`keys`) and whether leaves match, and gives the `rule` for δ.
    """

    keys: ClassVar[NodeKeys]

    @property
    @abstractmethod
    def rule(self) -> _core.TreeKernel:
        """The recursion, with its parameters."""

    @property
    def counts_leaves(self) -> bool:
        """Whether leaves match."""
        return True

    def pack(self, X: Data) -> Forest:
        trees = as_trees(X, type(self).__name__)
        forest = once(
            (Forest, self.keys, self.counts_leaves), trees, lambda: Forest(trees, self.keys, self.counts_leaves)
        )
        _ = forest.nodes  # now, not at the first block
        return forest

    def fill(self, A: Forest, B: Forest, out: DoubleArray, threads: int) -> None:
        try:
            _core.tree_block(self.rule, A.nodes, A.rows, B.nodes, B.rows, B is A, out, threads)
        except OverflowError as error:
            raise self._overflow(error) from None

    def fill_pairs(self, A: Forest, B: Forest, out: DoubleArray, threads: int) -> None:
        try:
            _core.tree_pairs(self.rule, A.nodes, A.rows, B.nodes, B.rows, out, threads)
        except OverflowError as error:
            raise self._overflow(error) from None

    def _overflow(self, error: OverflowError) -> OverflowError:
        return OverflowError(f"{self}: {error}; the number of common fragments grows exponentially, lower decay.")
