"""Sparse matrices from outside: every format is read as it is, and arrays that describe no matrix are refused."""

import threading

import numpy as np
import pytest
import scipy.sparse as sp

from mercer import kernels as mk
from mercer._validation import as_csr, as_dense
from mercer.data import Graphs, take
from mercer.data.join import joined
from mercer.operators import gram
from mercer.svm import SVC

FORMATS = ["bsr", "coo", "csc", "csr", "dia", "dok", "lil"]


def example(form="csr", new=False):
    S = sp.random(7, 5, density=0.4, random_state=3)
    return (sp.coo_array(S) if new else S).asformat(form)


@pytest.mark.parametrize("new", [False, True], ids=["matrix", "array"])
@pytest.mark.parametrize("form", FORMATS)
def test_every_format_becomes_the_same_matrix(form, new):
    S = example(form, new)
    read = as_csr("k", S)
    assert type(read) is (sp.csr_array if new else sp.csr_matrix)
    assert read.has_canonical_format
    np.testing.assert_array_equal(read.toarray(), S.toarray())
    np.testing.assert_array_equal(as_dense("k", S), S.toarray())


def test_blocks_of_more_than_one_entry():
    S = sp.bsr_array(np.kron(np.eye(3), np.arange(1.0, 7.0).reshape(2, 3)), blocksize=(2, 3))
    np.testing.assert_array_equal(as_csr("k", S).toarray(), S.toarray())


def test_indices_are_copied_and_entries_are_not():
    S = example()
    read = as_csr("k", S)
    assert np.shares_memory(read.data, S.data)
    for part in ("indices", "indptr"):
        assert not np.shares_memory(getattr(read, part), getattr(S, part))
        assert not getattr(read, part).flags.writeable
    again = as_csr("k", read)  # nobody else can write to them: no second copy
    assert np.shares_memory(again.indices, read.indices)


def test_strided_read_only_and_foreign_arrays_work():
    S = example()
    dense = S.toarray()
    wide = np.empty(2 * S.nnz)
    wide[::2] = S.data
    S.data = wide[::2]
    S.indices = np.repeat(S.indices, 2)[::2]
    S.indptr = S.indptr.astype(">i8")
    for part in (S.data, S.indices, S.indptr):
        part.flags.writeable = False
    np.testing.assert_array_equal(as_csr("k", S).toarray(), dense)
    np.testing.assert_allclose(mk.RBF(gamma=1.0)(S), mk.RBF(gamma=1.0)(dense), rtol=1e-12)
    y = [0, 1, 0, 1, 0, 1, 0]
    np.testing.assert_allclose(
        SVC(gamma=1.0).fit(S, y).decision_function(S), SVC(gamma=1.0).fit(dense, y).decision_function(dense), atol=1e-6
    )


def test_flags_that_lie_and_entries_behind_the_end():
    S = sp.csr_matrix((2, 2))
    S.data, S.indices, S.indptr = np.array([1.0, 2.0, 4.0, 9.0]), np.array([1, 1, 0, 0]), np.array([0, 3, 3])
    S.has_canonical_format = S.has_sorted_indices = True
    np.testing.assert_array_equal(as_csr("k", S).toarray(), [[4.0, 3.0], [0.0, 0.0]])
    np.testing.assert_array_equal(S.data, [1.0, 2.0, 4.0, 9.0])


def altered(part, values):
    S = sp.csr_matrix(np.array([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0]]))
    setattr(S, part, values)
    return S


