"""KernelRidgeCV: leave-one-out, scores and choices against refits, RidgeCV and GridSearchCV."""

import tracemalloc
from typing import Any

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import RidgeCV
from sklearn.metrics import make_scorer, mean_absolute_error, mean_pinball_loss
from sklearn.model_selection import GridSearchCV, KFold, LeaveOneOut, cross_val_predict

from mercer.kernels import RBF
from mercer.ridge.kernel_ridge_cv import KernelRidgeCV
from mercer.solvers import Status

ALPHAS = np.logspace(-3, 2, 11)


@pytest.fixture
def data(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    X = rng.normal(size=(40, 4))
    return X, np.column_stack([np.sin(X[:, 0]), X[:, 1] * X[:, 2]]) + 0.3 * rng.normal(size=(40, 2)) + 2


def test_leave_one_out_equals_refits(data: tuple[np.ndarray, np.ndarray]) -> None:
    X, Y = data
    for y in (Y, Y[:, 0]):
        model = KernelRidgeCV(ALPHAS, kernel="rbf", gamma=0.2).fit(X, y)
        refits = cross_val_predict(KernelRidge(alpha=model.alpha_, kernel="rbf", gamma=0.2), X, y, cv=LeaveOneOut())
        np.testing.assert_allclose(model.loo_predictions_, refits, rtol=1e-8)
        assert model.best_score_ == pytest.approx(-np.mean((y - refits) ** 2))
        assert model.alpha_ == ALPHAS[model.scores_.argmax()]
        reference = KernelRidge(alpha=model.alpha_, kernel="rbf", gamma=0.2).fit(X, y)
        np.testing.assert_allclose(model.dual_coef_, reference.dual_coef_, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(model.predict(X[:7]), reference.predict(X[:7]), rtol=1e-10)
        assert model.solution_.status is Status.CONVERGED


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("scoring", [None, "r2", "neg_mean_absolute_error", make_scorer(mean_pinball_loss, alpha=0.2)])
@pytest.mark.parametrize(("targets", "per_target"), [(1, False), (2, False), (2, True)])
def test_scores_are_those_of_ridge_cv(
    data: tuple[np.ndarray, np.ndarray], intercept: bool, per_target: bool, scoring: Any, targets: int
) -> None:
    X, Y = data
    y = Y if targets == 2 else Y[:, 0]
    options = {
        "fit_intercept": intercept,
        "scoring": scoring,
        "store_cv_results": True,
        "alpha_per_target": per_target,
    }
    ours = KernelRidgeCV(ALPHAS, kernel="linear", **options).fit(X, y)
    theirs = RidgeCV(ALPHAS, **options).fit(X, y)
    np.testing.assert_allclose(ours.cv_results_, theirs.cv_results_, rtol=1e-7, atol=1e-10)
    np.testing.assert_array_equal(ours.alpha_, theirs.alpha_)
    np.testing.assert_allclose(ours.best_score_, theirs.best_score_, rtol=1e-9)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-8)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-10)
    assert np.shape(ours.alpha_) == np.shape(theirs.alpha_)


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("scoring", [None, "r2"])
def test_weighted_choice_is_that_of_ridge_cv(
    data: tuple[np.ndarray, np.ndarray], rng: np.random.Generator, intercept: bool, scoring: Any
) -> None:
    X, Y = data
    s = rng.uniform(0.2, 3, size=len(X))
    ours = KernelRidgeCV(ALPHAS, fit_intercept=intercept, scoring=scoring).fit(X, Y, sample_weight=s)
    theirs = RidgeCV(ALPHAS, fit_intercept=intercept, scoring=scoring).fit(X, Y, sample_weight=s)
    assert ours.alpha_ == theirs.alpha_
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-8)
    # Without a scorer, scikit-learn divides Σ s e² by n; here it is a weighted mean, as its scorers have it.
    mean = 1.0 if scoring else s.mean()
    assert ours.best_score_ * mean == pytest.approx(theirs.best_score_)


def test_a_weighted_sample_is_left_out_with_all_its_copies(
    data: tuple[np.ndarray, np.ndarray], rng: np.random.Generator
) -> None:
    X, Y = data
    y, s = Y[:, 0], rng.integers(0, 4, size=len(X))
    model = KernelRidgeCV([0.1], kernel="rbf", gamma=0.2, fit_intercept=True).fit(X, y, sample_weight=s)
    rows = np.repeat(np.arange(len(X)), s)
    repeated = KernelRidgeCV([0.1], kernel="rbf", gamma=0.2, fit_intercept=True).fit(X[rows], y[rows])
    np.testing.assert_allclose(model.predict(X), repeated.predict(X), rtol=1e-9)
    for i in (0, 5, int(s.argmin())):
        others = rows[rows != i]
        without = KernelRidgeCV([0.1], kernel="rbf", gamma=0.2, fit_intercept=True).fit(X[others], y[others])
        assert model.loo_predictions_[i] == pytest.approx(without.predict(X[[i]])[0], rel=1e-9)


