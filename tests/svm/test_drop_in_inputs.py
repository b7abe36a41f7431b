"""What a user of scikit-learn's machines passes to them: arrays, sparse matrices, frames, Gram matrices, kernels."""

import pickle

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import sklearn.svm
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score

from mercer.kernels import RBF, Linear
from mercer.svm import SVC
from tests.svm.family import FAMILY, SHARED, values_of

pytestmark = pytest.mark.filterwarnings("ignore::mercer.exceptions.IndefiniteKernelWarning")  # "sigmoid"

# ---- inputs


@pytest.mark.parametrize("make", FAMILY)
def test_batches_do_not_matter(make, two):
    X, y = two
    model = make().fit(X, y)
    alone = np.concatenate([values_of(model, X[i : i + 1]) for i in range(len(X))])
    np.testing.assert_allclose(alone, values_of(model, X), rtol=0, atol=1e-12)
    np.testing.assert_allclose(values_of(model, X[::-1])[::-1], values_of(model, X), rtol=0, atol=1e-12)


@pytest.mark.parametrize("make", FAMILY)
def test_storage_does_not_matter(make, two):
    X, y = np.round(4 * two[0]), two[1]
    expected = values_of(make().fit(X, y), X)
    frozen = X.copy()
    frozen.flags.writeable = False
    wide = np.zeros((len(X), 8))
    wide[:, ::2] = X
    for other in (np.asfortranarray(X), frozen, wide[:, ::2], X.astype(int), X.tolist(), X.astype(np.float32)):
        model = make().fit(other, y)
        np.testing.assert_allclose(values_of(model, other), expected, atol=1e-5)
        assert values_of(model, other).dtype == np.float64


@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf", "sigmoid"])
@pytest.mark.parametrize("make", SHARED)
def test_sparse_is_dense(make, kernel, two):
    X, y = np.where(abs(two[0]) > 0.7, two[0], 0.0), two[1]
    rows = sp.lil_matrix(X)
    dense, sparse = (make(kernel=kernel).fit(data, y) for data in (X, rows))
    assert sp.issparse(sparse.support_vectors_)
    assert sp.issparse(sparse.dual_coef_)
    if kernel == "linear":
        assert sp.issparse(sparse.coef_)
        np.testing.assert_allclose(sparse.coef_.toarray(), dense.coef_, atol=1e-8)
    if kernel != "sigmoid":  # stationary points may differ
        expected = values_of(dense, X)
        for model, data in ((sparse, rows), (sparse, X), (dense, rows)):
            np.testing.assert_allclose(values_of(model, data), expected, atol=1e-8)


def test_feature_names(two):
    frame = pd.DataFrame(two[0], columns=["a", "b", "c", "d"])
    model = SVC().fit(frame, two[1])
    np.testing.assert_array_equal(model.feature_names_in_, frame.columns)
    assert model.n_features_in_ == 4
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(frame.rename(columns={"a": "z"}))
    with pytest.warns(UserWarning, match="X does not have valid feature names, but SVC"):
        model.predict(two[0])


# ---- a Gram matrix


@pytest.mark.parametrize("make", SHARED)
def test_precomputed_is_the_kernel(make, two, tmp_path):
    X, y = two
    kernel = RBF(gamma=0.3)
    K = kernel(X)
    expected = values_of(make(kernel=kernel).fit(X, y), X)
    np.save(tmp_path / "gram.npy", K)
    mapped = np.load(tmp_path / "gram.npy", mmap_mode="r")
    for gram in (K, mapped, np.asfortranarray(K)):
        model = make(kernel="precomputed").fit(gram, y)
        np.testing.assert_allclose(values_of(model, gram), expected, atol=1e-9)
        assert model.support_vectors_.shape == (0, 0)
        assert model.kernel_ is None
    single = make(kernel="precomputed").fit(K.astype(np.float32), y)
    np.testing.assert_allclose(values_of(single, K), expected, atol=1e-4)
    with pytest.raises(ValueError, match=r"X has 5 features, but .* is expecting 80 features"):
        model.predict(K[:, :5])
    with pytest.raises(TypeError, match="Sparse precomputed kernels are not supported"):
        make(kernel="precomputed").fit(sp.csr_matrix(K), y)
    with pytest.raises(TypeError, match="Sparse precomputed kernels are not supported"):
        model.predict(sp.csr_matrix(K))
    with pytest.raises(ValueError, match=f"{make.__name__}: kernel='precomputed' needs a symmetric matrix"):
        make(kernel="precomputed").fit(np.triu(K), y)


