"""The command ``mercer faces``."""

import json

import numpy as np
import pytest

from mercer.cli import main

image = pytest.importorskip("PIL.Image")


@pytest.fixture
def persons(folder):
    """Four images of each of three persons, who differ in where they are bright."""
    rng = np.random.default_rng(0)
    for person in range(3):
        (folder / "faces" / f"p{person}").mkdir(parents=True)
        for number in range(4):
            pixels = rng.integers(0, 60, size=(12, 10)).astype(np.uint8)
            pixels[4 * person : 4 * person + 4] += 150
            image.fromarray(pixels).save(folder / "faces" / f"p{person}" / f"{number}.png")
    return "faces"


def test_table_and_pictures(capsys, folder, persons):
    argv = ["faces", persons, "--components", "1", "2", "--pictures", "all.png"]
    assert main([*argv, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["n_images"], found["n_persons"], found["shape"]) == (12, 3, [12, 10])
    assert {row["method"] for row in found["rows"]} >= {"Eigenface", "Fisherface"}
    assert all(row["best_errors"] == 0 for row in found["rows"] if "Fisher" in row["method"])
    assert (folder / "all.png").read_bytes()[1:4] == b"PNG"

    assert main(argv[:5]) == 0
    shown = capsys.readouterr().out
    assert "12 images of 3 persons, 12 × 10 pixels" in shown
    assert max(map(len, shown.splitlines())) <= 80

    (folder / "all.png").unlink()
    assert main([*argv, "--code"]) == 0
    exec(compile(capsys.readouterr().out, "<faces>", "exec"), {})
    assert "12 images of 3 persons" in capsys.readouterr().out
    assert (folder / "all.png").exists()


def test_what_cannot_be(capsys, folder):
    assert main(["faces", "absent"]) == 1
    err = capsys.readouterr().err
    assert "absent" in err
    assert len(err.splitlines()) == 1
    assert main(["faces", "absent", "--pictures", "x.txt"]) == 1
    assert "expected one of .png, .svg" in capsys.readouterr().err
