"""Weights of kernels and contributions of features, as bars."""

from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from mercer.explain import top_features
from mercer.kernels import RBF, Columns, Linear
from mercer.kernels.strings import Spectrum
from mercer.multiple_kernel import MKLClassifier, MKLRegressor
from mercer.plots import ContributionsDisplay, KernelWeightsDisplay, blank
from mercer.plots.style import NEGATIVE, POSITIVE
from mercer.svm import SVC


def _widths(bars):
    return [float(bar.get_width()) for bar in bars]


def _ticks(ax):
    return [label.get_text() for label in ax.get_yticklabels()]


def _texts(ax):
    return [text.get_text() for text in ax.texts]


def test_weights_of_a_sum(ax):
    kernel = 0.25 * RBF(gamma=2.0) + Linear() + 0.001 * RBF(gamma=0.1) * Linear()
    display = KernelWeightsDisplay.from_kernel(kernel, ax=ax)
    assert _widths(display.bars_) == [0.25, 1.0, 0.001]
    assert _ticks(display.ax_) == ["rbf(gamma=2)", "linear", "rbf(gamma=0.1)*linear"]
    assert _texts(display.ax_) == ["0.25", "1.00", "< 0.01"]
    assert display.ax_.get_ylim()[0] > display.ax_.get_ylim()[1]  # the first on top
    assert display.alignment_bars_ is None
    assert KernelWeightsDisplay.from_kernel(Linear(), ax=blank()[1]).names == ["linear"]
    assert _widths(KernelWeightsDisplay.from_kernel("2*rbf + 3*linear", ax=blank()[1]).bars_) == [2.0, 3.0]


def test_folds_are_means_with_spread_and_alignment_stands_beside(ax):
    weights = np.array([[0.2, 0.8], [0.4, 0.6], [0.3, 0.7]])
    display = KernelWeightsDisplay(["a", "b"], weights, alignment=[0.5, -0.1]).plot(ax)
    assert _widths(display.bars_) == pytest.approx([0.3, 0.7])
    whiskers = display.bars_.errorbar.lines[2][0].get_segments()
    assert whiskers[0][:, 0] == pytest.approx([0.2, 0.4])  # 0.3 ± the standard deviation 0.1
    assert len(display.dots_[0].get_offsets()) == 6
    left, right = display.axes_
    assert _widths(display.alignment_bars_) == [0.5, -0.1]
    assert left.get_xlabel() == "weight\nmean ± std of 3 folds"
    assert right.get_xlabel() == "alignment"
    assert left.get_ylim() == right.get_ylim()
    assert right.get_xlim()[0] < -0.1
    assert _texts(right) == ["0.50", "−0.10"]


def test_candidates_and_estimators(moons):
    rows = [("rbf", 0.7, 0.5), ("linear", 0.3, np.nan), ("weighted sum", None, 0.6)]
    candidates = [SimpleNamespace(name=n, weight=w, alignment=a) for n, w, a in rows]
    display = KernelWeightsDisplay.from_estimator(SimpleNamespace(candidates_=candidates), ax=blank()[1])
    assert display.names == ["rbf", "linear", "weighted sum"]
    assert _texts(display.axes_[0]) == ["0.70", "0.30", "–"]
    assert _texts(display.axes_[1]) == ["0.50", "–", "0.60"]
    X, y = moons
    model = make_pipeline(StandardScaler(), SVC(kernel=2.0 * RBF(gamma=1.0) + Linear())).fit(X, y)
    assert _widths(KernelWeightsDisplay.from_estimator(model, ax=blank()[1]).bars_) == [2.0, 1.0]


@pytest.fixture(scope="module")
def learned():
    X = np.random.default_rng(0).normal(size=(60, 3))
    y = X[:, 0] + 0.3 * X[:, 1] ** 2
    kernels = [Columns([2], RBF(gamma=0.123456789)), Columns([0], RBF()), Columns([1], RBF())]
    return kernels, X, y


def test_learned_weights_without_data_are_those_of_the_model(learned):
    kernels, X, y = learned
    model = MKLClassifier(kernels).fit(X, y > 0)
    display = KernelWeightsDisplay.from_estimator(model, ax=blank()[1])
    assert _widths(display.bars_) == model.weights_.tolist()
    assert _ticks(display.ax_)[0] == "rbf(gamma=0.123)[2]"
    assert display.fitted_ is None
    assert display.ax_.get_xlabel() == "weight"


@pytest.mark.parametrize("kind", ["classes", "numbers"])
def test_learned_weights_over_resamples(learned, kind):
    kernels, X, y = learned
    model = (MKLClassifier(kernels).fit(X, y > 0)) if kind == "classes" else MKLRegressor(kernels).fit(X, y)
    target = y > 0 if kind == "classes" else y
    before = model.weights_.copy()
    display = KernelWeightsDisplay.from_estimator(model, X, target, n_resamples=5, ax=blank()[1])
    assert display.weights.shape == (5, 3)
    np.testing.assert_allclose(display.weights.sum(axis=1), 1.0)
    assert _widths(display.bars_) == pytest.approx(display.weights.mean(axis=0))
    assert len(display.bars_.errorbar.lines[2][0].get_segments()) == 3
    np.testing.assert_array_equal(display.fitted, before)
    np.testing.assert_array_equal(model.weights_, before)
    assert [line[0, 0] for line in display.fitted_.get_segments()] == before.tolist()
    assert display.ax_.get_xlabel() == "weight\nmean ± std of 5 resamples"
    assert [text.get_text() for text in display.ax_.get_legend().get_texts()] == ["all samples"]
    assert len(_ticks(display.ax_)) == 3  # also those of weight zero
    again = KernelWeightsDisplay.from_estimator(model, X, target, n_resamples=5, ax=blank()[1])
    other = KernelWeightsDisplay.from_estimator(model, X, target, n_resamples=5, random_state=1, ax=blank()[1])
    np.testing.assert_array_equal(again.weights, display.weights)
    assert not np.array_equal(other.weights, display.weights)


