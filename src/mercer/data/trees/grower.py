"""Builder of trees in preorder."""

__all__ = ["Grower"]


class Grower:
    """Nodes of trees in preorder, in lists that grow as nodes open and close."""

    def __init__(self) -> None:
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
