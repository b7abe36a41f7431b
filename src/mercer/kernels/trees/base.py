"""Shared base of tree kernels: conversion to trees and packing for the core."""

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
    """Trees from a list, array or column of bracket strings or tree objects; tables and matrices need a single column.

    >>> as_trees(["(S (NP ox) (VP eats))"], "SubsetTree")
    Trees(1 of 5 nodes, 5 labels)
    """
    return as_container(X, Trees, who, "tree")


@dataclass(frozen=True, eq=False)
class Forest:
    """Trees with their nodes sorted by key, so that matching nodes of two trees are found by a merge.

    Attributes
    ----------
    trees : Trees
        Packed trees.
    keys : {"labels", "productions"}
        Key that matching nodes have in common.
    leaves : bool
        Whether leaves match too.
    rows : ndarray of int64 or None
        Chosen trees, in order; None for all. Choosing rows copies nothing.
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
        """Nodes of all trees as the core reads them."""
        trees = self.trees
        keys = getattr(trees, self.keys)
        return _core.TreeList(keys, trees.labels, trees.sizes, trees.n_children, trees.offsets, self.leaves)

    def compact(self) -> "Forest":
        """Copy of the chosen trees in arrays of their own."""
        return Forest(owned(self.trees, self.rows), self.keys, self.leaves)

    def __reduce__(self) -> tuple[Any, ...]:
        return Forest, (owned(self.trees, self.rows), self.keys, self.leaves)


class NodeKernel(PackedKernel):
    """Base class of kernels Σ δ(u, v) over matching nodes u, v of two trees.

    Samples are bracket strings, objects such as ``nltk.Tree``, or `mercer.data.Trees`. A subclass defines the key of
    matching nodes (`keys`), whether leaves match (`counts_leaves`), and the recursion of δ (`rule`).
    """

    keys: ClassVar[NodeKeys]

    @property
    @abstractmethod
    def rule(self) -> _core.TreeKernel:
        """Recursion of δ in the core, with its parameters."""

    @property
    def counts_leaves(self) -> bool:
        """Whether equal leaves match."""
        return True

    def pack(self, X: Data) -> Forest:
        trees = as_trees(X, type(self).__name__)
        forest = once(
            (Forest, self.keys, self.counts_leaves), trees, lambda: Forest(trees, self.keys, self.counts_leaves)
        )
        _ = forest.nodes  # sort the nodes here, not at the first block
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
        return OverflowError(
            f"{self}: {error}; the number of common fragments grows exponentially with their size, lower decay."
        )
