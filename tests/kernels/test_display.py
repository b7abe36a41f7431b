"""Kernels in notebooks: LaTeX that renders, HTML that is well-formed and escaped."""

import re
import xml.etree.ElementTree as ET
from dataclasses import dataclass

import pytest
from matplotlib.mathtext import MathTextParser

from mercer.kernels import (
    RBF,
    Columns,
    Constant,
    Kernel,
    Laplacian,
    Linear,
    Map,
    Matern,
    Normalized,
    PolynomialOf,
    Power,
    RandomWalk,
    Sigmoid,
    Weighted,
    user,
)
from mercer.kernels.latex import latex
from mercer.kernels.registry import LIBRARY, NODES
from tests.contracts.cases import CASES

PARSER = MathTextParser("path")
SPECIAL = r"a<b>&\"'{}$\%#_^~ "


@dataclass(frozen=True)
class Own_Kernel(Kernel):
    note: str = SPECIAL

    def pair(self, a, b):
        return 1.0


KERNELS = list(
    dict.fromkeys(
        [
            *(kernel for kernel, _ in CASES),
            *(Matern(nu, gamma) for nu in (0.5, 1.5, 2.5) for gamma in ("scale", 0.3, (1.0, 2.0))),
            *(RandomWalk(0.1, form=form) for form in ("geometric", "exponential")),
            RBF(gamma=1e-12) + Constant(-3.0) - 2 * Linear(coef0=-1.5),
            (RBF(gamma=(1.0, 2.0)) * Laplacian(gamma=(1.0, 2.0))) ** 3,
            Columns([SPECIAL, "Z"], Columns(slice(0, 2), RBF()) + Power()).normalized(),
            Columns("XZ", Columns([0, 1], RBF())),
            PolynomialOf(Sigmoid(gamma="auto", coef0=-1.0), [0.0, -1.0, 2.5]),
            Map(len, Weighted(len, Linear())),
            user(lambda a, b: 1.0, name=SPECIAL),
            Own_Kernel(),
            2 * Own_Kernel() ** 2,
        ]
    )
)


def test_every_class_is_shown():
    def nodes(kernel):
        return {type(kernel)}.union(*(nodes(part) for part in kernel.parts().values()))

    assert set().union(*map(nodes, KERNELS)) >= set(LIBRARY)
    for cls, (_, build) in NODES.items():
        assert "Vert" in latex(build(RBF())), cls


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda k: str(k)[:60])
def test_latex_renders(kernel):
    text = kernel._repr_latex_()
    assert text.startswith("$k(x, z) = ")
    assert text.endswith("$")
    assert text.count("$") == 2
    bare = re.sub(r"\\[{}]", "", text)
    depth = [bare[: i + 1].count("{") - bare[: i + 1].count("}") for i in range(len(bare))]
    assert min(depth) == depth[-1] == 0
    assert text.count(r"\left") == text.count(r"\right")
    PARSER.parse(text, dpi=72)  # raises if mathtext does not understand


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda k: str(k)[:60])
def test_html_is_well_formed_and_complete(kernel):
    root = ET.fromstring(kernel._repr_html_())
    text = "".join(root.itertext())
    assert type(kernel).__name__ in text
    assert "positive semidefinite" in text
    parameters = kernel.get_params(deep=False)
    assert [row[0].text for row in root.iter("tr")][1:] == list(parameters)
    assert {element.tag for element in root.iter()} <= {
        *("div", "strong", "code", "table", "thead", "tbody", "tr", "th", "td")
    }


def test_names_of_users_are_escaped():
    html = Columns("<script>alert(1)</script>", RBF())._repr_html_()
    assert "<script" not in html
    assert "&lt;script&gt;" in html
    assert "$" not in latex(Columns("$x$", RBF()))
    assert ET.fromstring(user(lambda a, b: 1.0, name="a\x00\x1b<b>")._repr_html_()) is not None


def test_formulas_have_the_numbers_of_the_kernel():
    assert latex(RBF(gamma=2.0)) == r"\exp\left(-2 \, \Vert x - z \Vert^{2}\right)"
    assert latex(RBF()) == r"\exp\left(-\gamma \, \Vert x - z \Vert^{2}\right)"
    assert latex(0.5 * Linear() + Linear(coef0=1.0) ** 2) == (
        r"0.5 \, \langle x, z \rangle + \left(\langle x, z \rangle + 1\right)^{2}"
    )
    assert latex((Linear() + Linear()) * RBF(gamma=1.0)) == (
        r"\left(\langle x, z \rangle + \langle x, z \rangle\right) \cdot \exp\left(-\Vert x - z \Vert^{2}\right)"
    )


def test_proofs_of_deep_kernels_take_no_longer_than_their_nodes():
    deep = RBF(gamma=1.0)
    for _ in range(60):  # a proof that is made twice at every level would take 2⁶⁰ steps
        deep = (deep * Linear()).normalized()
    assert deep.definiteness.value == "psd"


def test_kernels_of_any_size_are_shown():
    deep = Linear()
    for _ in range(200):
        deep = Normalized(deep)
    wide = sum((RBF(gamma=float(i + 1)) for i in range(2000)), Linear())
    for kernel in (deep, wide):
        assert len(kernel._repr_latex_()) < 30_000
        assert len(kernel._repr_html_()) < 30_000
