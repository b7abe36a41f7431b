"""Learned weights of columns, as bars beside the path of learning."""

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from mercer.feature_learning import LeaveOneOutWeights, RecursiveFeatureMachine
from mercer.kernels import Polynomial
from mercer.plots import ColumnWeightsDisplay, blank
from mercer.ridge import KernelRidge


@pytest.fixture(scope="module")
def table():
    X = np.random.default_rng(0).normal(size=(60, 3))
    return X, np.sin(2 * X[:, 1])


def _ticks(ax):
    return [label.get_text() for label in ax.get_yticklabels()]


def test_bars_are_sorted_and_the_path_stands_beside(ax, table):
    model = make_pipeline(StandardScaler(), LeaveOneOutWeights(max_iter=3), KernelRidge()).fit(*table)
    display = ColumnWeightsDisplay.from_estimator(model, ax=ax)
    learner = model[1]
    assert [bar.get_width() for bar in display.bars_] == sorted(learner.shares_, reverse=True)
    assert _ticks(display.ax_)[0] == "x1"
    assert display.ax_.get_xlabel() == "share of the distance"
    assert np.array_equal(display.line_.get_ydata(), learner.objective_path_)
    assert [one.get_ylabel() for one in display.axes_] == ["", "objective"]
    assert display.chosen_ is None


def test_the_chosen_iterate_is_marked(ax, table):
    model = RecursiveFeatureMachine(max_iter=2).fit(*table)
    display = ColumnWeightsDisplay.from_estimator(model, ax=ax)
    assert display.chosen_.get_xdata() == [model.best_iter_]
    assert display.axes_[1].get_ylabel() == "leave-one-out R²"


def test_small_shares_are_summed():
    display = ColumnWeightsDisplay(list("abcd"), [0.1, 0.5, 0.1, 0.3]).plot(blank()[1], max_columns=2)
    assert _ticks(display.ax_) == ["b", "d", "2 others"]
    assert display.bars_[2].get_width() == pytest.approx(0.2)
    assert display.line_ is None
    unsorted = ColumnWeightsDisplay(list("abcd"), [0.1, 0.5, 0.1, 0.3]).plot(blank()[1], sort=False)
    assert _ticks(unsorted.ax_) == list("abcd")


def test_errors(table):
    with pytest.raises(ValueError, match="expected one number for each of 2 columns"):
        ColumnWeightsDisplay(["a", "b"], [1.0])
    with pytest.raises(TypeError, match="expected a fitted LeaveOneOutWeights or RecursiveFeatureMachine"):
        ColumnWeightsDisplay.from_estimator(KernelRidge().fit(*table))
    without = LeaveOneOutWeights(1.0 * Polynomial(gamma=1.0), max_iter=1).fit(*table)
    with pytest.raises(TypeError, match="with weights of columns"):
        ColumnWeightsDisplay.from_estimator(without)