def test_splits_of_a_gram_matrix(two):
    X, y = two
    scores = [cross_val_score(SVC(kernel=k), data, y) for k, data in (("linear", X), ("precomputed", X @ X.T))]
    np.testing.assert_array_equal(*scores)
    search = GridSearchCV(SVC(kernel="precomputed"), {"C": [0.1, 1.0]}).fit(X @ X.T, y)
    assert search.predict(X @ X.T).shape == (80,)


# ---- kernels


class Counting:
    """A linear kernel that remembers the shapes it was called with."""

    def __init__(self):
        self.shapes = []

    def __call__(self, A, B):
        self.shapes.append((len(A), len(B)))
        return A @ B.T


@pytest.mark.parametrize("make", SHARED)
def test_functions_are_called_on_blocks(make, two):
    X, y = two
    function = Counting()
    model = make(kernel=function).fit(X, y)
    assert function.shapes == [(80, 80)]
    values = values_of(model, X[:7])
    assert function.shapes[1:] == [(7, len(model.support_))]
    np.testing.assert_allclose(values, values_of(make(kernel="linear").fit(X, y), X[:7]), atol=1e-8)


def test_functions_are_given_sparse_matrices(two):
    X, y = two
    model = SVC(kernel=lambda A, B: (A @ B.T).toarray()).fit(sp.csr_matrix(X), y)
    expected = SVC(kernel="linear").fit(X, y).decision_function(X)
    np.testing.assert_allclose(model.decision_function(sp.lil_matrix(X)), expected, atol=1e-8)
    assert isinstance(model.dual_coef_, np.ndarray)


def test_a_kernel_by_name_by_text_and_by_object(two):
    X, y = two
    expected = SVC(kernel="rbf", gamma=0.2).fit(X, y).decision_function(X)
    for kernel in ("rbf(gamma=0.2)", RBF(gamma=0.2)):
        np.testing.assert_array_equal(SVC(kernel=kernel).fit(X, y).decision_function(X), expected)
    model = SVC(kernel=RBF() + Linear())
    other = clone(model).set_params(kernel__0__gamma=0.2, C=2.0)
    assert other.kernel == RBF(gamma=0.2) + Linear()
    assert model.kernel == RBF() + Linear()
    search = GridSearchCV(SVC(kernel=RBF()), {"kernel__gamma": [1e-4, 0.2]}).fit(X, y)
    assert search.best_estimator_.kernel_ == RBF(gamma=0.2)


@pytest.mark.parametrize("gamma", [0.0, 0.7, "scale", "auto"])
@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf"])
def test_parameters_of_named_kernels(kernel, gamma, two):
    X, y = two
    options = {"kernel": kernel, "gamma": gamma, "degree": 2, "coef0": 0.3}
    theirs = sklearn.svm.SVC(tol=1e-9, **options).fit(X, y)
    np.testing.assert_allclose(SVC(**options).fit(X, y).decision_function(X), theirs.decision_function(X), atol=1e-4)


def test_sigmoid_is_that_of_scikit_learn(two):
    X, y = two
    model = SVC(kernel="sigmoid", gamma=0.1, coef0=0.3).fit(X, y)
    K = np.tanh(0.1 * X @ X[model.support_].T + 0.3)
    np.testing.assert_allclose(model.decision_function(X), K @ model.dual_coef_[0] + model.intercept_, atol=1e-9)


def test_degree_zero_and_constant_features(two):
    _, y = two
    assert SVC(kernel="poly", degree=0).fit(two[0], y).solution_.converged
    constant = SVC().fit(np.ones((80, 2)), y)
    assert constant.kernel_.gamma == 1.0


# ---- copies


@pytest.mark.parametrize("make", FAMILY)
def test_pickles_predict_the_same_and_carry_no_packed_copy(make, rng):
    X, y = rng.standard_normal((300, 50)), np.arange(300) % 2
    model = make().fit(X, y)
    small = len(pickle.dumps(model))
    expected = values_of(model, X)  # packs the support vectors
    assert len(pickle.dumps(model)) == small
    assert small < 1.2 * model.support_vectors_.nbytes + 20_000
    np.testing.assert_array_equal(values_of(pickle.loads(pickle.dumps(model)), X), expected)


@pytest.mark.parametrize("make", FAMILY)
def test_a_new_fit_forgets_the_last_one(make, two):
    X, y = two
    model = make().fit(X, y)
    values_of(model, X)
    again = model.fit(X[:60, :2], y[:60])
    np.testing.assert_array_equal(values_of(again, X[:, :2]), values_of(make().fit(X[:60, :2], y[:60]), X[:, :2]))
