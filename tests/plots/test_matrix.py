"""Gram matrices as heat maps: order, classes, colours, means over blocks."""

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from mercer.data import Graphs
from mercer.decomposition import KernelPCA
from mercer.kernels import RBF, Columns, Linear, Overlap
from mercer.kernels.graphs import ShortestPath
from mercer.kernels.strings import Spectrum
from mercer.operators import gram
from mercer.perceptron import Perceptron
from mercer.plots import KernelMatrixDisplay, blank
from mercer.ridge import KernelRidge
from mercer.svm import SVC


def _ticks(axis):
    return [label.get_text() for label in axis.get_ticklabels()]


def test_samples_are_ordered_by_class_and_stay_in_order_within(ax):
    K = np.arange(16.0).reshape(4, 4)
    K = K + K.T
    display = KernelMatrixDisplay.from_matrix(K, ["b", "a", "b", "a"], ax=ax)
    order = [1, 3, 0, 2]
    assert np.array_equal(display.image_.get_array(), K[np.ix_(order, order)])
    assert display.ax_ is ax
    assert display.figure_ is ax.figure
    assert display.classes == _ticks(ax.yaxis) == _ticks(ax.xaxis) == ["a", "b"]
    assert ax.get_yticks().tolist() == [1, 3]
    assert [line.get_ydata()[0] for line in display.lines_[::2]] == [2]
    assert [line.get_xdata()[0] for line in display.lines_[1::2]] == [2]
    assert ax.get_ylim() == (4, 0)
    assert ax.get_title() == "Gram matrix\nn = 4"


def test_colours_diverge_from_zero_only_where_there_are_negative_values(ax, moons):
    X, y = moons
    signed = KernelMatrixDisplay.from_kernel(Linear(), X - X.mean(axis=0), y, ax=ax)
    low, high = signed.image_.get_clim()
    assert low == -high
    assert signed.image_.get_cmap().name == "RdBu_r"
    positive = KernelMatrixDisplay.from_kernel("rbf(gamma=1.0)", X, y, ax=blank()[1])
    assert positive.image_.get_cmap().name == "viridis"
    assert positive.image_.get_clim()[1] == 1.0
    rounding = KernelMatrixDisplay.from_matrix(np.eye(3) - 1e-17, ax=blank()[1])
    assert rounding.image_.get_cmap().name == "viridis"


def test_a_few_large_values_do_not_take_the_whole_scale(ax):
    K = np.tri(40) + np.tri(40).T - np.eye(40)
    K[0, 0], K[1, 1] = 100.0, 0.0
    display = KernelMatrixDisplay.from_matrix(K, ax=ax)
    assert display.image_.get_clim() == (0.0, 1.0)
    assert display.colorbar_.extend == "max"
    assert display.colorbar_.ax.get_ylabel() == "k(x, z), 0.1 % of the cells beyond the scale"
    own = KernelMatrixDisplay.from_matrix(K, ax=blank()[1], vmin=0, vmax=100)
    assert own.colorbar_.extend == "neither"


def test_many_samples_are_means_over_blocks(ax, rng):
    X = rng.normal(size=(103, 3))
    y = rng.integers(3, size=103)
    display = KernelMatrixDisplay.from_kernel(RBF(gamma=0.5), X, y, cells=30, ax=ax)
    order = np.argsort(y, kind="stable")
    K = RBF(gamma=0.5)(X)[np.ix_(order, order)]
    means = [[K[i : i + 4, j : j + 4].mean() for j in range(0, 103, 4)] for i in range(0, 103, 4)]
    assert display.block == 4
    assert display.values.shape == (26, 26)
    assert np.allclose(display.values, means, rtol=1e-13)
    assert display.image_.get_extent() == [0, 104, 104, 0]  # cells keep their size, the last is cut
    assert ax.get_xlim() == (0, 103)
    assert "n = 103, cells are means of 4 × 4" in ax.get_title()
    assert ax.get_yticks().tolist() == (np.cumsum(np.bincount(y)) - np.bincount(y) / 2).tolist()


def test_panels_do_not_change_the_means(monkeypatch, ax, rng):
    X = rng.normal(size=(50, 2))
    whole = KernelMatrixDisplay.from_kernel("linear", X, cells=9, ax=ax).values
    monkeypatch.setattr("mercer.plots.matrix.PANEL", 1)
    assert np.allclose(KernelMatrixDisplay.from_kernel("linear", X, cells=9, ax=blank()[1]).values, whole, rtol=1e-13)


def test_numbers_order_the_samples(ax):
    K = np.diag([3.0, 1.0, 2.0])
    display = KernelMatrixDisplay.from_matrix(K, [0.3, 0.1, 0.25], ax=ax)
    assert np.diag(display.values).tolist() == [1, 2, 3]
    assert display.classes is None
    assert display.lines_ == []
    assert ax.get_xlabel() == "samples, by target from 0.1 to 0.3"
    assert KernelMatrixDisplay.from_matrix(K, [2, 0, 1], target="classes", ax=blank()[1]).classes == ["0", "1", "2"]


