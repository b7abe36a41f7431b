"""Folders of images: formats, order, sizes, and what is said about files that are none."""

import os

import numpy as np
import pytest
from PIL import Image

from mercer.datasets.images import SUFFIXES, Images, read_images


@pytest.fixture
def grey(rng):
    return rng.integers(256, size=(6, 5), dtype=np.uint8)


def save(path, pixels, **options):
    path.parent.mkdir(exist_ok=True, parents=True)
    Image.fromarray(pixels).save(path, **options)


@pytest.mark.parametrize("ending", [".pgm", ".png", ".bmp", ".gif", ".tif", ".TIFF"])
def test_lossless_formats_are_read_exactly(tmp_path, grey, ending):
    save(tmp_path / f"a{ending}", grey)
    images = read_images(tmp_path)
    np.testing.assert_array_equal(images.pixels, grey[None] / 255)
    assert (images.labels, images.names, images.shape, len(images)) == (None, (f"a{ending}",), (6, 5), 1)


def test_jpeg_is_read_nearly(tmp_path):
    smooth = np.linspace(0, 255, 64, dtype=np.uint8).reshape(8, 8)
    save(tmp_path / "a.jpeg", smooth, quality=95)
    assert np.abs(read_images(tmp_path).pixels[0] - smooth / 255).max() < 0.03


def test_every_ending_can_be_decoded():
    assert set(SUFFIXES) <= Image.registered_extensions().keys()


def test_sixteen_bits_stay_exact(tmp_path, rng):
    values = rng.integers(65536, size=(4, 3), dtype=np.uint16)
    for name in ("a.png", "b.tif", "c.pgm"):
        save(tmp_path / name, values)
    images = read_images(tmp_path)
    for image in images.pixels:
        np.testing.assert_array_equal(image, values / 65535)
    assert images.notes == ()


def test_colours_become_grey_and_that_is_told(tmp_path, grey):
    save(tmp_path / "a.png", np.dstack([grey] * 3))
    save(tmp_path / "b.png", np.dstack([grey, grey, grey, 255 - grey]))
    save(tmp_path / "c.png", grey)
    Image.fromarray(grey).convert("P").save(tmp_path / "d.png", transparency=bytes([0, 128]))
    images = read_images(tmp_path)
    np.testing.assert_allclose(images.pixels, np.broadcast_to(grey / 255, (4, 6, 5)), atol=1e-12)
    assert images.notes == (
        "Colours were converted to grey (3 of 4 images).",
        "Transparency was ignored (2 of 4 images).",
    )


def test_luma_weighs_the_colours(tmp_path):
    save(tmp_path / "a.png", np.array([[[255, 0, 0], [0, 255, 0], [0, 0, 255]]], dtype=np.uint8))
    np.testing.assert_allclose(read_images(tmp_path).pixels[0, 0], [0.299, 0.587, 0.114], atol=0.002)


def test_black_and_white(tmp_path):
    Image.fromarray(np.array([[True, False]])).save(tmp_path / "a.png")
    np.testing.assert_array_equal(read_images(tmp_path).pixels[0], [[1.0, 0.0]])


def test_orientation_of_cameras_is_followed(tmp_path, grey):
    image = Image.fromarray(grey)
    exif = image.getexif()
    exif[0x0112] = 6  # to be turned clockwise
    image.save(tmp_path / "a.png", exif=exif)
    np.testing.assert_array_equal(read_images(tmp_path).pixels[0], np.rot90(grey, -1) / 255)


def test_of_several_frames_the_first_counts(tmp_path, grey):
    frames = [Image.fromarray(grey), Image.fromarray(255 - grey)]
    frames[0].save(tmp_path / "a.tif", save_all=True, append_images=frames[1:])
    images = read_images(tmp_path)
    np.testing.assert_array_equal(images.pixels[0], grey / 255)
    assert images.notes == ("Only the first of several frames was used (1 of 1 images).",)


def test_folders_are_classes_in_the_order_of_numbers(tmp_path, grey):
    for name in ("s10/2.png", "s2/10.png", "s2/9.png", "S1/a.png", "s10/b/c.png", "s3/notes.txt"):
        path = tmp_path / name
        save(path.with_suffix(".png"), grey)
        if name.endswith("txt"):
            path.with_suffix(".png").rename(path)
    (tmp_path / "README").write_text("")
    (tmp_path / ".DS_Store").write_text("")
    images = read_images(str(tmp_path))
    assert images.names == ("S1/a.png", "s2/9.png", "s2/10.png", "s10/2.png")
    assert images.labels.tolist() == ["S1", "s2", "s2", "s10"]
    assert images.notes == ("Skipped files that are not images: README, s3, s10/b.",)
    assert str(images) == "4 images of 3 classes, 6 x 5 pixels (height x width)"


