"""The figures of Yang (2001) on the ORL and Yale faces, below the folder that MERCER_DATA names."""

import os
import pathlib

import pytest

from mercer.faces import Eigenface, Fisherface, KernelFisherface, face_vectors, read, table
from mercer.kernels import RBF, Polynomial


@pytest.fixture(scope="module")
def folder():
    path = os.environ.get("MERCER_DATA")
    if not path:
        pytest.skip("MERCER_DATA names no folder of data sets")
    return pathlib.Path(path) / "faces"


def test_orl(folder):
    images = read(folder / "orl")
    assert (len(images), images.shape, images.source) == (400, (112, 92), "ORL")
    polynomial, gaussian = KernelFisherface(Polynomial(degree=2)), KernelFisherface()
    found = table(images, methods=[Eigenface(), polynomial, gaussian])
    assert (found.shape, found.center) == ((28, 23), "image")
    eigenface = found["Eigenface"]
    assert abs(eigenface.best_errors - eigenface.published.errors) <= 2
    assert found[gaussian.name].best_errors <= 6
    assert found[polynomial.name].best_errors <= 7
    assert max(found[method.name].best_errors for method in (polynomial, gaussian)) < eigenface.best_errors


def test_yale(folder):
    """On this crop the order of the methods is the published one; the figures are not."""
    images = read(folder / "yale")
    assert (len(images), images.shape, images.source) == (165, (32, 32), "Yale")
    X = face_vectors(images)
    wide = KernelFisherface(RBF(0.1 * RBF("median").resolve(X).gamma), reg=0.1)
    found = table(images, methods=[Eigenface(), Fisherface(), wide])
    errors = [row.best_errors for row in found.rows]
    assert errors == sorted(errors, reverse=True)
    assert 52 <= errors[0] <= 64
    assert errors[2] <= 22
    assert any("32 x 32" in note for note in found.notes)
