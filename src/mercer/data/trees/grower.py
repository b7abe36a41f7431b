"""Builder of trees in preorder."""

import os

from mercer._runtime.budget import memory_limit, over_budget

__all__ = ["Grower"]

NODE = 200  # bytes of memory per node while trees are read


class Grower:
    """Nodes of trees in preorder, in lists that grow as nodes open and close.

    If `path` is given, the nodes are those of a file, and are limited by the memory that readers may take.
    """

    def __init__(self, path: str | os.PathLike[str] | None = None) -> None:
        self._file = path
        self._most = None if path is None else memory_limit() // NODE
        self.labels: list[str] = []
        self.sizes: list[int] = []  # nodes of the subtree, itself included
        self.n_children: list[int] = []
        self.ends: list[int] = []  # number of nodes up to the end of each tree
        self._path: list[int] = []  # open nodes, from the root down

    @property
    def is_open(self) -> bool:
        """Whether the current tree is incomplete."""
        return bool(self._path)

    def enter(self, label: str) -> None:
        """Open a node below the current one, or a new tree."""
        if len(self.labels) == self._most and self._file is not None:
            raise over_budget(
                self._file, f"has more than {self._most} nodes, which need about {NODE} bytes each to read"
            )
        if self._path:
            self.n_children[self._path[-1]] += 1
        self._path.append(len(self.labels))
        self.labels.append(label)
        self.sizes.append(1)
        self.n_children.append(0)

    def leave(self) -> None:
        """Close the current node; closing a root completes its tree."""
        node = self._path.pop()
        self.sizes[node] = len(self.labels) - node
        if not self._path:
            self.ends.append(len(self.labels))
