"""Names of small graphs.

A graph on k nodes is coded by k(k−1)/2 bits. Bit j(j−1)/2 + i is set if nodes i < j are adjacent.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

__all__ = ["Shape"]

# By degrees and number of triangles, which are different for all graphs up to 5 nodes.
_NAMES: dict[tuple[tuple[int, ...], int], str] = {
    ((0, 0), 0): "non-edge",
    ((1, 1), 0): "edge",
    ((0, 1, 1), 0): "edge + node",
    ((2, 2, 2), 1): "triangle",
    ((0, 0, 1, 1), 0): "edge + 2 nodes",
    ((1, 1, 1, 1), 0): "2 edges",
    ((0, 1, 1, 2), 0): "path 3 + node",
    ((0, 2, 2, 2), 1): "triangle + node",
    ((1, 1, 1, 3), 0): "claw",
    ((1, 2, 2, 3), 1): "paw",
    ((2, 2, 3, 3), 2): "diamond",
    ((1, 1, 1, 2, 3), 0): "fork",
    ((1, 1, 2, 3, 3), 1): "bull",
    ((1, 1, 2, 2, 4), 1): "cricket",
    ((1, 2, 2, 2, 3), 0): "banner",
    ((1, 2, 2, 2, 3), 1): "lollipop",
    ((1, 2, 3, 3, 3), 2): "kite",
    ((1, 2, 2, 3, 4), 2): "dart",
    ((1, 3, 3, 3, 4), 4): "4-clique with tail",
    ((2, 2, 2, 2, 4), 2): "butterfly",
    ((2, 2, 2, 3, 3), 0): "K2,3",
    ((2, 2, 2, 3, 3), 1): "house",
    ((2, 2, 2, 4, 4), 3): "book",
    ((2, 2, 3, 3, 4), 3): "gem",
    ((3, 3, 3, 3, 4), 4): "wheel",
}


@dataclass(frozen=True)
class Shape:
    """A graph on nodes 0, …, size − 1.

    >>> Shape(4, 0b001111).name, Shape.of(5, [(0, 1), (0, 2), (3, 4)]).name
    ('paw', '5 nodes, 3 edges, degrees 1 1 1 1 2')
    """

    size: int
    code: int

    @classmethod
    def of(cls, size: int, edges: Iterable[tuple[int, int]]) -> "Shape":
        """The graph with these edges between nodes i < j."""
        return cls(size, sum(1 << (j * (j - 1) // 2 + i) for i, j in edges))

    @property
    def edges(self) -> list[tuple[int, int]]:
        """Pairs i < j of adjacent nodes."""
        return [(i, j) for j in range(self.size) for i in range(j) if self.code >> (j * (j - 1) // 2 + i) & 1]

    @property
    def degrees(self) -> list[int]:
        """Number of neighbours of each node."""
        return [sum(v in edge for edge in self.edges) for v in range(self.size)]

    @property
    def triangles(self) -> int:
        """Number of triangles."""
        edges = set(self.edges)
        return sum((i, j) in edges and (j, k) in edges for i, k in edges for j in range(i + 1, k))

    @property
    def is_connected(self) -> bool:
        """Whether the graph is connected."""
        return len(self._walk(0)) == self.size

    def _walk(self, start: int) -> list[int]:
        """Nodes reached from one, depth first; from the end of a path, in the order of the path."""
        seen, open_ = [], [start]
        while open_:
            v = open_.pop()
            if v not in seen:
                seen.append(v)
                open_ += [i + j - v for i, j in self.edges if v in (i, j)]
        return seen

    @property
    def path(self) -> list[int] | None:
        """Nodes in path order, from the end with the lower number; None if the graph is not a path."""
        degrees = self.degrees
        if max(degrees) > 2 or len(self.edges) != self.size - 1 or not self.is_connected:
            return None
        return self._walk(degrees.index(1))

    @property
    def name(self) -> str:
        """Name of the class, or a description; unique for all classes up to 5 nodes."""
        k, degrees, m = self.size, sorted(self.degrees), len(self.edges)
        known = _NAMES.get((tuple(degrees), self.triangles))
        if known is not None:
            return known
        if m == 0:
            return f"{k} nodes"
        if m == k * (k - 1) // 2:
            return f"{k}-clique"
        if self.is_connected and degrees[-1] <= 2:
            return f"path {k}" if m == k - 1 else f"{k}-cycle"
        if m == k - 1 and degrees[-1] == k - 1:
            return f"star {k}"
        text = f"{k} nodes, {m} edge{'s' * (m > 1)}, degrees {' '.join(map(str, degrees))}"
        return text if k <= 5 else f"{text} #{self.code:x}"

    def labelled(self, nodes: Sequence[str] | None, edges: Mapping[tuple[int, int], str] | None) -> str:
        """Name with the labels of nodes, edges or both.

        >>> Shape(3, 0b011).labelled(["N", "C", "O"], None), Shape(3, 0b111).labelled(["C", "C", "O"], None)
        ('C-N-O', 'triangle C C O')
        """
        path = self.path
        if path is not None and nodes is not None:
            words = [nodes[path[0]]]
            for i, j in pairwise(path):
                link = "-" if edges is None else f"-[{edges[min(i, j), max(i, j)]}]-"
                words += [link, nodes[j]]
            return "".join(words)
        if edges is None and nodes is not None and len(self.edges) in (0, self.size * (self.size - 1) // 2):
            return f"{self.name} {' '.join(nodes)}"
        marks = [] if nodes is None else [f"{v}:{label}" for v, label in enumerate(nodes)]
        joins = [f"{i}-{j}" + ("" if edges is None else f":{edges[i, j]}") for i, j in self.edges]
        return f"{self.name} ({' '.join(marks + joins)})"
