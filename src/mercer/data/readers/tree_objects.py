"""Trees as nested pairs (label, children), or as objects with a method ``label()`` such as ``nltk.Tree``."""

from typing import Any

from mercer._validation import describe
from mercer.data.trees.grower import Grower

__all__ = ["read_tree"]


def read_tree(grower: Grower, tree: Any) -> None:
    """Add a tree of pairs (label, children) or of objects with ``label()``; TypeError if a node is neither."""
    stack = [iter([tree])]
    while stack:
        for node in stack[-1]:
            label, children = _node(node)
            grower.enter(label)
            stack.append(iter(children))
            break
        else:
            stack.pop()
            if stack:
                grower.leave()


def _node(node: Any) -> tuple[str, Any]:
    if isinstance(node, str):
        return node, ()
    if callable(getattr(node, "label", None)):  # before pairs: trees of nltk are lists
        return str(node.label()), node
    if isinstance(node, (tuple, list)) and len(node) == 2:
        label, children = node
        if isinstance(label, str) and isinstance(children, (tuple, list)):
            return label, children
    raise TypeError(
        f"expected a label, a pair (label, list of children) or an object with label(), got {describe(node)}"
    )
