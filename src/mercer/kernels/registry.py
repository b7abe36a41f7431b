"""Kernels of the library by family, and the names of the text form, to which `register` adds."""

# ruff: noqa: F403, F405
# A misspelt name in the table raises a NameError when mercer.kernels is imported.

import dataclasses
from collections.abc import Callable
from keyword import iskeyword

from mercer._validation import describe
from mercer.kernels.base import Kernel
from mercer.kernels.library import *

__all__ = [
    "ALIASES",
    "LIBRARY",
    "NODES",
    "TEXTLESS",
    "families",
    "parameters",
    "register",
    "registered",
]

_FAMILIES: dict[str, tuple[type[Kernel], ...]] = {
    "inner product": (Linear, Polynomial, Sigmoid, Cosine, Bilinear),
    "distance": (
        RBF,
        Exponential,
        Laplacian,
        Matern,
        RationalQuadratic,
        Periodic,
        WeightedColumns,
        Power,
        Log,
    ),
    "histograms": (
        Chi2,
        AdditiveChi2,
        NegativeChi2,
        Intersection,
        Brownian,
        Tanimoto,
        MinMax,
    ),
    "categories": (Delta, Overlap),
    "strings": (Spectrum, BagOfWords, Mismatch, Gapped, Subsequence, WeightedDegree, LocalAlignment),
    "trees": (Subtree, SubsetTree, PartialTree),
    "graphs": (
        VertexHistogram,
        EdgeHistogram,
        WeisfeilerLehman,
        WLOptimalAssignment,
        NeighborhoodHash,
        ShortestPath,
        AttributedShortestPath,
        GraphHopper,
        Propagation,
        RandomWalk,
        Graphlet,
    ),
    "other": (ANOVA, Interactions, Constant),
}

# Nodes of the algebra: notation (in Python where there is no text form), and a function that makes a node of a given
# kernel, which shows the closure rule.
NODES: dict[type[Kernel], tuple[str, Callable[[Kernel], Kernel]]] = {
    Sum: ("k1 + k2", lambda k: Sum((k, k))),
    Product: ("k1*k2", lambda k: Product((k, k))),
    Scaled: ("0.5*k", lambda k: Scaled(0.5, k)),
    PowerOf: ("k**2", PowerOf),
    PolynomialOf: ("polynomial(k, [1, 0, 2])", lambda k: PolynomialOf(k, (1.0, 0.0, 2.0))),
    ExpOf: ("exp(k)", ExpOf),
    Normalized: ("normalized(k)", Normalized),
    TanimotoOf: ("tanimoto_of(k)", TanimotoOf),
    Columns: ("k[age, income]", lambda k: Columns((0, 1), k)),
    Weighted: ("Weighted(f, k)", lambda k: Weighted(len, k)),
    Map: ("Map(phi, k)", lambda k: Map(len, k)),
    LinearMap: ("linear_map(k, [[1], [1]])", lambda k: LinearMap(k, ((1.0,), (1.0,)))),
}

ALIASES = {"gaussian": "rbf", "rational_quadratic": "rq"}

# Kernels that contain a Python function, and the code that builds them.
TEXTLESS = {
    "weighted": "mercer.kernels.Weighted(f, kernel)",
    "map": "mercer.kernels.Map(phi, kernel)",
    "user": "mercer.kernels.user(pair)",
}

# All classes of the library; `user` makes instances of the last one. `mercer.kernels` exports this tuple.
LIBRARY: tuple[type[Kernel], ...] = (*(cls for family in _FAMILIES.values() for cls in family), *NODES, User)

_registered: dict[str, type[Kernel]] = {cls.name: cls for cls in LIBRARY if cls.name.isidentifier()}


def registered() -> dict[str, type[Kernel]]:
    """All names of the text form with their kernel classes.

    Returns
    -------
    dict of str to type
        Names mapped to kernel classes. The dictionary is a copy.

    See Also
    --------
    register : Add a kernel class.
    kernel : Build a kernel from its text form.

    Examples
    --------
    >>> registered()["rbf"].formula
    'exp(−γ‖x−z‖²)'
    >>> sorted(registered())[:3]
    ['additive_chi2', 'anova', 'attributed_shortest_path']
    """
    return dict(_registered)


def families() -> dict[str, tuple[type[Kernel], ...]]:
    """Kernel classes by family. Registered classes of users come last; the nodes of the algebra are in `NODES`."""
    own = tuple(cls for cls in _registered.values() if cls not in LIBRARY)
    return {**_FAMILIES, "yours": own} if own else dict(_FAMILIES)


def register(kernel_class: type[Kernel]) -> type[Kernel]:
    """Register a kernel class for the text form under its ``name``; usable as a decorator.

    A class that is defined again in the same place, for example by running a notebook cell twice, replaces the first
    one.

    Parameters
    ----------
    kernel_class : type
        Subclass of `Kernel` and frozen dataclass, with a class attribute ``name``: an ASCII identifier that is not in
        use.

    Returns
    -------
    type
        The same class.

    Raises
    ------
    TypeError
        If the class is not a frozen dataclass derived from `Kernel`.
    ValueError
        If the name is not an identifier or is in use.

    See Also
    --------
    registered : All names of the text form.
    kernel : Build a kernel from its text form.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> from typing import ClassVar
    >>> import mercer
    >>> @register
    ... @dataclass(frozen=True)
    ... class Minimum(Kernel):
    ...     name: ClassVar[str] = "minimum"
    ...     def pair(self, a, b):
    ...         return min(a[0], b[0])
    >>> mercer.kernel("2*minimum")([[1.0], [3.0]])
    array([[2., 2.],
           [2., 6.]])
    """
    if not (isinstance(kernel_class, type) and issubclass(kernel_class, Kernel)):
        raise TypeError(f"register: expected a class derived from Kernel, got {describe(kernel_class)}.")
    who, name = f"register: {kernel_class.__name__}", kernel_class.name
    options = vars(kernel_class).get("__dataclass_params__")
    if options is None or not options.frozen:
        hint = "put @dataclass(frozen=True) below @register"
        raise TypeError(f"{who} must be a frozen dataclass; {hint}.")
    if not (isinstance(name, str) and name.isidentifier() and name.isascii()) or iskeyword(name):
        raise ValueError(
            f"{who} needs a class attribute name that is an identifier in ASCII, got {name!r}; "
            f'write for example name: ClassVar[str] = "{kernel_class.__name__.lower()}".'
        )
    known = _registered.get(name, kernel_class)
    again = (known.__module__, known.__qualname__) == (kernel_class.__module__, kernel_class.__qualname__)
    if name in ALIASES or name in TEXTLESS or not again:
        raise ValueError(f"{who}: the name {name!r} is taken; choose another.")
    _registered[name] = kernel_class
    return kernel_class


def parameters(cls: type[Kernel]) -> dict[str, dataclasses.Field[object]]:
    """Parameters of a kernel class by name, in order. Keyword-only parameters come last."""
    fields = [field for field in dataclasses.fields(cls) if field.init]  # type: ignore[arg-type]
    return {field.name: field for field in sorted(fields, key=lambda field: bool(field.kw_only))}
