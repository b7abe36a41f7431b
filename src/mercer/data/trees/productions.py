"""Hashes of productions: the label of a node with the ordered labels of its children."""

from typing import Any

import numpy as np
import numpy.typing as npt

from mercer.data.hashing.texts import HashArray

__all__ = ["production_codes"]

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)


def production_codes(labels: HashArray, sizes: npt.NDArray[Any], n_children: npt.NDArray[Any]) -> HashArray:
    """Stable hash of the production of every node, shape (n_nodes,).

    The hash h of a node starts with its label and number of children and absorbs the label l of each child in turn, h ←
    mix(h g + l) mod 2⁶⁴, for all nodes at once. This takes O(nodes) operations in as many steps as the widest node has
    children. Among m different productions, two collide with probability about m²/2⁶⁵, unless their labels collide.
    """
    codes = _mix(labels ^ (n_children.astype(np.uint64) * _GOLDEN))
    parents = np.flatnonzero(n_children)
    children, left = parents + 1, n_children[parents]
    while len(parents):
        codes[parents] = _mix(codes[parents] * _GOLDEN + labels[children])
        more = left > 1
        parents, left = parents[more], left[more] - 1
        children = children[more] + sizes[children[more]]
    return codes


def _mix(x: HashArray) -> HashArray:
    """Spread every bit over all bits: the finalizer of splitmix64 (Steele, Lea and Flood 2014)."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))
