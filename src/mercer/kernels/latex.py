"""Formulas of kernels in LaTeX, with the values of their parameters.

Only commands of matplotlib's mathtext are used, so that a formula can be shown in notebooks and in figures.
"""

import re
from collections.abc import Callable
from functools import singledispatch
from typing import Any, TypeAlias

from mercer.kernels.algebra import Product, Scaled, Sum
from mercer.kernels.around import Columns, Map, Weighted
from mercer.kernels.base import Kernel
from mercer.kernels.closure import ExpOf, Normalized, PolynomialOf, PowerOf
from mercer.kernels.column_choice import choice_text
from mercer.kernels.latex_leaves import LEAVES, Term, group, number
from mercer.kernels.linear_map import LinearMap
from mercer.kernels.ratio import TanimotoOf
from mercer.kernels.user import User

__all__ = ["latex"]

Rule: TypeAlias = Callable[[Any, str, str], Term]
_PLAIN = re.compile(r"[A-Za-z0-9 ,.:-]+")
LONGEST = 20_000  # longer formulas are replaced by the name of the kernel


def latex(kernel: Kernel) -> str:
    r"""Formula k(x, z) of a kernel in LaTeX, without dollar signs.

    Parameters
    ----------
    kernel : Kernel
        Any kernel. User-defined classes are shown by their name.

    Returns
    -------
    str
        The formula. A data-dependent parameter such as ``gamma="scale"`` is shown as its symbol.

    Examples
    --------
    >>> from mercer.kernels import RBF, Linear
    >>> print(latex(0.5 * RBF(gamma=2.0) + Linear()))
    0.5 \, \exp\left(-2 \, \Vert x - z \Vert^{2}\right) + \langle x, z \rangle
    """
    try:
        text = _term(kernel, "x", "z")[0]
    except RecursionError:
        text = _name(kernel)
    return text if len(text) <= LONGEST else _name(kernel)


def _name(kernel: Kernel) -> str:
    """Name of a kernel class as a function of x and z."""
    return r"\mathrm{" + re.sub(r"[^A-Za-z0-9]", "", type(kernel).__name__) + r"}\left(x, z\right)"


@singledispatch
def _term(kernel: Kernel, x: str, z: str) -> Term:
    """Formula and its binding strength: 1 sum, 2 product, 3 power, 4 atom."""
    rule = LEAVES.get(type(kernel).__name__) if type(kernel).__module__.partition(".")[0] == "mercer" else None
    if rule is not None:
        return rule(kernel, x, z)
    name = re.sub(r"[^A-Za-z0-9]", "", type(kernel).__name__)
    return rf"\mathrm{{{name}}}\left({x}, {z}\right)", 4


@_term.register
def _(kernel: Sum, x: str, z: str) -> Term:
    return _sum([group(_term(term, x, z), 1) for term in kernel.terms]), 1


@_term.register
def _(kernel: Product, x: str, z: str) -> Term:
    return r" \cdot ".join(group(_term(factor, x, z), 2) for factor in kernel.factors), 2


@_term.register
def _(kernel: Scaled, x: str, z: str) -> Term:
    return rf"{number(kernel.scale)} \, {group(_term(kernel.kernel, x, z), 3)}", 2 if kernel.scale >= 0 else 1


@_term.register
def _(kernel: PowerOf, x: str, z: str) -> Term:
    return rf"{group(_term(kernel.kernel, x, z), 5)}^{{{kernel.exponent}}}", 3


@_term.register
def _(kernel: PolynomialOf, x: str, z: str) -> Term:
    inner = group(_term(kernel.kernel, x, z), 5)
    powers = ["", rf" \, {inner}", *(rf" \, {inner}^{{{j}}}" for j in range(2, len(kernel.coefficients)))]
    terms = [f"{number(c)}{power}" for c, power in zip(kernel.coefficients, powers, strict=False) if c]
    return _sum(terms) or "0", 1


def _sum(terms: list[str]) -> str:
    """Terms joined by plus and minus signs."""
    return " + ".join(terms).replace(" + -", " - ")


@_term.register
def _(kernel: ExpOf, x: str, z: str) -> Term:
    return rf"\exp\left({_term(kernel.kernel, x, z)[0]}\right)", 4


@_term.register
def _(kernel: Normalized, x: str, z: str) -> Term:
    return rf"\mathrm{{normalized}}\left({_term(kernel.kernel, x, z)[0]}\right)", 4


@_term.register
def _(kernel: TanimotoOf, x: str, z: str) -> Term:
    return rf"\mathrm{{tanimoto}}\left({_term(kernel.kernel, x, z)[0]}\right)", 4


@_term.register
def _(kernel: Columns, x: str, z: str) -> Term:
    columns = choice_text(kernel.columns)
    chosen = rf"\mathrm{{{columns}}}" if _PLAIN.fullmatch(columns) and len(columns) <= 40 else "S"
    return _term(kernel.kernel, f"{{{x}}}_{{{chosen}}}", f"{{{z}}}_{{{chosen}}}")


@_term.register
def _(kernel: Weighted, x: str, z: str) -> Term:
    return rf"f\left({x}\right) \, {group(_term(kernel.kernel, x, z), 2)} \, f\left({z}\right)", 2


@_term.register
def _(kernel: Map, x: str, z: str) -> Term:
    return _term(kernel.kernel, rf"\varphi\left({x}\right)", rf"\varphi\left({z}\right)")


@_term.register
def _(kernel: LinearMap, x: str, z: str) -> Term:
    return _term(kernel.kernel, rf"A^{{T}} {x}", rf"A^{{T}} {z}")


@_term.register
def _(kernel: User, x: str, z: str) -> Term:  # noqa: ARG001 - the name of the function may not be valid LaTeX
    return rf"f\left({x}, {z}\right)", 4
