"""Leave-one-out against n refits, and the promises of the methods."""

import numpy as np
import pytest
from sklearn.decomposition import FastICA

from mercer.faces import (
    ICA,
    METHODS,
    Eigenface,
    Fisherface,
    KernelEigenface,
    KernelFisherface,
    face_vectors,
    leave_one_out,
)
from mercer.faces.spaces import gram_spectrum
from mercer.kernels import RBF, Linear, Polynomial
from tests.reference.faces import faces, nearest_by_ica, nearest_by_refits, reduced_without

COUNTS = [1, 3, 5, 12, 30]


@pytest.fixture(scope="module")
def data():
    images, labels = faces(np.random.default_rng(0))
    return face_vectors(images), labels


def resolved(method, X):
    """With the width that all images give, as leave-one-out has it."""
    return KernelFisherface(RBF("median").resolve(X), method.reg) if method.kernel == RBF("median") else method


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_agrees_with_refits(data, method):
    X, labels = data
    found = leave_one_out(method, X, labels, COUNTS)
    most = 5 if method.reg else 30
    assert found.components == tuple(k for k in COUNTS if k <= most)
    for column, k in enumerate(found.components):
        truth = nearest_by_refits(resolved(method, X), X, labels, k)
        np.testing.assert_array_equal(found.nearest[:, column], truth)
        assert found.errors[column] == (labels[truth] != labels).sum()


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_distances_are_those_of_the_fitted_estimators(data, method):
    X, labels = data
    method = resolved(method, X)
    spectrum = gram_spectrum(np.array(method.kernel(X)))
    for i in (0, 17):
        k = 5
        Z, truth = method.space(spectrum, labels, i, k)[:, :k], reduced_without(method, X, labels, i, k)
        squares, wanted = (((W - W[i]) ** 2).sum(axis=1) for W in (Z, truth))
        np.testing.assert_allclose(squares / squares.max(), wanted / wanted.max(), rtol=1e-7, atol=1e-12)


def test_ica_has_the_neighbours_of_fastica(data):
    X, labels = data
    for k in (3, 8):
        np.testing.assert_array_equal(leave_one_out(ICA(), X, labels, [k]).nearest[:, 0], nearest_by_ica(X, k))


def test_architecture_one_is_a_rotation_of_eigenfaces(data):
    """Pixels as samples, eigenfaces as mixtures: of images of mean zero the coefficients keep their distances."""
    X, _ = data
    centred = X - X.mean(axis=0)
    axes = np.linalg.svd(centred, full_matrices=False)[2][:4]
    model = FastICA(4, random_state=0, max_iter=2000, tol=1e-3, whiten="unit-variance").fit(axes.T)
    coefficients, scores = centred @ axes.T @ model.mixing_, centred @ axes.T
    a, b = (np.linalg.norm(Z[:, None] - Z, axis=2) for Z in (coefficients, scores))
    np.testing.assert_allclose(a / a.max(), b / b.max(), rtol=0, atol=1e-9)


# Bounds are those of vectors whose eigenvalues nearly coincide.
HARD = ["more images than pixels", "duplicates", "shown once", "identity", "two persons", "means coincide"]


@pytest.mark.parametrize("case", HARD)
@pytest.mark.parametrize(
    "method", [Eigenface(), ICA(), Fisherface(), KernelFisherface(Polynomial(degree=2))], ids=lambda method: method.name
)
def test_hard_cases_agree_with_refits(case, method, rng):
    X, labels = rng.normal(size=(14, 20)), np.repeat([0, 1], 7) if case == "two persons" else np.arange(14) % 4
    if case == "more images than pixels":
        X = X[:, :3]
    if case == "duplicates":
        X[7:10] = X[:3]
    if case == "shown once":
        labels[5] = 9
    if case == "identity":
        X = np.eye(14) + 1e-3 * rng.normal(size=(14, 14))
    if case == "means coincide":
        X[labels == 1] += X[labels == 0].mean(axis=0) - X[labels == 1].mean(axis=0)
    spectrum = gram_spectrum(np.array(method.kernel(X)))
    k = 1 if method.reg else 2  # without one image there may be fewer persons, and so fewer directions
    for i in range(len(X)):
        Z, truth = method.space(spectrum, labels, i, k)[:, :k], reduced_without(method, X, labels, i, k)
        squares, wanted = (((W - W[i]) ** 2).sum(axis=1) for W in (Z, truth))
        np.testing.assert_allclose(squares / squares.max(), wanted / wanted.max(), rtol=0, atol=1e-7)


def test_a_person_shown_once_is_never_recognised(data):
    X, labels = data
    labels = labels.copy()
    labels[3] = 99
    for method in METHODS:
        assert leave_one_out(method, X, labels, [5]).wrong[3].all()


def test_equal_images_without_variance_are_refused():
    with pytest.raises(ValueError, match="all images are equal"):
        leave_one_out(Eigenface(), np.ones((6, 4)), [0, 0, 0, 1, 1, 1])


def test_threads_and_order_of_components_change_nothing(data):
    X, labels = data
    one, two = (leave_one_out(KernelEigenface(), X, labels, k, n_jobs=j) for k, j in (([8, 2, 8], 1), ([2, 8], 2)))
    assert one.components == two.components == (2, 8)
    np.testing.assert_array_equal(one.nearest, two.nearest)


def test_progress_is_told_and_may_stop_it(data):
    X, labels = data
    told = []
    leave_one_out(Eigenface(), X, labels, [3], progress=lambda done, total: told.append((done, total)))
    assert told == [(i + 1, len(X)) for i in range(len(X))]

    def stop(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        leave_one_out(Eigenface(), X, labels, [3], progress=stop)


def test_what_is_wrong_is_said(data):
    X, labels = data
    with pytest.raises(TypeError, match="such as Eigenface\\(\\), got 'pca'"):
        leave_one_out("pca", X, labels)
    with pytest.raises(ValueError, match="36 images need 36 labels"):
        leave_one_out(Eigenface(), X, labels[:-1])
    with pytest.raises(ValueError, match="labels are missing"):
        leave_one_out(Eigenface(), X, None)
    with pytest.raises(ValueError, match="at least two persons, got 36 of 1"):
        leave_one_out(Eigenface(), X, np.zeros(36))
    with pytest.raises(ValueError, match="components are empty"):
        leave_one_out(Eigenface(), X, labels, [])
    with pytest.raises(ValueError, match="components must be an integer >= 1, got 0"):
        leave_one_out(Eigenface(), X, labels, [0])
    with pytest.raises(TypeError, match="sequence of integers, got 20"):
        leave_one_out(Eigenface(), X, labels, 20)
    with pytest.raises(ValueError, match="reg must be a finite number > 0"):
        Fisherface(reg=0)
    with pytest.raises(TypeError, match=r"kernel must be a kernel of mercer\.kernels, got 'rbf'"):
        KernelFisherface("rbf")


def test_methods_are_values_with_names():
    assert KernelEigenface() == METHODS[3]
    assert {Eigenface(), Eigenface()} == {Eigenface()}
    assert eval(repr(METHODS[5])) == METHODS[5]
    assert KernelEigenface(Polynomial(degree=3)).name == "Kernel Eigenface, degree 3"
    assert KernelEigenface(Polynomial(degree=2, coef0=0.0)).name == "Kernel Eigenface, poly(degree=2, coef0=0)"
    assert KernelFisherface(Linear()).name == "Kernel Fisherface, linear"
