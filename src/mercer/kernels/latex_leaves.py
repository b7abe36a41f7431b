"""LaTeX formulas of single kernels."""

from collections.abc import Callable
from typing import Any, TypeAlias

__all__ = ["LEAVES", "Term", "group", "number"]

Term: TypeAlias = tuple[str, int]  # formula and binding strength


def number(value: float) -> str:
    r"""Shortest exact form of a number.

    >>> print(number(0.5), number(2.0), number(1e-07))
    0.5 2 1 \cdot 10^{-7}
    """
    mantissa, _, exponent = repr(float(value)).partition("e")
    mantissa = mantissa.removesuffix(".0")
    return rf"{mantissa} \cdot 10^{{{int(exponent)}}}" if exponent else mantissa


def group(term: Term, binding: int) -> str:
    """The formula, in parentheses unless it binds more tightly than `binding`."""
    return term[0] if term[1] > binding else rf"\left({term[0]}\right)"


def _times(factor: Any, symbol: str, rest: str) -> str:
    """factor · rest, with the symbol for a data-dependent factor and without a factor 1."""
    if isinstance(factor, str):
        return rf"{symbol} \, {rest}"
    return rest if factor == 1 else rf"{number(factor)} \, {rest}"


def _plus(constant: float) -> str:
    """Constant with its sign, ``""`` for 0."""
    if constant == 0:
        return ""
    return f" + {number(constant)}" if constant > 0 else f" - {number(-constant)}"


def _at(x: str, index: str = "i") -> str:
    """Component of a vector."""
    return f"{{{x}}}_{{{index}}}"


def _dot(x: str, z: str) -> str:
    """Inner product."""
    return rf"\langle {x}, {z} \rangle"


def _slope(kernel: Any, x: str, z: str) -> str:
    """γ⟨x,z⟩ + c."""
    return _times(kernel.gamma, r"\gamma", _dot(x, z)) + _plus(kernel.coef0)


def _distance(kernel: Any, x: str, z: str, *, power: str = "") -> str:
    """γ‖x − z‖^power, written by coordinates if γ is a vector."""
    difference = rf"{_at(x)} - {_at(z)}"
    if isinstance(kernel.gamma, tuple):
        if kernel.squared:
            return rf"\sum_{{i}} \gamma_{{i}} \left({difference}\right)^{{2}}"
        if kernel.l1:
            return rf"\sum_{{i}} \gamma_{{i}} \left|{difference}\right|"
        return rf"\sqrt{{\sum_{{i}} \gamma_{{i}}^{{2}} \left({difference}\right)^{{2}}}}"
    return _times(kernel.gamma, r"\gamma", rf"\Vert {x} - {z} \Vert{power}")


def _exp(exponent: str) -> Term:
    return rf"\exp\left(-{exponent}\right)", 4


def _matern(kernel: Any, x: str, z: str) -> Term:
    root = {0.5: "", 1.5: r"\sqrt{3} \, ", 2.5: r"\sqrt{5} \, "}[kernel.nu]
    u = root + _distance(kernel, x, z)
    before = {0.5: "", 1.5: r"\left(1 + u\right) \, ", 2.5: r"\left(1 + u + \frac{u^{2}}{3}\right) \, "}[kernel.nu]
    if not before:
        return _exp(u)
    return rf"\left[{before} e^{{-u}}\right]_{{u = {u}}}", 4


def _chi2(x: str, z: str) -> str:
    a, b = _at(x), _at(z)
    return rf"\sum_{{i}} \frac{{\left({a} - {b}\right)^{{2}}}}{{{a} + {b}}}"


def _minima(x: str, z: str, function: str = r"\min") -> str:
    return rf"\sum_{{i}} {function}\left({_at(x)}, {_at(z)}\right)"


def _tanimoto(kernel: Any, x: str, z: str) -> Term:  # noqa: ARG001 - no parameters
    dot = _dot(x, z)
    return rf"\frac{{{dot}}}{{\Vert {x} \Vert^{{2}} + \Vert {z} \Vert^{{2}} - {dot}}}", 3


def _anova(kernel: Any, x: str, z: str) -> Term:
    a, b = _at(x), _at(z)
    base = rf"{a} \, {b}"
    if kernel.base == "rbf":
        base = rf"\exp\left(-{_times(kernel.gamma, '', rf'({a} - {b})^{{2}}')}\right)"
    return rf"\sum_{{|S| = {kernel.degree}}} \prod_{{i \in S}} {base}", 1


def _periodic(kernel: Any, x: str, z: str) -> Term:
    period = "p_{i}" if isinstance(kernel.period, tuple) else number(kernel.period)
    sines = rf"\sum_{{i}} \sin^{{2}}\left(\frac{{\pi \, ({_at(x)} - {_at(z)})}}{{{period}}}\right)"
    return _exp(_times(kernel.gamma, "", sines))


