"""Files to read: written on the spot, plain and compressed, and the data sets of the documentation."""

import gzip
import os
import pathlib

import pytest


@pytest.fixture(params=["plain", "gzip"])
def write(request, tmp_path):
    """Writes a file, with an ending that does not tell how."""

    def to(data, name="data.txt"):
        path = tmp_path / name
        path.write_bytes(gzip.compress(data) if request.param == "gzip" else data)
        return path

    return to


@pytest.fixture
def folder():
    """Folder of the data sets, named by the environment variable MERCER_DATA."""
    path = os.environ.get("MERCER_DATA")
    if not path:
        pytest.skip("MERCER_DATA names no folder of data sets")
    return pathlib.Path(path)
