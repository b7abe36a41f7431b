"""Names of explicit features, built from the names of the columns from which they are computed.

The options of `Kernel.feature_names` have two entries besides those of `Kernel.features`: ``"columns"``, the names of
the columns of the data, and ``"where"``, a prefix for features with names of their own, such as the k-mers of a column
of strings. The kernel `Columns` sets both for its sub-kernel.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations, combinations_with_replacement, groupby
from typing import TYPE_CHECKING, Any

from mercer._typing import Data
from mercer.data.frames import locate_all
from mercer.data.names import column_names

if TYPE_CHECKING:
    from mercer.kernels.base import Kernel
    from mercer.kernels.features import Options

__all__ = ["feature_names", "input_names", "located", "monomials", "product_name", "within"]


def feature_names(kernel: "Kernel", X: Data, options: "Options", columns: Sequence[Any] | None = None) -> list[str]:
    """Unique names of the explicit features of a kernel.

    Parameters
    ----------
    kernel : Kernel
        Resolved kernel.
    X : array, sparse matrix, list, DataFrame or container
        Samples; one is enough.
    options : dict
        As for `Kernel.features`.
    columns : sequence of str, default=None
        Names of the columns of X. None means the names that X has, or x0, x1, …

    Returns
    -------
    list of str
        Names of the features. Equal names of different features are numbered: "age", "age (2)".

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.kernels import Linear, Polynomial
    >>> options = {"degree": None, "maximum": None, "vocabularies": None}
    >>> feature_names(Polynomial(degree=2), np.zeros((1, 2)), options, ["age", "income"])
    ['age^2', 'age*income', 'income^2', 'age', 'income', '1']
    >>> feature_names(Linear() + Linear(), np.zeros((1, 1)), options)
    ['x0', 'x0 (2)']
    """
    names = kernel.feature_names(X, {**options, "columns": None if columns is None else [str(c) for c in columns]})
    taken = set(names)
    seen: dict[str, int] = {}
    found = []
    for name in names:
        seen[name] = number = seen.get(name, 0) + 1
        numbered = name
        while number > 1 and numbered in taken:
            numbered, number = f"{name} ({number})", number + 1
        taken.add(numbered)
        found.append(numbered)
    return found


def input_names(X: Data, options: "Options") -> list[str]:
    """Names of the columns that a leaf reads."""
    given = options.get("columns")
    return column_names(X) if given is None else list(given)


def within(who: str, X: Data, options: "Options", columns: Sequence[int | str]) -> "Options":
    """Options for a kernel that reads some of the columns."""
    names = input_names(X, options)
    chosen = [names[i] for i in locate_all(who, names, columns)]
    return {**options, "columns": chosen, "where": ",".join(chosen) + ": "}


def located(names: Sequence[str], options: "Options") -> list[str]:
    """Prepend the names of the columns to feature names that do not contain them, where a part of the data is read."""
    where = options.get("where", "")
    return [where + name for name in names]


def product_name(names: Sequence[str]) -> str:
    """Name of a product of features. Equal neighbours become a power, and the constant is omitted.

    >>> product_name(["age", "age", "income"]), product_name(["1", "age"]), product_name(["a*b", "a*b"])
    ('age^2*income', 'age', '(a*b)^2')
    """
    runs = [(name, len(list(run))) for name, run in groupby(names) if name != "1"]
    return "*".join(name if count == 1 else f"{_closed(name)}^{count}" for name, count in runs) or "1"


def _closed(name: str) -> str:
    """A name in parentheses if it contains an operator or a space."""
    return f"({name})" if any(sign in name for sign in "*^ ") else name


def monomials(names: Sequence[str], coefficients: Sequence[float], *, distinct: bool = False) -> list[str]:
    """Names of `mercer.kernels.features.series`: highest degree first, each in lexicographic order.

    >>> monomials(["a", "b"], [1, 0, 1])
    ['a^2', 'a*b', 'b^2', '1']
    """
    degrees = [j for j, c in enumerate(coefficients) if c != 0] or [0]
    return [product_name(chosen) for j in reversed(degrees) for chosen in _choices(names, j, distinct)]


def _choices(names: Sequence[str], degree: int, distinct: bool) -> Iterator[tuple[str, ...]]:
    """Combinations of `degree` names, without repetition if `distinct`."""
    return combinations(names, degree) if distinct else combinations_with_replacement(names, degree)
