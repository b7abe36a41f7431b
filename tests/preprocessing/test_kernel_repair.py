"""KernelRepair: train and test rows alike, under cross-validation too."""

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

from mercer.kernels import Sigmoid
from mercer.kernels.repair import fit_repair
from mercer.kernels.validity import check_gram
from mercer.preprocessing import KernelRepair

METHODS = ["clip", "flip", "shift", "square"]
KERNEL = Sigmoid(gamma=0.7, coef0=-0.5)


@pytest.fixture
def data(rng):
    X = rng.normal(size=(40, 2))
    y = (X[:, 0] * X[:, 1] > 0).astype(int)
    return X, y


@pytest.mark.parametrize("method", METHODS)
def test_train_and_test_rows(method, data):
    X, _ = data
    train, test = X[:30], X[30:]
    K, rows = KERNEL(train), KERNEL(test, train)
    model = KernelRepair(method=method)
    repaired = model.fit_transform(K)
    expected, fitted = fit_repair(K, method)
    assert np.array_equal(repaired, expected)
    assert check_gram(repaired).is_psd
    assert np.array_equal(model.transform(rows), fitted.rows(rows))
    assert np.array_equal(model.eigenvalues_, fitted.eigenvalues)
    assert model.negative_mass_ == pytest.approx(check_gram(K).negative_mass)
    assert model.negative_mass_ > 0.1
    assert model.n_features_in_ == 30


def test_shift_is_for_the_training_diagonal_only(data):
    K = KERNEL(data[0])
    model = KernelRepair("shift").fit(K)
    assert np.array_equal(model.transform(K), K)
    change = model.fit_transform(K) - K
    assert np.diagonal(change) == pytest.approx(-model.eigenvalues_[0])


def test_flip_is_the_krein_machine(data):
    # solve with |K|, take α ← U sign(Λ)Uᵀα, predict with the values of k itself
    X, y = data
    train, test = slice(0, 30), slice(30, 40)
    K, rows = KERNEL(X[train]), KERNEL(X[test], X[train])
    pipeline = make_pipeline(KernelRepair("flip"), SVC(kernel="precomputed", tol=1e-8))
    decision = pipeline.fit(K, y[train]).decision_function(rows)
    values, U = np.linalg.eigh(K)
    machine = SVC(kernel="precomputed", tol=1e-8).fit((U * np.abs(values)) @ U.T, y[train])
    alpha = np.zeros(30)
    alpha[machine.support_] = machine.dual_coef_[0]
    krein = rows @ ((U * np.sign(values)) @ U.T @ alpha) + machine.intercept_
    assert decision == pytest.approx(krein, abs=1e-6)


def test_grid_over_methods_splits_the_gram_matrix(data):
    X, y = data
    pipeline = make_pipeline(KernelRepair(), SVC(kernel="precomputed"))
    grid = GridSearchCV(pipeline, {"kernelrepair__method": METHODS}, cv=4).fit(KERNEL(X), y)
    assert np.isfinite(grid.cv_results_["mean_test_score"]).all()


def test_feature_names(data):
    K = KERNEL(data[0])
    assert list(KernelRepair().fit(K).get_feature_names_out()[:2]) == ["x0", "x1"]


@pytest.mark.parametrize(
    ("method", "K", "match"),
    [
        ("correlation", np.eye(3), "does not extend to rows"),
        ("cut", np.eye(3), "must be one of"),
        ("clip", np.ones((3, 2)), "square"),
        ("clip", np.array([[1.0, 0.3], [0.2, 1.0]]), "symmetric"),
        ("clip", np.array([[np.nan]]), "NaN"),
    ],
)
def test_wrong_input(method, K, match):
    with pytest.raises(ValueError, match=match):
        KernelRepair(method).fit(K)
