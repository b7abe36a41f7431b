"""Figures without pyplot, as bytes and as text; what happens without matplotlib."""

import re
import subprocess
import sys
import xml.etree.ElementTree as ET

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib._pylab_helpers import Gcf

from mercer.plots import EmbeddingDisplay, ImageGridDisplay, KernelMatrixDisplay, blank, png, svg
from mercer.plots.style import COLOURS, MARKERS, mark, percent, plain, signed, wrapped


def test_blank_is_not_known_to_pyplot():
    figure, ax = blank(3, 2)
    assert figure.axes == [ax]
    assert figure.get_size_inches().tolist() == [3, 2]
    assert type(figure.canvas).__name__ == "FigureCanvasAgg"
    assert not Gcf.figs
    with pytest.raises(ValueError, match="blank: parameter width must be a finite number > 0"):
        blank(0, 2)


def test_png_has_the_size_asked_for_and_repeats():
    data = png(_picture(), dpi=100)
    assert data.startswith(b"\x89PNG")
    assert tuple(int.from_bytes(data[i : i + 4], "big") for i in (16, 20)) == (300, 200)
    assert png(_picture(), dpi=100) == data
    assert b"Software" not in data


def _picture():
    figure, ax = blank(3, 2)
    ax.imshow([[0.0, 1.0], [2.0, 3.0]])
    ax.plot([0, 1], label='id="x" & <b>')
    ax.legend()
    ax.set_title("words stay words")
    return figure


def test_svg_is_an_element_with_text_and_the_same_every_time():
    text = svg(_picture(), "a", title="what & why")
    root = ET.fromstring(text)
    assert text.startswith("<svg")
    assert root.get("id") == "a"
    assert root.find("{http://www.w3.org/2000/svg}title").text == "what & why"
    words = [node.text for node in root.iter("{http://www.w3.org/2000/svg}text")]
    assert "words stay words" in words
    assert 'id="x" & <b>' in words  # what looks like an attribute but is text is left alone
    assert "dc:date" not in text
    assert text == svg(_picture(), "a", title="what & why")


def test_svg_of_two_figures_share_no_id_and_refer_to_their_own():
    texts = [svg(_picture(), prefix) for prefix in ("a", "b")]
    ids = [{node.get("id") for node in ET.fromstring(text).iter() if node.get("id")} for text in texts]
    assert ids[0]
    assert not ids[0] & ids[1]
    for text, own in zip(texts, ids, strict=True):
        tags = "".join(re.findall("<[^>]*>", text))
        used = set(re.findall(r'url\(#([^)]*)\)|href="#([^"]*)"', tags))
        assert {a or b for a, b in used} <= own
    assert "#a *{" in texts[0]  # its rules do not reach the rest of a page


@pytest.mark.parametrize("prefix", ["", "1a", 'a"b', "a b"])
def test_svg_refuses_what_is_no_name(prefix):
    with pytest.raises(ValueError, match="svg: prefix must be a letter"):
        svg(blank(1, 1)[0], prefix)


def test_no_setting_of_matplotlib_changes():
    before = dict(mpl.rcParams)
    figure, ax = blank()
    KernelMatrixDisplay.from_matrix(np.eye(3), ["a", "b", "a"], ax=ax)
    svg(figure)
    png(figure)
    assert dict(mpl.rcParams) == before


def test_without_axes_a_figure_of_pyplot_is_made():
    import matplotlib.pyplot as plt

    display = EmbeddingDisplay.from_embedding(np.zeros((2, 2)))
    assert display.figure_ is plt.gcf()
    assert display.ax_ is plt.gca()
    plt.close(display.figure_)
    grid = ImageGridDisplay.from_images(np.zeros((9, 2, 2)))
    assert grid.figure_ is plt.gcf()
    assert len(grid.figure_.axes) == 9  # of a grid of ten places
    plt.close(grid.figure_)


def test_panels_take_one_place_or_many():
    images = np.zeros((3, 2, 2))
    figure, ax = blank()
    display = ImageGridDisplay.from_images(images, ax=ax)
    assert len(display.axes_) == 3
    assert not ax.axison
    figure, _ = blank()
    places = figure.subplots(1, 3)
    assert ImageGridDisplay.from_images(images, ax=places).axes_ == list(places)
    with pytest.raises(ValueError, match="got 2 axes, expected 3"):
        ImageGridDisplay.from_images(images, ax=places[:2])
    with pytest.raises(ValueError, match="got axes without a grid"):
        ImageGridDisplay.from_images(images, ax=figure.add_axes((0, 0, 1, 1)))
    with pytest.raises(TypeError, match="ImageGridDisplay: ax must be matplotlib Axes, got 'here'"):
        ImageGridDisplay.from_images(images, ax="here")


def test_without_matplotlib_the_message_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    for draw in (blank, lambda: KernelMatrixDisplay.from_matrix(np.eye(2)), lambda: svg(None)):
        with pytest.raises(ImportError, match=r"needs matplotlib: pip install 'mercer\[plot\]'"):
            draw()


def test_importing_the_displays_does_not_import_matplotlib():
    code = "import sys, mercer.plots; print('matplotlib' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_every_class_has_a_colour_and_a_marker():
    assert len({mark(i) for i in range(len(COLOURS) * len(MARKERS))}) == len(COLOURS) * len(MARKERS)
    assert mark(0)[0] != mark(1)[0]
    assert mark(0)[1] != mark(1)[1]


def test_words_from_outside():
    assert plain("a" * 50, 9) == "aaaaaa…aa"
    assert plain("$x$") == r"\$x\$"
    assert plain("a\x00\nb") == "a  b"
    assert not plain("_hidden").startswith("_")
    assert wrapped("one two three four", 9).splitlines() == ["one two", "three…"]
    assert (percent(1.0), percent(0.2), percent(0.0), percent(1e-9)) == ("100 %", "20 %", "0.0 %", "< 0.1 %")
    assert (signed(0.0), signed(-0.5)) == ("+0", "−0.5")
