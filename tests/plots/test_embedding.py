"""Scatters and strips of coordinates: classes, numbers, labels."""

import numpy as np
import pytest
from sklearn.decomposition import PCA
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from mercer.decomposition import ClassicalMDS, Isomap, KernelPCA
from mercer.discriminant import KernelDiscriminantAnalysis
from mercer.kernels import RBF
from mercer.kernels.strings import Spectrum
from mercer.plots import EmbeddingDisplay, blank
from mercer.svm import SVC


def _names(display):
    return [text.get_text() for text in display.legend_.get_texts()]


def test_classes_have_a_colour_and_a_marker_each(ax, blobs):
    X, y = blobs
    model = KernelPCA(3, kernel=RBF(gamma=0.1)).fit(X)
    display = EmbeddingDisplay.from_estimator(model, X, y, ax=ax)
    Z = model.transform(X)
    assert _names(display) == ["0", "1", "2", "3"]
    for c, points in enumerate(display.points_):
        assert np.allclose(points.get_offsets(), Z[y == c][:, :2])
    assert len({tuple(points.get_facecolor()[0]) for points in display.points_}) == 4
    assert len({points.get_paths()[0].vertices.tobytes() for points in display.points_}) == 4
    handles = display.legend_.legend_handles
    assert [h.get_marker() for h in handles] == ["o", "^", "s", "D"]
    share = 100 * model.explained_variance_ratio_
    assert ax.get_xlabel() == f"component 1 ({share[0]:.0f} %)"
    assert ax.get_ylabel() == f"component 2 ({share[1]:.0f} %)"


def test_numbers_have_a_scale(ax, rng):
    Z, y = rng.normal(size=(30, 2)), rng.normal(size=30)
    display = EmbeddingDisplay.from_embedding(Z, y, ax=ax)
    assert np.array_equal(display.points_[0].get_array(), y)
    assert display.colorbar_.ax.get_ylabel() == "target"
    assert display.legend_ is None
    assert ax.get_xlabel() == "coordinate 1"
    integers = EmbeddingDisplay.from_embedding(Z, np.arange(30), ax=blank()[1])
    assert len(integers.points_) == 30
    assert len(EmbeddingDisplay.from_embedding(Z, np.arange(30), target="numbers", ax=blank()[1]).points_) == 1


def test_many_integers_are_numbers(ax, rng):
    display = EmbeddingDisplay.from_embedding(rng.normal(size=(50, 2)), np.arange(50), ax=ax)
    assert display.colorbar_ is not None


def test_one_coordinate_is_a_strip_with_a_row_for_each_class(ax, moons):
    X, y = moons
    model = KernelDiscriminantAnalysis(kernel="rbf").fit(X, y)
    display = EmbeddingDisplay.from_estimator(model, X, y, ax=ax)
    z = model.transform(X)[:, 0]
    for row, name in enumerate(("left", "right")):
        at = display.points_[row].get_offsets()
        assert np.allclose(at[:, 0], z[y == name])
        assert np.abs(at[:, 1] - row).max() <= 0.3
    assert [label.get_text() for label in ax.get_yticklabels()] == ["left", "right"]
    assert ax.get_xlabel() == "direction 1 (100 %)"
    assert ax.get_ylim() == (1.5, -0.5)
    assert display.legend_ is None


def test_strips_of_numbers_and_of_nothing(ax, rng):
    z, y = rng.normal(size=20), rng.normal(size=20)
    display = EmbeddingDisplay.from_embedding(z, y, ax=ax)
    assert np.array_equal(display.points_[0].get_offsets(), np.column_stack([z, y]))
    assert ax.get_ylabel() == "target"
    bare = EmbeddingDisplay.from_embedding(z, ax=blank()[1])
    assert np.array_equal(bare.points_[0].get_offsets()[:, 0], z)
    assert bare.ax_.get_yticks().size == 0