MALFORMED = {
    "an index too large": (altered("indices", np.array([0, 7, 1])), "the indices .* 0 to 2, got 7 at position 1"),
    "a negative index": (altered("indices", np.array([0, -1, 1])), "0 to 2, got -1"),
    "indices of another type": (altered("indices", np.array([0.0, 2.0, 1.0])), "1-D array of integers"),
    "few indices": (altered("indices", np.array([0])), "indptr .* ends at 3, but there are 1 indices and 3 entries"),
    "few entries": (altered("data", np.ones(2)), "ends at 3, but there are 3 indices and 2 entries"),
    "a late start": (altered("indptr", np.array([1, 2, 3])), "must start with 0, got 1"),
    "falling offsets": (altered("indptr", np.array([0, 5, 3])), "must not descend, got 5 and then 3"),
    "negative offsets": (altered("indptr", np.array([0, -4, -4])), "must not descend"),
    "an end far away": (altered("indptr", np.array([0, 2, 2**40])), "ends at 1099511627776"),
    "too few rows": (altered("indptr", np.array([0, 3])), r"must have length 3 for shape \(2, 3\), got 2"),
    "no offsets": (altered("indptr", np.array([], dtype=int)), "must start with 0, got an empty array"),
    "wrapped offsets": (altered("indptr", np.array([0, 2, 2**64 - 1], dtype=np.uint64)), "indptr"),
    "a list": (altered("data", [1.0, 2.0, 3.0]), "entries .* must be a 1-D array of numbers"),
    "a matrix of entries": (altered("data", np.ones((3, 1))), "entries .* must be a 1-D array of numbers"),
    "another shape": (altered("_shape", (10**6, 3)), "must have length 1000001"),
    "no shape": (altered("_shape", (2, -3)), r"of shape \(2, -3\)"),
}


@pytest.mark.parametrize("case", MALFORMED)
def test_arrays_that_describe_no_matrix_are_refused(case):
    S, words = MALFORMED[case]
    entries = [
        lambda: as_csr("k", S),
        lambda: mk.RBF(gamma=1.0)(S),
        lambda: gram(mk.Linear(), S) @ np.ones(2),
        lambda: mk.Overlap()(S),
        lambda: SVC().fit(S, [0, 1]),
        lambda: SVC().fit(np.eye(3), [0, 1, 1]).predict(S),
        lambda: take(S, [0, 1]),
        lambda: joined(S, S),
    ]
    for entry in entries:
        with pytest.raises((ValueError, TypeError, IndexError), match=words if entry is entries[0] else None):
            entry()


def test_other_formats_are_checked_too():
    coo, csc, bsr = example("coo"), example("csc"), example("bsr")
    lil, dok, dia = example("lil"), example("dok"), sp.dia_array((np.ones((1, 3)), [0]), shape=(3, 3))
    coo.coords[0][0] = 99
    csc.indices[0] = 99
    bsr.indices[0] = 99
    lil.rows[0] = [0, 1, 99]
    lil.data[0] = [1.0, 2.0, 3.0]
    dok._dict[99, 0] = 1.0
    dia.offsets = np.array([99])
    for S in (coo, csc, bsr, lil, dok, dia):
        with pytest.raises(ValueError, match=r"k: .* got 99"):
            as_csr("k", S)
    lil = example("lil")
    lil.rows[0] = [0]
    lil.data[0] = []
    with pytest.raises(ValueError, match="do not have the same lengths"):
        as_csr("k", lil)
    graph = sp.csr_array(np.eye(3))
    graph.indices[0] = 99
    with pytest.raises(ValueError, match=r"graph 0 has an adjacency matrix: the indices"):
        Graphs([graph])


def test_indices_that_change_during_a_fit():
    rng = np.random.default_rng(0)
    S = sp.random(600, 40, density=0.2, format="csr", random_state=0)
    y = rng.integers(0, 2, 600)
    good, stop = S.indices.copy(), threading.Event()

    def scribble():
        while not stop.is_set():
            S.indices[:] = 2**30
            S.indices[:] = good

    thread = threading.Thread(target=scribble)
    thread.start()
    fits = 0
    try:
        for _ in range(20):
            try:
                SVC(gamma=1.0).fit(S, y)
                fits += 1
            except ValueError as error:
                assert "must lie in 0 to 39" in str(error)  # noqa: PT017
    finally:
        stop.set()
        thread.join()
    S.indices[:] = good
    assert SVC(gamma=1.0).fit(S, y).score(S, y) > 0.5


@pytest.mark.parametrize("kind", ["dok", "lil"])
def test_none_is_not_a_number(kind):
    S = example(kind)
    if kind == "dok":
        S._dict[0, 0] = None
    else:
        S.rows[0], S.data[0] = [0], [None]
    with pytest.raises(ValueError, match="contains None, expected numbers"):
        as_csr("RBF", S)
