"""Faces of folders, MATLAB files and scikit-learn."""

import numpy as np
import pytest
import scipy.io
from PIL import Image
from sklearn.utils import Bunch

from mercer import faces
from mercer.faces import block_means, face_vectors, olivetti, read


def save(path, pixels):
    path.parent.mkdir(exist_ok=True)
    Image.fromarray(pixels).save(path)


@pytest.fixture
def yale(tmp_path, rng):
    """165 images of 4 x 4 pixels as Deng Cai stores them, and the pixels as they are."""
    pixels = rng.integers(256, size=(165, 4, 4), dtype=np.uint8)
    rows = pixels.transpose(0, 2, 1).reshape(165, 16)
    scipy.io.savemat(tmp_path / "yale.mat", {"fea": rows, "gnd": np.repeat(np.arange(1, 16), 11)[:, None]})
    (tmp_path / "README").write_text("faces")
    return tmp_path, pixels


def test_the_layout_of_orl_is_recognised(tmp_path, rng):
    pixels = rng.integers(256, size=(40, 10, 6, 5), dtype=np.uint8)
    for person in range(40):
        for image in range(10):
            save(tmp_path / f"s{person + 1}" / f"{image + 1}.pgm", pixels[person, image])
    (tmp_path / "README").write_text("faces")
    images = read(tmp_path)
    assert images.source == "ORL"
    assert images.names[:2] == ("s1/1.pgm", "s1/2.pgm")
    assert images.names[10] == "s2/1.pgm"
    assert images.labels[[0, 10, 399]].tolist() == ["s1", "s2", "s40"]
    np.testing.assert_array_equal(images.pixels, pixels.reshape(400, 6, 5) / 255)
    (tmp_path / "s40" / "10.pgm").unlink()
    assert read(tmp_path).source == ""


def test_any_other_folder_of_images(tmp_path, rng):
    for name in ("ann", "bob"):
        save(tmp_path / name / "1.png", rng.integers(256, size=(3, 4), dtype=np.uint8))
    (tmp_path / "old.mat").write_bytes(b"")
    images = read(tmp_path, shape=(6, 8))
    assert (images.source, images.shape, images.labels.tolist()) == ("", (6, 8), ["ann", "bob"])
    assert any("old.mat" in note for note in images.notes)


def test_yale_is_read_from_its_matrix(yale):
    folder, pixels = yale
    for source in (folder, folder / "yale.mat", str(folder)):
        images = read(source)
        assert images.source == "Yale"
        np.testing.assert_array_equal(images.pixels, pixels / 255)
        assert images.labels[[0, 11]].tolist() == [1, 2]
        assert images.names[9:12] == ("1/10", "1/11", "2/1")


def test_matrices_of_other_shapes_and_scales(tmp_path, rng):
    rows = rng.uniform(size=(6, 6))
    scipy.io.savemat(tmp_path / "x.mat", {"fea": rows, "gnd": [1, 1, 2, 2, 3, 3]})
    images = read(tmp_path, shape=(3, 2))
    assert images.source == ""
    np.testing.assert_array_equal(images.pixels[0], rows[0].reshape(2, 3).T)


def test_what_is_wrong_with_a_matrix_is_said(tmp_path):
    path = tmp_path / "x.mat"
    path.write_bytes(b"nothing of the kind" * 20)
    with pytest.raises(ValueError, match=r"x\.mat: cannot be read as a MATLAB file"):
        read(path)
    scipy.io.savemat(path, {"a": [1], "b": [2]})
    with pytest.raises(ValueError, match=r"variables fea .* got a, b"):
        read(path)
    scipy.io.savemat(path, {"fea": np.ones((4, 4)), "gnd": [1, 2]})
    with pytest.raises(ValueError, match=r"got shapes \(4, 4\), \(2,\)"):
        read(path)
    scipy.io.savemat(path, {"fea": np.ones((2, 5)), "gnd": [1, 2]})
    with pytest.raises(ValueError, match="5 pixels are not 2 x 2"):
        read(path)
    scipy.io.savemat(path, {"fea": np.full((2, 4), -1.0), "gnd": [1, 2]})
    with pytest.raises(ValueError, match="pixels from -1 to -1"):
        read(path)
    scipy.io.savemat(tmp_path / "y.mat", {"a": [1]})
    with pytest.raises(ValueError, match=r"several MATLAB files \(x\.mat, y\.mat\)"):
        read(tmp_path)


def test_no_such_source(tmp_path):
    with pytest.raises(FileNotFoundError, match="no file or folder"):
        read(tmp_path / "nowhere")
    (tmp_path / "a.csv").write_text("1")
    with pytest.raises(ValueError, match=r"a\.csv: expected a folder of images"):
        read(tmp_path / "a.csv")


def test_olivetti_without_a_network(monkeypatch):
    def fail(**options):
        raise ConnectionRefusedError(111, "refused")

    monkeypatch.setattr("sklearn.datasets.fetch_olivetti_faces", fail)
    with pytest.raises(OSError, match=r"neither find nor fetch .*refused.* mercer\.faces\.read"):
        olivetti()


def test_olivetti(monkeypatch, rng):
    bunch = Bunch(images=rng.uniform(size=(4, 3, 3)).astype(np.float32), target=np.array([0, 0, 1, 1]))
    monkeypatch.setattr("sklearn.datasets.fetch_olivetti_faces", lambda **options: bunch)
    images = olivetti()
    assert (images.pixels.dtype, images.shape, images.source) == (np.float64, (3, 3), "Olivetti")
    assert images.labels.tolist() == [0, 0, 1, 1]


def test_block_means_keep_the_mean(yale):
    images = read(yale[0])
    small = block_means(images, 2)
    assert small.shape == (2, 2)
    np.testing.assert_allclose(small.pixels.mean(axis=(1, 2)), images.pixels.mean(axis=(1, 2)))
    assert "Reduced from 4 x 4 to 2 x 2" in small.notes[-1]
    np.testing.assert_array_equal(block_means(images.pixels, 1), images.pixels)
    assert block_means(images, 1).notes == images.notes
    with pytest.raises(ValueError, match="blocks of 3 x 3 do not tile images of 4 x 4"):
        block_means(images, 3)


def test_vectors(rng):
    pixels = rng.integers(256, size=(5, 4, 3))
    raw, centred = face_vectors(pixels, "none"), face_vectors(pixels)
    np.testing.assert_allclose(raw / raw[0, 0], pixels.reshape(5, 12) / pixels[0, 0, 0])
    np.testing.assert_allclose(face_vectors(pixels + 10 * np.arange(5)[:, None, None]), centred)
    for X in (raw, centred):
        assert np.isclose((X**2).sum(axis=1).mean(), 1)
    with pytest.raises(ValueError, match="all images are blank"):
        face_vectors(np.full((3, 2, 2), 0.1))
    with pytest.raises(ValueError, match="center must be one of 'image', 'none', got 'pixel'"):
        face_vectors(pixels, "pixel")
    with pytest.raises(ValueError, match=r"shape \(n, height, width\), got ndarray of shape \(5, 12\)"):
        face_vectors(raw)
    with pytest.raises(ValueError, match="contains NaN"):
        face_vectors(np.full((3, 2, 2), np.nan))


def test_every_public_name_exists():
    assert all(hasattr(faces, name) for name in faces.__all__)
