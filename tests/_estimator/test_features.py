"""Approximated training data: moments, values and residuals against the features themselves."""

import numpy as np
import pytest

import mercer._estimator.landmarks as landmarks
from mercer.kernel_approximation import Nystroem, RandomFourierFeatures
from mercer.ridge import KernelRidge
from mercer.solvers.moments import Moments

X = np.random.default_rng(0).normal(size=(400, 3))
Y = np.random.default_rng(1).normal(size=(400, 2))
WEIGHT = np.random.default_rng(2).integers(0, 3, size=400).astype(float)

DRAWN = RandomFourierFeatures(n_components=50, random_state=0)


def features(gamma, approximation, weight=None):
    model = KernelRidge(kernel="rbf", gamma=gamma, approximation=approximation)
    training, _ = model._training(X, Y[:, 0], weight)
    return model._approximated(training)


def assert_same(found, known):
    for name in ("n", "features", "outer", "targets", "cross"):
        mine, theirs = getattr(found, name), getattr(known, name)
        np.testing.assert_allclose(mine, theirs, atol=1e-9 * np.abs(known.outer).max(), err_msg=name)


# Well conditioned landmarks, and landmarks that are nearly dependent: sums of kernel values would lose all digits.
@pytest.mark.parametrize(("gamma", "m"), [(1.0, 60), (0.03, 150), (0.01, 300)])
@pytest.mark.parametrize("held", [True, False])
@pytest.mark.filterwarnings("ignore:.*depend on the others")
def test_moments_are_those_of_the_features(gamma, m, held):
    approximation = features(gamma, m)
    if not held:
        approximation._F = None
    F = approximation.array()
    assert_same(approximation.moments(), Moments.of(F))
    assert_same(approximation.moments(Y, WEIGHT), Moments.of(F, Y, WEIGHT))


def test_kernel_moments_are_those_of_the_landmarks():
    approximation = features(1.0, 60)
    kernel = approximation.training.kernel
    assert_same(approximation.kernel_moments(Y), Moments.of(kernel(X, approximation.X), Y))


@pytest.mark.parametrize("approximation", [40, Nystroem(landmarks=X[:30] + 0.1), DRAWN])
def test_values_in_panels(approximation, monkeypatch):
    monkeypatch.setattr("mercer._estimator.features._PANEL", 20_000)
    found = features(1.0, approximation)
    w = np.random.default_rng(3).normal(size=(found.n_components, 2))
    coef = found.coefficients(w)
    (whole,) = found.value_blocks(coef)
    np.testing.assert_array_equal(whole[1], found.values(coef))
    monkeypatch.setattr("mercer._estimator.features._FEW", 1)
    parts = list(found.value_blocks(coef))
    assert len(parts) > 3
    assert [rows.start for rows, _ in parts[1:]] == [rows.stop for rows, _ in parts[:-1]]
    np.testing.assert_allclose(np.vstack([values for _, values in parts]), found.array() @ w, atol=1e-10)
    np.testing.assert_allclose(found.values(coef), found.array() @ w, atol=1e-10)
    some = np.array([7, 0, 399, *range(20, 200)])
    np.testing.assert_allclose(found.some_values(coef, some), found.array()[some] @ w, atol=1e-10)


@pytest.mark.parametrize("whole", [True, False])
def test_the_residual_trace_is_that_of_all_samples(whole, monkeypatch):
    if not whole:
        monkeypatch.setattr(landmarks, "_CANDIDATES", 100)
        monkeypatch.setattr(landmarks, "_PER_LANDMARK", 2)
    found = features(1.0, 40, WEIGHT)
    assert found.fitted.n_candidates == (np.count_nonzero(WEIGHT) if whole else 100)
    known = WEIGHT @ (1.0 - np.einsum("ij,ij->i", found.array(), found.array()))
    explained = float(np.trace(found.moments(None, WEIGHT).outer))
    assert np.isclose(found.residual_trace(explained), known, rtol=1e-10)
    assert np.isnan(features(1.0, DRAWN).residual_trace(explained))


@pytest.fixture
def subsample(monkeypatch):
    monkeypatch.setattr(landmarks, "_CANDIDATES", 0)
    monkeypatch.setattr(landmarks, "_WORK", 0)


@pytest.mark.usefixtures("subsample")
@pytest.mark.parametrize("approximation", [40, Nystroem(landmarks=X[:30] + 0.1), DRAWN])
def test_second_moments_and_samples(approximation):
    found = features(1.0, approximation, WEIGHT)
    F, V = found.array(), np.random.default_rng(3).normal(size=(found.n_components, 2))
    expected = F.T @ (WEIGHT[:, None] * (F @ V))
    np.testing.assert_allclose(found.second_moment(V, WEIGHT), expected, atol=1e-8)
    assert found.hold_columns() == (approximation is not DRAWN)
    np.testing.assert_allclose(found.second_moment(V, WEIGHT), expected, atol=1e-8)
    rows, own = found.sample()
    assert len(rows) >= 5 * found.n_components * (approximation is not DRAWN)
    np.testing.assert_allclose(own, F[rows], atol=1e-5)
    assert (WEIGHT[rows] > 0).all()


@pytest.mark.usefixtures("subsample")
def test_selection_in_single_precision_continues_in_double(monkeypatch):
    asked = []
    original = landmarks.select_landmarks

    def counted(*args, dtype="float64", **options):
        asked.append(dtype)
        return original(*args, dtype=dtype, **options)

    monkeypatch.setattr(landmarks, "select_landmarks", counted)
    assert features(1.0, 40).n_components == 40
    assert asked == ["float32"]
    assert features(0.01, 60).n_components == 60  # single precision ends earlier
    assert asked == ["float32", "float32", "float64"]


@pytest.mark.usefixtures("subsample")
@pytest.mark.parametrize(("gamma", "single"), [(1.0, True), (0.05, False)])
def test_features_in_single_precision(gamma, single):
    """They are whitened in single precision unless the landmarks are nearly dependent."""
    found = features(gamma, 40)
    assert (found.single_error < 3e-5) == single
    F, known = found.array(np.float32), found.array()
    error = np.abs(F - known.astype(np.float32)).max()
    assert F.dtype == np.float32
    assert error < 6e-5
    assert (error > 0) == single
