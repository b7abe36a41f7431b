"""Kernel ridge regression with an approximated kernel: its optimum, its path, and its certificate."""

import numpy as np
import pytest
from sklearn.model_selection import KFold

from mercer._estimator.landmark_features import LandmarkFeatures
from mercer.kernel_approximation import Nystroem, RandomFourierFeatures
from mercer.kernels import RBF
from mercer.operators import LowRankOperator
from mercer.ridge import KernelRidge, KernelRidgeClassifier, KernelRidgeCV
from mercer.solvers.ridge import solve_ridge
from mercer.solvers.ridge_path import RidgePath
from mercer.solvers.solution import Status

RNG = np.random.default_rng(0)
X, NEW = RNG.normal(size=(300, 3)), RNG.normal(size=(25, 3))
Y = np.column_stack([np.sin(2 * X[:, 0]) + 0.1 * RNG.normal(size=300), X[:, 1] * X[:, 2]])
WEIGHT = RNG.integers(0, 4, size=300).astype(float)
KERNEL = RBF(gamma=0.4)


def features(model, X=X):
    """Features of the training samples and of new ones, from the landmarks of a fitted model."""
    Z = model.X_fit_
    L = np.linalg.cholesky(KERNEL(Z) + 1e-13 * np.eye(len(Z)))
    return np.linalg.solve(L, KERNEL(Z, X)).T


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["unweighted", "weighted"])
@pytest.mark.parametrize("alpha", [0.3, [0.01, 2.0]], ids=["one", "two"])
def test_the_fit_is_that_of_the_features(intercept, weight, alpha):
    model = KernelRidge(alpha, kernel=KERNEL, fit_intercept=intercept, approximation=40).fit(X, Y, weight)
    F, s = features(model), np.ones(300) if weight is None else weight
    mean = s @ F / s.sum() if intercept else np.zeros(40)
    target = s @ Y / s.sum() if intercept else np.zeros(2)
    for t, value in enumerate(np.broadcast_to(alpha, 2)):
        G = (F - mean).T @ (s[:, None] * (F - mean))
        w = np.linalg.solve(G + value * np.eye(40), (F - mean).T @ (s * (Y[:, t] - target[t])))
        expected = (features(model, NEW) - mean) @ w + target[t]
        np.testing.assert_allclose(model.predict(NEW)[:, t], expected, atol=1e-6)


@pytest.mark.parametrize("intercept", [False, True])
def test_the_certificate_is_that_of_the_dual_problem(intercept):
    model = KernelRidge(0.2, kernel=KERNEL, fit_intercept=intercept, approximation=60).fit(X, Y)
    K = LowRankOperator(features(model))
    K = K.centered() if intercept else K
    dual = solve_ridge(K, Y - Y.mean(axis=0) if intercept else Y, 0.2).solution
    assert model.solution_.objective == pytest.approx(dual.objective, rel=1e-7)
    assert 0 <= model.solution_.gap < 1e-9
    assert model.solution_.violation < 1e-9
    assert model.solution_.status is Status.CONVERGED


@pytest.mark.parametrize("n", [300, 700])
def test_the_exact_optimum_lies_in_the_interval(n, monkeypatch):
    """50 seeded problems. The bound is sampled, so a few may fall outside; with all rows none does."""
    monkeypatch.setattr("mercer._estimator.landmark_features._VALUES", 0)
    monkeypatch.setattr("mercer._estimator.landmark_features._ROWS", 200)
    inside = []
    for seed in range(25):
        rng = np.random.default_rng(seed)
        X, alpha, m = rng.normal(size=(n, 3)), 10 ** rng.uniform(-2, 1), int(rng.integers(20, 120))
        y = np.sin(X @ rng.normal(size=3)) + 0.2 * rng.normal(size=n)
        options = {"kernel": RBF(gamma=10 ** rng.uniform(-1.5, 0)), "fit_intercept": bool(seed % 2)}
        weight = rng.uniform(0.5, 2, size=n) if seed % 3 == 0 else None
        exact = KernelRidge(alpha, **options).fit(X, y, weight).solution_.objective
        solution = KernelRidge(alpha, **options, approximation=m).fit(X, y, weight).solution_
        lower, upper = solution.exact_interval
        size = 1e-9 * abs(exact)
        assert lower <= exact + size  # deterministic
        assert solution.confidence == 0.95
        inside.append(exact <= upper + size)
    assert sum(inside) >= 22


def test_the_interval_of_all_rows_always_contains_the_optimum():
    for m in (10, 40, 160):
        solution = KernelRidge(0.1, kernel=KERNEL, approximation=m).fit(X, Y).solution_
        exact = KernelRidge(0.1, kernel=KERNEL).fit(X, Y).solution_.objective
        assert solution.confidence == 1.0
        assert solution.exact_interval[0] - 1e-9 <= exact <= solution.exact_interval[1] + 1e-9
    assert solution.exact_gap < 1e-3 * abs(exact)


