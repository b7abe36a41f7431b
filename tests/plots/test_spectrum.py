"""Eigenvalues: which are drawn where, in which colour, on which scale."""

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from mercer.decomposition import ClassicalMDS, KernelPCA
from mercer.kernels import RBF, Linear, check_gram
from mercer.kernels.strings import Spectrum
from mercer.plots import COLOURS, KernelSpectrumDisplay, blank
from mercer.svm import SVC


def _legend(display):
    legend = display.ax_.get_legend()
    return [] if legend is None else [text.get_text() for text in legend.get_texts()]


def test_negative_eigenvalues_have_a_colour_and_a_marker_of_their_own(ax):
    K = np.diag([3.0, -1.0, 2.0])
    display = KernelSpectrumDisplay.from_matrix(K, center=False, ax=ax)
    assert display.positive_.get_xdata().tolist() == [1, 2]
    assert display.positive_.get_ydata().tolist() == [3, 2]
    assert display.negative_.get_xdata().tolist() == [3]
    assert display.negative_.get_ydata().tolist() == [-1]
    assert display.positive_.get_color() != display.negative_.get_color()
    assert display.positive_.get_marker() != display.negative_.get_marker()
    assert display.negative_mass == pytest.approx(1 / 6)
    assert display.negative_mass == pytest.approx(check_gram(K).negative_mass)
    assert _legend(display) == ["2 positive", "1 negative: 17 % of Σ|λ|"]
    assert ax.get_yscale() == "linear"
    assert ax.get_title() == "Gram matrix\nn = 3"


def test_the_scale_is_logarithmic_where_sizes_differ(ax):
    display = KernelSpectrumDisplay.from_matrix(np.diag([1000.0, -500.0, 1.0]), center=False, ax=ax)
    assert ax.get_yscale() == "log"
    assert display.negative_.get_ydata().tolist() == [500]
    assert "|λ|" in ax.get_ylabel()
    assert KernelSpectrumDisplay(np.array([1000.0, 1.0])).plot(blank()[1], log=False).ax_.get_yscale() == "linear"
    assert KernelSpectrumDisplay(np.array([2.0, 1.0])).plot(blank()[1], log=True).ax_.get_yscale() == "log"


def test_centring_takes_away_the_constant(ax, rng):
    X = rng.normal(size=(20, 3)) + 5
    display = KernelSpectrumDisplay.from_kernel(Linear(), X, ax=ax)
    expected = np.linalg.svd(X - X.mean(axis=0), compute_uv=False) ** 2
    assert np.allclose(display.eigenvalues[:3], expected)
    assert len(display.positive_.get_xdata()) == 3
    assert _legend(display)[1] == "17 zero up to rounding"
    raw = KernelSpectrumDisplay.from_kernel("linear", X, center=False, ax=blank()[1])
    assert np.allclose(raw.eigenvalues[:3], np.linalg.svd(X, compute_uv=False) ** 2)
    assert raw.ax_.get_title() == "linear\nn = 20"


def test_zero_up_to_rounding_is_a_line_where_it_is_near_and_a_count_where_it_is_far():
    near = KernelSpectrumDisplay(np.array([1.0, 1e-13, 0.0])).plot(blank()[1])
    assert near.rounding_.get_ydata()[0] == near.rounding == pytest.approx(30 * 2.0**-52)
    far = KernelSpectrumDisplay(np.array([1.0, 1e-3, 0.0])).plot(blank()[1])
    assert len(far.rounding_.get_ydata()) == 0
    assert _legend(far) == ["2 positive", "1 zero up to rounding"]
    assert far.ax_.get_ylim()[0] > 1e-5
    single = KernelSpectrumDisplay(np.array([1.0, 1e-6]), eps=2.0**-23).plot(blank()[1])
    assert len(single.positive_.get_ydata()) == 1


def test_all_zero(ax):
    display = KernelSpectrumDisplay.from_matrix(np.zeros((3, 3)), ax=ax)
    assert display.positive_ is None
    assert display.negative_ is None
    assert display.negative_mass == 0
    assert _legend(display) == ["3 zero up to rounding"]