def test_structured_data_pipelines_and_matrices(reads, moons):
    words, kind = reads
    model = KernelPCA(2, kernel=Spectrum(2)).fit(words)
    display = EmbeddingDisplay.from_estimator(model, words, kind, ax=blank()[1])
    assert np.allclose(display.Z, model.transform(words))
    K = Spectrum(2)(words)
    precomputed = EmbeddingDisplay.from_estimator(KernelPCA(2, kernel="precomputed").fit(K), K, kind, ax=blank()[1])
    assert np.allclose(np.abs(precomputed.Z), np.abs(display.Z))
    X, y = moons
    pipeline = make_pipeline(StandardScaler(), PCA(2)).fit(X)
    display = EmbeddingDisplay.from_estimator(pipeline, X, y, components=[1, 0], ax=blank()[1])
    assert np.array_equal(display.Z, pipeline.transform(X)[:, ::-1])
    assert display.ax_.get_xlabel().startswith("component 2 (")
    assert EmbeddingDisplay.from_estimator(pipeline, X, y, components=1, ax=blank()[1]).Z.shape == (60, 1)


def test_kept_coordinates(ax, moons):
    X, y = moons
    model = Isomap(n_neighbors=10).fit(X)
    display = EmbeddingDisplay.from_estimator(model, y=y, ax=ax)
    assert np.array_equal(display.Z, model.embedding_)
    assert ax.get_xlabel() == "component 1"
    with pytest.raises(ValueError, match="KernelPCA does not store its training coordinates; pass X"):
        EmbeddingDisplay.from_estimator(KernelPCA(2).fit(X), ax=ax)
    assert EmbeddingDisplay.from_estimator(ClassicalMDS().fit(X), ax=blank()[1]).Z.shape == (60, 2)


def test_labels_stand_apart_and_the_rest_is_counted(rng):
    Z = np.array([[0.0, 0.0], [1.0, 1.0], [2.0, 0.5]])
    display = EmbeddingDisplay.from_embedding(Z, labels=["one", "$two", "a very long label that is cut"], ax=blank()[1])
    assert [text.get_text() for text in display.texts_] == ["one", r"\$two", "a very long labe… is cut"]
    assert display.hidden_ == 0
    crowd = EmbeddingDisplay.from_embedding(rng.normal(size=(150, 2)), labels=["sample"] * 150, ax=blank()[1])
    assert 0 < len(crowd.texts_) < 150
    assert crowd.hidden_ == 150 - len(crowd.texts_)
    assert crowd.ax_.get_title(loc="right") == f"{crowd.hidden_} of 150 labels omitted"
    crowd.figure_.draw_without_rendering()
    boxes = [text.get_window_extent() for text in crowd.texts_]
    assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])


def test_awkward_names_are_shown_as_they_are(ax):
    display = EmbeddingDisplay.from_embedding(np.eye(3)[:, :2], ["_a", "$b$", "c" * 60], ax=ax)
    assert [name.strip() for name in _names(display)] == [r"\$b\$", "_a", "c" * 21 + "…" + "c" * 10]
    display.figure_.draw_without_rendering()


def test_three_samples_and_style(ax):
    display = EmbeddingDisplay.from_embedding(np.eye(3)[:, :2], s=99, ax=ax, legend=False)
    assert display.points_[0].get_sizes().tolist() == [99]
    assert display.plot(blank()[1]).points_[0].get_sizes()[0] <= 40


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda ax: EmbeddingDisplay.from_embedding(np.zeros((2, 3)), ax=ax),
            "got Z with 3 columns, expected one or two",
        ),
        (
            lambda ax: EmbeddingDisplay.from_embedding(np.zeros((2, 2)), labels=["a"], ax=ax),
            "got 1 labels, expected one for each of 2",
        ),
        (lambda ax: EmbeddingDisplay.from_embedding([[np.nan, 0.0]], ax=ax), "Z contains NaN"),
        (
            lambda ax: EmbeddingDisplay.from_estimator(PCA(2).fit(np.eye(3)), np.eye(3), components=[0, 1, 0], ax=ax),
            "got 3 components, expected one or two",
        ),
    ],
)
def test_what_is_wrong_is_said(ax, call, message):
    with pytest.raises(ValueError, match=message):
        call(ax)


def test_models_that_do_not_transform_are_refused(ax, moons):
    X, y = moons
    with pytest.raises(TypeError, match="expected a fitted transformer such as KernelPCA"):
        EmbeddingDisplay.from_estimator(SVC().fit(X, y), X, ax=ax)