def test_samples_without_weight_do_not_count(data: tuple[np.ndarray, np.ndarray], rng: np.random.Generator) -> None:
    X, Y = data
    s = rng.integers(0, 3, size=len(X)).astype(float)
    kept = s > 0
    for options in ({}, {"scoring": "r2"}, {"criterion": "gcv"}, {"alpha_per_target": True}):
        model = KernelRidgeCV(ALPHAS, kernel="rbf", gamma="scale", **options).fit(X, Y, sample_weight=s)
        fewer = KernelRidgeCV(ALPHAS, kernel="rbf", gamma="scale", **options).fit(
            X[kept], Y[kept], sample_weight=s[kept]
        )
        np.testing.assert_allclose(model.scores_, fewer.scores_, rtol=1e-9)
        np.testing.assert_allclose(model.predict(X), fewer.predict(X), rtol=1e-9)


def test_scale_of_weights_is_the_scale_of_alpha(data: tuple[np.ndarray, np.ndarray], rng: np.random.Generator) -> None:
    X, Y = data
    s = rng.uniform(0.5, 2, size=len(X))
    for criterion in ("loo", "gcv"):
        one = KernelRidgeCV(ALPHAS, kernel="rbf", criterion=criterion).fit(X, Y, sample_weight=s)
        ten = KernelRidgeCV(10 * ALPHAS, kernel="rbf", criterion=criterion).fit(X, Y, sample_weight=10 * s)
        np.testing.assert_allclose(one.scores_, ten.scores_, rtol=1e-9)


@pytest.mark.parametrize("kernel", ["rbf", "precomputed", lambda a, b: float(np.exp(-0.2 * ((a - b) ** 2).sum()))])
@pytest.mark.parametrize("scoring", [None, "neg_mean_squared_error"])
def test_folds_equal_grid_search(data: tuple[np.ndarray, np.ndarray], kernel: Any, scoring: Any) -> None:
    X, Y = data
    K = RBF(gamma=0.2)(X) if kernel == "precomputed" else X
    gamma = 0.2 if kernel == "rbf" else None
    folds = KFold(4, shuffle=True, random_state=0)
    ours = KernelRidgeCV(ALPHAS, kernel=kernel, gamma=gamma, cv=folds, scoring=scoring).fit(K, Y)
    search = GridSearchCV(KernelRidge(kernel=kernel, gamma=gamma), {"alpha": ALPHAS}, cv=folds, scoring=scoring)
    search.fit(K, Y)
    np.testing.assert_allclose(ours.scores_, search.cv_results_["mean_test_score"], rtol=1e-8)
    assert ours.alpha_ == search.best_params_["alpha"]
    assert ours.best_score_ == pytest.approx(search.best_score_)
    np.testing.assert_allclose(ours.predict(K), search.predict(K), rtol=1e-8)


def test_weighted_folds_equal_weighted_refits(data: tuple[np.ndarray, np.ndarray], rng: np.random.Generator) -> None:
    X, Y = data
    y, s, folds = Y[:, 0], rng.integers(0, 3, size=len(X)).astype(float), KFold(3)
    ours = KernelRidgeCV([0.1, 1.0], kernel="rbf", gamma=0.2, cv=folds, scoring="neg_mean_absolute_error")
    ours.fit(X, y, sample_weight=s)
    for j, alpha in enumerate((0.1, 1.0)):
        scores = []
        for train, test in folds.split(X):
            model = KernelRidge(alpha=alpha, kernel="rbf", gamma=0.2).fit(X[train], y[train], sample_weight=s[train])
            scores.append(-mean_absolute_error(y[test], model.predict(X[test]), sample_weight=s[test]))
        assert ours.scores_[j] == pytest.approx(np.mean(scores))


def test_gcv_chooses_much_as_leave_one_out_does(data: tuple[np.ndarray, np.ndarray]) -> None:
    X, Y = data
    loo = KernelRidgeCV(ALPHAS, kernel="rbf", gamma=0.1, fit_intercept=True).fit(X, Y)
    gcv = KernelRidgeCV(ALPHAS, kernel="rbf", gamma=0.1, fit_intercept=True, criterion="gcv").fit(X, Y)
    assert abs(np.log10(loo.alpha_ / gcv.alpha_)) <= 1
    assert gcv.best_score_ == gcv.scores_.max()
    single = KernelRidgeCV(ALPHAS, kernel="rbf", gamma=0.1, criterion="gcv", alpha_per_target=True).fit(X, Y)
    assert single.alpha_.shape == single.best_score_.shape == (2,)


def test_strings_frames_and_gram_matrices(rng: np.random.Generator) -> None:
    words = ["".join(rng.choice(list("ab"), size=rng.integers(1, 8))) for _ in range(25)]
    y = np.array([word.count("a") for word in words])

    def common(u: str, v: str) -> float:
        return float(u.count("a") * v.count("a") + u.count("b") * v.count("b"))

    model = KernelRidgeCV([1e-6, 1.0], kernel=common).fit(words, y)
    assert model.alpha_ == 1e-6
    np.testing.assert_allclose(model.predict(["aab", "bbb"]), [2, 0], atol=1e-5)
    K = np.array([[common(u, v) for v in words] for u in words])
    gram = KernelRidgeCV([1e-6, 1.0], kernel="precomputed").fit(K, y)
    np.testing.assert_allclose(gram.loo_predictions_, model.loo_predictions_, rtol=1e-9, atol=1e-12)
    assert gram.kernel_ is None


