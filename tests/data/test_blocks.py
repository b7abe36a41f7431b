"""Sources of blocks: the same rows in every pass, and errors that name the block."""

import os
import pickle

import numpy as np
import pytest

from mercer.data import ArrayBlocks, Block, BlockSource, IterableBlocks
from mercer.data.blocks.survey import Spread, Survey, Surveyed
from mercer.ridge import KernelRidge

RNG = np.random.default_rng(0)
X, Y, W = RNG.normal(size=(23, 4)), RNG.normal(size=23), RNG.uniform(size=23)


def cut(*ends, targets=True):
    parts = [slice(a, b) for a, b in zip((0, *ends), (*ends, len(X)), strict=True)]
    return [(X[part], Y[part], W[part]) if targets else X[part] for part in parts]


class Shaped:
    """Array of which only slices can be read, as of HDF5 files."""

    def __init__(self, values):
        self.values, self.shape, self.dtype = values, values.shape, values.dtype

    def __len__(self):
        return len(self.values)

    def __getitem__(self, rows):
        assert isinstance(rows, slice)
        return self.values[rows]


SOURCES = {
    "array": lambda: ArrayBlocks(X, Y, W, rows=5),
    "default": lambda: ArrayBlocks(X, Y, W),
    "slices": lambda: ArrayBlocks(Shaped(X), Shaped(Y), Shaped(W), rows=5),
    "list": lambda: IterableBlocks(cut(0, 7, 7, 8)),
    "function": lambda: IterableBlocks(lambda: iter(cut(7, 8, 23))),
    "blocks": lambda: IterableBlocks([Block(X[:3], Y[:3], W[:3]), Block(X[3:], Y[3:], W[3:])]),
}


@pytest.mark.parametrize("name", SOURCES)
def test_sources_hold_the_same_rows(name):
    source = SOURCES[name]()
    assert isinstance(source, BlockSource)
    for _ in range(2):  # two passes
        blocks = list(source.map(lambda block: block))
        assert np.array_equal(np.concatenate([block.X for block in blocks]), X)
        assert np.array_equal(np.concatenate([block.y for block in blocks]), Y)
        assert np.array_equal(np.concatenate([block.weight for block in blocks]), W)
        for block in blocks:
            assert len(block) > 0
            assert np.array_equal(X[block.rows], block.X)
    assert source.shape == X.shape
    assert source.has_targets
    assert source.has_weights
    assert np.allclose(source.reduce(lambda block: block.X.sum(axis=0)), X.sum(axis=0))
    assert np.array_equal(source.outputs(lambda block, v: block.X[:, 0] * v, W), X[:, 0] * W)
    assert next(source.map(lambda block, v: v, None)) is None
    some = np.array([22, 0, 7, 7, 3])
    assert np.array_equal(source.take(some), X[some])


def test_types_of_rows():
    assert ArrayBlocks(X.astype(np.float32)).reduce(lambda block: block.X[:1]).dtype == np.float32
    assert ArrayBlocks(np.arange(6).reshape(3, 2)).take(np.array([1])).dtype == np.float64
    assert ArrayBlocks(X, rows=4).outputs(len_of_rows).tolist() == [4.0] * 23


def len_of_rows(block):
    return np.full(len(block), block.X.shape[1], dtype=float)


def test_sources_and_blocks_are_pickled():
    source = pickle.loads(pickle.dumps(ArrayBlocks(X, Y, rows=5)))
    assert source.shape == X.shape
    block = pickle.loads(pickle.dumps(Block(X, Y, start=3, index=1)))
    assert block.rows == slice(3, 26)
    assert repr(block) == "Block 1: rows 3 to 25, 4 columns"
    assert repr(Block(X[:0])) == "Block 0: no rows, 4 columns"


def test_a_memory_map_is_read_by_blocks(tmp_path):
    path = tmp_path / "X.npy"
    np.save(path, X)
    source = ArrayBlocks(np.load(path, mmap_mode="r"), rows=6)
    assert np.array_equal(source.take(np.arange(23)), X)


def test_names_of_frames():
    pl = pytest.importorskip("polars")
    frames = [pl.DataFrame(X[:10], schema=list("abcd")), pl.DataFrame(X[10:], schema=list("abcd"))]
    source = IterableBlocks(frames)
    assert source.feature_names == list("abcd")
    assert np.array_equal(source.take(np.arange(23)), X)


@pytest.mark.parametrize(
    ("blocks", "words"),
    [
        ([X, X[:, :2]], "block 1 has 2 columns, but block 0 has 4"),
        ([(X, Y), X], "block 0 has targets, but block 1 has none"),
        ([(X, Y), (X, Y, W)], "block 1 has weights, but block 0 has none"),
        ([(X, Y), (X, Y[:, None])], r"block 1 has targets of shape \(23, 1\), but block 0 has \(23,\)"),
        ([(X, Y), (X, Y[:5])], r"block 1 has 23 rows, but targets of shape \(5,\)"),
        ([X, (X[:3], None, W)], r"block 1 has 3 rows, but weights of shape \(23,\)"),
        ([X, X[0]], "block 1 must have rows and columns"),
        ([X[:0], X[:0]], r"0 sample\(s\) in all blocks"),
        ([], r"0 sample\(s\) in no block"),
    ],
)
def test_blocks_that_disagree(blocks, words):
    with pytest.raises(ValueError, match=words):
        IterableBlocks(blocks).reduce(len)


