"""Suggestions for misspelled names."""

from collections.abc import Iterable

__all__ = ["near_misses"]


def near_misses(name: str, known: Iterable[str], most: int = 1) -> list[str]:
    """Known names that differ from `name` by a typing error, the nearest first; case does not count.

    One letter may be wrong, missing, added or swapped with its neighbour for every three letters of the shorter name,
    at least one and at most three. An entirely different word is not suggested, however short it is.

    Parameters
    ----------
    name : str
        Name that is unknown.
    known : iterable of str
        Names that exist.
    most : int, default=1
        Number of names to return at most.

    Returns
    -------
    list of str
        Names of `known`.

    Examples
    --------
    >>> near_misses("irsi", ["wine", "iris"]), near_misses("gausian", ["rbf", "gaussian"])
    (['iris'], ['gaussian'])
    >>> near_misses("price", ["age", "race"]), near_misses("dogs", ["digits"])
    ([], [])
    """
    found = []
    for place, word in enumerate(known):
        allowed = min(3, max(1, min(len(name), len(word)) // 3))
        if min(len(name), len(word)) > 1 and abs(len(name) - len(word)) <= allowed:
            a, b = name.casefold(), word.casefold()
            distance = _distance(a, b) if len({*a} ^ {*b}) <= 2 * allowed else allowed + 1
            if distance <= allowed:
                found.append((distance, place, word))
    return [word for _, _, word in sorted(found)[:most]]


def _distance(a: str, b: str) -> int:
    """Number of letters to replace, remove, insert or swap with their neighbour."""
    before: list[int] = []
    last = list(range(len(b) + 1))
    for i, x in enumerate(a, start=1):
        row = [i]
        for j, y in enumerate(b, start=1):
            row.append(min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (x != y)))
            if i > 1 and j > 1 and x == b[j - 2] and a[i - 2] == y:
                row[j] = min(row[j], before[j - 2] + 1)
        before, last = last, row
    return last[-1]
