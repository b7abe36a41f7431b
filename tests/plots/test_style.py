"""The palette and the colour scale, as readers with and without full colour vision see them."""

from itertools import combinations

import numpy as np
import pytest

from mercer.plots import COLOURS
from mercer.plots.style import DIVERGING, ON_DARK, SEQUENTIAL, mark

# Machado, Oliveira and Fernandes, IEEE Transactions on Visualization and Computer Graphics 15, 2009: complete absence
# of one kind of cones, for linear RGB.
VISION = {
    "full": np.eye(3),
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
    "tritanopia": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]],
}
PAPER, NIGHT = "#ffffff", "#13171a"  # pages in bright and dark
seen = pytest.mark.parametrize("vision", VISION)


def linear(colour):
    """Linear RGB of a colour."""
    from matplotlib.colors import to_rgb

    rgb = np.array(to_rgb(colour))
    return np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)


def lab(rgb):
    """CIELAB of linear RGB, white D65."""
    to_xyz = np.array(
        [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.072175], [0.0193339, 0.119192, 0.9503041]]
    )
    xyz = to_xyz @ np.clip(rgb, 0, 1) / [0.95047, 1.0, 1.08883]
    f = np.where(xyz > 216 / 24389, np.cbrt(xyz), (24389 / 27 * xyz + 16) / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def closest(colours, vision):
    """Smallest distance of two colours, ΔE*ab."""
    points = [lab(np.asarray(VISION[vision]) @ linear(colour)) for colour in colours]
    return min(float(np.linalg.norm(a - b)) for a, b in combinations(points, 2))


def contrast(a, b):
    dim, bright = sorted(float(linear(colour) @ [0.2126, 0.7152, 0.0722]) for colour in (a, b))
    return (bright + 0.05) / (dim + 0.05)


@seen
@pytest.mark.parametrize("palette", [COLOURS, ON_DARK], ids=["bright", "dark"])
def test_three_classes_are_told_apart_and_all_colours_differ(palette, vision):
    assert closest(palette[:3], vision) > 35
    assert closest(palette, vision) > 20


def test_the_measure_finds_colours_that_are_confused():
    assert closest(["#0072B2", "#009E73"], "full") > 35
    assert closest(["#0072B2", "#009E73"], "tritanopia") < 20


@pytest.mark.parametrize(("palette", "page"), [(COLOURS, PAPER), (ON_DARK, NIGHT)], ids=["bright", "dark"])
def test_colours_are_seen_on_the_page(palette, page):
    assert min(contrast(colour, page) for colour in palette[:3]) > 3
    assert min(contrast(colour, page) for colour in palette) > 2.2


@seen
@pytest.mark.parametrize("name", [SEQUENTIAL, DIVERGING])
def test_three_values_of_a_colour_scale_are_told_apart(name, vision):
    import matplotlib as mpl

    assert closest(mpl.colormaps[name]([0.0, 0.5, 1.0]), vision) > 35


def test_classes_also_differ_in_their_markers():
    assert len({mark(i)[1] for i in range(10)}) == 10
    assert len({mark(i) for i in range(70)}) == 70
