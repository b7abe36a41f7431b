"""Components over the plane: values on the grid, panels, titles, samples."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from mercer.decomposition import KernelPCA
from mercer.kernels import RBF, Columns
from mercer.plots import ComponentContourDisplay, blank
from mercer.svm import SVC


@pytest.fixture(scope="module")
def clusters():
    rng = np.random.default_rng(0)
    centres = [[-0.5, -0.2], [0.0, 0.6], [0.5, 0.0]]
    return np.concatenate([rng.normal(centre, 0.1, size=(20, 2)) for centre in centres])


def test_values_are_those_of_the_model(ax, clusters):
    model = KernelPCA(8, kernel=RBF(gamma=10.0)).fit(clusters)
    display = ComponentContourDisplay.from_estimator(model, clusters, resolution=15, ax=ax)
    grid = np.column_stack([display.xx0.ravel(), display.xx1.ravel()])
    assert np.allclose(display.values.reshape(8, -1), model.transform(grid).T)
    low, wide = clusters.min(axis=0), np.ptp(clusters, axis=0)
    assert np.allclose(grid[0], low - 0.2 * wide)
    assert len(display.axes_) == len(display.surfaces_) == len(display.lines_) == 8
    assert display.axes_[0].get_title() == f"component 1: {100 * model.explained_variance_ratio_[0]:.0f} %"
    assert display.ax_ is display.axes_[0]
    for values, surface, (points,) in zip(display.values, display.surfaces_, display.points_, strict=True):
        assert surface.levels[0] == -surface.levels[-1] == -np.abs(values).max()  # white is zero
        assert np.array_equal(points.get_offsets(), clusters)


def test_chosen_components_classes_and_given_axes(clusters):
    model = KernelPCA(3, kernel=RBF(gamma=10.0)).fit(clusters)
    y = np.repeat(["a", "b", "c"], 20)
    figure, _ = blank()
    places = figure.subplots(1, 2)
    display = ComponentContourDisplay.from_estimator(
        model, clusters, y, components=[2, 0], resolution=10, ax=places, levels=4, cmap="PuOr"
    )
    assert display.axes_ == list(places)
    assert [ax.get_title().partition(":")[0] for ax in places] == ["component 3", "component 1"]
    assert [len(points) for points in display.points_] == [3, 3]
    assert len(display.lines_[0].levels) == 5
    assert display.surfaces_[0].get_cmap().name == "PuOr"
    assert places[0].get_xlabel() == "x₁"
    single = ComponentContourDisplay.from_estimator(model, clusters, components=1, resolution=10, ax=blank()[1])
    assert len(single.axes_) == 1


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_frames_keep_their_columns(ax, clusters, frame):
    X = frame({"length": clusters[:, 0], "width": clusters[:, 1]})
    model = KernelPCA(2, kernel=Columns(["length", "width"], RBF(gamma=10.0))).fit(X)
    display = ComponentContourDisplay.from_estimator(model, X, resolution=8, ax=ax)
    plain = KernelPCA(2, kernel=RBF(gamma=10.0)).fit(clusters)
    same = ComponentContourDisplay.from_estimator(plain, clusters, resolution=8, ax=blank()[1])
    assert np.allclose(display.values, same.values)
    assert (display.axes_[0].get_xlabel(), display.axes_[0].get_ylabel()) == ("length", "width")


def test_pipelines_and_flat_components(ax, clusters):
    pipeline = make_pipeline(StandardScaler(), KernelPCA(2, kernel="rbf")).fit(clusters)
    display = ComponentContourDisplay.from_estimator(pipeline, clusters, resolution=5, ax=ax)
    corner = np.array([[display.xx0[-1, -1], display.xx1[-1, -1]]])
    assert np.allclose(display.values[:, -1, -1], pipeline.transform(corner))
    flat = ComponentContourDisplay(xx0=display.xx0, xx1=display.xx1, values=np.zeros((1, 5, 5)), titles=["zero"])
    assert flat.plot(blank()[1]).lines_ == []


def test_what_is_wrong_is_said(ax, clusters):
    model = KernelPCA(2, kernel="rbf").fit(clusters)
    with pytest.raises(ValueError, match=r"got .*, expected two columns of finite numbers; use EmbeddingDisplay"):
        ComponentContourDisplay.from_estimator(model, np.zeros((3, 4)), ax=ax)
    with pytest.raises(ValueError, match="two columns"):
        ComponentContourDisplay.from_estimator(model, ["some", "words"], ax=ax)
    with pytest.raises(ValueError, match="parameter components must be an integer >= 0 and <= 1, got 2"):
        ComponentContourDisplay.from_estimator(model, clusters, components=2, ax=ax)
    with pytest.raises(TypeError, match="expected a fitted transformer"):
        ComponentContourDisplay.from_estimator(SVC().fit(clusters, np.arange(60) % 2), clusters, ax=ax)
    with pytest.raises(ValueError, match="parameter margin"):
        ComponentContourDisplay.from_estimator(model, clusters, margin=-1, ax=ax)
