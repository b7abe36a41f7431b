"""Learned weights of columns: what they find, forms of data, errors."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import mercer
from mercer.feature_learning import LeaveOneOutWeights, RecursiveFeatureMachine
from mercer.kernels import (
    RBF,
    BagOfWords,
    Columns,
    Interactions,
    Laplacian,
    Linear,
    Matern,
    Polynomial,
    RationalQuadratic,
    WeightedColumns,
)
from mercer.ridge import KernelRidge
from mercer.svm import SVC
from tests.contracts.behaviour import same
from tests.feature_learning.learners import LEARNERS, everything

# ---- what is found


@pytest.mark.parametrize("p", [1.0, 2.0])
def test_irrelevant_columns_get_small_weights(table, p):
    X, y = table
    model = LeaveOneOutWeights(p=p).fit(X, y)
    assert model.weights_[:2].min() > 5 * model.weights_[2:].max()
    assert model.shares_[:2].sum() > 0.85
    assert model.shares_.sum() == pytest.approx(1)
    tied = LeaveOneOutWeights(p=p, tied=True).fit(X, y)
    assert model.loo_score_ > tied.loo_score_
    assert np.ptp(tied.shares_) < 0.05


def test_the_path_starts_at_the_best_start_and_does_not_rise(table):
    model = LeaveOneOutWeights().fit(*table)
    assert (np.diff(model.objective_path_) <= 0).all()
    assert model.objective_path_[-1] < model.objective_path_[0]
    assert model.n_iter_ == len(model.objective_path_) <= 1 + 2 * (12 + 18)


def test_categories_and_classes():
    rng = np.random.default_rng(1)
    X = np.column_stack([rng.integers(0, 4, 300), rng.normal(size=300), rng.integers(0, 4, 300)])
    y = np.where(X[:, 0] == 1, "one", np.where(X[:, 1] > 0, "up", "down"))
    model = LeaveOneOutWeights(categorical=[0, 2]).fit(X, y)
    assert model.classes_.tolist() == ["down", "one", "up"]
    assert model.weights_[0] > 5 * model.weights_[2]
    scores = cross_val_score(SVC(kernel=model.kernel_, C=10.0), X, y)
    assert scores.mean() > 0.93
    with pytest.raises(ValueError, match=r"no factor of the codes gives columns \[0, 2\], which are categorical"):
        model.transform(X)


def test_the_score_is_that_of_refits(table):
    X, y = table[0][:40], table[1][:40]
    model = LeaveOneOutWeights().fit(X, y)
    centred, error = y - y.mean(), 0.0
    for i in range(40):
        rest = np.arange(40) != i
        ridge = KernelRidge(alpha=model.alpha_, kernel=model.kernel_).fit(X[rest], centred[rest])
        error += float((centred[i] - ridge.predict(X[i : i + 1])[0]) ** 2)
    assert model.loo_score_ == pytest.approx(1 - error / (centred @ centred), rel=1e-6)


@pytest.mark.parametrize(
    "kernel",
    [
        RBF(gamma=(1.0, 1.0, 1.0, 1.0, 1.0, 1.0)),
        Laplacian(gamma=(0.3,) * 6),
        Matern(gamma=(0.3,) * 6),
        RationalQuadratic(gamma=(0.3,) * 6),
        WeightedColumns(weights=(0.3,) * 6, p=1.5, g=0.6),
        2.0 * RBF("scale"),
    ],
    ids=str,
)
def test_any_kernel_of_columns_is_learned_and_scaled_to_weights_of_one(table, kernel):
    X, y = table
    model = LeaveOneOutWeights(kernel).fit(X, y)
    learned, ones = model.kernel_, {}
    for name in learned.theta_names:
        field = name.partition("[")[0]
        if field.rpartition("__")[2] in ("gamma", "weights"):
            ones[field] = 1.0
    np.testing.assert_allclose(learned.with_params(**ones)(model.transform(X)), learned(X), rtol=1e-9)
    assert model.objective_path_[-1] < model.objective_path_[0]


def test_a_kernel_without_weights_of_columns_has_no_scales(table):
    X, y = table
    model = LeaveOneOutWeights(1.0 * Polynomial(degree=2, gamma=0.5)).fit(X, y)
    assert model.weights_ is None
    assert model.shares_ is None
    with pytest.raises(ValueError, match="has no weights that scale columns; pass kernel_ to an estimator"):
        model.transform(X)


def test_orders_and_columns_of_rules_are_learned(rng):
    codes = rng.integers(0, 4, (400, 8))
    y = sum(rng.normal(size=(4, 4))[codes[:, j], codes[:, j + 1]] for j in (0, 2, 4))
    start = Interactions(orders=(1.0,) * 4, weights=(1.0,) * 8, gamma=(), categorical=range(8))
    model = LeaveOneOutWeights(start).fit(codes[:250], y[:250])
    orders, weights = np.array(model.kernel_.orders), np.array(model.kernel_.weights)
    assert orders[2] > 10 * orders[3]
    assert weights[6:].max() < 0.01 * weights[:6].min()
    assert model.shares_[6:].max() < 0.01
    ridge = KernelRidge(alpha=model.alpha_, kernel=model.kernel_).fit(codes[:250], y[:250])
    assert ridge.score(codes[250:], y[250:]) > 0.999
    with pytest.raises(ValueError, match="has no weights that scale columns; pass kernel_ to an estimator"):
        model.transform(codes)


# ---- subsamples, units, forms of data


@pytest.mark.parametrize("model", LEARNERS, ids=str)
def test_the_seed_determines_the_result(table, model):
    few = clone(model).set_params(max_samples=50)
    one, other = clone(few).fit(*table), clone(few).fit(*table)
    assert same(everything(one), everything(other))
    assert len(one.rows_) == 50
    third = clone(few).set_params(random_state=1).fit(*table)
    assert set(third.rows_) != set(one.rows_)


def test_samples_that_were_not_chosen_do_not_matter(table):
    X, y = table
    model = LeaveOneOutWeights(max_samples=50, kernel=RBF(gamma=(0.5,) * 6)).fit(X, y)
    others = np.setdiff1d(np.arange(len(y)), model.rows_)
    changed = y.copy()
    changed[others] = y[np.roll(others, 1)]  # the same mean
    np.testing.assert_allclose(
        LeaveOneOutWeights(max_samples=50, kernel=RBF(gamma=(0.5,) * 6)).fit(X, changed).weights_,
        model.weights_,
        rtol=1e-6,
    )


def test_units_of_columns_do_not_matter(table):
    X, y = table
    units = np.array([1e5, 1.0, 1e-4, 10.0, 1.0, 100.0])
    kernels = {"kernel": mercer.feature_learning.column_kernel(X, linear=False)}
    scaled = {"kernel": mercer.feature_learning.column_kernel(X * units, linear=False)}
    one, other = LeaveOneOutWeights(**kernels).fit(X, y), LeaveOneOutWeights(**scaled).fit(X * units, y)
    np.testing.assert_allclose(other.weights_ * units, one.weights_, rtol=1e-2)
    assert other.loo_score_ == pytest.approx(one.loo_score_, abs=1e-5)


def test_frames_keep_their_names(table):
    X, y = table
    frame = pd.DataFrame(X, columns=list("abcdef"))
    for model in (LeaveOneOutWeights(max_iter=3), RecursiveFeatureMachine(max_iter=1)):
        model.fit(frame, y)
        assert model.feature_names_in_.tolist() == list("abcdef")
        assert model.get_feature_names_out().tolist() == list("abcdef")
        assert model.set_output(transform="pandas").transform(frame).columns.tolist() == list("abcdef")


def test_pipelines_searches_and_files(table, tmp_path):
    X, y = table
    steps = make_pipeline(
        StandardScaler(), LeaveOneOutWeights(max_iter=5, p=2.0), KernelRidge(alpha=0.01, kernel=RBF(gamma=1.0))
    )
    search = GridSearchCV(steps, {"leaveoneoutweights__tied": [True, False]}, cv=3).fit(X, y)
    assert search.best_params_ == {"leaveoneoutweights__tied": False}
    mercer.save(search.best_estimator_, tmp_path / "model.mercer")
    assert np.array_equal(mercer.load(tmp_path / "model.mercer").predict(X), search.predict(X))


def test_several_targets_share_their_kernel(table):
    X, y = table
    Y = np.column_stack([y, 1e6 * np.sin(2 * X[:, 2])])
    model = LeaveOneOutWeights(p=2.0).fit(X, Y)
    assert model.weights_[:3].min() > 3 * model.weights_[3:].max()
    np.testing.assert_allclose(LeaveOneOutWeights(p=2.0).fit(X, Y * [5.0, 1e-9]).weights_, model.weights_, rtol=1e-2)


def test_class_weights_are_sample_weights(table):
    X, y = table
    y = np.where(y > 1, "rare", "frequent")
    factor = {"rare": 3.0, "frequent": 0.5}
    one = LeaveOneOutWeights(class_weight=factor).fit(X, y)
    other = LeaveOneOutWeights().fit(X, y, sample_weight=[factor[label] for label in y])
    np.testing.assert_allclose(one.weights_, other.weights_)
    total = np.unique(y, return_counts=True)[1]
    exact = LeaveOneOutWeights(class_weight=dict(zip(["frequent", "rare"], len(y) / 2 / total, strict=True))).fit(X, y)
    np.testing.assert_allclose(LeaveOneOutWeights(class_weight="balanced").fit(X, y).weights_, exact.weights_)


# ---- errors


@pytest.mark.parametrize("cls", [LeaveOneOutWeights, RecursiveFeatureMachine])
@pytest.mark.parametrize(
    ("options", "data", "message"),
    [
        ({}, {"y": np.ones(8)}, "y is constant|at least two classes, got 1 class"),
        ({"task": "regression"}, {"y": np.ones(8)}, "y is constant, so that every kernel has the same error"),
        ({}, {"X": np.ones((8, 2))}, "needs at least two different samples, got 1"),
        ({}, {"groups": np.zeros(8)}, "groups leave out all samples together"),
        ({}, {"groups": np.zeros(3)}, "one group for each of 8 samples, got \\(3,\\)"),
        ({}, {"sample_weight": np.zeros(8)}, "all samples have weight zero"),
        ({"class_weight": "balanced"}, {}, "class_weight='balanced' is for classification, but y contains numbers"),
        ({"class_weight": {0: 0.0}}, {"y": [0, 1] * 4}, "must be positive for every class"),
        ({"max_samples": 1}, {}, "max_samples"),
        ({"task": "regression"}, {"y": list("abababab")}, "y"),
    ],
)
def test_errors_name_the_estimator_and_the_remedy(cls, options, data, message):
    rng = np.random.default_rng(0)
    given = {"X": rng.normal(size=(8, 2)), "y": rng.normal(size=8), **data}
    with pytest.raises((ValueError, TypeError), match=message) as caught:
        cls(**options).fit(**given)
    assert cls.__name__ in str(caught.value)


def test_a_kernel_without_free_parameters_is_refused(table):
    with pytest.raises(ValueError, match=r"the kernel linear has no free parameters .* such as 0.5 \* kernel"):
        LeaveOneOutWeights(Linear()).fit(*table)


@pytest.mark.parametrize("cls", [LeaveOneOutWeights, RecursiveFeatureMachine])
def test_frames_with_texts_need_a_kernel_that_reads_them(cls):
    frame = pd.DataFrame({"number": [1.0, 2.0, 3.0], "text": ["a", "b", "a"]})
    with pytest.raises(ValueError, match=rf"{cls.__name__}: got DataFrame of shape \(3, 2\), expected a matrix"):
        cls().fit(frame, [1.0, 2.0, 4.0])


def test_factors_of_kernels_of_mixed_columns():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.normal(size=80), "b": rng.normal(size=80), "t": rng.choice(["x y", "z y"], 80)})
    y = np.sin(2 * frame["a"]) + (frame["t"] == "x y")
    kernel = 0.5 * Columns("a", RBF()) + 0.5 * Columns("b", RBF()) + 0.5 * Columns("t", BagOfWords())
    model = LeaveOneOutWeights(kernel).fit(frame, y)
    factors = [term.scale for term in model.kernel_.terms]
    assert min(factors[0], factors[2]) > 5 * factors[1]
    assert model.weights_ is None


def test_new_samples_in_frames_of_truth_values_and_sparse_matrices():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, size=(40, 3)).astype(float)
    y = X[:, 0] + X[:, 1] * X[:, 2] + 0.1 * rng.normal(size=40)
    for model in (LeaveOneOutWeights(max_iter=3), RecursiveFeatureMachine(max_iter=1)):
        expected = model.fit(X, y).transform(X)
        frame = pd.DataFrame(X.astype(bool))
        np.testing.assert_array_equal(model.transform(frame.to_numpy()), expected)
        np.testing.assert_allclose(type(model)(**model.get_params()).fit(frame, y).transform(frame), expected)
        with pytest.raises(ValueError, match="got a sparse matrix, but dense data is required"):
            model.transform(sp.csr_array(X))
