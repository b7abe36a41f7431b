"""Validation of trees in preorder."""

from typing import Any

import numpy as np
import numpy.typing as npt

from mercer._typing import IndexArray
from mercer._validation import check_array, check_indices, check_offsets
from mercer.data.hashing.checks import check_values
from mercer.data.trees.productions import production_codes

__all__ = ["check_trees"]


def check_trees(
    who: str, *, offsets: Any, labels: Any, sizes: Any, n_children: Any, texts: Any, productions: Any = None
) -> dict[str, Any]:
    """Private copies of the fields of `Trees`; ValueError unless they are one tree per sample; O(nodes log nodes).

    Sizes and productions are determined by numbers of children and labels. They are computed if None is given; others
    must agree.
    """
    nodes = len(labels)
    labels = check_array(who, "labels", labels, np.uint64, (nodes,))
    offsets = check_offsets(who, "offsets", offsets, nodes)
    n_children = _of_nodes(who, "n_children", n_children, nodes)
    span = _subtree_sizes(who, offsets, n_children)
    if sizes is not None:
        _require_equal(who, "sizes", _of_nodes(who, "sizes", sizes, nodes), span)
    follow = production_codes(labels, span, n_children)
    if productions is not None:
        _require_equal(who, "productions", check_array(who, "productions", productions, np.uint64, (nodes,)), follow)
    return {
        "offsets": offsets,
        "labels": labels,
        "sizes": span,
        "n_children": n_children,
        "productions": follow,
        "texts": check_values(who, "texts", texts, labels, only=str),
    }


def _of_nodes(who: str, name: str, values: Any, nodes: int) -> npt.NDArray[np.int32]:
    own: npt.NDArray[np.int32] = check_indices(who, name, values, min(nodes + 1, 2**31)).astype(np.int32, copy=False)
    if len(own) != nodes:
        raise ValueError(f"{who}: {name} must have one entry for each of {nodes} nodes, got {len(own)}.")
    return own


def _subtree_sizes(who: str, offsets: IndexArray, n_children: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
    """Size of the subtree of each node; ValueError unless every sample is one tree.

    Let P(v) be the sum of (number of children − 1) over all nodes before v. It decreases by at most 1 per node, and the
    subtree of v ends where it first falls below P(v).
    """
    nodes = len(n_children)
    height = np.zeros(nodes + 1, dtype=np.int64)
    np.cumsum(n_children.astype(np.int64) - 1, out=height[1:])
    roots = height[offsets]
    wrong = np.flatnonzero(np.diff(offsets) == 0) if len(offsets) > 1 else roots[:0]
    if not len(wrong):
        wrong = np.flatnonzero(roots != -np.arange(len(offsets))) - 1
    if len(wrong):
        raise _no_tree(who, max(int(wrong[0]), 0))
    # |P| ≤ nodes from here on: the keys sort nodes by height, then by position, and cannot overflow.
    keys = (height + nodes) * (nodes + 1) + np.arange(nodes + 1)
    below = keys[:-1] - (nodes + 1)
    order = np.sort(keys)
    at = np.searchsorted(order, below, side="right")
    ends = order[np.minimum(at, nodes)] % (nodes + 1)
    sizes = (ends - np.arange(nodes)).astype(np.int32)
    spans = np.diff(offsets)
    wrong = np.flatnonzero(sizes[offsets[:-1]] != spans)
    if len(wrong):
        raise _no_tree(who, int(wrong[0]))
    return sizes


def _no_tree(who: str, sample: int) -> ValueError:
    return ValueError(
        f"{who}: n_children must describe exactly one tree per sample, got none or several for sample {sample}; "
        "build trees from bracket strings or tree objects."
    )


def _require_equal(who: str, name: str, given: npt.NDArray[Any], expected: npt.NDArray[Any]) -> None:
    wrong = np.flatnonzero(given != expected)
    if len(wrong):
        at = int(wrong[0])
        raise ValueError(
            f"{who}: {name} must follow from labels and n_children, got {given[at]} at node {at}, expected "
            f"{expected[at]}."
        )
