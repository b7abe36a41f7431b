"""Grids of images: pixels, scale, titles."""

import numpy as np
import pytest

from mercer.plots import ImageGridDisplay, blank


def test_signed_images_share_a_symmetric_scale(ax):
    images = np.arange(-2.0, 22.0).reshape(4, 2, 3)
    display = ImageGridDisplay.from_images(
        images, titles=["a", "b\nc", "$d", "a title that is much too long " * 3], ax=ax
    )
    for image, shown in zip(images, display.images_, strict=True):
        assert np.array_equal(shown.get_array(), image)
        assert shown.get_clim() == (-21, 21)
        assert shown.get_cmap().name == "gray"
    titles = [panel.get_title() for panel in display.axes_]
    assert titles[:3] == ["a", "b\nc", r"\$d"]
    assert titles[3].endswith("…")
    assert len(titles[3].splitlines()) == 2
    assert not any(panel.axison for panel in display.axes_)
    assert display.ax_ is display.axes_[0]


def test_other_images_keep_their_ends(ax):
    images = np.stack([np.zeros((2, 2)), np.full((2, 2), 0.5), np.eye(2)])
    assert {shown.get_clim() for shown in ImageGridDisplay(images).plot(ax).images_} == {(0.0, 1.0)}
    own = ImageGridDisplay(np.add(images, [[[0]], [[0]], [[1]]])).plot(blank()[1], shared=False)
    assert [shown.get_clim() for shown in own.images_] == [(0.0, 1.0), (0.5, 1.5), (1.0, 2.0)]


def test_rows_of_pixels(ax, rng):
    rows = rng.uniform(size=(9, 12))
    display = ImageGridDisplay.from_vectors(rows, (3, 4), ax=ax, cmap="viridis")
    assert np.array_equal(display.images, rows.reshape(9, 3, 4))
    assert display.images_[0].get_cmap().name == "viridis"
    assert display.axes_[0].get_subplotspec().get_gridspec().get_geometry() == (2, 5)
    wide = ImageGridDisplay.from_vectors(rows, (3, 4), ax=blank()[1], columns=9)
    assert wide.axes_[0].get_subplotspec().get_gridspec().get_geometry() == (1, 9)


@pytest.mark.parametrize(
    ("images", "titles", "message"),
    [
        (np.zeros((2, 2)), None, r"images must have shape \(n, height, width\)"),
        (np.zeros((201, 1, 1)), None, "got 201 images, expected at most 200"),
        (np.full((1, 2, 2), np.nan), None, "NaN or infinity"),
        (np.zeros((2, 1, 1)), ["a"], "got 1 titles, expected one for each of 2 images"),
    ],
)
def test_what_is_wrong_is_said(images, titles, message):
    with pytest.raises(ValueError, match=message):
        ImageGridDisplay(images, titles=titles)


def test_rows_of_another_size_are_refused(ax):
    with pytest.raises(ValueError, match="expected rows of 12 numbers for images of 3 x 4 pixels"):
        ImageGridDisplay.from_vectors(np.zeros((2, 10)), (3, 4), ax=ax)