def test_random_features_have_no_bound():
    model = KernelRidge(0.1, kernel=KERNEL, approximation=RandomFourierFeatures(n_components=800, random_state=0))
    model.fit(X, Y)
    assert np.isnan(model.solution_.exact_gap)
    exact = KernelRidge(0.1, kernel=KERNEL).fit(X, Y)
    assert np.corrcoef(model.predict(NEW)[:, 0], exact.predict(NEW)[:, 0])[0, 1] > 0.9
    with pytest.raises(TypeError, match="not a kernel expansion"):
        model._expansion()


def test_classes():
    y = np.where(X[:, 0] ** 2 + X[:, 1] ** 2 > 1.5, "out", "in")
    exact = KernelRidgeClassifier(kernel=KERNEL, class_weight="balanced").fit(X, y)
    model = KernelRidgeClassifier(kernel=KERNEL, class_weight="balanced", approximation=120).fit(X, y)
    np.testing.assert_allclose(model.decision_function(NEW), exact.decision_function(NEW), atol=0.05)


def test_strings():
    words = ["".join(RNG.choice(list("ACGT"), size=12)) for _ in range(80)]
    y = np.array([word.count("A") for word in words], dtype=float)
    exact = KernelRidge(0.1, kernel="spectrum(2)").fit(words, y)
    model = KernelRidge(0.1, kernel="spectrum(2)", approximation=16).fit(words, y)  # there are 16 pairs of letters
    np.testing.assert_allclose(model.predict(words[:9]), exact.predict(words[:9]), atol=1e-6)
    assert len(model.X_fit_) == 16


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["unweighted", "weighted"])
@pytest.mark.parametrize("criterion", ["loo", "gcv"])
def test_the_path_equals_that_of_the_gram_matrix(intercept, weight, criterion):
    alphas = [0.01, 0.3, 4.0]
    model = KernelRidgeCV(alphas, kernel=KERNEL, fit_intercept=intercept, criterion=criterion, approximation=50).fit(
        X, Y, weight
    )
    F = features(model)
    path = RidgePath(F @ F.T, Y, weight, intercept=intercept)
    kept = np.ones(300) if weight is None else weight
    expected = {
        "loo": lambda: -np.average(np.square(Y[:, :, None] - path.loo(alphas)), axis=0, weights=kept).mean(axis=0),
        "gcv": lambda: -path.gcv(alphas).mean(axis=0),
    }
    np.testing.assert_allclose(model.scores_, expected[criterion](), rtol=1e-6)
    np.testing.assert_allclose(model.loo_predictions_, path.loo([model.alpha_])[:, :, 0], atol=1e-6)
    alone = KernelRidge(model.alpha_, kernel=KERNEL, fit_intercept=intercept, approximation=50).fit(X, Y, weight)
    np.testing.assert_allclose(model.predict(NEW), alone.predict(NEW), atol=1e-9)
    assert model.solution_.exact_gap == pytest.approx(alone.solution_.exact_gap)


def test_folds_share_the_features():
    folds = KFold(4, shuffle=True, random_state=0)
    model = KernelRidgeCV([0.01, 1.0], kernel=KERNEL, fit_intercept=True, cv=folds, approximation=60).fit(X, Y)
    F = features(model)
    gram = KernelRidgeCV([0.01, 1.0], kernel="precomputed", fit_intercept=True, cv=folds).fit(F @ F.T, Y)
    np.testing.assert_allclose(model.scores_, gram.scores_, rtol=1e-6)


def test_features_are_computed_once_along_a_grid(monkeypatch):
    passes = []
    original = LandmarkFeatures.moments

    def counted(self, *args, **options):
        passes.append(1)
        return original(self, *args, **options)

    monkeypatch.setattr(LandmarkFeatures, "moments", counted)
    model = KernelRidge(kernel=KERNEL, approximation=40)
    training, y = model._training(X, Y[:, 0], numeric=True)
    grid = [{"alpha": value} for value in (0.01, 0.1, 1.0)]
    for params, found in zip(grid, model._fit_each(training, y, grid), strict=True):
        alone = KernelRidge(**params, kernel=KERNEL, approximation=40).fit(X, Y[:, 0])
        np.testing.assert_allclose(found.dual_coef_, alone.dual_coef_, rtol=1e-6)
        assert found.solution_.exact_gap == pytest.approx(alone.solution_.exact_gap, rel=1e-6)
    assert sum(passes) == 1 + len(grid)


