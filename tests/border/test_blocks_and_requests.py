"""Every malformed source of blocks and every absurd request once, by name; the harness runs them at more places."""

import numpy as np
import pytest

from mercer.data import ArrayBlocks, IterableBlocks
from mercer.ridge import KernelRidge
from tests.border.blocks import ARRAYS, BAD, GOOD, blocks
from tests.border.case import judge
from tests.border.requests import ASKED, requests

RNG = np.random.default_rng(0)
SOURCES = [*BAD, *ARRAYS, *GOOD]


@pytest.mark.parametrize("i", range(len(SOURCES)), ids=lambda i: f"{i} {SOURCES[i]}")
def test_sources_are_refused_by_a_sentence_or_read(i):
    case = blocks(RNG, i)
    assert (case.must == "refuse") == (i < len(BAD) + len(ARRAYS))
    fault = judge(case)
    assert fault is None, f"{case.entry}: {fault}"


@pytest.mark.parametrize("i", range(len(ASKED)), ids=lambda i: list(ASKED)[i])
def test_requests_are_refused_before_they_start(i):
    case = requests(RNG, i)
    assert judge(case) is None, f"{case.entry}, {case.what}"


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_blocks_of_frames_keep_their_names(library):
    frames = pytest.importorskip(library)
    X = RNG.random((20, 2))
    frame = frames.DataFrame({"age": X[:, 0], "size": X[:, 1]})
    if library == "pandas":
        frame.index = frame.index[::-1]  # labels of rows, which are not positions
    y = frame["age"]
    plain = KernelRidge(kernel="rbf", approximation=5).fit(ArrayBlocks(X, X[:, 0], rows=8))
    for source in (
        ArrayBlocks(frame, y, rows=8),
        IterableBlocks([(frame[:8], X[:8, 0]), (frame[8:], X[8:, 0])]),
    ):
        model = KernelRidge(kernel="rbf", approximation=5).fit(source)
        assert model.feature_names_in_.tolist() == ["age", "size"]
        assert np.allclose(model.predict(frame), plain.predict(X), rtol=1e-10)
        with pytest.raises(ValueError, match="feature names should match"):
            model.predict(frame.rename({"age": "sage"}) if library == "polars" else frame.rename(columns={"age": "b"}))
