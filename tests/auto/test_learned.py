"""Learned kernels of numbers and categories beside columns of texts."""

import numpy as np
from sklearn.metrics import log_loss

from mercer.auto import AutoClassifier, TablePreparer
from mercer.auto.clock import Clock
from mercer.auto.learned import learned_proposals


def table(n, seed=0):
    """A target that depends on a word, on a category and on one of four numbers."""
    rng = np.random.default_rng(seed)
    size, noise = rng.normal(size=n), rng.normal(size=(3, n))
    colour, good = rng.choice(["red", "blue", "green"], n), rng.random(n) < 0.5
    review = [f"{'good' if g else 'bad'} tea at table number {i}" for i, g in enumerate(good)]
    value = np.sin(2 * size) + (colour == "red") + good + 0.3 * rng.normal(size=n)
    numbers = {f"noise {i}": column for i, column in enumerate(noise)}
    return {"size": size, **numbers, "colour": colour, "review": review}, value


def test_rows_that_teach_are_not_compared_on():
    X, y = table(300)
    prepared = TablePreparer().fit(X).transform(X)
    found, taught = learned_proposals("regression", prepared, y, None, None, random_state=0, n_jobs=1, clock=Clock())
    assert len(taught) == 100
    assert {proposal.name for proposal in found} == {
        f"{kind} weights of numbers and categories, p = {p}" for kind in ("equal", "column") for p in (1, 2)
    }
    assert all(set(p.forms[0].columns) == set(X) - {"review"} for p in found)


def test_learned_weights_help():
    X, y = table(320)
    new, truth = table(400, seed=1)
    learned, plain = (AutoClassifier(simple=simple).fit(X, y > 1) for simple in (False, True))
    assert any("Weights of columns were learned on" in note for note in learned.notes_)
    assert sum("column weights" in candidate.name for candidate in learned.candidates_) == 2
    assert "review" in str(learned.kernel_)
    losses = [log_loss(truth > 1, model.predict_proba(new)) for model in (learned, plain)]
    assert losses[0] < losses[1]


def test_few_rows_learn_nothing():
    X, y = table(120)
    model = AutoClassifier().fit(X, y > 1)
    assert not any("column weights" in candidate.name for candidate in model.candidates_)