def test_blocks_of_other_kinds():
    sp = pytest.importorskip("scipy.sparse")
    with pytest.raises(TypeError, match="block 0 is a sparse matrix"):
        IterableBlocks([sp.csr_matrix(X)])
    with pytest.raises(TypeError, match="block 1: X has dtype <U32, expected real numbers"):
        IterableBlocks([X, X.astype(str)]).reduce(len)
    with pytest.raises(TypeError, match=r"block 0 must be rows X, or a tuple \(X, y\)"):
        IterableBlocks([(X, Y, W, W)])
    with pytest.raises(TypeError, match="can be read only once; pass a function"):
        IterableBlocks(iter([X]))
    with pytest.raises(TypeError, match="X must be an array with rows and columns"):
        ArrayBlocks([[1.0]])
    with pytest.raises(ValueError, match="X has 23 rows, but y has 5"):
        ArrayBlocks(X, Y[:5])
    with pytest.raises(ValueError, match="rows"):
        ArrayBlocks(X, rows=0)


def test_rows_that_change_between_passes():
    held = [X[:10], X[10:]]
    source = IterableBlocks(lambda: iter(held))
    assert source.n_rows == 23
    held[1] = X[10:20]
    with pytest.raises(ValueError, match="block 1 has 10 rows now, but the first pass had 13 rows in it"):
        source.reduce(len)
    held[1] = X[10:] + 1
    with pytest.raises(ValueError, match="block 1 has 13 rows now, but the first pass had other values in it"):
        source.reduce(len)
    del held[1]
    with pytest.raises(ValueError, match="2 blocks in the first pass, 1 now"):
        source.reduce(len)
    held.extend([X[10:], X])
    with pytest.raises(ValueError, match="block 2 has 23 rows now, but the first pass had no such block"):
        source.reduce(len)
    once = iter([X])
    with pytest.raises(ValueError, match=r"0 sample\(s\) in all blocks"):
        IterableBlocks(lambda: once).reduce(len)


def test_a_file_that_shrinks(tmp_path):
    path = tmp_path / "rows.csv"
    np.savetxt(path, X, delimiter=",")

    def read():
        with open(path) as file:
            while lines := [line for _, line in zip(range(6), file, strict=False)]:
                yield np.loadtxt(lines, delimiter=",", ndmin=2)

    source = IterableBlocks(read)
    assert source.n_rows == 23
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:12]))
    with pytest.raises(ValueError, match="4 blocks in the first pass, 2 now"):
        source.reduce(len)


def test_a_memory_map_that_shrinks(tmp_path):
    path = tmp_path / "X.npy"
    np.save(path, X)
    source = ArrayBlocks(np.load(path, mmap_mode="r")[1:], rows=5)
    assert source.reduce(len) == 22
    os.truncate(path, 300)
    with pytest.raises(ValueError, match="the file of X has shrunk to 300 bytes, expected 864"):
        source.reduce(len)
    with pytest.raises(ValueError, match="has shrunk"):
        source.take(np.array([20]))


@pytest.mark.parametrize("weighted", [False, True])
def test_moments_of_columns_do_not_cancel(weighted):
    far = X + 1e6
    source = IterableBlocks([(far[a:b], None, W[a:b] if weighted else None) for a, b in ((0, 1), (1, 9), (9, 23))])
    spread = Surveyed.together(source.map(Survey("test"))).spread
    w = W if weighted else np.ones(23)
    mean = np.average(far, axis=0, weights=w)
    assert np.allclose(spread.mean, mean, rtol=1e-15)
    assert np.allclose(spread.squares, w @ np.square(far - mean), rtol=1e-9)
    assert np.allclose(spread.twin().var(axis=0), np.average(np.square(far - mean), axis=0, weights=w), rtol=1e-9)


def test_moments_of_blocks_without_weight():
    nothing = Spread.of(X, np.zeros(23))
    assert nothing.mass == 0
    both = nothing + Spread.of(X)
    assert np.allclose(both.mean, X.mean(axis=0))


def test_missing_labels_are_named():
    labels = np.array(["a", None, "b"], dtype=object)
    with pytest.raises(ValueError, match="Input y contains NaN or infinity in block 0, row 1"):
        list(ArrayBlocks(X[:3], labels).map(Survey("Model")))


def test_blocks_that_are_not_a_source_name_the_class_to_use(rng):
    X, y = rng.normal(size=(20, 2)), np.arange(20.0)
    model = KernelRidge(kernel="rbf", approximation=5)
    with pytest.raises(TypeError, match=r"pass blocks as mercer.data.IterableBlocks\(function\)"):
        model.fit(iter([(X, y)]))

    class Sliced:
        shape, dtype = X.shape, X.dtype

        def __getitem__(self, rows):
            return X[rows]

    with pytest.raises(TypeError, match=r"with mercer.data.ArrayBlocks\(X, y\)"):
        model.fit(Sliced(), y)
