"""find_counterexample: goldens, no witness against certified kernels, any kind of data."""

import numpy as np
import pandas as pd
import pytest

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
    Intersection,
    Laplacian,
    Linear,
    Log,
    Map,
    Matern,
    MinMax,
    NegativeChi2,
    Overlap,
    Periodic,
    Polynomial,
    PolynomialOf,
    Power,
    RationalQuadratic,
    Sigmoid,
    Tanimoto,
    Weighted,
    user,
)
from mercer.kernels.counterexample import Counterexample, find_counterexample

SKEW = user(lambda a, b: a[0] - b[0])  # a Gram matrix by pairs would hide it by symmetry
PSD_KERNELS = [
    Linear(coef0=1.0),
    Polynomial(),
    Polynomial(degree=12, gamma=0.5),
    Cosine(),
    Bilinear([[2.0, 1.0], [1.0, 2.0]]),
    RBF(),
    RBF(gamma=100.0),
    RBF(gamma=(1.0, 2.0, 0.5, 3.0)),
    Exponential(),
    Laplacian(gamma=1.0),
    Matern(nu=1.5),
    Matern(nu=2.5, gamma=1.0),
    RationalQuadratic(),
    Periodic(),
    Periodic(period=0.01, gamma=5.0),
    Chi2(),
    AdditiveChi2(),
    Intersection(),
    Brownian(),
    Tanimoto(),
    MinMax(),
    Overlap(),
    Delta(),
    Constant(),
    ANOVA(),
    ANOVA(degree=5),
    ExpOf(Linear()),
    ExpOf(Polynomial(degree=2)),
    ExpOf(0.5 * Power(degree=1.5)),
    Linear() ** 5,
    PolynomialOf(Linear(), [1, 0, 2]),
    Polynomial().normalized(),
    Weighted(lambda X: X[:, 0], RBF(gamma=1.0)),
    Map(np.tanh, Linear()),
    RBF() * Polynomial(degree=2) + 0.5 * Linear(),
    Columns([0, 4], Chi2()) + Linear(),
]


@pytest.mark.parametrize("kernel", PSD_KERNELS, ids=str)
def test_no_witness_against_a_certificate(kernel):
    assert kernel.definiteness is Definiteness.PSD
    assert find_counterexample(kernel, tries=10_000) is None


@pytest.mark.parametrize("kernel", [Power(), Power(degree=2.0), Log(), NegativeChi2()], ids=str)
def test_cpd_kernels_fail_without_the_condition_only(kernel):
    found = find_counterexample(kernel)
    assert (found.kind, len(found.points)) == ("not psd", 2)
    assert found.verify()
    assert find_counterexample(kernel, conditional=True) is None


@pytest.mark.parametrize(
    ("kernel", "n_points"),
    [
        (-1 * Linear(), 1),
        (Linear(coef0=-1.0), 1),
        (Bilinear([[0.0, 1.0], [1.0, 0.0]]), 1),
        (Sigmoid(), 2),
        (Sigmoid(gamma=0.01), 2),
        (Sigmoid(coef0=-1.0), 1),
        (Sigmoid(coef0=-0.01), 1),
        (Polynomial(degree=2, coef0=-0.5), 2),
        (RBF(gamma=1.0) - RBF(gamma=2.0), 2),
        (RBF() - 0.5, 3),  # far points: the identity minus ½, of which 2 x 2 blocks are PSD
    ],
    ids=str,
)
def test_small_witnesses(kernel, n_points):
    found = find_counterexample(kernel)
    assert (found.kind, len(found.points)) == ("not psd", n_points)
    assert found.verify()
    K = found.kernel(found.points)
    assert found.t @ K @ found.t == pytest.approx(found.value)
    assert found.value < 0
    assert np.linalg.norm(found.t) == pytest.approx(1)


def test_witness_of_three_points():
    # the hat function of the distance is PSD on the line, but not in the plane
    hat = user(lambda a, b: max(0.0, 1 - np.linalg.norm(a - b)))
    line = np.linspace(0, 3, 40)[:, None]
    assert find_counterexample(hat, line) is None
    grid = np.stack(np.meshgrid(*[np.arange(0, 1.6, 0.5)] * 2), axis=-1).reshape(-1, 2)
    box = user(lambda a, b: float(np.linalg.norm(a - b) < 1))
    found = find_counterexample(box, grid)
    assert found.verify()
    assert len(found.points) == 3


def test_conditional_witness_sums_to_zero():
    found = find_counterexample(Power(degree=3.0), conditional=True)
    assert found.kind == "not cpd"
    assert found.t.sum() == pytest.approx(0, abs=1e-15)
    assert found.verify()


