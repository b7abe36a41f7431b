"""The entry behind `fit`: estimators fit to a `Training`, pack what they keep once, and predict by a basis."""

import inspect
import warnings

import numpy as np
import pytest
from sklearn.base import clone, is_classifier, is_regressor

from mercer._estimator import KernelEstimator
from mercer._estimator.basis import FeatureBasis, Kept, KernelBasis, RowBasis
from mercer._estimator.training import Training, operator_training
from mercer.kernels import RBF, Kernel, Linear
from mercer.operators import BlockedOperator, LowRankOperator, OperatorStack, PrecomputedOperator, gram
from mercer.ridge import KernelRidge, KernelRidgeClassifier
from mercer.svm import SVC, SVR
from tests.contracts.behaviour import named
from tests.contracts.estimators import ESTIMATORS, entry

WIDTH = RBF(gamma=0.3)
RNG = np.random.default_rng(0)
X, NEW = RNG.normal(size=(60, 3)), RNG.normal(size=(9, 3))
CLASSES = np.repeat([0, 1, 2], 20)
X[CLASSES == 1] += 2.0
X[CLASSES == 2, 0] -= 2.0
NUMBERS = X[:, 0] + np.sin(X[:, 1])

KERNELISED = sorted(name for name, cls in ESTIMATORS.items() if issubclass(cls, KernelEstimator))


def estimator(name, **options):
    return ESTIMATORS[name](**{**entry(name).options, **options})


def targets(model):
    return CLASSES if is_classifier(model) else NUMBERS if is_regressor(model) else None


def fitted_to(model, training):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model._fit_training(training, targets(model))


def answers(model, new):
    """What the model says of new samples."""
    for method in ("decision_function", "transform", "predict"):
        if hasattr(model, method):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return np.abs(np.asarray(getattr(model, method)(new), dtype=float))
    return np.asarray(model.embedding_)


@pytest.mark.parametrize("name", named(KERNELISED))
def test_every_estimator_fits_to_a_training(name):
    cls = ESTIMATORS[name]
    assert cls._fit_training is not KernelEstimator._fit_training
    model = estimator(name, kernel=WIDTH)
    training, _ = clone(model)._training(X, targets(model), targets=targets(model) is not None)
    assert isinstance(training, Training)
    by_training = fitted_to(clone(model), training)
    by_training.n_features_in_ = 3  # `fit` validates and sets it
    by_fit = clone(model).fit(X, *(() if targets(model) is None else (targets(model),)))
    np.testing.assert_array_equal(answers(by_training, NEW), answers(by_fit, NEW))


@pytest.mark.parametrize(
    "name", named(sorted(set(KERNELISED) - {"SVDD", "Isomap", "LocallyLinearEmbedding", "LaplacianEigenmaps"}))
)
@pytest.mark.parametrize(
    "operator",
    [
        lambda: gram(WIDTH, X),
        lambda: OperatorStack([gram(WIDTH, X), gram(Linear(), X)]).weighted([1.0, 0.0]),
        lambda: PrecomputedOperator(WIDTH(X)),
    ],
    ids=["blocked", "stack", "precomputed"],
)
def test_any_operator_may_stand_for_the_samples(name, operator):
    model = estimator(name)
    same = fitted_to(clone(model), operator_training(name, operator()))
    if name == "KernelKMeans":  # distances of new samples need k(x, x)
        found, expected = same.predict(WIDTH(NEW, X)), clone(model).set_params(kernel=WIDTH).fit(X).predict(NEW)
    else:
        by_fit = clone(model).set_params(kernel=WIDTH)
        by_fit = by_fit.fit(X, *(() if targets(model) is None else (targets(model),)))
        found, expected = answers(same, WIDTH(NEW, X)), answers(by_fit, NEW)
    np.testing.assert_allclose(found, expected, atol=1e-6 * (1 + np.abs(expected).max()))


@pytest.mark.parametrize("name", named(KERNELISED))
def test_training_data_are_packed_once_for_fit_and_predict(name, monkeypatch):
    packed = []
    prepare = Kernel.prepare
    monkeypatch.setattr(Kernel, "prepare", lambda kernel, data: packed.append(len(data)) or prepare(kernel, data))
    model = estimator(name, kernel=WIDTH)
    model.fit(X, *(() if targets(model) is None else (targets(model),)))
    assert packed == [60]
    if not hasattr(model, "predict") and not hasattr(model, "transform"):
        return
    for _ in range(2):
        answers(model, NEW)
    assert packed == [60, 9, 9]


def test_pairs_of_classes_are_predicted_by_one_operator(monkeypatch):
    model = SVC(kernel=WIDTH).fit(X, CLASSES)
    made = []
    init = BlockedOperator.__init__
    monkeypatch.setattr(BlockedOperator, "__init__", lambda self, *a, **k: made.append(1) or init(self, *a, **k))
    values = model.set_params(decision_function_shape="ovo").decision_function(NEW)
    assert len(made) == 1
    coef = model._machine_coef()
    np.testing.assert_allclose(values, WIDTH(NEW, model.support_vectors_) @ coef.T + model.intercept_, atol=1e-12)


