"""Players of Shapley values: columns of a table, or groups of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mercer._typing import IndexArray
from mercer._validation import describe
from mercer.data.frames import locate_all

__all__ = ["Players", "make_players"]


@dataclass(frozen=True)
class Players:
    """Names of the players, their columns, and the player of each column."""

    names: list[str]
    columns: list[list[int]]

    @property
    def owner(self) -> IndexArray:
        """Index of the player of each column."""
        owner = np.empty(sum(map(len, self.columns)), dtype=np.int64)
        for player, columns in enumerate(self.columns):
            owner[columns] = player
        return owner


def make_players(who: str, given: Any, names: Sequence[str]) -> Players:
    """Check groups of columns. Columns in no group are players of their own; players keep the order of the columns.

    >>> make_players("shapley_values", {"place": ["x", 2]}, ["x", "age", "y"])
    Players(names=['place', 'age'], columns=[[0, 2], [1]])
    """
    groups = _groups(who, given)
    chosen: dict[int, tuple[str, list[int]]] = {}
    for label, columns in groups:
        places = locate_all(who, list(names), columns)
        if not places:
            raise ValueError(f"{who}: players must have at least one column each, got the empty group {label!r}.")
        taken = [j for j in places if j in chosen or places.count(j) > 1]
        if taken:
            raise ValueError(
                f"{who}: players must not share columns, got {names[taken[0]]!r} twice; name each column once."
            )
        name = label if label is not None else " + ".join(names[j] for j in places)
        chosen |= dict.fromkeys(places, (name, sorted(places)))
    players = [chosen.get(j, (names[j], [j])) for j in range(len(names))]
    kept = [(name, columns) for j, (name, columns) in enumerate(players) if columns[0] == j]
    return Players([name for name, _ in kept], [columns for _, columns in kept])


def _groups(who: str, given: Any) -> list[tuple[Any, list[Any]]]:
    """Pairs of a name, or None, and columns."""
    if given is None:
        return []
    pairs = list(given.items()) if isinstance(given, Mapping) else None
    if pairs is None:
        if isinstance(given, (str, bytes)) or not isinstance(given, Sequence):
            raise TypeError(
                f"{who}: players must be a list of lists of columns, or a dict from names to such lists, got "
                f"{describe(given)}."
            )
        pairs = [(None, columns) for columns in given]
    found: list[tuple[Any, list[Any]]] = []
    for label, columns in pairs:
        group = [columns] if isinstance(columns, (str, int, np.integer, slice)) else columns
        if not isinstance(group, (Sequence, np.ndarray)) or not all(
            isinstance(c, (str, int, np.integer, slice)) and not isinstance(c, bool) for c in group
        ):
            raise TypeError(
                f"{who}: a player must be a list of names or indices of columns, got {describe(columns)}; write "
                "players=[[0, 1], [2]]."
            )
        items = [int(c) if isinstance(c, np.integer) else c for c in group]
        found.append((None if label is None else str(label), items))
    return found
