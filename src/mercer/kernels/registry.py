"""The kernels of the library by family, and the names of the text form; users add their own with `register`."""

# ruff: noqa: F403, F405
# A name that the table misspells raises NameError as soon as mercer.kernels is imported.

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
    "distance": (RBF, Exponential, Laplacian, Matern, RationalQuadratic, Periodic, Power, Log),
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
    "other": (ANOVA, Constant),
}

# Nodes of the algebra: how each is written (in Python where the text form has none), and one made
# of a given kernel, from which the closure rule can be read off.
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
}

ALIASES = {"gaussian": "rbf", "rational_quadratic": "rq"}

# Kernels that hold a Python function: how to build them instead.
TEXTLESS = {
    "weighted": "mercer.kernels.Weighted(f, kernel)",
    "map": "mercer.kernels.Map(phi, kernel)",
    "user": "mercer.kernels.user(pair)",
}

# Every class of the library; `user` builds the last one. The public names of `mercer.kernels` derive from this tuple.
LIBRARY: tuple[type[Kernel], ...] = (*(cls for family in _FAMILIES.values() for cls in family), *NODES, User)

_registered: dict[str, type[Kernel]] = {cls.name: cls for cls in LIBRARY if cls.name.isidentifier()}


def registered() -> dict[str, type[Kernel]]:
    """Every name the text form knows, with its class; a copy.

    >>> registered()["rbf"].formula
    'exp(−γ‖x−z‖²)'
    """
    return dict(_registered)


def families() -> dict[str, tuple[type[Kernel], ...]]:
    """Kernels by family, registered ones of users last; the nodes of the algebra are in `NODES`."""
    own = tuple(cls for cls in _registered.values() if cls not in LIBRARY)
    return {**_FAMILIES, "yours": own} if own else dict(_FAMILIES)


def register(cls: type[Kernel]) -> type[Kernel]:
    """Make a kernel class known to the text form under its ``name``; usable as a decorator.

    A class defined again in the same place (a notebook cell run twice) replaces itself.

    Parameters
    ----------
    cls : type[Kernel]
        A frozen dataclass with a class attribute ``name``: an identifier that is not taken.

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
    if not (isinstance(cls, type) and issubclass(cls, Kernel)):
        raise TypeError(f"register: expected a class derived from Kernel, got {describe(cls)}.")
    who, name = f"register: {cls.__name__}", cls.name
    options = vars(cls).get("__dataclass_params__")
    if options is None or not options.frozen:
        hint = "put @dataclass(frozen=True) below @register"
        raise TypeError(f"{who} must be a frozen dataclass; {hint}.")
    if not (isinstance(name, str) and name.isidentifier() and name.isascii()) or iskeyword(name):
        raise ValueError(
            f"{who} needs a class attribute name that is an identifier in ASCII, got {name!r}; "
            f'write for example name: ClassVar[str] = "{cls.__name__.lower()}".'
        )
    known = _registered.get(name, cls)
    again = (known.__module__, known.__qualname__) == (cls.__module__, cls.__qualname__)
    if name in ALIASES or name in TEXTLESS or not again:
        raise ValueError(f"{who}: the name {name!r} is taken; choose another.")
    _registered[name] = cls
    return cls


def parameters(cls: type[Kernel]) -> dict[str, dataclasses.Field[object]]:
    """Parameters of a kernel class by name, in order; those that are given by name only come last."""
    fields = [field for field in dataclasses.fields(cls) if field.init]  # type: ignore[arg-type]
    return {field.name: field for field in sorted(fields, key=lambda field: bool(field.kw_only))}
