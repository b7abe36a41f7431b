"""Certificates: what each leaf claims over its parameter range, and every closure rule."""

import json

import numpy as np
import pytest
from hypothesis import given

from mercer.kernels import (
    ANOVA,
    RBF,
    AdditiveChi2,
    Bilinear,
    Brownian,
    Chi2,
    Columns,
    Constant,
    Cosine,
    Definiteness,
    Delta,
    ExpOf,
    Exponential,
    Interactions,
    Intersection,
    Laplacian,
    Linear,
    Log,
    Map,
    Matern,
    MinMax,
    NegativeChi2,
    Normalized,
    Overlap,
    Periodic,
    Polynomial,
    PolynomialOf,
    Power,
    PowerOf,
    Product,
    RationalQuadratic,
    Scaled,
    Sigmoid,
    Sum,
    Tanimoto,
    Weighted,
    WeightedColumns,
    user,
)  # fmt: skip
from tests.reference.vectors import gram
from tests.strategies import expressions, matrices, squares, total

PSD, CPD, NOT_PSD, UNKNOWN = (
    Definiteness.PSD,
    Definiteness.CPD,
    Definiteness.NOT_PSD,
    Definiteness.UNKNOWN,
)
PART = {PSD: RBF(gamma=1.0), CPD: Power(), NOT_PSD: Sigmoid(), UNKNOWN: user(lambda a, b: 0.0)}

LEAF = [
    *[
        (kind(gamma=g), PSD)
        for kind in (RBF, Exponential, Laplacian, Matern, RationalQuadratic)
        for g in ("scale", 1.0, (1.0, 2.0))
    ],
    *[(Matern(nu=nu), PSD) for nu in (0.5, 1.5, 2.5)],
    (Periodic(), PSD),
    *[(WeightedColumns(w, (1,), p, g), PSD) for w in (1.0, (1.0, 2.0)) for p in (0.1, 1, 2) for g in (0.1, 0.5, 1)],
    (WeightedColumns(0.0, p=3.0), PSD),
    (WeightedColumns((0.0, 0.0), p=3.0, g=2.0), PSD),
    (WeightedColumns(1.0, p=2.0, g=1.1), NOT_PSD),
    (WeightedColumns(1.0, p=1.0, g=1.5), UNKNOWN),  # PSD for one column, not for two
    (WeightedColumns((1.0,), p=1.0, g=2.0), PSD),
    (WeightedColumns((1.0, 0.0), p=4.0, g=0.5), PSD),
    (WeightedColumns((1.0,), p=1.0, g=2.1), NOT_PSD),
    (WeightedColumns((1.0, 1.0), p=3.0), NOT_PSD),
    (WeightedColumns((1.0, 1.0), p=3.0, g=0.5), UNKNOWN),
    (WeightedColumns((1.0, 1.0), p=1.0, g=1.5), NOT_PSD),
    (WeightedColumns((1.0, 1.0), (1,), p=1.0, g=1.5), NOT_PSD),
    (WeightedColumns((1.0,), (0,), p=9.0, g=9.0), PSD),
    (WeightedColumns((1.0, 1.0), (0, 1), p=9.0), PSD),
    (WeightedColumns((0.1, 0.1), (0, 1), g=2.0), NOT_PSD),
    (WeightedColumns((9.0, 9.0), (0, 1), g=2.0), UNKNOWN),
    (Linear(), PSD),
    (Linear(coef0=1.0), PSD),
    (Linear(coef0=-1e-9), NOT_PSD),
    (Polynomial(degree=3, gamma=1.0, coef0=0.0), PSD),
    (Polynomial(degree=3, gamma="scale"), PSD),
    (Polynomial(degree=2, coef0=-1.0), NOT_PSD),
    (Polynomial(degree=3, gamma=-1.0, coef0=0.0), NOT_PSD),
    (Polynomial(degree=2, gamma=-1.0, coef0=0.0), PSD),
    (Polynomial(degree=2, gamma=-1.0, coef0=-1.0), PSD),  # (−s−1)² = (s+1)²
    (Polynomial(degree=3, gamma=-1.0, coef0=-1.0), NOT_PSD),
    (Polynomial(degree=2, gamma=-1.0, coef0=1.0), NOT_PSD),
    (Polynomial(degree=1, gamma=-1.0, coef0=0.0), NOT_PSD),
    (Polynomial(degree=3, gamma=0.0, coef0=2.0), PSD),
    (Polynomial(degree=3, gamma=0.0, coef0=-2.0), NOT_PSD),
    (Polynomial(degree=2, gamma=0.0, coef0=-2.0), PSD),
    (Sigmoid(), NOT_PSD),
    (Sigmoid(gamma=0.1, coef0=-1.0), NOT_PSD),
    (Sigmoid(gamma=0.0, coef0=1.0), PSD),
    (Sigmoid(gamma=0.0, coef0=-1.0), NOT_PSD),
    (Cosine(), PSD),
    (Bilinear(np.eye(2)), PSD),
    (Bilinear([[1.0, 2.0], [2.0, 1.0]]), NOT_PSD),
    (Bilinear(np.zeros((2, 2))), PSD),
    *[(Power(degree=d), CPD) for d in (0.1, 1.0, 2.0)],
    (Power(degree=2.1), NOT_PSD),
    *[(Log(degree=d), CPD) for d in (0.1, 1.0, 2.0)],
    (Log(degree=2.1), NOT_PSD),
    *[
        (k, PSD)
        for k in (
            Chi2(),
            AdditiveChi2(),
            Intersection(),
            Brownian(),
            Tanimoto(),
            MinMax(),
            Overlap(),
            Delta(),
        )
    ],
    (NegativeChi2(), CPD),
    (ANOVA(), PSD),
    *[(Interactions(p=p), PSD) for p in (0.1, 1, 2)],
    (Interactions((1, 2), (1.0, 0.0), 0.5, (1,), 2.0), PSD),
    (Interactions((1, 2), p=2.1), NOT_PSD),
    (Interactions((1, 0), p=3.0), PSD),
    (Interactions((1, 1), weights=0.0, p=3.0), PSD),
    (Interactions((1, 1), gamma=0.0, p=3.0), PSD),
    (Interactions((1, 1), (1.0, 1.0), categorical=(0, 1), p=3.0), PSD),
    (Interactions((1, 1), (0.0, 1.0), 1.0, (1,), p=3.0), PSD),
    (Interactions((1, 0, 1), (0.0, 1.0), 1.0, p=3.0), PSD),  # pairs of one column
    (Interactions((1, 0, 1), (1.0, 1.0), (0.0, 2.0), p=3.0), NOT_PSD),
    (Interactions((1, 1), (1.0, 1.0), 1.0, (0,), p=3.0), NOT_PSD),
    (ANOVA(base="linear"), PSD),
    (Constant(0.0), PSD),
    (Constant(-1.0), NOT_PSD),
]