def test_cumulative_share(ax):
    display = KernelSpectrumDisplay.from_matrix(np.diag([2.0, 1.0, -1.0]), center=False, cumulative=True, ax=ax)
    assert display.share_.get_ydata().tolist() == [0.5, 0.75, 1.0]
    assert display.share_.get_color() == COLOURS[2]
    assert display.share_ax_.get_ylim() == (0, 1.03)
    assert _legend(display)[-1] == "cumulative fraction (right)"
    assert KernelSpectrumDisplay(np.ones(2)).plot(blank()[1]).share_ is None


def test_of_many_samples_a_choice_is_taken_and_told(ax, rng):
    X = rng.normal(size=(60, 2))
    display = KernelSpectrumDisplay.from_kernel(RBF(gamma=1.0), X, center=False, max_samples=25, ax=ax)
    assert len(display.eigenvalues) == 25
    assert display.eigenvalues.sum() == pytest.approx(25)
    assert ax.get_title() == "rbf(gamma=1)\nrandom subset of 25 of 60 samples"
    again = KernelSpectrumDisplay.from_kernel(RBF(gamma=1.0), X, center=False, max_samples=25, ax=blank()[1])
    other = KernelSpectrumDisplay.from_kernel(
        RBF(gamma=1.0), X, center=False, max_samples=25, random_state=1, ax=blank()[1]
    )
    assert np.array_equal(again.eigenvalues, display.eigenvalues)
    assert not np.array_equal(other.eigenvalues, display.eigenvalues)


def test_of_estimators(moons, reads):
    X, y = moons
    pca = KernelPCA(4, kernel=RBF(gamma=0.7)).fit(X)
    found = KernelSpectrumDisplay.from_estimator(pca, cumulative=True, ax=blank()[1])
    assert np.array_equal(found.eigenvalues, pca.eigenvalues_)
    assert found.share_.get_ydata()[-1] == pytest.approx(pca.explained_variance_ratio_.sum())
    assert found.ax_.get_title() == "KernelPCA, rbf(gamma=0.7)\nfirst 4 eigenvalues, n = 60"
    fast = KernelPCA(2, approximation=3).fit(X)
    assert KernelSpectrumDisplay.from_estimator(fast, ax=blank()[1]).n == len(X)
    whole = KernelSpectrumDisplay.from_estimator(pca, X, ax=blank()[1])
    assert np.allclose(whole.eigenvalues[:4], pca.eigenvalues_)
    pipeline = make_pipeline(StandardScaler(), SVC(kernel=RBF(gamma=0.7))).fit(X, y)
    shown = KernelSpectrumDisplay.from_estimator(pipeline, X, center=False, ax=blank()[1])
    assert np.allclose(shown.eigenvalues, np.linalg.eigvalsh(RBF(gamma=0.7)(pipeline[0].transform(X)))[::-1])
    words, _ = reads
    spectrum = KernelSpectrumDisplay.from_kernel(Spectrum(2).normalized(), words, center=False, ax=blank()[1])
    assert spectrum.eigenvalues.sum() == pytest.approx(6)
    precomputed = SVC(kernel="precomputed").fit(np.eye(4), [0, 0, 1, 1])
    assert KernelSpectrumDisplay.from_estimator(precomputed, np.eye(4), center=False, ax=blank()[1]).n == 4


def test_what_is_not_known_is_said(moons, ax):
    X, y = moons
    with pytest.raises(ValueError, match="SVC has no eigenvalues_; pass X"):
        KernelSpectrumDisplay.from_estimator(SVC().fit(X, y), ax=ax)
    with pytest.raises(ValueError, match="the sum of all eigenvalues, which is not known"):
        KernelSpectrumDisplay.from_estimator(ClassicalMDS().fit(X), cumulative=True, ax=ax)
    with pytest.raises(ValueError, match="parameter max_samples"):
        KernelSpectrumDisplay.from_matrix(np.eye(3), max_samples=0, ax=ax)