def test_a_resample_is_a_fit_to_repeated_samples(learned):
    kernels, X, y = learned
    model = MKLClassifier(kernels, tol=1e-6).fit(X, y > 0)
    display = KernelWeightsDisplay.from_estimator(model, X, y > 0, n_resamples=2, ax=blank()[1])
    draw = np.random.RandomState(0)
    rows = np.concatenate([draw.choice(np.flatnonzero((y > 0) == c), size=((y > 0) == c).sum()) for c in (False, True)])
    refit = MKLClassifier(list(model.kernels_), tol=1e-6).fit(X[rows], y[rows] > 0)
    np.testing.assert_allclose(display.weights[0], refit.weights_, atol=1e-4)


def test_sorted_bars_of_a_pipeline_and_of_gram_matrices(learned):
    kernels, X, y = learned
    model = make_pipeline(StandardScaler(), MKLClassifier(kernels)).fit(X, y > 0)
    display = KernelWeightsDisplay.from_estimator(model, X, y > 0, n_resamples=3, sort=True, ax=blank()[1])
    widths = _widths(display.bars_)
    assert widths == sorted(widths, reverse=True)
    assert _ticks(display.ax_)[0].endswith("[0]")
    matrices = np.stack([k(X) for k in kernels])
    precomputed = MKLClassifier("precomputed").fit(matrices, y > 0)
    display = KernelWeightsDisplay.from_estimator(precomputed, matrices, y > 0, n_resamples=2, ax=blank()[1])
    assert display.names == ["kernel 0", "kernel 1", "kernel 2"]


def test_resamples_that_cannot_be_are_refused(learned, moons):
    kernels, X, y = learned
    model = MKLClassifier(kernels).fit(X, y > 0)
    with pytest.raises(ValueError, match="got y=None, but resamples need the targets"):
        KernelWeightsDisplay.from_estimator(model, X)
    with pytest.raises(ValueError, match="n_resamples"):
        KernelWeightsDisplay.from_estimator(model, X, y > 0, n_resamples=1)
    with pytest.raises(TypeError, match=r"got SVC.*, but resamples need a fitted MKLClassifier or MKLRegressor"):
        KernelWeightsDisplay.from_estimator(SVC().fit(*moons), *moons)


def test_long_names_are_wrapped(ax):
    name = "normalized(spectrum(p=3))[sequence]*rbf(gamma=2) + " * 4
    display = KernelWeightsDisplay([name, "b"], [0.5, 0.5]).plot(ax, height=0.2)
    assert max(map(len, _ticks(display.ax_)[0].splitlines())) <= 41
    assert display.bars_[0].get_height() == 0.2


def test_weights_that_do_not_fit_are_refused(ax):
    with pytest.raises(ValueError, match=r"got weights = .*, expected one number for each of 2 kernels"):
        KernelWeightsDisplay(["a", "b"], [1.0])
    with pytest.raises(ValueError, match="got alignment = "):
        KernelWeightsDisplay(["a", "b"], [1.0, 2.0], alignment=[1.0])
    with pytest.raises(TypeError, match="got 3, expected a kernel or its text form"):
        KernelWeightsDisplay.from_kernel(3, ax=ax)
    with pytest.raises(TypeError, match="got None"):
        KernelWeightsDisplay.from_estimator(SVC(kernel="precomputed").fit(np.eye(2), [0, 1]), ax=ax)


@pytest.fixture(scope="module")
def explanation():
    words = ["GATTACA", "TTATTA", "ATTAGC", "CCGC", "GGCC", "CGCGAT"]
    model = SVC(kernel=Spectrum(2)).fit(words, ["at"] * 3 + ["gc"] * 3)
    return top_features(model, "GATTAGCGC", n=4)


def test_contributions_add_up_and_have_two_colours_and_signs(ax, explanation):
    from matplotlib.colors import to_hex

    display = ContributionsDisplay.from_explanation(explanation, ax=ax)
    assert sum(_widths(display.bars_)) == pytest.approx(explanation.decision)
    more = f"{explanation.n_rest} more"
    assert _ticks(ax) == [*explanation.names, more, "intercept"]
    for bar, text in zip(display.bars_, display.texts_, strict=True):
        up = bar.get_width() >= 0
        assert to_hex(bar.get_facecolor()) == (POSITIVE if up else NEGATIVE).lower()
        assert text.get_text()[0] == ("+" if up else "−")
    assert [bar.get_alpha() for bar in display.bars_] == [None] * 4 + [0.45] * 2
    assert ax.get_title() == f"decision for {explanation.output!r}: {explanation.decision:+.3g}".replace("-", "−")
    low, high = ax.get_xlim()
    assert low < min(_widths(display.bars_))
    assert high > max(_widths(display.bars_))


def test_without_a_rest_there_is_no_bar_for_it(ax, explanation):
    from dataclasses import replace

    whole = replace(explanation, n_rest=0, names=["$a", "_b", "c" * 50, "d"])
    display = ContributionsDisplay.from_explanation(whole, ax=ax, height=0.3)
    assert [name.strip() for name in _ticks(ax)] == [r"\$a", "_b", "c" * 21 + "…" + "c" * 10, "d", "intercept"]
    assert display.bars_[0].get_height() == 0.3
    display.figure_.draw_without_rendering()


def test_other_things_are_refused(ax):
    with pytest.raises(TypeError, match="got 3, expected the Explanation that top_features returns"):
        ContributionsDisplay.from_explanation(3, ax=ax)