@pytest.mark.parametrize(("kernel", "verdict"), LEAF, ids=str)
def test_leaves_over_their_range(kernel, verdict):
    assert kernel.definiteness is verdict
    assert kernel.certificate().rule


RULES = [
    *[
        (Sum((PART[a], PART[b])), v)
        for a, b, v in (
            (PSD, PSD, PSD),
            (PSD, CPD, CPD),
            (CPD, CPD, CPD),
            (PSD, NOT_PSD, UNKNOWN),
            (CPD, UNKNOWN, UNKNOWN),
        )
    ],
    *[
        (Product((PART[a], PART[b])), v)
        for a, b, v in (
            (PSD, PSD, PSD),
            (PSD, CPD, UNKNOWN),
            (CPD, CPD, UNKNOWN),
            (PSD, NOT_PSD, UNKNOWN),
        )
    ],
    *[(Scaled(2.0, PART[a]), a) for a in Definiteness],
    *[(Scaled(0.0, PART[a]), PSD) for a in Definiteness],
    (-1 * Linear(), NOT_PSD),
    (-1 * RBF(gamma=1.0), NOT_PSD),
    (-1 * Constant(0.0), UNKNOWN),
    (-1 * Power(), UNKNOWN),
    (-1 * Sigmoid(), UNKNOWN),
    (-1 * (RBF() + Linear()), UNKNOWN),
    *[(ExpOf(PART[a]), v) for a, v in ((PSD, PSD), (CPD, PSD), (NOT_PSD, UNKNOWN), (UNKNOWN, UNKNOWN))],
    *[(PowerOf(PART[a], 2), v) for a, v in ((PSD, PSD), (CPD, UNKNOWN), (NOT_PSD, UNKNOWN), (UNKNOWN, UNKNOWN))],
    *[(PolynomialOf(PART[a], (1.0, 0.0, 2.0)), v) for a, v in ((PSD, PSD), (CPD, UNKNOWN), (NOT_PSD, UNKNOWN))],
    (PolynomialOf(RBF(), (0.0, -1.0, 2.0)), UNKNOWN),
    (PolynomialOf(Sigmoid(), (3.0,)), PSD),
    (PolynomialOf(Sigmoid(), (-3.0, 0.0)), NOT_PSD),
    (PolynomialOf(Power(), (-3.0, 2.0)), CPD),
    (PolynomialOf(Power(), (3.0, -2.0)), UNKNOWN),
    *[(Normalized(PART[a]), v) for a, v in ((PSD, PSD), (CPD, UNKNOWN), (NOT_PSD, UNKNOWN))],
    *[(Weighted(total, PART[a]), v) for a, v in ((PSD, PSD), (CPD, UNKNOWN), (NOT_PSD, UNKNOWN))],
    *[(Map(squares, PART[a]), v) for a, v in ((PSD, PSD), (CPD, CPD), (NOT_PSD, UNKNOWN), (UNKNOWN, UNKNOWN))],
    *[(Columns(0, PART[a]), a) for a in Definiteness],
    (
        Columns([0, 0], Bilinear([[0.0, 1.0], [1.0, 0.0]])),
        UNKNOWN,
    ),  # 2·x₀z₀ is PSD: not every point is reached
    (ExpOf(0.5 * Power(degree=2.0)) + 1, PSD),
    (RBF() + Linear() - 1, UNKNOWN),
]


