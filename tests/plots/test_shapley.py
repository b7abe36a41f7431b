"""Plots of Shapley values: what they draw is what was computed."""

from itertools import pairwise

import numpy as np
import pytest

from mercer.explain import KernelExpansion, shapley_values
from mercer.plots import ShapleyDisplay, blank
from mercer.plots.style import NEGATIVE, POSITIVE


@pytest.fixture
def found(rng):
    points = rng.normal(size=(30, 5))
    f = KernelExpansion("rbf(gamma=0.2)", points, rng.normal(size=(30, 2)))
    return shapley_values(f, rng.normal(size=(40, 5)), points[:8], players={"both": [0, 1]})


def test_bars_are_means(found, ax):
    display = ShapleyDisplay.from_values(found, output=1, kind="bar", ax=ax)
    widths = [bar.get_width() for bar in display.bars_]
    assert widths == sorted(widths, reverse=True)
    np.testing.assert_allclose(sorted(widths), sorted(np.abs(found.values[..., 1]).mean(axis=0)))
    assert [label.get_text() for label in ax.get_yticklabels()] == display.names_
    assert set(display.names_) == {"both", "x2", "x3", "x4"}


def test_dots_are_values(found, ax):
    display = ShapleyDisplay.from_values(found, output=0, max_players=2, ax=ax)
    one = found.of_output(0)
    assert display.names_[-1] == "2 more"
    assert len(display.dots_) == 3
    order = np.argsort(-one.importance)
    for dots, j in zip(display.dots_[:2], order[:2], strict=True):
        np.testing.assert_allclose(dots.get_offsets()[:, 0], one.values[:, j])
    rest = one.values[:, order[2:]].sum(axis=1)
    np.testing.assert_allclose(display.dots_[-1].get_offsets()[:, 0], rest)
    assert np.abs(display.dots_[0].get_offsets()[:, 1]).max() <= 0.5


def test_a_waterfall_leads_to_the_score(found, ax):
    one = found.of_output(1)
    display = ShapleyDisplay(one, max_players=3).plot(ax, kind="waterfall", row=7)
    bars = list(display.bars_)
    assert bars[0].get_x() + bars[0].get_width() == pytest.approx(one.score[7])
    assert bars[-1].get_x() == pytest.approx(one.base)
    for above, below in pairwise(bars):
        assert above.get_x() == pytest.approx(below.get_x() + below.get_width())
    from matplotlib.colors import to_hex

    for bar in bars:
        assert to_hex(bar.get_facecolor()).upper() == (POSITIVE if bar.get_width() >= 0 else NEGATIVE)
    assert not any("both =" in name for name in display.names_)
    assert any(" = " in name for name in display.names_)
    assert len(display.texts_) == len(bars)


def test_rows_that_are_alike(ax):
    f = KernelExpansion("linear", [[1.0, 2.0]], [1.0])
    found = shapley_values(f, [[1.0, 1.0]] * 3, [[1.0, 1.0]])
    for kind in ("beeswarm", "bar", "waterfall"):
        ShapleyDisplay.from_values(found, kind=kind, ax=blank()[1])


def test_refusals(found):
    with pytest.raises(TypeError, match="expected the ShapleyValues"):
        ShapleyDisplay.from_values([1.0])
    with pytest.raises(ValueError, match=r"output must be one of \[0, 1\]"):
        ShapleyDisplay.from_values(found)
    with pytest.raises(ValueError, match="kind must be one of 'beeswarm', 'bar', 'waterfall', got 'pie'"):
        ShapleyDisplay.from_values(found, output=0, kind="pie", ax=blank()[1])
    with pytest.raises(ValueError, match="row must be"):
        ShapleyDisplay.from_values(found, output=0, kind="waterfall", row=99, ax=blank()[1])


def test_large_numbers_are_legible(rng):
    points = rng.normal(size=(30, 2))
    f = KernelExpansion("rbf(gamma=0.2)", points, 1e5 * rng.normal(size=30))
    values = shapley_values(f, rng.normal(size=(40, 2)), points[:8])
    figure, ax = blank(4.6, 2.0)
    display = ShapleyDisplay.from_values(values, kind="bar", ax=ax)
    assert all(text.get_text().endswith("00") for text in display.texts_)  # three digits, no exponents
    figure, ax = blank(4.6, 2.0)
    ShapleyDisplay.from_values(values, kind="beeswarm", ax=ax)
    figure.draw_without_rendering()
    low, high = ax.get_window_extent().intervalx
    ends = [label.get_window_extent() for label in ax.get_xticklabels()]
    shown = [end for end in ends if low <= (end.x0 + end.x1) / 2 <= high]
    assert len(shown) >= 3
    assert all(left.x1 < right.x0 for left, right in pairwise(shown))