def test_classes_without_room_are_told(ax):
    y = ["large"] * 90 + ["larger"] * 105 + ["tiny", "wee", "small"]
    display = KernelMatrixDisplay.from_matrix(np.eye(198), y, ax=ax)
    assert set(_ticks(ax.yaxis)) | set(display.unlabelled_) == set(y)
    assert {"large", "larger"} <= set(_ticks(ax.yaxis))
    assert len(display.unlabelled_) == 2
    assert "2 of 5 names omitted" in ax.get_xlabel()
    assert _ticks(ax.xaxis) == []
    assert len(display.lines_) == 8


def test_kernels_of_estimators_on_what_they_take(moons, reads):
    X, y = moons
    K = RBF(gamma=0.7)(X)

    def values(model, data, target):
        return KernelMatrixDisplay.from_estimator(model, data, target, ax=blank()[1])

    order = np.argsort(y, kind="stable")
    shown = values(SVC(kernel=RBF(gamma=0.7)).fit(X, y), X, y)
    assert np.allclose(shown.values, K[np.ix_(order, order)])
    assert shown.ax_.get_title().startswith("rbf(gamma=0.7)")
    shown = values(SVC(kernel="precomputed").fit(K, y), K, y)
    assert np.array_equal(shown.values, K[np.ix_(order, order)])
    scaled = StandardScaler().fit_transform(X)
    pipeline = make_pipeline(StandardScaler(), KernelPCA(2, kernel=RBF(gamma=0.7))).fit(X)
    assert np.allclose(values(pipeline, X, None).values, RBF(gamma=0.7)(scaled))
    search = GridSearchCV(SVC(), {"kernel": [RBF(gamma=0.7)]}, cv=2).fit(X, y)
    assert np.allclose(values(search, X, None).values, K)
    assert np.allclose(values(Perceptron(max_iter=1000).fit(X, X[:, 0] > 0.5), X, None).values, X @ X.T)
    words, kind = reads
    shown = values(SVC(kernel=Spectrum(2)).fit(words, kind), words, kind)
    assert np.array_equal(shown.values, Spectrum(2)(words))


def test_tables_and_graphs(ax):
    import pandas as pd

    frame = pd.DataFrame({"age": [31.0, 45.0, 27.0], "city": ["Rome", "Oslo", "Rome"]})
    kernel = Columns("age", RBF(gamma=0.01)) + Columns("city", Overlap())
    model = KernelRidge(kernel=kernel).fit(frame, [1.0, 2.0, 1.5])
    shown = KernelMatrixDisplay.from_estimator(model, frame, ax=ax)
    assert np.allclose(shown.values, kernel(frame))
    graphs = Graphs([[(0, 1)], [(0, 1), (1, 2)], [(0, 1), (1, 2), (2, 0)]])
    kernel = ShortestPath(labeled=False)
    shown = KernelMatrixDisplay.from_kernel(kernel, graphs, ["a", "b", "b"], ax=blank()[1])
    assert np.array_equal(shown.values, kernel(graphs))


def test_operators_are_read_in_place(ax, rng):
    X = rng.normal(size=(10, 2))
    display = KernelMatrixDisplay.from_matrix(gram("linear", X), ax=ax, colorbar=False, cmap="magma")
    assert np.allclose(display.values, X @ X.T)
    assert display.colorbar_ is None
    assert display.image_.get_cmap().name == "magma"
    assert display.ax_.get_title().startswith("linear")


def test_plot_draws_again_elsewhere(ax):
    display = KernelMatrixDisplay.from_matrix(np.eye(3), ax=ax)
    other = blank()[1]
    assert display.plot(other) is display
    assert display.ax_ is other


@pytest.mark.parametrize(
    ("K", "y", "message"),
    [
        (np.ones((2, 3)), None, "KernelMatrixDisplay: got .*, expected a square Gram matrix"),
        (np.array([[1.0, 0.0], [1.0, 1.0]]), None, "K is not symmetric"),
        (np.eye(2), ["a"], "one target for each of 2 samples"),
        (np.eye(2), [np.nan, 1.0], "y contains NaN"),
    ],
)
def test_what_is_wrong_is_said(ax, K, y, message):
    with pytest.raises(ValueError, match=message):
        KernelMatrixDisplay.from_matrix(K, y, ax=ax)


def test_models_without_a_kernel_are_refused(ax):
    with pytest.raises(TypeError, match="expected a fitted model with a kernel"):
        KernelMatrixDisplay.from_estimator(StandardScaler().fit([[1.0]]), [[1.0]], ax=ax)
    with pytest.raises(TypeError, match="target='numbers' needs a numeric y"):
        KernelMatrixDisplay.from_matrix(np.eye(2), ["a", "b"], target="numbers", ax=ax)
    with pytest.raises(ValueError, match="parameter target must be one of"):
        KernelMatrixDisplay.from_matrix(np.eye(2), ["a", "b"], target="labels", ax=ax)