@pytest.mark.parametrize(
    ("model", "grid"),
    [
        (SVC(kernel=WIDTH, tol=1e-8), [{"C": 0.1}, {"C": 1.0}, {"C": 30.0}]),
        (SVC(kernel=WIDTH, tol=1e-8), [{"C": 3.0}, {"C": 0.1, "multi_class": "ovr"}]),
        (SVC(kernel=WIDTH, tol=1e-8, multi_class="crammer_singer"), [{"C": 0.1}, {"C": 1.0}]),
        (SVR(kernel=WIDTH, tol=1e-8), [{"C": 0.1}, {"C": 1.0}]),
        (KernelRidge(kernel=WIDTH, fit_intercept=True), [{"alpha": 1e-3}, {"alpha": 0.1}, {"alpha": 10.0}]),
        (KernelRidge(kernel=WIDTH), [{"alpha": 0.1}, {"alpha": 1e-3}]),  # not ascending
        (KernelRidgeClassifier(kernel=WIDTH, class_weight="balanced"), [{"alpha": 1e-3}, {"alpha": 0.1}]),
        (KernelRidgeClassifier(kernel=WIDTH), [{"alpha": 1.0}]),
    ],
    ids=lambda value: type(value).__name__ if not isinstance(value, list) else str(len(value)),
)
def test_fits_along_a_grid_are_those_of_each_alone(model, grid):
    y = CLASSES if is_classifier(model) else NUMBERS
    training, _ = clone(model)._training(X, y)
    before = model.get_params()
    for params, fitted in zip(grid, model._fit_each(training, y, grid), strict=True):
        alone = clone(model).set_params(**params).fit(X, y)
        fitted.n_features_in_ = 3
        np.testing.assert_allclose(answers(fitted, NEW), answers(alone, NEW), atol=1e-6)
        assert fitted.get_params().items() >= params.items()
        assert fitted.solution_.converged
        assert fitted.solution_.objective == pytest.approx(alone.solution_.objective, rel=1e-6)
    assert model.get_params() == before


# ---- the three kinds of a basis


def features(X):
    return np.column_stack([X, X**2])


def test_features_as_a_basis():
    F = features(X)
    basis = FeatureBasis(Linear(), features, 6, F)
    ones = np.ones(60)
    training = Training("KernelRidge", X, Linear(), basis, ones, np.arange(60), operator=LowRankOperator(F))
    model = KernelRidge(alpha=0.5, fit_intercept=True)
    model.n_features_in_ = 3
    model._fit_training(training, NUMBERS)
    assert model.dual_coef_.shape == (6,)  # weights of the features, not of the samples
    centred = F - F.mean(axis=0)
    w = np.linalg.solve(centred.T @ centred + 0.5 * np.eye(6), centred.T @ NUMBERS)
    expected = (features(NEW) - F.mean(axis=0)) @ w + NUMBERS.mean()
    np.testing.assert_allclose(model.predict(NEW), expected, atol=1e-9)
    machine = SVC()
    machine.n_features_in_ = 3
    machine._fit_training(training, CLASSES)
    same = SVC(kernel="linear").fit(F, CLASSES)
    np.testing.assert_allclose(machine.decision_function(NEW), same.decision_function(features(NEW)), atol=1e-6)
    np.testing.assert_allclose(basis.norms(NEW, "test"), (features(NEW) ** 2).sum(axis=1))
    np.testing.assert_allclose(basis.gram().dense(), F @ F.T)


def test_a_basis_is_rebuilt_from_the_fitted_attributes():
    for model in (SVC(kernel=WIDTH).fit(X, CLASSES), KernelRidge(kernel=WIDTH).fit(X, NUMBERS)):
        expected = answers(model, NEW)
        assert isinstance(model._basis, KernelBasis)
        model._kept = Kept()
        np.testing.assert_allclose(answers(model, NEW), expected, rtol=1e-12)
        del model._kept  # as after loading a file
        np.testing.assert_allclose(answers(model, NEW), expected, rtol=1e-12)


def test_the_model_keeps_support_vectors_and_not_all_samples():
    model = SVC(kernel=WIDTH, C=0.5).fit(X, CLASSES)
    assert model._basis.packed.n_data == len(model.support_) < 60


def test_rows_as_a_basis():
    K = WIDTH(X)
    basis = RowBasis(K).select(np.array([4, 2]))
    rows = WIDTH(NEW, X)
    np.testing.assert_array_equal(basis.rows(rows).dense(), rows[:, [4, 2]])
    np.testing.assert_array_equal(basis.select(np.array([1])).rows(rows).dense(), rows[:, [2]])
    np.testing.assert_allclose(basis.gram().dense(), K[np.ix_([4, 2], [4, 2])])
    assert basis.norms(rows, "test") is None


def test_the_entry_has_one_signature():
    for name in KERNELISED:
        parameters = list(inspect.signature(ESTIMATORS[name]._fit_training).parameters)
        assert parameters == ["self", "training", "y"], name
