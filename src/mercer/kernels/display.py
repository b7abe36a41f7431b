"""Representation of kernels in notebooks: HTML with formula, parameters and verdict, and LaTeX."""

from html import escape

from mercer.kernels.base import Kernel
from mercer.kernels.definiteness import Definiteness
from mercer.kernels.latex import latex
from mercer.kernels.parametrised import literal

__all__ = ["as_html", "as_latex"]

_VERDICTS = {
    Definiteness.PSD: "positive semidefinite",
    Definiteness.CPD: "conditionally positive semidefinite",
    Definiteness.NOT_PSD: "not positive semidefinite",
    Definiteness.UNKNOWN: "not known to be positive semidefinite",
}
_LEFT = 'style="text-align: left"'  # Jupyter aligns cells to the right
_HEADERS = f"<th {_LEFT}>parameter</th><th {_LEFT}>value</th>"
LONGEST = 2000  # longer texts are cut to this number of characters


def as_latex(kernel: Kernel) -> str:
    r"""Formula between dollar signs, for notebooks and matplotlib.

    >>> from mercer.kernels import RBF
    >>> print(as_latex(RBF(gamma=0.5)))
    $k(x, z) = \exp\left(-0.5 \, \Vert x - z \Vert^{2}\right)$
    """
    return f"$k(x, z) = {latex(kernel)}$"


def as_html(kernel: Kernel) -> str:
    """Name, text form, formula, table of parameters, and verdict with its reason as HTML. All texts are escaped."""
    proof = kernel.certificate()
    rows = "".join(
        f"<tr><td {_LEFT}>{_shown(name)}</td><td {_LEFT}>{_shown(literal(value))}</td></tr>"
        for name, value in kernel.get_params(deep=False).items()
    )
    formula = f"<div>k(x, z) = {_shown(kernel.formula)}</div>" if kernel.formula else ""
    domain = f" on {_shown(proof.domain)}" if proof.domain else ""
    reference = f" ({_shown(proof.reference)})" if proof.reference else ""
    return (
        '<div class="mercer-kernel">'
        f"<strong>{_shown(type(kernel).__name__)}</strong> <code>{_shown(str(kernel))}</code>"
        f"{formula}"
        + (f"<table><thead><tr>{_HEADERS}</tr></thead><tbody>{rows}</tbody></table>" if rows else "")
        + f"<div>{_VERDICTS[proof.definiteness]}{domain}: {_shown(proof.rule)}{reference}</div></div>"
    )


def _shown(text: str) -> str:
    """Text escaped for HTML, cut if it is long."""
    cut = text if len(text) <= LONGEST else text[:LONGEST] + "…"
    return escape("".join(c if c.isprintable() else " " for c in cut))
