"""The transformer Nystroem: scikit-learn's parameters, landmarks of every kind, data of every kind."""

import pickle

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn import kernel_approximation as sklearn_approximation
from sklearn.linear_model import RidgeClassifier
from sklearn.pipeline import make_pipeline

import mercer
from mercer._estimator import landmarks as landmarks_module
from mercer.data import Graphs
from mercer.exceptions import NotPositiveDefiniteError, UnusedParameterWarning
from mercer.kernel_approximation import Nystroem
from mercer.kernels import RBF, Linear, Matern
from tests.reference.landmarks import nystroem_matrix

RNG = np.random.default_rng(0)
X, NEW = RNG.normal(size=(150, 3)), RNG.normal(size=(20, 3))
METHODS = ["rpcholesky", "uniform", "kmeans++"]


@pytest.mark.parametrize("landmarks", [*METHODS, X[40:70]], ids=[*METHODS, "given"])
def test_features_are_those_of_the_landmarks(landmarks):
    model = Nystroem("rbf", gamma=0.4, n_components=30, landmarks=landmarks, random_state=0)
    F = model.fit_transform(X)
    chosen = np.arange(40, 70) if model.component_indices_ is None else model.component_indices_
    K = RBF(gamma=0.4)(X)
    np.testing.assert_array_equal(model.components_, X[chosen])
    np.testing.assert_allclose(F @ F.T, nystroem_matrix(K, chosen), atol=1e-8)
    np.testing.assert_allclose(model.transform(X), F, atol=1e-6)
    np.testing.assert_allclose(model.fit(X).transform(X), F, atol=1e-6)
    new = RBF(gamma=0.4)(NEW, model.components_) @ model.normalization_.T
    np.testing.assert_allclose(model.transform(NEW), new, atol=1e-7)
    curve = [1 - np.trace(nystroem_matrix(K, chosen[:j])) / 150 for j in range(1, 31)]
    np.testing.assert_allclose(model.residual_curve_, [1.0, *curve], atol=1e-9)
    assert model.residual_trace_ == model.residual_curve_[-1]
    assert model.n_candidates_ == 150
    assert model.kernel_ == RBF(gamma=0.4)
    assert model.get_feature_names_out()[-1] == "nystroem29"


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"kernel": "rbf", "gamma": 0.2},
        {"kernel": "poly"},
        {"kernel": "poly", "degree": 2, "coef0": 0.5, "gamma": 0.1},
        {"kernel": "laplacian"},
        {"kernel": "cosine"},
        {"kernel": "linear"},
    ],
    ids=str,
)
def test_parameters_mean_what_they_mean_in_scikit_learn(options):
    theirs = sklearn_approximation.Nystroem(n_components=2, random_state=0, **options).fit(X)
    ours = Nystroem(landmarks=theirs.components_, **options).fit(X)
    expected = theirs.transform(NEW) @ theirs.transform(X).T
    np.testing.assert_allclose(ours.transform(NEW) @ ours.transform(X).T, expected, atol=1e-8)


def test_the_signature_starts_like_that_of_scikit_learn():
    theirs = sklearn_approximation.Nystroem().get_params()
    ours = Nystroem().get_params()
    assert {name: ours[name] for name in theirs} == theirs
    assert ours.keys() - theirs.keys() == {"landmarks"}


def test_functions_and_their_parameters():
    def kernel(a, b, width=1.0):
        return float(np.exp(-width * ((a - b) ** 2).sum()))

    model = Nystroem(kernel, kernel_params={"width": 0.4}, n_components=10, random_state=0).fit(X)
    expected = Nystroem("rbf", gamma=0.4, n_components=10, random_state=0).fit(X)
    np.testing.assert_allclose(model.transform(NEW), expected.transform(NEW), atol=1e-9)
    with pytest.warns(UnusedParameterWarning, match="gamma=2"):
        Nystroem(Matern(gamma=1.0), gamma=2.0, n_components=3).fit(X)


def test_precomputed():
    kernel = RBF(gamma=0.4)
    model = Nystroem("precomputed", n_components=12, random_state=0).fit(kernel(X))
    expected = Nystroem(kernel, n_components=12, random_state=0).fit(X)
    np.testing.assert_array_equal(model.component_indices_, expected.component_indices_)
    np.testing.assert_allclose(model.transform(kernel(NEW, X)), expected.transform(NEW), atol=1e-10)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.transform(kernel(NEW, X)), model.transform(kernel(NEW, X)))
    with pytest.raises(ValueError, match=r"landmarks must be 'rpcholesky', 'uniform' or 'kmeans\+\+' with"):
        Nystroem("precomputed", landmarks=X[:3]).fit(kernel(X))


# ---- the number of features


def test_more_components_than_samples_give_the_exact_kernel():
    model = Nystroem(Matern(gamma=1.0), n_components=1000, random_state=0)
    F = model.fit_transform(X)
    assert F.shape == (150, 150)
    np.testing.assert_allclose(F @ F.T, Matern(gamma=1.0)(X), atol=1e-10)