def test_asymmetry_comes_first():
    found = find_counterexample(SKEW)
    assert found.kind == "asymmetric"
    assert found.t is None
    x, z = found.points[:1], found.points[1:]
    assert found.value == pytest.approx(float(found.kernel(x, z)[0, 0] - found.kernel(z, x)[0, 0]))
    assert found.verify()
    by_block = user(block=lambda A, B: A @ (B + 0.1).T)
    assert find_counterexample(by_block, conditional=True).kind == "asymmetric"


def test_data_dependent_parameters_are_resolved():
    found = find_counterexample(Sigmoid(gamma="scale", coef0=-1.0))
    assert isinstance(found.kernel.gamma, float)
    assert found.verify()


def test_sample_of_words():
    words = ["ox", "cow", "calf", "hen", "cock", "chick", "a", ""]
    overlap = user(lambda a, b: len(set(a) & set(b)))
    assert find_counterexample(overlap, words) is None
    found = find_counterexample(overlap - 3, words)
    assert found.verify()
    assert set(found.points) <= set(words)


def test_sample_in_a_frame():
    frame = pd.DataFrame({"age": [1.0, 2.0, 5.0], "size": [0.0, 1.0, 3.0]}, index=[7, 8, 9])
    found = find_counterexample(-1 * Columns("age", Linear()), frame)
    assert list(found.points.columns) == ["age", "size"]
    assert found.verify()


def test_float32_sample_is_examined_in_double(rng):
    X = rng.normal(size=(30, 3)).astype(np.float32)
    assert find_counterexample(RBF(), X) is None
    assert find_counterexample(Sigmoid(), X).points.dtype == np.float64


def test_sampler_function_gets_the_generator():
    def integers(rng, m):
        return rng.integers(0, 5, size=(m, 2)).astype(float)

    found = find_counterexample(1 - Linear(), integers)
    assert np.array_equal(found.points, np.round(found.points))
    assert find_counterexample(Intersection(), integers) is None


def test_same_seed_same_answer():
    a, b = (find_counterexample(Sigmoid(), random_state=3) for _ in range(2))
    assert np.array_equal(a.points, b.points)
    assert not np.array_equal(a.points, find_counterexample(Sigmoid(), random_state=4).points)


def test_max_points_limits_the_witness():
    assert find_counterexample(Sigmoid(), max_points=1) is None
    assert find_counterexample(RBF(gamma=1.0), np.zeros((1, 1))) is None


def test_overflow_is_no_counterexample():
    huge = PolynomialOf(Linear(), [0, 1, 1])
    X = np.array([[1e100], [1.0], [2.0]])
    assert find_counterexample(huge, X) is None


def test_noise_in_the_last_places_is_no_counterexample(rng):
    def noisy(A, B):  # 1 on the diagonal, 1 ± 1e-13 elsewhere, as the last digits of x and z decide
        return 1 + 1e-13 * (A != B.T) * (np.sin(1e17 * A) @ np.sin(1e17 * B).T)

    X = rng.normal(size=(30, 1))
    assert np.linalg.eigvalsh(noisy(X, X)[:2, :2])[0] < -20 * np.finfo(float).eps
    assert find_counterexample(user(block=noisy), X, max_points=2) is None


def test_verify_notices_a_false_claim():
    points = np.array([[0.0], [1.0]])
    t = np.array([1.0, 1.0]) / np.sqrt(2)
    assert Counterexample("not psd", Power(), points, t, -1.0).verify()
    assert not Counterexample("not cpd", Power(), points, t, -1.0).verify()  # Σt ≠ 0
    assert not Counterexample("not psd", RBF(gamma=1.0), points, t, -1.0).verify()
    assert not Counterexample("asymmetric", RBF(gamma=1.0), points, None, 1.0).verify()


def test_text():
    text = str(find_counterexample(-1 * Linear()))
    assert text.startswith("-1*linear is not psd: tᵀKt = -")
    assert "asymmetric" in str(find_counterexample(SKEW))
    assert "Σt = 0" in str(find_counterexample(Sigmoid(), conditional=True))


def test_wrong_input():
    with pytest.raises(TypeError, match="find_counterexample: kernel must be a kernel"):
        find_counterexample("rbf")
    with pytest.raises(ValueError, match="max_points"):
        find_counterexample(RBF(), max_points=0)
    with pytest.raises(ValueError, match="tries"):
        find_counterexample(RBF(), tries=0)
    with pytest.raises(ValueError, match="0 samples"):
        find_counterexample(RBF(), np.empty((0, 2)))
    with pytest.raises(ValueError, match="pass as sampler"):
        find_counterexample(user(lambda a, b: len(a.split()) * len(b.split())))
