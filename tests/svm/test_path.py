"""Many values of C on one Gram matrix: as if each had been fitted alone."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_diabetes, load_iris, make_moons
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV, KFold, ShuffleSplit
from sklearn.preprocessing import scale

from mercer.kernels import RBF, user
from mercer.svm import SVC, SVR, NuSVC, NuSVR, OneClassSVM
from mercer.svm.path import c_path
from tests.svm.family import values_of

VALUES = [0.1, 1.0, 10.0]
SMALL = 0.01  # megabytes: no room for a Gram matrix


def moons(n=120):
    return make_moons(n, noise=0.25, random_state=0)


def iris():
    return load_iris(return_X_y=True)


def diabetes():
    X, y = load_diabetes(return_X_y=True)
    return scale(X)[:150], scale(y)[:150]


CASES = {
    "two classes": (SVC(), moons),
    "pairs of classes": (SVC(), iris),
    "one against rest": (SVC(multi_class="ovr"), iris),
    "balanced": (SVC(class_weight="balanced"), lambda: tuple(part[:130] for part in iris())),
    "regression": (SVR(), diabetes),
    "without room": (SVC(cache_size=SMALL), iris),
    "regression without room": (SVR(cache_size=SMALL), diabetes),
}


def alone(estimator, X, y, C, sample_weight=None):
    return clone(estimator).set_params(C=C).fit(X, y, sample_weight=sample_weight)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("case", CASES)
def test_every_model_is_as_if_fitted_alone(case, weighted, rng):
    estimator, load = CASES[case]
    X, y = load()
    weight = rng.integers(0, 4, len(y)) * 0.5 if weighted else None
    path = c_path(estimator, X, y, VALUES, sample_weight=weight)
    for C, model in zip(VALUES, path.estimators, strict=True):
        cold = alone(estimator, X, y, C, weight)
        assert model.get_params() == cold.get_params()
        assert vars(model).keys() == vars(cold).keys()
        assert model.solution_.violation <= model.tol
        assert model.kernel_ == cold.kernel_
        np.testing.assert_allclose(model.solution_.objective, cold.solution_.objective, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(values_of(model, X), values_of(cold, X), atol=1e-7)
        np.testing.assert_array_equal(model.support_vectors_, X[model.support_])


@pytest.mark.parametrize("case", CASES)
def test_scores_are_those_of_a_grid_search(case):
    estimator, load = CASES[case]
    X, y = load()
    folds = ShuffleSplit(3, random_state=0)
    path = c_path(estimator, X, y, VALUES, cv=folds)
    fixed = clone(estimator).set_params(gamma=RBF().resolve(X).gamma)
    search = GridSearchCV(fixed, {"C": VALUES}, cv=folds, refit=False).fit(X, y)
    expected = np.array([search.cv_results_[f"split{fold}_test_score"] for fold in range(3)]).T
    np.testing.assert_allclose(path.scores, expected, atol=1e-9)
    assert path.best_C == search.best_params_["C"]
    assert path.estimators is None
    assert path.n_iter.shape == (3, 3)


@pytest.mark.parametrize("case", CASES)
def test_weights_count_in_folds_and_scores(case, rng):
    estimator, load = CASES[case]
    X, y = load()
    weight = rng.integers(1, 4, len(y)) * 0.5
    folds = ShuffleSplit(2, random_state=0)
    path = c_path(estimator, X, y, VALUES, cv=folds, sample_weight=weight)
    fixed = clone(estimator).set_params(gamma=RBF().resolve(X, sample_weight=weight).gamma)
    for fold, (train, test) in enumerate(folds.split(X)):
        for row, C in enumerate(VALUES):
            model = alone(fixed, X[train], y[train], C, weight[train])
            score = model.score(X[test], y[test], sample_weight=weight[test])
            assert path.scores[row, fold] == pytest.approx(score, abs=1e-9)


def test_a_scorer_without_weights_goes_without():
    X, y = diabetes()

    def count(model, X, y):
        return len(y)

    for scoring in (count, "neg_max_error"):
        scores = c_path(SVR(), X, y, VALUES, cv=3, scoring=scoring, sample_weight=np.ones(len(y))).scores
        np.testing.assert_allclose(scores, c_path(SVR(), X, y, VALUES, cv=3, scoring=scoring).scores, atol=1e-9)


def test_a_number_of_folds_is_stratified_for_classes_and_scoring_is_scikit_learns():
    X, y = iris()  # sorted by class: plain folds would miss one
    path = c_path(SVC(), X, y, VALUES, cv=3, scoring="balanced_accuracy")
    assert path.scores.min() > 0.8
    errors = c_path(SVR(), *diabetes(), VALUES, cv=4, scoring="neg_mean_absolute_error").scores
    assert errors.shape == (3, 4)
    assert (errors < 0).all()


def test_a_class_that_a_fold_lacks_is_no_class_of_its_machines():
    X, y = iris()
    folds = KFold(3)  # each holds out one class
    path = c_path(SVC(), X, y, VALUES, cv=folds)
    np.testing.assert_array_equal(path.scores, 0)
    assert path.best_C == 0.1  # the smallest of equals


def test_repetitions_in_a_fold_count():
    X, y = moons()
    rng = np.random.default_rng(1)
    train, test = rng.integers(0, 80, 100), np.arange(80, 120)
    kernel = RBF(gamma=1.0)
    path = c_path(SVC(kernel=kernel), X, y, [2.0], cv=[(train, test)], scoring="roc_auc")
    expected = SVC(kernel=kernel, C=2.0).fit(X[train], y[train])
    positive = expected.decision_function(X[test])[y[test] == 1]
    negative = expected.decision_function(X[test])[y[test] == 0]
    assert path.scores[0, 0] == pytest.approx(np.mean(positive[:, None] > negative))


@pytest.mark.parametrize("cv", [None, 3])
def test_kernel_values_are_computed_once(cv):
    X, y = moons(60)
    seen = []

    def block(A, B):
        seen.append(len(A) * len(B))
        return np.exp(-((A[:, None] - B[None]) ** 2).sum(axis=2))

    c_path(SVC(kernel=user(block=block)), X, y, VALUES, cv=cv)
    assert sum(seen) <= 60 * 60


@pytest.mark.parametrize("cv", [None, 3])
def test_a_matrix_that_was_given_is_used(cv):
    X, y = moons()
    kernel = RBF(gamma=1.0)
    given = c_path(SVC(kernel="precomputed"), kernel(X), y, VALUES, cv=cv)
    own = c_path(SVC(kernel=kernel), X, y, VALUES, cv=cv)
    if cv is None:
        for a, b in zip(given.estimators, own.estimators, strict=True):
            np.testing.assert_allclose(a.decision_function(kernel(X)), b.decision_function(X), atol=1e-7)
    else:
        np.testing.assert_array_equal(given.scores, own.scores)


@pytest.mark.parametrize("cv", [None, 2])
def test_any_data_a_kernel_reads(cv):
    words = ["abc", "abd", "bcd", "acd", "xyz", "xyw", "wyz", "xwz"] * 2
    shared = user(lambda a, b: float(len(set(a) & set(b))), definiteness="psd")
    path = c_path(SVC(kernel=shared), words, ["low"] * 4 + ["high"] * 4 + ["low"] * 4 + ["high"] * 4, VALUES, cv=cv)
    if cv is None:
        assert all(model.predict(["ab", "xz"]).tolist() == ["low", "high"] for model in path.estimators)
    else:
        np.testing.assert_array_equal(path.scores, 1)


def test_float32_data_give_as_many_digits_as_a_lone_fit():
    X, y = moons()
    X = X.astype(np.float32)
    (model,) = c_path(SVC(), X, y, [1000.0]).estimators
    np.testing.assert_allclose(
        model.decision_function(X), SVC(C=1000.0).fit(X, y).decision_function(X), atol=1e-5, rtol=1e-5
    )


@pytest.mark.parametrize("case", CASES)
def test_a_path_takes_fewer_steps_than_cold_fits(case):
    estimator, load = CASES[case]
    X, y = load()
    values = np.logspace(-1, 2, 13)
    path = c_path(estimator, X, y, values)
    cold = sum(alone(estimator, X, y, C).solution_.n_iter for C in values)
    assert 0 < path.n_iter.sum() < 0.9 * cold


def test_values_are_sorted_and_the_estimator_is_left_alone():
    X, y = moons()
    estimator = SVC(C=7.0)
    path = c_path(estimator, X, y, [10.0, 0.1, 10, 1])
    np.testing.assert_array_equal(path.C, VALUES)
    assert [model.C for model in path.estimators] == VALUES
    assert not hasattr(estimator, "dual_coef_")
    assert estimator.C == 7.0
    assert path.scores is None
    assert path.best_C is None
    assert path.n_iter.shape == (3,)


def test_unfinished_fits_warn():
    X, y = moons()
    with pytest.warns(ConvergenceWarning, match="max_iter=5"):
        c_path(SVC(max_iter=5), X, y, VALUES)


@pytest.mark.parametrize("estimator", [NuSVC(), NuSVR(), OneClassSVM(), SVC, "svc"])
def test_other_estimators_are_refused(estimator):
    with pytest.raises(TypeError, match=r"c_path: estimator must be an SVC or SVR .* got .*GridSearchCV"):
        c_path(estimator, *moons(), VALUES)


def test_crammer_singer_is_refused():
    with pytest.raises(ValueError, match="multi_class must be 'ovo' or 'ovr'"):
        c_path(SVC(multi_class="crammer_singer"), *iris(), VALUES)


@pytest.mark.parametrize(
    ("C", "error"), [([], TypeError), (1.0, TypeError), ([1.0, 0.0], ValueError), ([np.inf], ValueError)]
)
def test_values_must_be_positive_and_finite(C, error):
    with pytest.raises(error, match="c_path: parameter C"):
        c_path(SVC(), *moons(), C)


def test_parameters_and_folds_are_checked():
    X, y = moons()
    with pytest.raises(ValueError, match="'tol' parameter of SVC"):
        c_path(SVC(tol=-1), X, y, VALUES)
    weight = np.repeat([0.0, 1.0], 60)
    with pytest.raises(ValueError, match="all samples of a fold have zero"):
        c_path(SVC(), X, y, VALUES, cv=[(np.arange(60), np.arange(60, 120))], sample_weight=weight)
