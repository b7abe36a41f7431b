"""Tree kernels: ordered labelled trees.

Samples are given as lists of trees in bracket notation or tree objects, as columns of frames, or as
`mercer.data.Trees`.

All classes are also exported by `mercer.kernels`.
"""

from mercer.kernels.trees.partial_tree import PartialTree
from mercer.kernels.trees.subset_tree import SubsetTree
from mercer.kernels.trees.subtree import Subtree

__all__ = ["PartialTree", "SubsetTree", "Subtree"]