@pytest.mark.parametrize(("kernel", "verdict"), RULES, ids=str)
def test_closure_rules(kernel, verdict):
    assert kernel.definiteness is verdict
    proof = kernel.certificate()
    assert [part.definiteness for part in proof.parts] == [part.definiteness for part in kernel.parts().values()]


@pytest.mark.parametrize(
    "zero",
    [
        Polynomial(degree=2, gamma=0.0, coef0=0.0),
        Sigmoid(gamma=0.0, coef0=0.0),
        Bilinear(np.zeros((2, 2))),
    ],
    ids=str,
)
def test_a_negative_multiple_of_zero_is_not_called_indefinite(zero):
    assert (-1 * zero).definiteness is not NOT_PSD


@given(expressions(), matrices())
def test_no_certificate_is_contradicted_by_exact_numbers(kernel, X):
    """PSD and CPD verdicts against Gram matrices without rounding, so that it hides nothing."""
    verdict = kernel.definiteness
    if not verdict.conditional:
        return
    K = gram(kernel, X)
    largest = max(abs(K).max(), 1)
    if largest > 1e100:
        return
    K = (K / largest).astype(np.float64)
    H = np.eye(len(K)) - 1 / len(K)
    K = H @ K @ H if verdict is CPD else K
    assert np.linalg.eigvalsh((K + K.T) / 2)[0] >= -1e-12


def test_proof_tree_prints_and_converts():
    kernel = RBF(gamma=0.5) + 2 * Power()
    proof = kernel.certificate()
    lines = str(proof).splitlines()
    assert len(lines) == 4
    assert lines[0].startswith("rbf(gamma=0.5) + 2*power — CPD: a sum of conditionally PSD kernels")
    assert "Schoenberg 1938" in lines[1]
    assert lines[3].startswith("   └─ power — CPD")
    data = json.loads(json.dumps(proof.to_dict()))
    assert data["definiteness"] == "cpd"
    assert data["parts"][1]["parts"][0]["kernel"] == "power"
    assert "[on x ≥ 0]" in str(Chi2().certificate())


def test_verdicts_that_include_conditional():
    assert PSD.conditional
    assert CPD.conditional
    assert not NOT_PSD.conditional
    assert not UNKNOWN.conditional


@pytest.mark.parametrize(
    ("kernel", "points"),
    [
        (-1 * Linear(), [[1.0]]),
        (Linear(coef0=-1.0), [[0.0]]),
        (Polynomial(degree=2, coef0=-1.0), [[0.5], [1.0], [-1.0]]),
        (Polynomial(degree=3, gamma=-1.0, coef0=0.0), [[1.0]]),
        (WeightedColumns(1.0, p=3.0), [[0.0], [0.3], [0.6]]),
        (Interactions((0.0, 1.0), p=3.0), [[0.0], [0.3], [0.6]]),
        (Interactions((1.0, 1.0), (1.0, 1.0), 1.0, (1,), p=4.0), [[0.4 * i, 0.0] for i in range(8)]),
        (WeightedColumns((1.0, 2.0), p=2.0, g=1.5), [[0.0, 0.0], [0.3, 0.0], [0.6, 0.0]]),
        (WeightedColumns((1.0, 1.0), g=1.5), [[0.0, 0.0], [0.1, 0.0], [0.0, 0.1], [0.1, 0.1]]),
        (WeightedColumns((1.0, 1.0), (1,), g=1.5), [[0.0, 0.0], [0.1, 0.0], [0.0, 1.0], [0.1, 1.0]]),
        (WeightedColumns((0.1, 0.1), (0, 1), g=2.0), [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]),
        (Power(degree=3.0), [[0.0], [1.0]]),
        (Log(degree=3.0), [[0.0], [1.0]]),
        (Sigmoid(coef0=-1.0), [[0.0]]),
        (Sigmoid(), [[0.5], [1.0], [2.0], [3.0]]),
        (Bilinear([[0.0, 1.0], [1.0, 0.0]]), [[1.0, -1.0]]),
        (Constant(-1.0), [[0.0]]),
    ],
    ids=str,
)
def test_not_psd_has_a_witness(kernel, points):
    assert kernel.definiteness is NOT_PSD
    assert np.linalg.eigvalsh(kernel(np.array(points)))[0] < -1e-9


def test_power_beyond_two_is_not_even_conditional():
    X = np.arange(4.0)[:, None]
    H = np.eye(4) - 0.25
    assert np.linalg.eigvalsh(H @ Power(degree=2.5)(X) @ H)[0] < -1e-3
    assert np.linalg.eigvalsh(H @ Power(degree=2.0)(X) @ H)[0] > -1e-12
