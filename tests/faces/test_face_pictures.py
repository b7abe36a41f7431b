"""Images of means, components, directions and reconstructions."""

import numpy as np
import pytest
from sklearn.decomposition import PCA

from mercer.datasets.images import Images
from mercer.faces import (
    Eigenface,
    eigenfaces,
    fisherfaces,
    mean_faces,
    mistakes,
    pictures,
    reconstructions,
    table,
)
from mercer.kernels import RBF, Polynomial
from tests.reference.faces import faces


@pytest.fixture(scope="module")
def images():
    pixels, labels = faces(np.random.default_rng(0), shape=(8, 6))
    return Images(pixels, labels, tuple(map(str, range(36))))


def test_means_follow_the_order_of_persons(images):
    labels = np.array(["z", "b", "a"])[images.labels % 3]
    means = mean_faces(images, labels)
    np.testing.assert_allclose(means[0], images.pixels.mean(axis=0))
    np.testing.assert_allclose(means[1], images.pixels[labels == "z"].mean(axis=0))
    np.testing.assert_allclose(means[3], images.pixels[labels == "a"].mean(axis=0))
    assert mean_faces(images.pixels).shape == (1, 8, 6)


def test_eigenfaces_are_principal_axes(images):
    found, shares = eigenfaces(images, 5)
    truth = PCA(5).fit(images.pixels.reshape(36, -1))
    np.testing.assert_allclose(np.abs(found.reshape(5, -1) @ truth.components_.T), np.eye(5), atol=1e-9)
    np.testing.assert_allclose(shares, truth.explained_variance_ratio_)
    assert len(eigenfaces(images.pixels[:4], 100)[0]) == 3


def test_fisherfaces_part_the_persons(images):
    found = fisherfaces(images, images.labels, 12)
    assert found.shape == (5, 8, 6)
    np.testing.assert_allclose(np.linalg.norm(found.reshape(5, -1), axis=1), 1)
    scores = images.pixels.reshape(36, -1) @ found[0].ravel()
    means = np.array([scores[images.labels == person].mean() for person in range(6)])
    assert means.var() > 5 * np.mean([scores[images.labels == person].var() for person in range(6)])


def test_linear_reconstructions_are_projections(images):
    X = images.pixels.reshape(36, -1)
    found = reconstructions(images, [3, 30], [2, 10])
    for column, k in enumerate((2, 10)):
        model = PCA(k).fit(X)
        truth = model.inverse_transform(model.transform(X[[3, 30]]))
        np.testing.assert_allclose(found[:, column].reshape(2, -1), truth, atol=1e-4)


@pytest.mark.parametrize("kernel", [Polynomial(degree=2), Polynomial(degree=3), RBF("median")], ids=str)
def test_kernel_reconstructions_come_nearer_with_more_components(images, kernel):
    found = reconstructions(images, [0, 12, 24], [1, 8, 35], kernel=kernel)
    errors = ((found - images.pixels[[0, 12, 24]][:, None]) ** 2).mean(axis=(0, 2, 3))
    assert errors[0] > errors[1] > errors[2]
    assert errors[2] < 1e-6


def test_all_pictures(images):
    found = pictures(images, n_components=4, components=(2, 5))
    shapes = {name: picture.images.shape for name, picture in found.items()}
    assert shapes == {
        "mean faces": (7, 8, 6),
        "eigenfaces": (4, 8, 6),
        "reconstructions": (12, 8, 6),
        "kernel reconstructions": (12, 8, 6),
        "Fisherfaces": (4, 8, 6),
    }
    for picture in found.values():
        assert len(picture.titles) == len(picture.images)
        assert np.isfinite(picture.images).all()
    assert found["reconstructions"].titles[:4] == ["0", "k = 2", "k = 5", "6"]
    np.testing.assert_array_equal(found["reconstructions"].images[0], images.pixels[0])
    assert pictures(images, components=(80, 900))["reconstructions"].titles[:2] == ["0", "k = 35"]


def test_pictures_without_labels(images):
    found = pictures(Images(images.pixels, None, images.names), components=[3], rows=[1])
    assert "Fisherfaces" not in found
    assert found["mean faces"].titles == ["all 36"]
    assert found["reconstructions"].titles == ["1", "k = 3"]


def test_mistakes_stand_beside_what_they_were_taken_for(images):
    row = table(images, methods=[Eigenface()], components=[1]).rows[0]
    found = mistakes(images, row, max_samples=3)
    wrong = np.flatnonzero(images.labels[row.nearest] != images.labels)
    assert row.best_errors == len(wrong) > 3
    np.testing.assert_array_equal(found.images[0], images.pixels[wrong[0]])
    np.testing.assert_array_equal(found.images[1], images.pixels[row.nearest[wrong[0]]])
    assert found.titles[:2] == [str(wrong[0]), f"taken for {row.nearest[wrong[0]]}"]
    assert len(found.images) == 6
    same = Images(images.pixels, np.zeros(36), images.names)
    with pytest.raises(ValueError, match="Eigenface classifies all images correctly"):
        mistakes(same, row)


def test_a_picture_draws_itself(images):
    from mercer.plots import blank

    picture = pictures(images, n_components=4, components=[3])["eigenfaces"]
    display = picture.plot(blank()[1])
    assert len(display.images_) == 4
    np.testing.assert_array_equal(display.images_[2].get_array(), picture.images[2])
