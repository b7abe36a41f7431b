"""Nearest neighbours of φ(X): against scikit-learn on φ(X), any data, degenerate input."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.neighbors import (
    KNeighborsClassifier,
    KNeighborsRegressor,
    RadiusNeighborsClassifier,
    RadiusNeighborsRegressor,
)

from mercer.exceptions import NotPositiveDefiniteError
from mercer.kernels import RBF, Polynomial
from mercer.neighbors import KernelKNeighborsClassifier, KernelKNeighborsRegressor


def quadratic(X):
    """φ of (⟨x, z⟩ + 1)²."""
    d = X.shape[1]
    pairs = [X[:, i] * X[:, j] * (1 if i == j else np.sqrt(2)) for i in range(d) for j in range(i, d)]
    return np.column_stack([*pairs, np.sqrt(2) * X, np.ones(len(X))])


KERNELS = [("linear", lambda X: X), (Polynomial(degree=2, gamma=1.0, coef0=1.0), quadratic)]
WEIGHTS = ["uniform", "distance", lambda d: np.exp(-d)]


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 3))
    return (
        X,
        np.array(["a", "b", "c"])[rng.integers(0, 3, size=120)],
        rng.normal(size=(120, 2)),
        rng.normal(size=(40, 3)),
    )


@pytest.mark.parametrize(("kernel", "phi"), KERNELS)
@pytest.mark.parametrize("weights", WEIGHTS)
def test_classifier_on_features(data, kernel, phi, weights):
    X, y, _, new = data
    ours = KernelKNeighborsClassifier(7, weights=weights, kernel=kernel).fit(X, y)
    theirs = KNeighborsClassifier(7, weights=weights).fit(phi(X), y)
    for ask in (new, X):
        assert np.array_equal(ours.predict(ask), theirs.predict(phi(ask)))
        assert np.allclose(ours.predict_proba(ask), theirs.predict_proba(phi(ask)), atol=1e-7)
    for mine, reference in zip(ours.kneighbors(new), theirs.kneighbors(phi(new)), strict=True):
        assert np.allclose(mine, reference)
    assert np.array_equal(ours.predict(None), theirs.predict(None))
    assert ours.score(X, y) == theirs.score(phi(X), y)


@pytest.mark.parametrize(("kernel", "phi"), KERNELS)
@pytest.mark.parametrize("weights", WEIGHTS)
def test_regressor_on_features(data, kernel, phi, weights):
    X, _, Y, new = data
    for y in (Y, Y[:, 0]):
        ours = KernelKNeighborsRegressor(4, weights=weights, kernel=kernel).fit(X, y)
        theirs = KNeighborsRegressor(4, weights=weights).fit(phi(X), y)
        assert np.allclose(ours.predict(new), theirs.predict(phi(new)), atol=1e-7)
        assert np.allclose(ours.predict(None), theirs.predict(None), atol=1e-7)


@pytest.mark.parametrize("weights", ["uniform", "distance"])
def test_radius_on_features(data, weights):
    X, y, Y, new = data
    kernel, phi = KERNELS[1]
    ours = KernelKNeighborsClassifier(radius=6.0, weights=weights, kernel=kernel, outlier_label="most_frequent").fit(
        X, y
    )
    theirs = RadiusNeighborsClassifier(6.0, weights=weights, outlier_label="most_frequent").fit(phi(X), y)
    assert np.array_equal(ours.predict(new), theirs.predict(phi(new)))
    assert np.allclose(ours.predict_proba(new), theirs.predict_proba(phi(new)), atol=1e-7)
    for mine, reference in zip(ours.radius_neighbors(new), theirs.radius_neighbors(phi(new)), strict=True):
        for a, b in zip(mine, reference, strict=True):
            assert np.allclose(np.sort(a), np.sort(b))
    regressor = KernelKNeighborsRegressor(radius=50.0, weights=weights, kernel=kernel).fit(X, Y)
    expected = RadiusNeighborsRegressor(50.0, weights=weights).fit(phi(X), Y).predict(phi(new))
    assert np.allclose(regressor.predict(new), expected, atol=1e-7)


def test_samples_without_neighbours():
    X, y = np.array([[0.0], [0.5], [4.0]]), np.array([0, 0, 1])
    far = [[0.2], [100.0]]
    with pytest.raises(ValueError, match=r"1 samples have no neighbours within radius=1 \(first at index 1\)"):
        KernelKNeighborsClassifier(radius=1.0, kernel="linear").fit(X, y).predict(far)
    marked = KernelKNeighborsClassifier(radius=1.0, kernel="linear", outlier_label=-1).fit(X, y)
    assert marked.predict(far).tolist() == [0, -1]
    assert marked.predict_proba(far).tolist() == [[1.0, 0.0], [0.0, 0.0]]
    known = KernelKNeighborsClassifier(radius=1.0, kernel="linear", outlier_label=1).fit(X, y)
    assert known.predict_proba(far).tolist() == [[1.0, 0.0], [0.0, 1.0]]
    with pytest.warns(UserWarning, match="1 samples have no neighbours"):
        predicted = KernelKNeighborsRegressor(radius=1.0, kernel="linear").fit(X, y).predict(far)
    assert predicted[0] == 0
    assert np.isnan(predicted[1])
    each = KernelKNeighborsRegressor(radius=1.0, kernel="linear", weights=lambda d: d / d.max() + 1.0).fit(
        X, [1.0, 2.0, 3.0]
    )
    assert np.isclose(each.predict([[0.2]])[0], (1.0 * (2 / 3 + 1) + 2.0 * 2) / (5 / 3 + 2))


def test_several_outputs(data):
    X, y, Y, new = data
    both = np.column_stack([y, np.where(Y[:, 0] > 0, "p", "q")])
    ours = KernelKNeighborsClassifier(kernel="linear").fit(X, both)
    theirs = KNeighborsClassifier().fit(X, both)
    assert np.array_equal(ours.predict(new), theirs.predict(new))
    for mine, reference in zip(ours.predict_proba(new), theirs.predict_proba(new), strict=True):
        assert np.allclose(mine, reference)
    assert [c.tolist() for c in ours.classes_] == [["a", "b", "c"], ["p", "q"]]


def test_ties_take_the_lower_index_and_the_first_class():
    X, y = np.array([[1.0], [-1.0], [1.0], [-1.0]]), ["b", "a", "a", "b"]
    model = KernelKNeighborsClassifier(2, kernel="linear").fit(X, y)
    assert model.kneighbors([[0.0]])[1].tolist() == [[0, 1]]
    assert model.predict([[0.0]]).tolist() == ["a"]


def test_precomputed(data):
    X, y, Y, new = data
    kernel = RBF(gamma=0.4)
    points = KernelKNeighborsClassifier(kernel=kernel).fit(X, y)
    matrix = KernelKNeighborsClassifier(kernel="precomputed").fit(kernel(X), y)
    K = kernel(new, X)
    assert np.array_equal(matrix.predict(K), points.predict(new))
    assert np.array_equal(matrix.kneighbors(K, return_distance=False), points.kneighbors(new)[1])
    assert np.allclose(matrix.kneighbors()[0], points.kneighbors()[0])
    with pytest.raises(ValueError, match=r"return_distance=True needs .* use return_distance=False"):
        matrix.kneighbors(K)
    for options in ({"weights": "distance"}, {"radius": 1.35}):
        model = KernelKNeighborsRegressor(kernel="precomputed", **options).fit(kernel(X), Y)
        with pytest.raises(ValueError, match=r"needs k\(x, x\) of new samples"):
            model.predict(K)
        expected = KernelKNeighborsRegressor(kernel=kernel, **options).fit(X, Y).predict(None)
        assert np.allclose(model.predict(None), expected)


def test_graph(data):
    X, y, _, new = data
    ours, theirs = (model.fit(X, y) for model in (KernelKNeighborsClassifier(kernel="linear"), KNeighborsClassifier()))
    for mode in ("connectivity", "distance"):
        assert np.allclose(
            ours.kneighbors_graph(new, mode=mode).toarray(), theirs.kneighbors_graph(new, mode=mode).toarray()
        )


def test_sparse_and_strings(data):
    X, y, _, new = data
    dense = KernelKNeighborsClassifier(gamma=0.5).fit(X, y).predict(new)
    assert np.array_equal(
        KernelKNeighborsClassifier(gamma=0.5).fit(sp.csr_matrix(X), y).predict(sp.csr_matrix(new)), dense
    )

    def letters(A, B):
        return [[float(len(set(a) & set(b))) for b in B] for a in A]

    words, lengths = ["ab", "abc", "xyz", "wxyz"], [2.0, 3.0, 3.0, 4.0]
    model = KernelKNeighborsRegressor(2, kernel=letters).fit(words, lengths)
    assert model.predict(["bca", "yyx"]).tolist() == [2.5, 3.5]


def test_predictions_do_not_depend_on_the_batch(data):
    X, _, Y, new = data
    model = KernelKNeighborsRegressor(weights="distance").fit(X, Y)
    single = np.vstack([model.predict(x[None]) for x in new])
    assert np.allclose(single, model.predict(new), rtol=1e-12, atol=1e-12)


def test_constant_data_and_zero_kernel():
    X, y = np.ones((6, 2)), np.arange(6.0)
    for kernel in ("rbf(gamma=1)", "linear", lambda A, B: np.zeros((len(A), len(B)))):
        model = KernelKNeighborsRegressor(3, kernel=kernel, weights="distance").fit(X, y)
        assert np.array_equal(model.kneighbors(X)[1], [[0, 1, 2]] * 6)
        assert np.allclose(model.predict(X), 1.0)


def test_refusals(data):
    X, y, Y, new = data
    model = KernelKNeighborsClassifier(5).fit(X[:4], y[:4])
    with pytest.raises(
        ValueError, match=r"Expected n_neighbors <= n_samples_fit, but n_neighbors = 5, n_samples_fit = 4"
    ):
        model.predict(new)
    with pytest.raises(ValueError, match="Expected n_neighbors < n_samples_fit"):
        model.kneighbors(n_neighbors=4)
    with pytest.raises(ValueError, match="radius is None"):
        model.radius_neighbors(new)
    indefinite = KernelKNeighborsRegressor(kernel=lambda A, B: -(A @ B.T)).fit(X, Y)
    with pytest.raises(NotPositiveDefiniteError, match="defines no metric"):
        indefinite.predict(new)
    with pytest.raises(ValueError, match="one weight per distance"):
        KernelKNeighborsRegressor(weights=lambda d: d[0]).fit(X, Y).predict(new)
    with pytest.raises(ValueError, match="zero weights"):
        KernelKNeighborsClassifier(weights=np.zeros_like).fit(X, y).predict(new)
    with pytest.raises(ValueError, match="one per output"):
        KernelKNeighborsClassifier(outlier_label=[1, 2]).fit(X, y)
