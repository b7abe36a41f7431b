"""Mistakes of perceptrons: curves, machines, bounds."""

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from mercer.kernels import RBF
from mercer.perceptron import KernelPerceptron, Perceptron
from mercer.plots import MistakesDisplay, blank
from mercer.svm import SVC


def test_two_classes_have_one_curve_and_its_bound(ax):
    model = Perceptron().fit([[2, 1], [1, 3], [-1, 1], [-2, -1]], [1, 1, 0, 0])
    display = MistakesDisplay.from_estimator(model, ax=ax)
    (line,) = display.lines_
    assert line.get_xdata().tolist() == list(range(model.n_iter_ + 1))
    assert line.get_ydata().tolist() == [0, *model.mistakes_[0].cumsum()]
    assert display.bounds_[0].get_ydata()[0] == model.novikoff_bound_[0]
    assert [t.get_text() for t in display.legend_.get_texts()] == [
        "mistakes",
        f"bound R²/γ² = {model.novikoff_bound_[0]:.0f}",
    ]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("passes", "cumulative mistakes")


def test_each_pass(ax, moons):
    X, y = moons
    model = KernelPerceptron(RBF(gamma=0.5)).fit(X, y)
    display = MistakesDisplay.from_estimator(model, cumulative=False, ax=ax, color="red")
    assert display.lines_[0].get_xdata().tolist() == list(range(1, model.n_iter_ + 1))
    assert display.lines_[0].get_ydata().tolist() == model.mistakes_[0].tolist()
    assert display.lines_[0].get_color() == "red"
    assert display.bounds_ == []
    assert display.legend_ is None


def test_a_bound_far_above_is_told_and_drawn_only_if_asked_for():
    mistakes = np.array([[5, 1, 0]])
    display = MistakesDisplay(mistakes, names=["mistakes"], bounds=np.array([5e4])).plot(blank()[1])
    assert display.ax_.get_yscale() == "linear"
    assert len(display.bounds_[0].get_ydata()) == 0
    assert display.legend_.get_texts()[1].get_text() == "bound R²/γ² = 50000, far above"
    display.plot(blank()[1], bound=True)
    assert display.ax_.get_yscale() == "symlog"
    assert display.bounds_[0].get_ydata()[0] == 5e4
    assert display.plot(blank()[1], bound=False).bounds_ == []
    none = MistakesDisplay(mistakes, names=["mistakes"], bounds=np.array([np.nan])).plot(blank()[1], bound=True)
    assert none.bounds_ == []
    assert MistakesDisplay(mistakes, names=["mistakes"]).plot(blank()[1], bound=True).bounds_ == []


def test_more_classes_have_a_curve_each(ax, blobs):
    X, y = blobs
    model = make_pipeline(StandardScaler(), KernelPerceptron(RBF(gamma=5.0))).fit(X, y)
    display = MistakesDisplay.from_estimator(model, ax=ax)
    assert [line.get_ydata()[-1] for line in display.lines_] == model[-1].mistakes_.sum(axis=1).tolist()
    assert [t.get_text() for t in display.legend_.get_texts()] == ["0", "1", "2", "3"]
    assert len({(line.get_color(), line.get_marker()) for line in display.lines_}) == 4
    assert display.bounds_ == []
    finite = np.isfinite(model[-1].novikoff_bound_).sum()
    assert len(display.plot(blank()[1], bound=True).bounds_) == finite


def test_streams_of_many_passes(ax, moons):
    X, y = moons
    stream = KernelPerceptron(RBF(gamma=1.0))
    for rows in np.array_split(np.arange(60), 50):
        stream.partial_fit(X[rows], y[rows], classes=["left", "right"])
    display = MistakesDisplay.from_estimator(stream, ax=ax)
    assert len(display.lines_[0].get_xdata()) == 51
    assert display.lines_[0].get_markersize() == 0


def test_other_models_are_refused(ax, moons):
    with pytest.raises(TypeError, match=r"got SVC.*, expected a fitted perceptron of mercer"):
        MistakesDisplay.from_estimator(SVC().fit(*moons), ax=ax)