def test_predictions_do_not_depend_on_the_batch(data: tuple[np.ndarray, np.ndarray]) -> None:
    X, Y = data
    model = KernelRidgeCV(ALPHAS, kernel=RBF(gamma=0.3), fit_intercept=True).fit(X, Y)
    np.testing.assert_allclose([model.predict(x[None])[0] for x in X], model.predict(X), rtol=1e-12, atol=1e-12)


def test_many_targets_are_scored_in_parts(rng: np.random.Generator) -> None:
    X, Y = rng.normal(size=(12, 2)), rng.normal(size=(12, 30))
    model = KernelRidgeCV(ALPHAS, kernel="rbf", store_cv_results=True, alpha_per_target=True).fit(X, Y)
    assert model.cv_results_.shape == (12, 30, 11)
    for j in (0, 29):
        one = KernelRidgeCV(ALPHAS, kernel="rbf").fit(X, Y[:, j])
        assert model.alpha_[j] == one.alpha_
        np.testing.assert_allclose(model.loo_predictions_[:, j], one.loo_predictions_, rtol=1e-9, atol=1e-12)


def test_alpha_below_rounding_warns_with_advice(rng: np.random.Generator) -> None:
    X = rng.normal(size=(30, 2))
    y = X @ [1.0, -2.0]
    with pytest.warns(ConvergenceWarning, match="alpha=1e-30 was chosen. .* raise the regularisation") as caught:
        model = KernelRidgeCV([1e-30]).fit(X, y)
    assert caught[0].filename == __file__
    assert model.solution_.status is Status.SINGULAR
    np.testing.assert_allclose(model.predict(X), y, atol=1e-10)
    np.testing.assert_allclose(model.loo_predictions_, y, atol=1e-10)


def test_degenerate_input_has_a_documented_result() -> None:
    y = np.array([1.0, 2.0, 3.0, 6.0])
    same = KernelRidgeCV(kernel="rbf", fit_intercept=True).fit(np.ones((4, 2)), y)  # constant data: the mean
    np.testing.assert_allclose(same.predict([[1.0, 1.0]]), 3.0)
    np.testing.assert_allclose(same.loo_predictions_, (12 - y) / 3)
    nothing = KernelRidgeCV(kernel="precomputed").fit(np.zeros((4, 4)), y)
    np.testing.assert_array_equal(nothing.predict(np.zeros((2, 4))), 0.0)
    assert nothing.alpha_ == 0.1  # ties: the first
    constant = KernelRidgeCV(kernel="rbf", fit_intercept=True).fit(np.arange(4.0)[:, None], np.full(4, 7.0))
    np.testing.assert_allclose(constant.predict([[9.0]]), 7.0)
    assert constant.best_score_ == pytest.approx(0.0, abs=1e-25)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"alphas": [1.0, 0.0]}, "alphas must be positive finite numbers"),
        ({"alphas": [np.inf]}, "alphas must be positive finite numbers"),
        ({"alphas": []}, "alphas must be positive finite numbers"),
        ({"alphas": [[1.0, 2.0]]}, "alphas must be positive finite numbers"),
        ({"criterion": "gcv", "scoring": "r2"}, "criterion='gcv' makes no predictions"),
        ({"criterion": "gcv", "cv": 3}, "criterion='gcv' makes no predictions"),
        ({"cv": 3, "store_cv_results": True}, "cv=3 is incompatible"),
        ({"cv": 3, "alpha_per_target": True}, "cv=3 is incompatible"),
        ({"criterion": "aic"}, "'criterion' parameter of KernelRidgeCV"),
    ],
)
def test_wrong_parameters_say_what_to_do(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        KernelRidgeCV(**options).fit(np.eye(6), np.arange(6.0))


def test_one_sample() -> None:
    assert KernelRidgeCV().fit([[2.0]], [3.0]).loo_predictions_ == [0.0]  # nothing is left to fit
    with pytest.raises(ValueError, match="but sample 0 has all the weight"):
        KernelRidgeCV(fit_intercept=True).fit([[2.0]], [3.0])


@pytest.mark.parametrize("options", [{}, {"cv": 3}, {"fit_intercept": True, "sample_weight": True}])
def test_two_matrices_are_alive_at_most(rng: np.random.Generator, options: dict[str, Any]) -> None:
    n, options = 400, dict(options)
    X, y = rng.normal(size=(n, 3)), rng.normal(size=n)
    weight = rng.integers(0, 4, size=n) if options.pop("sample_weight", False) else None
    model = KernelRidgeCV(ALPHAS, kernel="rbf", **options)
    tracemalloc.start()
    try:
        model.fit(X, y, sample_weight=weight)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 8 * n * (2 * n + 2 * 256)  # and panels of 256 columns
