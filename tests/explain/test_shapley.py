"""Shapley values: equal to sums over all subsets, and true to the axioms."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer, StandardScaler

from mercer.discriminant import KernelDiscriminantAnalysis
from mercer.exceptions import NotSeparableError
from mercer.explain import KernelExpansion, shapley_values, top_features
from mercer.kernels import (
    ANOVA,
    RBF,
    AdditiveChi2,
    Brownian,
    Chi2,
    Columns,
    Constant,
    Cosine,
    Delta,
    ExpOf,
    Exponential,
    Interactions,
    Intersection,
    Laplacian,
    Linear,
    Matern,
    NegativeChi2,
    Overlap,
    Periodic,
    Polynomial,
    PolynomialOf,
    RationalQuadratic,
    Sigmoid,
    Spectrum,
    Tanimoto,
    TanimotoOf,
    WeightedColumns,
)
from mercer.multiple_kernel import MKLClassifier, MKLRegressor
from mercer.ridge import KernelLogisticRegression, KernelRidge, KernelRidgeClassifier
from mercer.svm import SVC, SVDD, SVR, OneClassSVM
from tests.reference import shapley as reference

D = 6
WEIGHTS = (0.3, 0.1, 1.0, 0.0, 0.5, 0.2)
MIXED = {"weights": WEIGHTS, "categorical": (2,)}
EXACT = [
    RBF(0.2),
    RBF((0.1, 0.2, 0.3, 0.4, 0.5, 0.6)),
    Laplacian(0.3),
    Periodic(1.5, 0.4),
    Chi2(0.3),
    WeightedColumns(**MIXED),
    WeightedColumns(**MIXED, p=2.0),
    WeightedColumns(**MIXED, p=0.7),
    Delta(),
    Brownian(),
    Linear(1.5),
    Overlap(),
    Intersection(),
    AdditiveChi2(),
    NegativeChi2(),
    Constant(2.0),
    Polynomial(3, 0.5, 1.0),
    ANOVA(2),
    ANOVA(3, "linear"),
    0.5 * RBF(0.1) + 2 * Linear() + 3,
    RBF(0.2) ** 2,
    RBF(0.2) * Linear(1.0),
    PolynomialOf(Linear(), (1.0, 0.0, 2.0)),
    Columns([0, 1], RBF(0.3)) * Columns([2], Delta()) * Columns([-1, 3], Laplacian(0.1)),
    Columns([0], Cosine()) + Columns([4], Tanimoto()) * Columns([1, 5], RBF(1.0)),
    ExpOf(2 * Overlap()),
    ExpOf(0.1 * Linear(0.5) - 0.3 * Columns([0], Delta()) + 0.2),
    ExpOf(2 * Columns([2, 4], Overlap())).normalized() * Columns([0, 1], RBF(0.2)),
    Brownian().normalized(),
    (Columns([1], Linear(1.0)) ** 2 + 0.5).normalized() * Columns([0, 3], Laplacian(0.3)).normalized(),
    TanimotoOf(Columns([3], Linear(1.0))) + RBF(0.1),
]
MIXTURES = [
    *(WeightedColumns(**MIXED, g=g) for g in (0.3, 0.5, 0.7, 0.9)),
    WeightedColumns(0.2, p=2.0, g=0.5),
    Exponential(0.4),
    Exponential((0.1, 0.2, 0.3, 0.4, 0.5, 0.6)),
    Matern(0.5, 0.4),
    Matern(1.5, 0.4),
    Matern(2.5, (0.1, 0.2, 0.3, 0.4, 0.5, 0.6)),
    RationalQuadratic(0.7, 0.4),
    0.5 * Exponential(0.4) * Columns([0, 1], Linear(1.0)) + RBF(0.1),
]


@pytest.fixture
def data(rng):
    """Points, rows and background rows with a categorical column and equal values."""

    def rows(n):
        X = rng.exponential(size=(n, D))
        X[:, 2] = rng.integers(0, 3, n)
        X[:, 4] = rng.integers(0, 2, n)
        return X

    points = rows(25)
    return points, rng.normal(size=25), np.vstack([rows(2), points[:1]]), rows(4)


def brute(kernel, points, coef, X, background, groups):
    """Values of all rows by sums over subsets."""
    games = [reference.worth(lambda H: kernel(H, points) @ coef, x, background, groups) for x in X]
    return np.array([reference.values(v, len(groups)) for v in games])


def singles(d=D):
    return [[j] for j in range(d)]


@pytest.mark.parametrize("kernel", EXACT, ids=str)
def test_products_equal_sums_over_subsets(kernel, data):
    points, coef, X, background = data
    found = shapley_values(KernelExpansion(kernel, points, coef, 0.5), X, background)
    expected = brute(kernel, points, coef, X, background, singles())
    scale = max(1.0, np.abs(kernel(np.vstack([X, background]), points)).max())
    np.testing.assert_allclose(found.values, expected, rtol=0, atol=1e-12 * scale)
    np.testing.assert_allclose(found.base + found.values.sum(axis=1), found.score, rtol=0, atol=1e-12 * scale)
    np.testing.assert_allclose(found.score, kernel(X, points) @ coef + 0.5, atol=1e-12 * scale)
    assert found.error == 0


@pytest.mark.parametrize("kernel", MIXTURES, ids=str)
def test_mixtures_equal_sums_over_subsets(kernel, data):
    points, coef, X, background = data
    found = shapley_values(KernelExpansion(kernel, points, coef), X, background)
    expected = brute(kernel, points, coef, X, background, singles())
    error = np.abs(found.values - expected).max()
    assert error <= 1e-8
    assert error <= found.error <= 1e-6
    loose = shapley_values(KernelExpansion(kernel, points, coef), X, background, tol=1e-4)
    assert np.abs(loose.values - expected).max() <= loose.error
    assert loose.error > found.error


INTERACTIONS = [
    Interactions((0.5, 1.0, 0.7, 0.2), WEIGHTS, (0.3, 0.1, 1.0, 0.4), (2, 4)),
    Interactions((0.0, 0.0, 1.0, 0.0, 0.3, 0.1, 0.2), 1.0, 0.5, (2,), 2.0),
    Interactions((0.5, 1.0, 1.0, 1.0, 1.0), (1.0, 1e-9, 1e-9, 0.0, 1e-9, 1e-9)),  # sums over sets, exact
    0.5 * Interactions((0.0, 1.0, 0.2), gamma=0.4, categorical=(2,)) * RBF(0.2) + Linear(),
]


@pytest.mark.parametrize("groups", [singles(), [[0, 3], [1], [2, 4, 5]]], ids=["columns", "groups"])
@pytest.mark.parametrize("kernel", INTERACTIONS, ids=str)
def test_interactions_of_columns_equal_sums_over_subsets(kernel, groups, data):
    points, coef, X, background = data
    players = {f"p{i}": group for i, group in enumerate(groups)} if len(groups) < D else None
    found = shapley_values(KernelExpansion(kernel, points, coef), X, background, players=players)
    error = np.abs(found.values - brute(kernel, points, coef, X, background, groups)).max()
    assert error <= 1e-10
    assert error <= found.error + 1e-12
    assert found.error <= 1e-9


def test_ten_players(rng):
    points, coef, X, background = (rng.normal(size=s) for s in ((30, 10), 30, (2, 10), (3, 10)))
    for kernel, atol in ((RBF(0.1), 1e-12), (WeightedColumns(0.3, g=0.5), 1e-8)):
        found = shapley_values(KernelExpansion(kernel, points, coef), X, background)
        expected = brute(kernel, points, coef, X, background, singles(10))
        np.testing.assert_allclose(found.values, expected, rtol=0, atol=atol)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_hundred_players_add_up(rng, n_jobs):
    points, coef, X, background = (rng.normal(size=s) for s in ((40, 100), 40, (3, 100), (5, 100)))
    found = shapley_values(KernelExpansion(RBF(0.003), points, coef), X, background, n_jobs=n_jobs)
    np.testing.assert_allclose(found.base + found.values.sum(axis=1), found.score, rtol=0, atol=1e-13)


@pytest.mark.parametrize("kernel", [RBF(0.3), WeightedColumns(0.3, g=0.5), Exponential(0.3) + Linear()], ids=str)
def test_dummies_and_symmetric_players(rng, kernel):
    points, coef, X, background = (rng.normal(size=s) for s in ((20, 4), 20, (3, 4), (4, 4)))
    for array in (points, X, background):
        array[:, 1] = array[:, 0]  # symmetric players
        array[:, 3] = 1.0  # a dummy: hybrid rows do not change
    values = shapley_values(KernelExpansion(kernel, points, coef), X, background).values
    np.testing.assert_allclose(values[:, 0], values[:, 1], rtol=0, atol=1e-9)
    np.testing.assert_array_equal(values[:, 3], 0)


@pytest.mark.parametrize("kernel", [RBF(0.2), WeightedColumns(**MIXED, g=0.5), Polynomial(2), Sigmoid(0.1)], ids=str)
def test_groups_of_columns(kernel, data):
    points, coef, X, background = data
    f = KernelExpansion(kernel, points, coef)
    groups = [[0, 3], [1, 2, 4, 5]]
    if not isinstance(kernel, Sigmoid):
        found = shapley_values(f, X, background, players={"pair": [0, 3], "rest": [1, 2, 4, 5]})
        np.testing.assert_allclose(found.values, brute(kernel, points, coef, X, background, groups), atol=1e-8)
        assert found.names == ["pair", "rest"]
        some = shapley_values(f, X, background, players=[["x4", "x1"]])
        assert some.names == ["x0", "x4 + x1", "x2", "x3", "x5"]
        assert np.isnan(some.data[:, 1]).all()
        assert (some.data[:, 0] == X[:, 0]).all()
    whole = shapley_values(f, X, background, players=[range(D)])  # one player: any kernel
    np.testing.assert_allclose(whole.values[:, 0], whole.score - whole.base, atol=1e-12)


@pytest.mark.parametrize("kernel", [*EXACT, *MIXTURES], ids=str)
def test_interactions_equal_sums_over_subsets(kernel, data):
    points, coef, X, background = data
    found = shapley_values(KernelExpansion(kernel, points, coef), X, background, interactions=True)
    scale = max(1.0, np.abs(kernel(np.vstack([X, background]), points)).max())
    atol = 1e-12 * scale if kernel in EXACT else 1e-8
    for x, pairs in zip(X, found.interactions, strict=True):
        v = reference.worth(lambda H: kernel(H, points) @ coef, x, background, singles())
        for (j, k), expected in reference.interactions(v, D).items():
            assert pairs[j, k] == pytest.approx(expected / 2, rel=0, abs=atol)
            assert pairs[k, j] == pairs[j, k]
    np.testing.assert_allclose(found.interactions.sum(axis=2), found.values, rtol=0, atol=1e-13 * scale)
    total = found.interactions.sum(axis=(1, 2))
    np.testing.assert_allclose(found.base + total, found.score, rtol=0, atol=max(atol, 1e-11 * scale))


@pytest.mark.parametrize(("kernel", "atol"), [(RBF(0.1), 1e-12), (WeightedColumns(0.1, g=0.5), 1e-8)], ids=str)
def test_interactions_of_eight_players(kernel, atol, rng):
    points, coef, X, background = (rng.normal(size=s) for s in ((30, 8), 30, (2, 8), (3, 8)))
    found = shapley_values(KernelExpansion(kernel, points, coef), X, background, interactions=True)
    for x, pairs in zip(X, found.interactions, strict=True):
        v = reference.worth(lambda H: kernel(H, points) @ coef, x, background, singles(8))
        index = reference.interactions(v, 8)
        np.testing.assert_allclose([2 * pairs[j, k] for j, k in index], list(index.values()), rtol=0, atol=atol)


def test_several_outputs(data, rng):
    points, _, X, background = data
    coef = rng.normal(size=(25, 3))
    together = shapley_values(KernelExpansion(RBF(0.2), points, coef, [1, 2, 3]), X, background, interactions=True)
    assert together.values.shape == (3, D, 3)
    assert together.outputs == [0, 1, 2]
    for o in range(3):
        alone = shapley_values(KernelExpansion(RBF(0.2), points, coef[:, o], o + 1), X, background, interactions=True)
        chosen = together.of_output(o)
        for name in ("values", "base", "score", "interactions"):
            np.testing.assert_allclose(getattr(chosen, name), getattr(alone, name), rtol=0, atol=1e-14)
    assert together.importance.shape == (D, 3)
    with pytest.raises(ValueError, match=r"output must be one of \[0, 1, 2\], got None"):
        together.of_output()


def scores(model, X):
    return model.decision_function(X) if hasattr(model, "decision_function") else model.predict(X)


MODELS = [
    SVC(kernel="rbf", gamma=0.3),
    SVC(kernel="rbf", gamma=0.3, approximation=20),
    SVR(kernel="laplacian", gamma=0.3),
    KernelRidge(kernel="rbf", gamma=0.3, alpha=0.1),
    KernelRidgeClassifier(kernel=WeightedColumns(0.3, g=0.5)),
    KernelLogisticRegression(kernel="rbf", gamma=0.3),
    KernelDiscriminantAnalysis(kernel="rbf", gamma=0.3),
    OneClassSVM(kernel="rbf", gamma=0.3),
    MKLClassifier(kernels=[RBF(0.1), Laplacian(0.2), Linear()]),
]


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_models_of_two_classes(model, rng):
    X = rng.normal(size=(60, 4))
    model.fit(X, (X[:, 0] * X[:, 1] > 0).astype(int))
    found = shapley_values(model, X[:5], X[::6])
    np.testing.assert_allclose(found.score, scores(model, X[:5]), atol=1e-8)
    np.testing.assert_allclose(found.base + found.values.sum(axis=1), found.score, atol=1e-8)


@pytest.mark.parametrize(
    "model",
    [
        SVC(gamma=0.3, multi_class="ovr", decision_function_shape="ovr"),
        KernelRidgeClassifier(kernel="rbf", gamma=0.3),
        KernelLogisticRegression(kernel="rbf", gamma=0.3),
        KernelDiscriminantAnalysis(kernel="rbf", gamma=0.3),
    ],
    ids=lambda model: type(model).__name__,
)
def test_models_of_three_classes(model, rng):
    X = rng.normal(size=(60, 4))
    y = np.array(["a", "b", "c"])[np.digitize(X[:, 0] + 0.1 * X[:, 1], [-0.4, 0.4])]
    model.fit(X, y)
    found = shapley_values(model, X[:5], X[::6])
    assert found.outputs == ["a", "b", "c"]
    assert found.values.shape == (5, 4, 3)
    np.testing.assert_allclose(found.score, model.decision_function(X[:5]), atol=1e-8)
    np.testing.assert_allclose(found.base + found.values.sum(axis=1), found.score, atol=1e-9)


def test_one_against_one(rng):
    X = rng.normal(size=(60, 4))
    model = SVC(gamma=0.3, decision_function_shape="ovo").fit(X, np.digitize(X[:, 0], [-0.4, 0.4]))
    ab, ac, bc = model.decision_function(X[:5]).T
    found = shapley_values(model, X[:5], X[::6])
    np.testing.assert_allclose(found.score, np.column_stack([ab + ac, bc - ab, -ac - bc]), atol=1e-8)


def test_names_of_frames_and_tables(rng):
    import pandas as pd

    frame = pd.DataFrame({"age": rng.uniform(20, 60, 40), "city": rng.choice(["Rome", "Oslo"], 40), "size": 1.5})
    y = frame["age"] / 10 + (frame["city"] == "Rome")
    model = KernelRidge(kernel="rbf(gamma=0.01)[age] * (overlap[city] + 1) + linear[size]", alpha=0.1).fit(frame, y)
    found = shapley_values(model, frame[:3], frame[::5])
    assert found.names == ["age", "city", "size"]
    np.testing.assert_allclose(found.base + found.values.sum(axis=1), model.predict(frame[:3]), atol=1e-10)
    np.testing.assert_array_equal(found.values[:, 2], 0)
    assert np.isnan(found.data[:, 1]).all()
    assert found.data[0, 0] == frame["age"][0]
    rome = (frame["city"][:3] == "Rome").to_numpy()
    assert (found.values[rome, 1] > 0).all()
    assert (found.values[~rome, 1] < 0).all()
    text = SVC(kernel="spectrum(p=1)[city] * rbf(gamma=0.01)[age]").fit(frame, y > 5)  # a string is one player
    told = shapley_values(text, frame[:3], frame[::5])
    np.testing.assert_allclose(told.score, text.decision_function(frame[:3]), atol=1e-10)
    np.testing.assert_allclose(told.base + told.values.sum(axis=1), told.score, atol=1e-10)


def test_learned_weights_of_kernels(rng):
    import pandas as pd

    X = pd.DataFrame(rng.normal(size=(50, 3)), columns=["a", "b", "c"])
    kernels = [RBF(0.1), Columns(["a"], Laplacian(0.2)), Linear()]
    for model in (MKLRegressor(kernels=kernels), MKLRegressor(kernels=[RBF(0.1), Laplacian(0.2)])):
        model.fit(X, X["a"])
        found = shapley_values(model, X[:4], X[::5])
        assert found.names == ["a", "b", "c"]
        np.testing.assert_allclose(found.base + found.values.sum(axis=1), model.predict(X[:4]), atol=1e-8)
    with pytest.raises(TypeError, match="fit it with approximation=None"):
        shapley_values(MKLRegressor(kernels=kernels, approximation=20).fit(X, X["a"]), X[:4], X)


def test_pipelines_of_scalers(rng):
    import pandas as pd

    X = pd.DataFrame(rng.normal(size=(50, 3)) * [1, 10, 100], columns=["a", "b", "c"])
    model = make_pipeline(StandardScaler(), SVR(gamma=0.2)).fit(X, X["a"])
    found = shapley_values(model, X[:4], X[::5])
    assert found.names == ["a", "b", "c"]
    assert found.data[0, 2] == X["c"][0]
    np.testing.assert_allclose(found.base + found.values.sum(axis=1), model.predict(X[:4]), atol=1e-10)
    with pytest.raises(TypeError, match="may join columns"):
        shapley_values(make_pipeline(Normalizer(), SVR()).fit(X, X["a"]), X[:4], X[::5])


def test_tiles_do_not_matter(data, monkeypatch):
    points, coef, X, background = data
    f = KernelExpansion(RBF(0.2) + Exponential(0.3), points, coef)
    whole = shapley_values(f, X, background)
    monkeypatch.setattr("mercer.explain.integration.MEMORY_BUDGET", 16 * D * 4)
    monkeypatch.setattr("mercer.explain.integration.BLOCK", 2)
    monkeypatch.setattr("mercer.explain.separation.PANEL", 1)
    tiled = shapley_values(f, X, background)
    np.testing.assert_allclose(tiled.values, whole.values, rtol=0, atol=1e-13)


def test_rows_and_text(data):
    points, coef, X, background = data
    found = shapley_values(KernelExpansion("rbf(gamma=0.2)", points, coef), X, background)
    one = found.row(1)
    np.testing.assert_array_equal(one.values[0], found.values[1])
    assert str(one).splitlines()[0].startswith("base value")
    assert "score" in str(one)
    assert repr(found) == "Shapley values of 3 rows (3 x 6), error at most 0"
    same = shapley_values(KernelExpansion(RBF(0.2), points.tolist(), coef.tolist()), X.tolist(), background.tolist())
    np.testing.assert_array_equal(same.values, found.values)


@pytest.mark.parametrize("kernel", ["rbf", Exponential(0.3)])
def test_a_machine_without_support_vectors(rng, kernel):
    X = rng.normal(size=(20, 3))
    model = SVR(kernel=kernel, epsilon=1.0).fit(X, np.full(20, 2.5))
    assert len(model.support_) == 0
    found = shapley_values(model, X[:4], X)
    np.testing.assert_array_equal(found.values, np.zeros((4, 3)))
    np.testing.assert_allclose(found.score, model.predict(X[:4]))


def test_single_precision(rng):
    X = rng.normal(size=(40, 3)).astype(np.float32)
    model = KernelRidge(kernel="rbf", gamma=0.5).fit(X, X[:, 0])
    found = shapley_values(model, X[:3], X[::4])
    np.testing.assert_allclose(found.score, model.predict(X[:3]), atol=1e-4)


def test_refusals(data):
    points, coef, X, background = data
    f = KernelExpansion(RBF(0.2), points, coef)
    for kernel in (Sigmoid(), Cosine(), Tanimoto(), Linear(1.0).normalized(), ExpOf(RBF(0.1)), RBF(0.1) + Sigmoid()):
        with pytest.raises(NotSeparableError, match=r"put the columns in one player \(players=\)"):
            shapley_values(KernelExpansion(kernel, points, coef), X, background)
    with pytest.raises(NotSeparableError, match="for g <= 1 only"):
        shapley_values(KernelExpansion(WeightedColumns(g=1.5), points, coef), X, background)
    wide = np.ones((2, 60))
    for kernel in (Polynomial(4), ANOVA(4)):
        with pytest.raises(NotSeparableError, match="expected at most 10000; join columns"):
            shapley_values(KernelExpansion(kernel, wide, [1.0, 1.0]), wide, wide)
    with pytest.raises(TypeError, match=r"strings, trees or graphs.*use top_features"):
        shapley_values(SVC(kernel=Spectrum(2)).fit(["ab", "ba", "bb"], [0, 1, 1]), ["ab"], ["ba"])
    with pytest.raises(TypeError, match=r"got a sparse matrix.*toarray"):
        shapley_values(SVC(gamma=1.0).fit(sp.csr_matrix(points), coef > 0), X, background)
    with pytest.raises(TypeError, match="expected a fitted kernel machine"):
        shapley_values(StandardScaler(), X, background)
    with pytest.raises(ValueError, match="precomputed Gram matrix"):
        shapley_values(SVC(kernel="precomputed").fit(np.eye(4), [0, 1, 0, 1]), np.eye(4), np.eye(4))
    with pytest.raises(TypeError, match=r"k\(x, x\)"):
        shapley_values(SVDD(gamma=1.0).fit(points), X, background)
    with pytest.raises(TypeError, match=r"k\(x, x\)"):
        top_features(SVDD(kernel="linear").fit(points), X[0])
    for bad in ([[0, 1], [1]], [[0, 0]]):
        with pytest.raises(ValueError, match=r"must not share columns, got 'x[01]' twice"):
            shapley_values(f, X, background, players=bad)
    with pytest.raises(ValueError, match="no column 'age'"):
        shapley_values(f, X, background, players=[["age"]])
    with pytest.raises(ValueError, match="at least one column"):
        shapley_values(f, X, background, players={"none": []})
    with pytest.raises(TypeError, match="must be a list of lists"):
        shapley_values(f, X, background, players="x0")
    with pytest.raises(TypeError, match="list of names or indices"):
        shapley_values(f, X, background, players=[[0.5]])
    with pytest.raises(ValueError, match="background has 0 rows"):
        shapley_values(f, X, background[:0])
    with pytest.raises(ValueError, match="X has 2 columns but the points have 6"):
        shapley_values(f, X[:, :2], background)
    with pytest.raises(ValueError, match="coef must have one row for each of 25 points, got shape"):
        shapley_values(KernelExpansion(RBF(0.2), points, [1.0, 2.0]), X, background)
    with pytest.raises(ValueError, match="intercept must be a number"):
        shapley_values(KernelExpansion(RBF(0.2), points, coef, [1.0, 2.0]), X, background)
    with pytest.raises(TypeError, match="kernel must be a kernel"):
        shapley_values(KernelExpansion(7, points, coef), X, background)


@pytest.mark.parametrize("form", [sp.dok_matrix, sp.dok_array])
def test_dictionaries_of_keys_are_sparse_matrices_and_not_columns(rng, form):
    X = rng.normal(size=(9, 3))
    broken = form(X)
    dict.__setitem__(broken, (0, 1), "ox")
    for points in (form(X), broken):
        with pytest.raises(TypeError, match="got a sparse matrix"):
            shapley_values(KernelExpansion(RBF(), points, np.ones(9)), X[:2], X)