def test_sizes_must_agree_or_be_asked_for(tmp_path, grey):
    save(tmp_path / "1.png", grey)
    save(tmp_path / "2.png", grey)
    save(tmp_path / "3.png", grey[:, :4])
    with pytest.raises(ValueError, match=r"1\.png and .*3\.png: differ in size, 6 x 5 and 6 x 4 pixels"):
        read_images(tmp_path)
    images = read_images(tmp_path, shape=(3, 4))
    assert images.shape == (3, 4)
    assert images.notes == ("Resized to 3 x 4 pixels (3 of 3 images).",)
    assert read_images(tmp_path, shape=[6, 5]).notes == ("Resized to 6 x 5 pixels (1 of 3 images).",)


def test_resizing_keeps_means_and_range(tmp_path):
    save(tmp_path / "a.png", np.kron([[0, 255], [255, 0]], np.ones((8, 8))).astype(np.uint8))
    for shape in ((4, 4), (2, 2), (32, 32), (5, 7)):
        image = read_images(tmp_path, shape=shape).pixels[0]
        assert abs(image.mean() - 0.5) < 1e-6
        assert image.min() >= 0
        assert image.max() <= 1


BROKEN = {
    "empty": b"",
    "text": b"no image at all",
    "half": None,
    "header": b"\x89PNG\r\n\x1a\n" + b"\x00" * 40,
    "pgm": b"P5\n5 6\n255\nxx",
}


@pytest.mark.parametrize("kind", BROKEN)
def test_broken_files_are_named(tmp_path, rng, kind):
    save(tmp_path / "a.png", rng.integers(256, size=(60, 50), dtype=np.uint8))
    broken = tmp_path / ("b.pgm" if kind == "pgm" else "b.png")
    broken.write_bytes((tmp_path / "a.png").read_bytes()[:700] if kind == "half" else BROKEN[kind])
    with pytest.raises(ValueError, match=rf"{broken.name}: cannot be read as an image"):
        read_images(tmp_path)


def test_values_without_a_known_range_are_refused(tmp_path):
    Image.fromarray(np.array([[0.5, 3.0]], dtype=np.float32)).save(tmp_path / "a.tif")
    with pytest.raises(ValueError, match=r"a\.tif: has values from 0\.5 to 3, expected 8 or 16 bits"):
        read_images(tmp_path)


def test_errors_of_the_system_keep_their_kind(tmp_path, grey):
    with pytest.raises(FileNotFoundError):
        read_images(tmp_path / "nowhere")
    save(tmp_path / "a.png", grey)
    with pytest.raises(NotADirectoryError):
        read_images(tmp_path / "a.png")
    (tmp_path / "a.png").chmod(0)
    if os.access(tmp_path / "a.png", os.R_OK):
        pytest.skip("this user may read everything")
    with pytest.raises(PermissionError):
        read_images(tmp_path)


def test_layouts_that_cannot_be_meant(tmp_path, grey):
    with pytest.raises(ValueError, match="contains neither images nor folders of images"):
        read_images(tmp_path)
    save(tmp_path / "a.png", grey)
    save(tmp_path / "s1" / "1.png", grey)
    with pytest.raises(ValueError, match=r"has images \(a\.png\) beside folders of images \(s1/1\.png\)"):
        read_images(tmp_path)


@pytest.mark.parametrize("shape", [(0, 3), (2.5, 3), (-1, 2)])
def test_shapes_must_be_positive(tmp_path, shape):
    with pytest.raises(ValueError, match="read_images: parameter shape"):
        read_images(tmp_path, shape=shape)


def test_shapes_must_be_pairs(tmp_path):
    with pytest.raises(TypeError, match=r"shape must be \(height, width\) or None, got 5"):
        read_images(tmp_path, shape=5)


def test_without_pillow(tmp_path, grey, monkeypatch):
    save(tmp_path / "a.png", grey)

    def missing(name):
        raise ImportError(name)

    monkeypatch.setattr("mercer.datasets.images.import_module", missing)
    with pytest.raises(ImportError, match=r"needs Pillow; install it with: pip install 'mercer\[plot\]'"):
        read_images(tmp_path)


def test_images_without_labels_print(grey):
    assert str(Images(grey[None] / 255, None, ("a",))) == "1 image, 6 x 5 pixels (height x width)"