def _weighted_columns(kernel: Any, x: str, z: str) -> Term:
    numerical = rf"\left|{_at(x, 'j')} - {_at(z, 'j')}\right|" + ("" if kernel.p == 1 else f"^{{{number(kernel.p)}}}")
    categorical = rf"w_{{c}} \left[{_at(x, 'c')} \neq {_at(z, 'c')}\right]"
    total = rf"\sum_{{j}} w_{{j}} {numerical}" + (rf" + \sum_{{c}} {categorical}" if kernel.categorical else "")
    if kernel.g == 1:
        return _exp(total if not kernel.categorical else rf"\left({total}\right)")
    return _exp(rf"\left({total}\right)^{{{number(kernel.g)}}}")


def _interactions(kernel: Any, x: str, z: str) -> Term:
    numerical = rf"\left|{_at(x, 'j')} - {_at(z, 'j')}\right|" + ("" if kernel.p == 1 else f"^{{{number(kernel.p)}}}")
    factors = rf"v_{{j}} \, \exp\left(-\gamma_{{j}} {numerical}\right)"
    if kernel.categorical:
        factors += rf",\; v_{{c}} \left[{_at(x, 'c')} = {_at(z, 'c')}\right]"
    terms = [
        number(weight) if q == 0 else _times(weight, "", rf"\bar{{e}}_{{{q}}}\left({factors}\right)")
        for q, weight in enumerate(kernel.orders)
        if weight
    ]
    total = " + ".join(terms)
    return (total, 1) if sum(kernel.orders) == 1 else (rf"\frac{{{total}}}{{{number(sum(kernel.orders))}}}", 3)


def _counted(what: str, count: str = "c") -> Callable[[Any, str, str], Term]:
    """Sum of products of counts."""
    return lambda _kernel, x, z: (
        rf"\sum_{{{what}}} {count}_{{{what}}}\left({x}\right) \, {count}_{{{what}}}\left({z}\right)",
        1,
    )


def _decayed(what: str) -> Callable[[Any, str, str], Term]:
    """Sum of products of counts, weighted by a power of the decay."""
    return lambda kernel, x, z: (
        rf"\sum_{{{what}}} {number(kernel.decay)}^{{|{what}|}} \, n_{{{what}}}\left({x}\right) \, "
        rf"n_{{{what}}}\left({z}\right)",
        1,
    )


def _spectrum(kernel: Any, x: str, z: str) -> Term:
    length = rf"|u| \leq {kernel.p}" if kernel.blended else f"|u| = {kernel.p}"
    return rf"\sum_{{{length}}} c_{{u}}\left({x}\right) \, c_{{u}}\left({z}\right)", 1


def _alignment(kernel: Any, x: str, z: str) -> Term:
    total = rf"\sum_{{\pi}} \exp\left({number(kernel.beta)} \, s_{{\pi}}\left({x}, {z}\right)\right)"
    return (total, 1) if kernel.form != "log" else (rf"\frac{{1}}{{{number(kernel.beta)}}} \, \ln {total}", 2)


def _refined(inner: str) -> Callable[[Any, str, str], Term]:
    """Sum over iterations of a relabelling."""
    return lambda kernel, x, z: (
        rf"\sum_{{i=0}}^{{{kernel.n_iter}}} " + inner.replace("X", f"{{{x}}}^{{(i)}}").replace("Z", f"{{{z}}}^{{(i)}}"),
        1,
    )


def _walks(kernel: Any, x: str, z: str) -> Term:
    decay = number(kernel.decay)
    weight = {
        "geometric": rf"{decay}^{{l}}",
        "exponential": rf"\frac{{{decay}^{{l}}}}{{l!}}",
        "steps": rf"w_{{l}} \, {decay}^{{l}}",
    }
    return rf"\sum_{{l}} {weight[kernel.form]} \, n_{{l}}\left({x}, {z}\right)", 1


def _filled(text: str, x: str, z: str) -> str:
    """The text with samples in place of X and Z, both at once, because column names may contain these letters."""
    return text.translate({ord("X"): x, ord("Z"): z})


def _fixed(text: str, binding: int) -> Callable[[Any, str, str], Term]:
    """Formula in which X and Z stand for the samples."""
    return lambda _kernel, x, z: (_filled(text, x, z), binding)


