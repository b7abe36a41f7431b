"""The table of errors: what it holds, what it says, how it prints."""

import json

import numpy as np
import pytest

from mercer.datasets.images import Images
from mercer.faces import METHODS, PUBLISHED, Eigenface, Fisherface, KernelFisherface, leave_one_out, table
from mercer.faces.vectors import block_means, face_vectors
from mercer.kernels import RBF
from tests.reference.faces import faces


@pytest.fixture(scope="module")
def images():
    pixels, labels = faces(np.random.default_rng(0), shape=(8, 6))
    names = tuple(f"s{label}/{i}.png" for i, label in enumerate(labels))
    return Images(pixels, labels, names, notes=("Colours were converted to grey (36 of 36 images).",))


@pytest.fixture(scope="module")
def found(images):
    return table(images, components=[2, 4, 20])


def test_rows_are_those_of_leave_one_out(images, found):
    X = face_vectors(images)
    assert [row.method for row in found.rows] == list(METHODS)
    for row in found.rows:
        alone = leave_one_out(row.method, X, images.labels, [2, 4, 20])
        assert (row.components, row.errors, row.kernel) == (alone.components, alone.errors, alone.kernel)
        best = int(np.argmin(alone.errors))
        assert (row.best_errors, row.best_components) == (alone.errors[best], alone.components[best])
        assert row.rate == row.best_errors / 36
        np.testing.assert_array_equal(row.nearest, alone.nearest[:, best])
        assert row.published is None
    assert found["Fisherface"].components == (2, 4, 5)


def test_notes_tell_what_must_be_known(images, found):
    notes = "\n".join(found.notes)
    assert found.notes[0] == images.notes[0]
    for words in (
        "selected on the same errors",
        "2.78%",
        "mean of its pixels was subtracted",
        "architecture II",
        "rbf(gamma=",
        "ridge 0.1",
    ):
        assert words in notes
    assert "single image" not in notes
    bare = table(images.pixels, images.labels, methods=[Eigenface()], components=[2], center="none").notes
    assert not any("ICA" in note or "ridge" in note for note in bare)
    assert any("Brightness was kept" in note for note in bare)
    alone = np.append(images.labels[:-1], 77)
    assert any("single image" in note for note in table(images, alone, methods=[Eigenface()], components=[2]).notes)


def test_prints_as_a_table(found):
    lines = str(found).splitlines()
    assert lines[0] == "36 images of 6 persons, 8 x 6 pixels"
    head = lines[2]
    assert head.split() == ["errors", "with", "components", "2", "4", "5", "20", "best", "at", "rate"]
    for line, row in zip(lines[3:10], found.rows, strict=True):
        assert line.startswith(row.method.name)
        place = head.index("best") + len("best")
        assert line[:place].endswith(f" {row.best_errors}")
    assert max(map(len, lines)) <= 110


def test_is_json(found):
    again = json.loads(json.dumps(found.to_dict()))
    assert again["shape"] == [8, 6]
    assert [row["method"] for row in again["rows"]] == [method.name for method in METHODS]
    assert again["rows"][2]["reg"] == 0.1
    assert again["published"]["ORL"]["Eigenface"] == {"errors": 11, "components": 30}


def test_published_figures_stand_beside_their_own_collection(images):
    orl = Images(images.pixels, images.labels, images.names, source="ORL")
    found = table(orl, methods=[Eigenface(), KernelFisherface(RBF(0.5))], components=[2])
    assert found["Eigenface"].published == PUBLISHED["ORL"]["Eigenface"] == (11, 30)
    assert found.rows[1].published is None
    assert str(found).splitlines()[2].endswith("published  at")
    assert str(found).splitlines()[3].endswith("11  30")
    yale = Images(images.pixels, images.labels, images.names, source="Yale")
    assert any("used its own crop" in note for note in table(yale, methods=[Eigenface()], components=[2]).notes)


def test_every_method_has_published_figures():
    for rows in PUBLISHED.values():
        assert list(rows) == [method.name for method in METHODS]


def test_blocks(images):
    found, small = table(images, methods=[Eigenface()], components=[3], blocks=2), block_means(images, 2)
    assert found.shape == (4, 3)
    assert found.rows[0].errors == leave_one_out(Eigenface(), face_vectors(small), images.labels, [3]).errors
    assert any("2 x 2" in note for note in found.notes)


def test_orl_in_its_own_size_is_reduced_as_in_the_paper(rng):
    pixels = rng.uniform(size=(6, 112, 92))
    orl = Images(pixels, np.array([0, 0, 0, 1, 1, 1]), tuple("abcdef"), source="ORL")
    assert table(orl, methods=[Eigenface()], components=[2]).shape == (28, 23)
    assert table(orl, methods=[Eigenface()], components=[2], blocks=1).shape == (112, 92)
    assert table(pixels, orl.labels, methods=[Eigenface()], components=[2]).shape == (112, 92)


def test_progress_runs_over_all_methods(images):
    told = []
    table(images, methods=[Eigenface(), Fisherface()], components=[2], progress=lambda *now: told.append(now))
    assert told == [(i + 1, 72) for i in range(72)]


def test_what_is_wrong_is_said(images, found):
    with pytest.raises(ValueError, match="labels are missing"):
        table(images.pixels)
    with pytest.raises(TypeError, match=r"such as Eigenface\(\), got 'Eigenface'"):
        table(images, methods=["Eigenface"])
    with pytest.raises(ValueError, match="different names, got Eigenface, Eigenface"):
        table(images, methods=[Eigenface(), Eigenface()])
    with pytest.raises(ValueError, match="different names, got none"):
        table(images, methods=[])
    with pytest.raises(KeyError, match="no method 'PCA', only ICA"):
        found["PCA"]
