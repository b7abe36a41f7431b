"""Kernels of linear combinations of columns: values by hand, gradients, tables, text form, errors."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp

import mercer
from mercer.data import Table
from mercer.kernels import RBF, Columns, Linear, LinearMap, Sigmoid, WeightedColumns

MIXED = WeightedColumns((1.0, 2.0, 0.5), categorical=(2,), p=2.0, g=0.7)


@pytest.fixture
def table(rng):
    """Three numbers and a code, and two combinations of the numbers."""
    return np.column_stack([rng.normal(size=(12, 3)), rng.integers(0, 3, 12)]), rng.normal(size=(3, 2))


def test_values_are_those_of_the_kernel_on_combinations(table):
    X, A = table
    k = LinearMap(MIXED, A)
    Z = np.column_stack([X[:, :3] @ A, X[:, 3]])
    np.testing.assert_allclose(k(X), MIXED(Z), rtol=1e-14)
    np.testing.assert_allclose(k(X[:4], X[4:]), MIXED(Z[:4], Z[4:]), rtol=1e-14)
    np.testing.assert_allclose(k.diag(X), 1.0)
    assert k(X.astype(np.float32)).dtype == np.float32


def test_the_distance_is_that_of_mahalanobis(table):
    X, A = table
    X = X[:, :3]
    difference = X[:, None] - X
    expected = np.exp(-0.3 * np.einsum("ijk,kl,ijl->ij", difference, A @ A.T, difference))
    np.testing.assert_allclose(LinearMap(RBF(gamma=0.3), A)(X), expected, rtol=1e-10)


def test_gradients_are_finite_differences(table):
    X, A = table
    k = LinearMap(MIXED, A) + 0.5 * LinearMap(Linear(), A)
    coef, step = np.linspace(-1, 1, 12)[:, None], 1e-6
    found = k.gradient(X[:3], X, coef)[:, :, 0]
    for j in range(3):
        moved = step * np.eye(4)[j]
        np.testing.assert_allclose(
            found[:, j], ((k(X[:3] + moved, X) - k(X[:3] - moved, X)) @ coef)[:, 0] / (2 * step), atol=1e-8
        )
    G, slopes = np.outer(coef, coef), []
    for i in range(len(k.theta)):
        moved = step * np.eye(len(k.theta))[i]
        up, down = (np.vdot(G, k.with_theta(k.theta + sign * moved)(X)) for sign in (1, -1))
        slopes.append((up - down) / (2 * step))
    np.testing.assert_allclose(k.parameter_gradient(X, None, G), slopes, atol=1e-7)


def test_categories_of_tables_follow_the_combinations(table):
    X, A = table
    frame = {"a": X[:, 0], "b": X[:, 1], "c": X[:, 2], "kind": np.array(["x", "y", "z"])[X[:, 3].astype(int)]}
    np.testing.assert_allclose(LinearMap(MIXED, A)(Table.from_frame(frame)), LinearMap(MIXED, A)(X), rtol=1e-14)
    moved = {name: frame[name] for name in ("kind", "a", "b", "c")}
    with pytest.raises(
        TypeError, match=r"column 'kind' has kind 'category', expected a number; put categories after the 3"
    ):
        LinearMap(MIXED, A)(Table.from_frame(moved))


def test_text_pickle_and_features(table):
    X, A = table
    k = 2.0 * LinearMap(Linear() + RBF(gamma=0.1), A)
    assert mercer.kernel(str(k)) == k == pickle.loads(pickle.dumps(k))
    assert hash(LinearMap(Linear(), A)) == hash(LinearMap(Linear(), A.tolist()))
    assert Columns((3, 0), LinearMap(Linear(), [[1.0], [2.0]]))(X[:1])[0, 0] == pytest.approx(
        (X[0, 3] + 2 * X[0, 0]) ** 2
    )
    features = LinearMap(Linear(), A).feature_map(X)
    np.testing.assert_allclose(features, np.column_stack([X[:, :3] @ A, X[:, 3]]))
    assert "A^{T}" in LinearMap(RBF(gamma=1.0), A)._repr_latex_()


def test_certificates_are_those_of_the_kernel(table):
    _, A = table
    assert LinearMap(MIXED, A).definiteness.value == "psd"
    assert LinearMap(-1.0 * RBF(gamma=1.0) * 1.0, A).definiteness.value == "unknown"
    assert LinearMap(mercer.kernels.Power(), A).definiteness.value == "cpd"
    assert LinearMap(Sigmoid(), A).definiteness.value == "unknown"


def test_errors(table):
    X, A = table
    with pytest.raises(ValueError, match="LinearMap: matrix combines 3 columns but X has 2 features"):
        LinearMap(Linear(), A)(X[:, :2])
    with pytest.raises(TypeError, match="LinearMap: takes dense arrays"):
        LinearMap(Linear(), A)(sp.csr_matrix(X))
    with pytest.raises(TypeError, match="LinearMap: kernel must be a kernel"):
        LinearMap("linear", A)
    with pytest.raises(ValueError, match="LinearMap: parameter matrix"):
        LinearMap(Linear(), [[np.nan]])
    with pytest.raises(ValueError, match="RBF: X contains infinity"):
        LinearMap(RBF(gamma=1.0), [[1e300]])(np.array([[1e20], [2e20]]))
