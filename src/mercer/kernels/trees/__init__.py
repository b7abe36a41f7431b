"""Kernels over ordered labelled trees.

They take lists of texts in brackets or of tree objects, columns of frames, and `mercer.data.Trees`.

Tree kernels belong to `mercer.kernels`, which exports them too; this package groups the family.
"""

from mercer.kernels.trees.partial_tree import PartialTree
from mercer.kernels.trees.subset_tree import SubsetTree
from mercer.kernels.trees.subtree import Subtree

__all__ = ["PartialTree", "SubsetTree", "Subtree"]
