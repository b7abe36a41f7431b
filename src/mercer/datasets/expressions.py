"""Generated arithmetic expressions as trees, whose class depends on their structure."""

from typing import NamedTuple

import numpy as np

from mercer.datasets.dataset import Dataset
from mercer.datasets.input_files import polars

__all__ = ["expressions"]

_OPERATIONS = (("add", 2), ("sub", 2), ("mul", 2), ("neg", 1), ("sin", 1))
_LEAVES = ("x", "y", "1", "2")
_WRONG = 0.04


class _Node(NamedTuple):
    label: str
    children: tuple["_Node", ...]

    def __str__(self) -> str:
        return f"({' '.join([self.label, *map(str, self.children)])})"

    def size(self) -> int:
        return 1 + sum(child.size() for child in self.children)

    def expandable(self) -> bool:
        here = self.label == "mul" and any(child.label in ("add", "sub") for child in self.children)
        return here or any(child.expandable() for child in self.children)


def expressions() -> Dataset:
    """Generate 300 expressions of 12 to 20 nodes in bracket notation: ``(mul (add (x) (1)) (y))`` is (x + 1) y.

    An expression is "expandable" if a product in it has a sum or a difference as a factor, else "expanded". 4 % of the
    labels are wrong.
    """
    rng = np.random.default_rng(0)
    found: dict[bool, list[str]] = {True: [], False: []}
    while min(map(len, found.values())) < 150:
        tree = _grown(rng, 5)
        if 12 <= tree.size() <= 20:
            found[tree.expandable()].append(str(tree))
    wrong = rng.random(300) < _WRONG
    columns = {
        "tree": [found[i % 2 == 0][i // 2] for i in range(300)],
        "class": ["expandable" if (i % 2 == 0) != wrong[i] else "expanded" for i in range(300)],
    }
    return Dataset("expressions", polars("mercer.datasets.load").DataFrame(columns), target="class")


def _grown(rng: np.random.Generator, levels: int) -> _Node:
    if not levels or rng.random() < 0.15:
        return _Node(_LEAVES[int(rng.integers(len(_LEAVES)))], ())
    label, n_children = _OPERATIONS[int(rng.integers(len(_OPERATIONS)))]
    return _Node(label, tuple(_grown(rng, levels - 1) for _ in range(n_children)))