LEAVES: dict[str, Callable[[Any, str, str], Term]] = {
    "Linear": lambda k, x, z: (_dot(x, z) + _plus(k.coef0), 1 if k.coef0 else 4),
    "Polynomial": lambda k, x, z: (rf"\left({_slope(k, x, z)}\right)^{{{k.degree}}}", 3),
    "Sigmoid": lambda k, x, z: (rf"\tanh\left({_slope(k, x, z)}\right)", 4),
    "Cosine": _fixed(r"\frac{\langle X, Z \rangle}{\Vert X \Vert \, \Vert Z \Vert}", 3),
    "Bilinear": _fixed(r"{X}^{T} A \, Z", 2),
    "RBF": lambda k, x, z: _exp(_distance(k, x, z, power="^{2}")),
    "Exponential": lambda k, x, z: _exp(_distance(k, x, z)),
    "Laplacian": lambda k, x, z: _exp(_distance(k, x, z, power="_{1}")),
    "Matern": _matern,
    "RationalQuadratic": lambda k, x, z: (
        rf"\left(1 + \frac{{{_distance(k, x, z, power='^{2}')}}}{{{number(k.alpha)}}}\right)^{{-{number(k.alpha)}}}",
        3,
    ),
    "Periodic": _periodic,
    "WeightedColumns": _weighted_columns,
    "Interactions": _interactions,
    "Power": lambda k, x, z: (rf"-\Vert {x} - {z} \Vert^{{{number(k.degree)}}}", 1),
    "Log": lambda k, x, z: (rf"-\log\left(1 + \Vert {x} - {z} \Vert^{{{number(k.degree)}}}\right)", 1),
    "Chi2": lambda k, x, z: _exp(_times(k.gamma, r"\gamma", _chi2(x, z))),
    "AdditiveChi2": lambda _k, x, z: (
        rf"\sum_{{i}} \frac{{2 \, {_at(x)} \, {_at(z)}}}{{{_at(x)} + {_at(z)}}}",
        1,
    ),
    "NegativeChi2": lambda _k, x, z: (f"-{_chi2(x, z)}", 1),
    "Intersection": lambda _k, x, z: (_minima(x, z), 1),
    "Brownian": lambda _k, x, z: (_minima(x, z).replace(r"\sum", r"\prod"), 2),
    "Tanimoto": _tanimoto,
    "MinMax": lambda _k, x, z: (rf"\frac{{{_minima(x, z)}}}{{{_minima(x, z, chr(92) + 'max')}}}", 3),
    "Delta": _fixed(r"\left[X = Z\right]", 4),
    "Overlap": lambda _k, x, z: (rf"\frac{{1}}{{D}} \, \sum_{{i}} \left[{_at(x)} = {_at(z)}\right]", 2),
    "ANOVA": _anova,
    "Constant": lambda k, _x, _z: (number(k.value), 4 if k.value >= 0 else 1),
    "Spectrum": _spectrum,
    "BagOfWords": _counted("w"),
    "Mismatch": _fixed(r"\sum_{a \in X} \sum_{b \in Z} w\left(h(a, b)\right)", 1),
    "Gapped": lambda k, x, z: (
        rf"\sum_{{a \in {x}}} \sum_{{b \in {z}}} \binom{{{k.g} - h(a, b)}}{{{k.g - k.m}}}",
        1,
    ),
    "Subsequence": lambda k, x, z: (
        rf"\sum_{{u}} \sum_{{{x}[i] = u}} \sum_{{{z}[j] = u}} {number(k.decay)}^{{l(i) + l(j)}}",
        1,
    ),
    "WeightedDegree": lambda k, x, z: (
        rf"\sum_{{d=1}}^{{{k.degree}}} \beta_{{d}} \sum_{{i}} \left[{_at(x, 'i:i+d')} = {_at(z, 'i:i+d')}\right]",
        1,
    ),
    "LocalAlignment": _alignment,
    "Subtree": _decayed("s"),
    "SubsetTree": _decayed("f"),
    "PartialTree": _decayed("t"),
    "VertexHistogram": _counted("a"),
    "EdgeHistogram": _counted("a"),
    "WeisfeilerLehman": _refined(r"b\left(X, Z\right)"),
    "WLOptimalAssignment": _refined(r"\sum_{a} \min\left(c_{a}(X), \, c_{a}(Z)\right)"),
    "NeighborhoodHash": lambda k, x, z: (
        rf"\frac{{1}}{{{k.n_iter}}} \, \sum_{{i=1}}^{{{k.n_iter}}} "
        rf"\frac{{|{{{x}}}^{{(i)}} \cap {{{z}}}^{{(i)}}|}}{{|{{{x}}}^{{(i)}} \cup {{{z}}}^{{(i)}}|}}",
        2,
    ),
    "ShortestPath": _counted("abd", "n"),
    "AttributedShortestPath": _fixed(
        r"\sum_{u, v \in X} \sum_{r, s \in Z} \kappa(u, r) \, \kappa(v, s) \left[d(u, v) = d(r, s)\right]", 1
    ),
    "GraphHopper": _fixed(r"\sum_{\pi \in X} \sum_{\rho \in Z} \sum_{i} \kappa(\pi_{i}, \rho_{i})", 1),
    "Propagation": lambda k, x, z: (
        rf"\sum_{{t=0}}^{{{k.n_iter}}} \sum_{{b}} n_{{tb}}\left({x}\right) \, n_{{tb}}\left({z}\right)",
        1,
    ),
    "RandomWalk": _walks,
    "Graphlet": _counted("g", "f"),
}