def test_the_rank_of_the_kernel_limits_the_features():
    model = Nystroem("linear", n_components=20, random_state=0)
    F = model.fit_transform(X)
    assert F.shape == (150, 3)
    np.testing.assert_allclose(F @ F.T, X @ X.T, atol=1e-12)
    for landmarks in ("uniform", X[:20]):
        with pytest.warns(UserWarning, match="17 landmarks depend on the others up to rounding"):
            model = Nystroem("linear", n_components=20, landmarks=landmarks, random_state=0).fit(X)
        np.testing.assert_allclose(model.transform(X) @ model.transform(X).T, X @ X.T, atol=1e-10)
        assert len(model.components_) == 3


@pytest.mark.parametrize("landmarks", METHODS)
def test_large_data_are_subsampled(landmarks, monkeypatch):
    monkeypatch.setattr(landmarks_module, "_CANDIDATES", 50)
    monkeypatch.setattr(landmarks_module, "_PER_LANDMARK", 3)
    model = Nystroem(gamma=0.3, n_components=20, landmarks=landmarks, random_state=0)
    F = model.fit_transform(X)
    assert F.shape == (150, 20)
    assert model.n_candidates_ == 60
    np.testing.assert_array_equal(model.components_, X[model.component_indices_])
    np.testing.assert_allclose(F, model.transform(X), atol=1e-12)
    assert len(set(model.component_indices_)) == 20
    assert Nystroem(n_components=60, random_state=0).fit(X).n_candidates_ == 150


def test_landmarks_of_rpcholesky_leave_less():
    points = np.vstack([RNG.normal(size=(480, 4)) / 3, RNG.uniform(-8, 8, size=(20, 4))])
    left = [
        Nystroem(gamma=1.0, n_components=120, landmarks=method, random_state=0).fit(points).residual_trace_
        for method in METHODS
    ]
    assert left[0] < left[1] / 2


# ---- data


def test_strings_graphs_tables_and_sparse_matrices(tmp_path):
    words = ["".join(RNG.choice(list("ACGT"), size=12)) for _ in range(40)]
    graphs = Graphs.from_edges([(0, 1), (1, 2), (3, 4), (5, 6), (6, 7), (7, 5)], [0, 0, 0, 1, 1, 2, 2, 2])
    frame = pd.DataFrame({"size": X[:40, 0], "word": words})
    mixed = "rbf(gamma=0.5)[size] * spectrum(2)[word]"
    for kernel, data, m in (
        ("spectrum(2)", words, 30),
        ("shortest_path(labeled=False)", graphs, 2),
        (mixed, frame, 30),
        ("rbf(gamma=0.3)", sp.csr_matrix(X), 30),
    ):
        model = Nystroem(kernel, n_components=m, random_state=0)
        F = model.fit_transform(data)
        K = model.kernel_(data)
        np.testing.assert_allclose(F @ F.T, nystroem_matrix(K, model.component_indices_), atol=1e-6 * K.max())
        np.testing.assert_allclose(model.transform(data), F, atol=1e-6 * np.sqrt(K.max()))
        mercer.save(model, tmp_path / "model.mercer")
        np.testing.assert_array_equal(mercer.load(tmp_path / "model.mercer").transform(data), model.transform(data))


def test_float32_stays():
    model = Nystroem(gamma=0.3, n_components=20, random_state=0)
    F = model.fit_transform(X.astype(np.float32))
    assert F.dtype == model.transform(X.astype(np.float32)).dtype == np.float32
    np.testing.assert_allclose(F @ F.T, nystroem_matrix(RBF(gamma=0.3)(X), model.component_indices_), atol=1e-3)


def test_frames_out():
    model = Nystroem(n_components=4, random_state=0).set_output(transform="pandas")
    found = model.fit_transform(pd.DataFrame(X, columns=["a", "b", "c"]))
    assert list(found.columns) == ["nystroem0", "nystroem1", "nystroem2", "nystroem3"]
    assert model.feature_names_in_.tolist() == ["a", "b", "c"]


def test_a_pipeline_learns_a_circle():
    y = np.hypot(X[:, 0], X[:, 1]) > 1
    model = make_pipeline(Nystroem(gamma=1.0, n_components=60, random_state=0), RidgeClassifier(alpha=1e-3)).fit(X, y)
    assert model.score(NEW, np.hypot(NEW[:, 0], NEW[:, 1]) > 1) > 0.8


# ---- errors


def test_errors():
    with pytest.raises(ValueError, match=r"landmarks must be 'rpcholesky', 'uniform', 'kmeans\+\+' or samples, got"):
        Nystroem(landmarks="leverage").fit(X)
    with pytest.raises(ValueError, match="n_components"):
        Nystroem(n_components=0).fit(X)
    with pytest.raises(NotPositiveDefiniteError, match="Nystroem: the Gram matrix is not positive semidefinite"):
        Nystroem("sigmoid", gamma=1.0, coef0=-1.0).fit(X)
    with pytest.raises(ValueError, match="so there are no features"):
        Nystroem(Linear()).fit(np.zeros((5, 2)))
    with pytest.raises(ValueError, match="2 features"):
        Nystroem(landmarks=X[:5, :2]).fit(X)
