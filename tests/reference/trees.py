"""Kernels of trees from their definitions: by listing all fragments, and by plain recursion.

A tree is a label, if it is a leaf, or a pair of a label and a list of trees.
"""

import itertools
import math
from collections import Counter, defaultdict
from functools import reduce
from typing import Any

from hypothesis import strategies as st

__all__ = [
    "Node",
    "forests",
    "partial_tree",
    "partial_tree_fragments",
    "partial_tree_value",
    "subset_tree",
    "subset_tree_fragments",
    "subset_tree_value",
    "subtree",
    "subtree_value",
]

Tree = Any
LABELS = st.sampled_from("abc")
SMALL = st.recursive(LABELS, lambda trees: st.tuples(LABELS, st.lists(trees, min_size=1, max_size=4)), max_leaves=7)
WIDE = st.tuples(LABELS, st.lists(LABELS | st.tuples(LABELS, st.lists(LABELS, min_size=1, max_size=2)), max_size=6))
DEEP = st.lists(LABELS, min_size=1, max_size=8).map(lambda labels: reduce(lambda tree, top: (top, [tree]), labels))


class Node(list):
    """A tree as nltk has it: a list of its children with a label."""

    def __init__(self, label, children):
        super().__init__(children)
        self._label = label

    def label(self):
        return self._label


def forests(max_size: int = 4) -> st.SearchStrategy[list[Tree]]:
    """Lists of small trees over three labels: bushy, wide, deep, and of one node."""
    trees = (SMALL | WIDE | DEEP).map(lambda tree: (tree, []) if isinstance(tree, str) else tree)
    return st.lists(trees, min_size=1, max_size=max_size)


def label(tree: Tree) -> str:
    return tree if isinstance(tree, str) else tree[0]


def children(tree: Tree) -> list[Tree]:
    return [] if isinstance(tree, str) else tree[1]


def nodes(tree: Tree) -> list[Tree]:
    return [tree, *(node for child in children(tree) for node in nodes(child))]


def production(tree: Tree) -> Any:
    return label(tree), [label(child) for child in children(tree)]


def over_pairs(x: Tree, z: Tree, delta: Any) -> float:
    return sum(delta(u, v) for u in nodes(x) for v in nodes(z))


def inner_product(f: dict[Any, float], g: dict[Any, float]) -> float:
    return sum(value * g[key] for key, value in f.items() if key in g)


# ---- complete subtrees


def frozen(tree: Tree) -> Any:
    return label(tree), tuple(map(frozen, children(tree)))


def subtree(x: Tree, z: Tree, decay: float) -> float:
    """Counts of complete subtrees, each weighted by its number of nodes with children."""

    def counts(tree: Tree) -> dict[Any, float]:
        found: dict[Any, float] = defaultdict(float)
        for node in nodes(tree):
            if children(node):
                found[frozen(node)] += decay ** (sum(bool(children(below)) for below in nodes(node)) / 2)
        return found

    return inner_product(counts(x), counts(z))


def subtree_value(x: Tree, z: Tree, decay: float) -> float:
    """The recursion with σ = 0."""

    def delta(u: Tree, v: Tree) -> float:
        if not children(u) or production(u) != production(v):
            return 0.0
        pairs = zip(children(u), children(v), strict=True)
        return decay * math.prod(1.0 if not children(c) and not children(d) else delta(c, d) for c, d in pairs)

    return over_pairs(x, z, delta)


# ---- subset trees


def subset_tree_fragments(tree: Tree) -> Counter[Any]:
    """Fragments with their counts: every node has all of its children or none."""

    def rooted(node: Tree) -> list[Any]:
        options = [[(label(child), None), *(rooted(child) if children(child) else [])] for child in children(node)]
        return [(label(node), chosen) for chosen in itertools.product(*options)]

    return Counter(fragment for node in nodes(tree) if children(node) for fragment in rooted(node))


def subset_tree(x: Tree, z: Tree, decay: float, leaves: bool) -> float:
    """By listing fragments."""

    def productions(fragment: Any) -> int:
        return 0 if fragment[1] is None else 1 + sum(map(productions, fragment[1]))

    def features(tree: Tree) -> dict[Any, float]:
        found = {f: n * decay ** (productions(f) / 2) for f, n in subset_tree_fragments(tree).items()}
        words = Counter(label(node) for node in nodes(tree) if not children(node)) if leaves else {}
        return found | {word: n * math.sqrt(decay) for word, n in words.items()}

    return inner_product(features(x), features(z))


def subset_tree_value(x: Tree, z: Tree, decay: float, leaves: bool) -> float:
    """The recursion with σ = 1."""

    def delta(u: Tree, v: Tree) -> float:
        if not children(u) or production(u) != production(v):
            return 0.0
        return decay * math.prod(1 + delta(c, d) for c, d in zip(children(u), children(v), strict=True))

    def outer(u: Tree, v: Tree) -> float:
        if not children(u) and not children(v):
            return decay * (leaves and label(u) == label(v))
        return delta(u, v)

    return over_pairs(x, z, outer)


# ---- partial trees


def subsequences(items: list[Tree]) -> list[tuple[int, ...]]:
    return [rows for p in range(1, len(items) + 1) for rows in itertools.combinations(range(len(items)), p)]


def gaps(rows: tuple[int, ...]) -> int:
    return rows[-1] - rows[0] + 1 - len(rows)


def partial_tree_fragments(tree: Tree, decay: float, mu: float, terminal_factor: float) -> dict[Any, float]:
    """Fragments with their weights: every node has any of its children, in order. For terminal_factor ≥ 1."""

    def rooted(node: Tree) -> list[tuple[Any, float]]:
        found = [((label(node), ()), math.sqrt(mu) * decay)]
        if not children(node):
            found.append(((label(node), "leaf"), math.sqrt(mu * (terminal_factor - 1)) * decay))
        for rows in subsequences(children(node)):
            for chosen in itertools.product(*(rooted(children(node)[i]) for i in rows)):
                weight = math.sqrt(mu) * decay ** gaps(rows) * math.prod(w for _, w in chosen)
                found.append(((label(node), tuple(fragment for fragment, _ in chosen)), weight))
        return found

    total: dict[Any, float] = defaultdict(float)
    for node in nodes(tree):
        for fragment, weight in rooted(node):
            total[fragment] += weight
    return total


def partial_tree(x: Tree, z: Tree, decay: float, mu: float, terminal_factor: float) -> float:
    """By listing fragments."""
    first, second = (partial_tree_fragments(tree, decay, mu, terminal_factor) for tree in (x, z))
    return inner_product(first, second)


def partial_tree_value(x: Tree, z: Tree, decay: float, mu: float, terminal_factor: float) -> float:
    """The recursion, over all pairs of subsequences of children."""

    def delta(u: Tree, v: Tree) -> float:
        if label(u) != label(v):
            return 0.0
        if not children(u) and not children(v):
            return terminal_factor * mu * decay**2
        below = [[delta(c, d) for d in children(v)] for c in children(u)]
        total = decay**2
        for rows, columns in itertools.product(subsequences(children(u)), subsequences(children(v))):
            if len(rows) == len(columns):
                product = math.prod(below[i][j] for i, j in zip(rows, columns, strict=True))
                total += decay ** (gaps(rows) + gaps(columns)) * product
        return mu * total

    return over_pairs(x, z, delta)
