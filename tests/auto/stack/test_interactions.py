"""Interactions of columns in stacks: rules over categories, machines, files, explanations."""

import numpy as np
import pytest

from mercer.auto import AutoClassifier, AutoRegressor
from mercer.auto.stack import Layout, StackedClassifier, stack
from mercer.auto.stack.kernels import configs
from mercer.explain import shapley_values
from mercer.persistence import load, save


def pair_rules(n, seed=0):
    """Eight columns of categories and a sum of three tables, each of two of the columns."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 4, (n, 8))
    y = sum(rng.normal(size=(4, 4))[codes[:, j], codes[:, j + 1]] for j in (0, 2, 4))
    return {f"c{j}": np.array(list("abcd"))[codes[:, j]] for j in range(8)}, y


def test_interactions_of_columns_solve_rules(monkeypatch, tmp_path):
    X, y = pair_rules(650)
    train, test = ({name: column[rows] for name, column in X.items()} for rows in (slice(250), slice(250, None)))
    model = AutoRegressor().fit(train, y[:250])
    best = model.candidates_[0]
    assert best.name == "interactions of up to 2 columns"
    weights = np.array(best.kernel.kernel.weights)
    assert weights[6:].max() < 0.05 * weights[:6].min()  # no rule reads the last two columns
    monkeypatch.setattr(stack, "configs", lambda layout: [c for c in configs(layout) if not c.interactions])
    without = AutoRegressor().fit(train, y[:250])
    assert 1 - model.score(test, y[250:]) < 0.05 * (1 - without.score(test, y[250:]))

    save(model, tmp_path / "model.mercer")
    assert np.array_equal(load(tmp_path / "model.mercer").predict(test), model.predict(test))
    found = shapley_values(model, {name: column[:3] for name, column in test.items()}, train)
    np.testing.assert_allclose(found.base + found.values.sum(axis=1), found.score, atol=1e-9)
    assert np.abs(found.values[:, 6:]).max() < 0.02 * np.abs(found.values[:, :6]).max()


def test_support_vector_machines_learn_from_interactions():
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 3, (150, 4))
    X = {f"c{j}": np.array(list("xyz"))[codes[:, j]] for j in range(4)}
    wins = ((codes[:, 0] == 0) & (codes[:, 1] == 0)) | ((codes[:, 2] == 1) & (codes[:, 3] == 1))
    drafts, weigh = [], StackedClassifier._weigh

    def weighed(self, found, *args):
        drafts.extend(found)
        return weigh(self, found, *args)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(StackedClassifier, "_weigh", weighed)
        model = AutoClassifier().fit(X, wins)
    kinds = {(draft.learned.kind, type(draft.machine).__name__) for draft in drafts}
    assert {("interactions", "LeafRidge"), ("interactions", "SVC")} <= kinds
    assert model.score(X, wins) > 0.98


def test_interactions_need_two_columns_of_categories():
    layouts = [Layout((0, 1), (2, 3), codes) for codes in ((), (4,), (4, 5))]
    assert [sum(c.interactions for c in configs(layout)) for layout in layouts] == [0, 0, 1]
