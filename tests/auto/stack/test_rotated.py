"""Rotated columns as candidates: the kernel by hand, the comparison, files, explanations, limits."""

import pickle

import numpy as np
import pytest

from mercer.auto import AutoClassifier, AutoRegressor, code
from mercer.auto.clock import Clock
from mercer.auto.stack import Layout, LeafRidge, kernels
from mercer.auto.stack.kernels import ROTATED, Config, Control, LearnedKernel, Teacher
from mercer.auto.stack.plan import Plan
from mercer.auto.stack.rotated import rotated_starts, weighted_columns
from mercer.explain import partial_dependence, shapley_values
from mercer.feature_learning import agop, column_kernel, column_weights
from mercer.kernels import LinearMap, WeightedColumns
from mercer.persistence import load, save

GO_ON = Control(lambda: None)


def oblique(n, seed=0):
    """Three numbers and a category; the target depends on a combination of the numbers."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    city = rng.choice(["Rome", "Oslo"], n)
    y = np.sin(2 * (X[:, 0] + X[:, 1] + X[:, 2])) + (city == "Rome") + 0.05 * rng.normal(size=n)
    return {"a": X[:, 0], "b": X[:, 1], "c": X[:, 2], "city": city}, y


def some(X, rows):
    return {name: column[rows] for name, column in X.items()}


@pytest.fixture
def teacher(rng):
    X = np.column_stack([rng.normal(size=(150, 3)), rng.integers(0, 2, 150)])
    Y = np.sin(2 * X[:, :3].sum(axis=1))[:, None] + X[:, 3:] - 0.5
    return Teacher("regression", Layout((0, 1, 2), (0, 1, 2), (3,)), X, Y, None, None)


@pytest.fixture(scope="module")
def model():
    return AutoRegressor().fit(*oblique(160))


def test_starts_are_kernels_of_eigenvectors_by_hand(teacher):
    X, kernel = teacher.X, column_kernel(teacher.X, (3,), p=2.0)
    coef = np.linalg.solve(kernel(X) + 0.1 * np.eye(150), teacher.Y)
    starts = rotated_starts(kernel, X, coef, 3, None)
    values, vectors = np.linalg.eigh(agop(kernel, X, coef)[:3, :3])
    scaled = X[:, :3] @ (vectors[:, ::-1] * np.sqrt(values[::-1] / values[-1]))
    part, *others = starts[1].terms
    assert isinstance(part, LinearMap)
    inner = part.kernel
    weight = inner.weights[0]
    assert inner.weights[:3] == (weight,) * 3
    assert inner.weights[3] == kernel.terms[0].weights[3]
    square = weight * np.square(scaled[:, None] - scaled).sum(axis=2) + inner.weights[3] * (X[:, None, 3] != X[:, 3])
    np.testing.assert_allclose(part(X), np.exp(-(square**inner.g)), atol=1e-3)  # coefficients have four digits
    for one, other in zip(others, kernel.terms[1:], strict=True):
        np.testing.assert_allclose(one(X), other(X), rtol=1e-12)
    assert [one.terms[0].kernel.weights[0] / weight for one in starts] == pytest.approx([0.25, 1, 4])


def test_rotation_is_kept_only_if_it_is_clearly_better(teacher):
    rows, none = np.arange(150), np.zeros(0, dtype=np.int64)
    found = teacher.teach(Config("z", 2.0), rows, none, None, GO_ON)
    one = teacher.rotated(found, rows, none, None, GO_ON)[0]
    assert one.kind == ROTATED
    assert one.name == "rotated columns of z-scores, p = 2"
    assert one.error < 0.5 * min(other.error for other in found)
    fit = teacher.loss(rows).fit(one.kernel(teacher.X), one.alpha)
    assert one.error == pytest.approx(np.square(fit.residuals).mean())
    for factor, kept in ((1.01, True), (0.99, False)):
        best = LearnedKernel(
            found[1].config, found[1].kind, found[1].kernel, found[1].alpha, factor * one.error / kernels.PAYS
        )
        assert bool(teacher.rotated([best], rows, none, None, GO_ON)) == kept


def test_rotation_needs_two_numbers_and_squared_differences(teacher):
    rows, none = np.arange(150), np.zeros(0, dtype=np.int64)
    found = teacher.teach(Config("z", 1.0), rows, none, None, GO_ON)
    assert teacher.rotated(found, rows, none, None, GO_ON) == []
    one = Teacher("regression", Layout((0,), (0,), (3,)), teacher.X, teacher.Y, None, None)
    found = one.teach(Config("z", 2.0), rows, none, None, GO_ON)
    assert one.rotated(found, rows, none, None, GO_ON) == []
    assert rotated_starts(WeightedColumns((1.0,) * 4, (3,), 2.0), teacher.X, np.zeros((150, 1)), 3, None) == []


def test_leaves_are_split_in_the_rotated_columns(teacher):
    kernel = LinearMap(WeightedColumns((4.0, 1.0, 2.0), (2,), 2.0), np.ones((3, 2)))
    image, weights = weighted_columns(kernel + 0.1 * kernel, teacher.X)
    np.testing.assert_allclose(image[:, 0], teacher.X[:, :3].sum(axis=1))
    assert weights.tolist() == [4.0, 1.0, 2.0]
    ridge = LeafRidge(kernel, 2.0, [3], leaf=40)
    honest = ridge.fit(teacher.X, teacher.Y, [0.1], np.ones(150, dtype=bool))
    assert len(ridge.children_) > 1
    assert ridge.directions_.shape[1] == 4  # two combinations, two categories
    assert np.isfinite(honest).all()
    assert np.isnan(column_weights(kernel, 4)).all()  # no weights of single columns


def test_automatic_models_find_combinations(model, monkeypatch):
    train, y = oblique(160)
    test, truth = oblique(400, seed=1)
    assert model.candidates_[0].name.startswith("rotated columns")
    assert model.kernel_.definiteness.value == "psd"
    monkeypatch.setattr(kernels, "PAYS", 0.0)
    without = AutoRegressor().fit(train, y)
    assert 1 - model.score(test, truth) < 0.5 * (1 - without.score(test, truth))


def test_classes_and_regions(small_limits):
    small_limits(ALL=50, DIRECT=60, LEAF=60, AGAIN=20, LEARNED=100, RANKED=40)
    X, y = oblique(300)
    model = AutoClassifier().fit(X, y > 0.5)
    assert any("rotated" in candidate.name for candidate in model.candidates_)
    rows = some(X, slice(0, 5))
    found = shapley_values(model, rows, some(X, slice(50, 56)))
    np.testing.assert_allclose(found.base + found.values.sum(axis=1), found.score, atol=1e-8)
    assert not found.sampled


def test_files_pickles_and_code(model, tmp_path):
    X, _ = oblique(20, seed=2)
    save(model, tmp_path / "model.mercer")
    for other in (load(tmp_path / "model.mercer"), pickle.loads(pickle.dumps(model))):
        np.testing.assert_array_equal(other.predict(X), model.predict(X))
    assert "AutoRegressor().fit(X, y)" in code(model, "table.csv", "y")


def test_explanations_are_exact(model):
    X, _ = oblique(160)
    rows, background = some(X, slice(0, 4)), some(X, slice(50, 56))
    found = shapley_values(model, rows, background, interactions=True)
    assert not found.sampled
    assert found.error < 1e-6
    np.testing.assert_allclose(found.base + found.values.sum(axis=1), model.predict(rows), atol=1e-7)
    np.testing.assert_allclose(found.interactions.sum(axis=2), found.values, atol=1e-9)
    curves = partial_dependence(model, rows, "a", n_values=4)
    assert curves.method == "expansion"
    for i, value in enumerate(curves.values):
        moved = model.predict({**rows, "a": np.full(4, value)})
        np.testing.assert_allclose(curves.individual[:, i], moved, atol=1e-7)


def test_time_limits_leave_rotation_out():
    model = AutoRegressor(time_limit=1e-9).fit(*oblique(80))
    assert "Time limit: rotated columns were left out." in model.notes_
    X, y = oblique(80)
    model = AutoRegressor(time_limit=1e-9).fit({"a": X["a"], "city": X["city"]}, y)
    assert not any("rotated" in note for note in model.notes_)  # one number cannot be rotated


def test_learning_asks_whether_to_go_on(teacher):
    rows, none = np.arange(150), np.zeros(0, dtype=np.int64)
    found = teacher.teach(Config("z", 2.0), rows, none, None, GO_ON)

    def interrupted():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        teacher.rotated(found, rows, none, None, Control(interrupted))
    asked = []
    teacher.rotated(found, rows, none, None, Control(lambda: asked.append(1), lambda: True))
    assert len(asked) <= 6  # three starting points, and an end after the first question of each stage


def test_plans_count_the_work_of_rotation():
    plan = Plan(1000, 10, 600, Clock())
    assert 0 < plan.rotating < plan.teaching


def test_many_columns_are_not_rotated(rng):
    """Shapley values of automatic models stay exact."""
    assert Layout((0, 1), (2, 3), (4,)).rotates
    assert not Layout((0,), (1,), (2, 3)).rotates
    assert not Layout(tuple(range(9)), tuple(range(9, 18)), ()).rotates
    X = rng.normal(size=(120, 9))
    model = AutoRegressor().fit(X, np.sin(2 * X[:, :2].sum(axis=1)))
    assert not any(candidate.name.startswith("rotated") for candidate in model.candidates_)
    found = shapley_values(model, X[:2], X[2:8])
    assert not found.sampled
    np.testing.assert_allclose(found.base + found.values.sum(axis=1), found.score, atol=1e-8)