def test_automatic_choice(monkeypatch):
    monkeypatch.setattr(KernelRidge, "_exact_limit", 200)
    smooth = KernelRidge(0.1, kernel=RBF(gamma=0.02), approximation="auto").fit(X, Y)
    assert smooth.approximation_.residual_trace <= 1e-3
    assert smooth.approximation_.n_components < 60
    assert "300 samples are more than 200" in smooth.approximation_.reason
    rough = KernelRidge(0.1, kernel=RBF(gamma=50.0), approximation="auto")
    monkeypatch.setattr("mercer._estimator.approximate._MOST", 100)
    assert "the limit, is" in rough.fit(X, Y).approximation_.reason
    assert rough.approximation_.n_components == 100


def test_weights_of_zero_are_absent_samples():
    model = KernelRidge(0.1, kernel=KERNEL, approximation=Nystroem(n_components=30, random_state=0))
    weight = (np.arange(300) < 200).astype(float)
    mine, known = model.fit(X, Y, weight).predict(NEW), model.fit(X[:200], Y[:200], weight[:200]).predict(NEW)
    np.testing.assert_allclose(mine, known, atol=1e-9)


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["unweighted", "weighted"])
def test_many_features_are_solved_by_conjugate_gradients(intercept, weight, monkeypatch):
    options = {"kernel": KERNEL, "fit_intercept": intercept, "approximation": 40}
    direct = KernelRidge(0.05, **options).fit(X, Y, weight)
    monkeypatch.setattr("mercer.ridge.approximated._MANY", 10)
    monkeypatch.setattr("mercer.ridge.iterative._GAP", 0.0)
    found = KernelRidge(0.05, **options).fit(X, Y, weight)
    assert found.n_iter_ > 1
    assert found.solution_.violation < 1e-8
    np.testing.assert_allclose(found.predict(NEW), direct.predict(NEW), atol=1e-5)
    assert found.solution_.objective == pytest.approx(direct.solution_.objective, rel=1e-6)
    assert found.solution_.exact_gap == pytest.approx(direct.solution_.exact_gap, rel=1e-4)


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["unweighted", "weighted"])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_held_kernel_values_are_solved_by_conjugate_gradients(intercept, weight, dtype, monkeypatch):
    options = {"kernel": KERNEL, "fit_intercept": intercept, "approximation": 40}
    data, new = X.astype(dtype), NEW.astype(dtype)
    direct = KernelRidge(0.05, **options).fit(data, Y, weight)
    assert direct.n_iter_ == 1
    monkeypatch.setattr("mercer.ridge.approximated._PER_TARGET", 10)
    monkeypatch.setattr("mercer._estimator.landmarks._CANDIDATES", 0)  # landmarks from a subsample of 200 samples
    monkeypatch.setattr("mercer._estimator.landmarks._WORK", 0)
    subsampled = KernelRidge(0.05, **options).fit(data, Y, weight)
    assert subsampled.approximation_.n_candidates == 200
    landmarks = Nystroem(n_components=40, landmarks=subsampled.X_fit_)
    monkeypatch.setattr("mercer.ridge.approximated._PER_TARGET", 1000)
    direct = KernelRidge(0.05, **options | {"approximation": landmarks}).fit(data, Y, weight)
    assert subsampled.n_iter_ > 1 == direct.n_iter_
    assert subsampled.solution_.gap < 1e-7 * abs(subsampled.solution_.objective)
    exact = 1e-5 if dtype == "float64" else 1e-3
    np.testing.assert_allclose(subsampled.predict(new), direct.predict(new), atol=exact)
    assert subsampled.solution_.objective == pytest.approx(direct.solution_.objective, rel=exact)


def test_rounding_errors_above_alpha_exclude_conjugate_gradients(monkeypatch):
    monkeypatch.setattr("mercer.ridge.approximated._PER_TARGET", 10)
    model = KernelRidge(1e-6, kernel=RBF(gamma=1e-3), approximation=40).fit(X, Y[:, 0])
    assert model.n_iter_ == 1


@pytest.mark.parametrize("gamma", [1e-4, 1e-2, 1.0])
def test_nearly_dependent_landmarks_lose_no_digits(gamma):
    """Whitened sums of kernel values would have rounding errors that exceed α for smooth kernels."""
    kernel, alpha = RBF(gamma=gamma), 1e-6
    model = KernelRidge(alpha, kernel=kernel, approximation=80).fit(X, Y)
    exact = KernelRidge(alpha, kernel=kernel).fit(X, Y)
    values, vectors = np.linalg.eigh(kernel(model.X_fit_))
    sound = values > 1e-14 * values.max()
    F = kernel(X, model.X_fit_) @ (vectors[:, sound] / np.sqrt(values[sound]))
    penalty = np.sqrt(alpha) * np.eye(F.shape[1])
    w = np.linalg.lstsq(np.vstack([F, penalty]), np.vstack([Y, np.zeros((F.shape[1], 2))]))[0]
    np.testing.assert_allclose(model.predict(X), F @ w, atol=2e-4)
    assert np.mean((model.predict(X) - Y) ** 2) >= np.mean((exact.predict(X) - Y) ** 2) - 1e-6
