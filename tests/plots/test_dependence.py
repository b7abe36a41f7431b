"""Plots of partial dependence and importances: what they draw is what was computed."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator

from mercer.explain import KernelExpansion, importances, partial_dependence
from mercer.plots import ImportancesDisplay, PartialDependenceDisplay, blank
from mercer.ridge import KernelRidge


@pytest.fixture
def f(rng):
    return KernelExpansion("rbf(gamma=0.2)", rng.normal(size=(30, 3)), rng.normal(size=(30, 2)))


def test_curves(f, rng, ax):
    X = rng.normal(size=(40, 3))
    found = partial_dependence(f, X, 1)
    one = found.of_output(1)
    display = PartialDependenceDisplay.from_dependence(found, output=1, max_rows=10, ax=ax)
    (line,) = display.lines_
    np.testing.assert_allclose(line.get_xdata(), one.values)
    np.testing.assert_allclose(line.get_ydata(), one.average)
    paths = display.individual_.get_segments()
    assert len(paths) == 10
    for path, curve in zip(paths, one.individual[::4], strict=True):
        np.testing.assert_allclose(path[:, 1], curve)
    np.testing.assert_allclose(
        display.marks_.get_xdata(), np.quantile(X[:, 1], np.arange(1, 10) / 10, method="nearest")
    )
    low, high = ax.get_ylim()
    assert low <= one.individual[::4].min()
    assert one.individual[::4].max() <= high


def test_outputs_have_curves_of_their_own(f, rng, ax):
    found = partial_dependence(f, rng.normal(size=(40, 3)), 0)
    display = PartialDependenceDisplay(found).plot(ax)
    for o, line in enumerate(display.lines_):
        np.testing.assert_allclose(line.get_ydata(), found.average[:, o])
    assert len({line.get_linestyle() for line in display.lines_}) == 2
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["0", "1"]
    assert display.individual_ is None


def test_centred_curves_start_at_zero(f, rng, ax):
    found = partial_dependence(f, rng.normal(size=(12, 3)), 0).of_output(0)
    display = PartialDependenceDisplay.from_dependence(found, centred=True, ax=ax)
    np.testing.assert_allclose(display.lines_[0].get_ydata(), found.average - found.average[0])
    for path, curve in zip(display.individual_.get_segments(), found.individual, strict=True):
        np.testing.assert_allclose(path[:, 1], curve - curve[0])
    assert ax.get_ylabel() == "change of the score"


def test_categories_are_sorted_dots(rng, ax):
    city = rng.choice(["Rome", "Oslo", "Bern"], 40)
    X = pd.DataFrame({"city": city, "size": rng.normal(size=40)})
    model = KernelRidge(kernel="overlap[city] + linear[size]", alpha=0.1).fit(X, (city == "Rome") + X["size"])
    found = partial_dependence(model, X, "city")
    display = PartialDependenceDisplay.from_dependence(found, ax=ax)
    x = display.lines_[0].get_xdata()
    np.testing.assert_allclose(x, np.sort(found.average)[::-1])
    assert ax.get_yticklabels()[0].get_text() == "Rome"
    spans = np.array(display.individual_.get_segments())[:, :, 0]
    order = np.argsort(-found.average)
    np.testing.assert_allclose(spans.T, np.quantile(found.individual[:, order], [0.1, 0.9], axis=0))
    few = partial_dependence(model, X, "city", n_values=2)
    assert PartialDependenceDisplay(few).plot(blank()[1]).ax_.get_title() == "the 2 most frequent of 3 values"


def test_dates(ax):
    class Dated(BaseEstimator):
        def predict(self, X):
            return (X["day"] - pd.Timestamp("2024-01-01")).dt.days.to_numpy(dtype=float)

    X = pd.DataFrame({"day": pd.date_range("2024-01-01", periods=10)})
    found = partial_dependence(Dated(), X, "day")
    display = PartialDependenceDisplay.from_dependence(found, ax=ax)
    np.testing.assert_allclose(np.diff(display.lines_[0].get_xdata()), 1.0)
    np.testing.assert_allclose(display.lines_[0].get_ydata(), np.arange(10.0))


@pytest.mark.parametrize("n_outputs", [1, 2])
def test_bars_are_importances(rng, ax, n_outputs):
    f = KernelExpansion("rbf(gamma=0.2)", rng.normal(size=(30, 5)), rng.normal(size=(30, n_outputs)))
    found = importances(f, rng.normal(size=(10, 5)), rng.normal(size=(4, 5)))
    display = ImportancesDisplay.from_importances(found, max_players=3, ax=ax)
    assert display.names_ == [*found.names[:3], "2 more"]
    values = found.values.reshape(5, -1)
    for o, bars in enumerate(display.bars_):
        widths = [bar.get_width() for bar in bars]
        np.testing.assert_allclose(widths, [*values[:3, o], values[3:, o].sum()])
    ends = [bar.get_x() + bar.get_width() for bar in display.bars_[-1]]
    np.testing.assert_allclose(ends[:3], found.totals[:3])
    assert (ax.get_legend() is None) == (n_outputs == 1)
    assert [text.get_text() for text in display.texts_][:3] == [f"{total:.3g}" for total in found.totals[:3]]


def test_refusals():
    with pytest.raises(TypeError, match="expected the PartialDependence"):
        PartialDependenceDisplay.from_dependence([1.0])
    with pytest.raises(TypeError, match="expected the Importances"):
        ImportancesDisplay.from_importances({"a": 1.0})
