"""Decisions over the plane: sides, regions, predictions, support vectors, margins."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from mercer.kernels import RBF, Columns
from mercer.kernels.strings import Spectrum
from mercer.neighbors import KernelKNeighborsClassifier
from mercer.perceptron import KernelPerceptron
from mercer.plots import COLOURS, DecisionBoundaryDisplay, blank
from mercer.ridge import KernelRidge, KernelRidgeClassifier
from mercer.svm import SVC, SVR, OneClassSVM


def _draw(model, X, y=None, **options):
    return DecisionBoundaryDisplay.from_estimator(model, X, y, resolution=20, **{"ax": blank()[1], **options})


def _names(display):
    return [text.get_text() for text in display.legend_.get_texts()]


def test_two_classes_margins_and_support_vectors(moons):
    X, y = moons
    model = SVC(kernel=RBF(gamma=1.5), C=3.0).fit(X, y)
    display = _draw(model, X, y)
    grid = np.column_stack([display.xx0.ravel(), display.xx1.ravel()])
    assert np.allclose(display.response.ravel(), model.decision_function(grid))
    assert display.boundary_.levels.tolist() == [0]
    assert display.margins_.levels.tolist() == [-1, 1]
    assert np.allclose(display.support_.get_offsets(), model.support_vectors_)
    sizes, alpha = display.support_.get_sizes(), np.abs(model.dual_coef_[0])
    assert np.array_equal(np.argsort(sizes, kind="stable"), np.argsort(alpha, kind="stable"))
    assert sizes.max() == 165
    assert _names(display) == ["left", "right", "support vector,\nsize by |α|", "margin, f = ±1"]
    for name, points in zip(("left", "right"), display.points_, strict=True):
        assert np.array_equal(points.get_offsets(), X[y == name])
    assert display.surface_.get_facecolor()[0][:3].tolist() == pytest.approx(
        [int(COLOURS[0][i : i + 2], 16) / 255 for i in (1, 3, 5)]
    )


def test_only_support_vector_classifiers_have_margins(moons):
    X, y = moons
    ridge = _draw(KernelRidgeClassifier(kernel="rbf").fit(X, y), X, y)
    assert ridge.boundary_ is not None
    assert ridge.margins_ is None
    assert ridge.support_ is None
    perceptron = KernelPerceptron(gamma=2.0).fit(X, y)
    display = _draw(perceptron, X, y)
    assert display.margins_ is None
    assert len(display.support_.get_offsets()) == len(perceptron.support_)
    assert _draw(SVC().fit(X, y), X, y, support=False).support_ is None


def test_more_classes_are_regions_of_what_is_predicted(blobs):
    X, y = blobs
    model = SVC().fit(X, y)
    display = _draw(model, X, y)
    grid = np.column_stack([display.xx0.ravel(), display.xx1.ravel()])
    assert np.array_equal(display.response.ravel(), model.predict(grid))
    assert np.array_equal(np.asarray(display.surface_.get_array()).ravel(), model.predict(grid))
    assert len(display.boundary_) == 4
    assert display.margins_ is None
    assert np.allclose(display.alpha, np.abs(model.dual_coef_).max(axis=0))
    assert _names(display) == ["0", "1", "2", "3", "support vector,\nsize by |α|"]
    some = y < 2
    part = _draw(model, X[some], y[some])  # classes keep their colours where some are absent
    assert _names(part)[:2] == ["0", "1"]
    assert part.points_[1].get_facecolor().tolist() == display.points_[1].get_facecolor().tolist()


def test_regression_and_one_class(moons):
    X, _ = moons
    target = X[:, 0] + X[:, 1] ** 2
    model = KernelRidge(kernel="rbf", alpha=0.1).fit(X, target)
    display = _draw(model, X, target)
    grid = np.column_stack([display.xx0.ravel(), display.xx1.ravel()])
    assert np.allclose(display.response.ravel(), model.predict(grid))
    assert display.colorbar_.ax.get_ylabel() == "prediction"
    assert display.legend_ is None
    assert np.array_equal(display.points_[0].get_array(), target)
    assert display.points_[0].norm is display.surface_.norm  # one scale for both
    assert _draw(SVR().fit(X, target), X, target).support_ is not None
    counts = np.round(target)
    assert np.array_equal(_draw(model, X, counts).points_[0].get_array(), counts)  # also if they could be labels
    detector = OneClassSVM(nu=0.2, gamma=1.0).fit(X)
    display = _draw(detector, X)
    assert display.kind == "sides"
    assert display.margins_ is None
    assert len(display.support_.get_offsets()) == len(detector.support_)


def test_without_decision_values_predictions_part_the_sides(moons):
    X, y = moons
    model = KernelKNeighborsClassifier(3, kernel="linear").fit(X, y)
    display = _draw(model, X, y)
    assert set(np.unique(display.response)) == {-0.5, 0.5}
    assert display.boundary_ is not None


def test_behind_a_pipeline_support_vectors_are_found_among_the_samples_of_the_fit(moons):
    X, y = moons
    X = X * [1.0, 1000.0]
    model = make_pipeline(StandardScaler(), SVC()).fit(X, y)
    display = _draw(model, X, y)
    assert np.array_equal(display.support, X[model[-1].support_])
    assert display.margins_ is not None
    other = _draw(model, X[::-1], y[::-1])
    assert other.support_ is None
    with pytest.raises(ValueError, match="pass the training samples as X"):
        _draw(model, X[::-1], y[::-1], support=True)
    written = make_pipeline(FunctionTransformer(lambda X: [f"at {a:.1f}" for a, _ in X]), SVC(kernel=Spectrum(1)))
    assert _draw(written.fit(X, y), X, y).support_ is None  # strings have no place in the plane
    search = GridSearchCV(SVC(), {"C": [1.0]}, cv=2).fit(X, y)
    assert np.array_equal(_draw(search, X, y).support, search.best_estimator_.support_vectors_)


def test_frames_sparse_samples_and_other_libraries(moons):
    X, y = moons
    frame = pd.DataFrame(X, columns=["length", "width"])
    model = SVC(kernel=Columns(["length", "width"], RBF(gamma=1.0))).fit(frame, y)
    display = _draw(model, frame, y)
    assert (display.ax_.get_xlabel(), display.ax_.get_ylabel()) == ("length", "width")
    assert np.array_equal(display.support, X[model.support_])
    sparse = _draw(SVC(gamma=1.0).fit(sp.csr_matrix(X), y), sp.csr_matrix(X), y)
    assert np.allclose(sparse.response, display.response)
    assert np.allclose(sparse.alpha, display.alpha)
    assert _draw(LogisticRegression().fit(X, y), X, y).support_ is None


def test_three_samples(ax):
    X, y = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 2.0]]), ["a", "b", "b"]
    display = _draw(SVC(kernel="linear", C=10.0).fit(X, y), X, y)
    assert display.xx0.min() == -0.1
    assert display.xx1.max() == 2.2


def test_a_plane_without_a_boundary_draws_none(moons):
    X, y = moons
    model = SVC().fit(X, y)
    display = _draw(model, X[y == "left"][:2], margin=0.0)
    assert display.boundary_ is None
    assert display.legend_ is not None  # support vectors


def test_what_is_wrong_is_said(moons, reads):
    X, y = moons
    words, kind = reads
    with pytest.raises(ValueError, match=r"got .*, expected two columns of finite numbers; use EmbeddingDisplay"):
        _draw(SVC(kernel=Spectrum(2)).fit(words, kind), words, kind)
    with pytest.raises(ValueError, match="was fitted to a precomputed Gram matrix"):
        _draw(SVC(kernel="precomputed").fit(np.eye(2), [0, 1]), np.eye(2))
    with pytest.raises(ValueError, match="KernelRidge has no support vectors"):
        _draw(KernelRidge().fit(X, X[:, 0]), X, support=True)
    with pytest.raises(ValueError, match="the label 'up', which is not one of the classes"):
        _draw(SVC().fit(X, y), X, ["up"] * 60)
