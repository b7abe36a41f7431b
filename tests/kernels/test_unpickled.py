"""Kernels and packed data pass their checks when they are unpickled, as if they were made anew."""

import copy
import pickle
import re
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from mercer import kernels as mk
from mercer.data import Graphs, Strings
from mercer.kernels import KeyedRows, Vocabularies, Vocabulary
from mercer.kernels import graphs as mg
from mercer.kernels import strings as ms
from mercer.kernels import trees as mt
from tests.contracts.cases import CASES
from tests.pickles import changed, fields_of
from tests.strategies import garbage

WRONG = [
    (ms.Spectrum(3), {"p": -1}), (ms.Spectrum(3), {"p": "3"}), (ms.Spectrum(3), {"mode": "max"}),
    (ms.WeightedDegree(3), {"degree": 2**31}), (ms.WeightedDegree(3), {"shift": -1}), (ms.Subsequence(2), {"decay": 2}),
    (ms.Gapped(4, 2), {"m": 9}), (ms.Mismatch(3, 1), {"m": -1}), (ms.LocalAlignment(), {"beta": 1e9}),
    (mk.Bilinear(np.eye(2)), {"A": ((1.0, 0.0), (0.0,))}), (mk.Bilinear(np.eye(2)), {"A": np.nan}),
    (mk.RBF(gamma=1.0), {"gamma": -1.0}), (mk.RBF(gamma=1.0), {"gamma": (np.inf,)}), (mk.Matern(), {"nu": None}),
    (mk.ANOVA(), {"degree": 10**6}), (mk.Polynomial(), {"degree": 2.5}), (mk.Periodic(), {"period": 0.0}),
    (mk.RBF() + mk.Linear(), {"terms": (mk.RBF(), 3)}), (mk.RBF() * mk.Linear(), {"factors": ()}),
    (0.5 * mk.RBF(), {"scale": np.nan}), (mk.RBF() ** 2, {"exponent": 0}), (mk.Columns([0], mk.RBF()), {"columns": {}}),
    (mk.Linear().normalized(), {"kernel": None}), (mg.Graphlet(3), {"size": 12}), (mg.WeisfeilerLehman(2), {"base": 1}),
    (mg.RandomWalk(0.1), {"form": "steps", "n_steps": -3}), (mt.PartialTree(), {"mu": -1.0}),
    (mk.user(len), {"function": 3}),
]  # fmt: skip


@pytest.mark.parametrize(("kernel", "changes"), WRONG, ids=lambda value: str(value)[:40])
def test_kernels_with_wrong_parameters_are_refused(kernel, changes):
    with pytest.raises(ValueError, match=rf"(?s)^{type(kernel).__name__}: .+\.$"):
        changed(kernel, **changes)


@pytest.mark.parametrize("kernel", dict.fromkeys(kernel for kernel, _ in CASES), ids=str)
def test_kernels_come_back_as_they_were(kernel):
    for again in (copy.copy(kernel), copy.deepcopy(kernel), pickle.loads(pickle.dumps(kernel))):
        assert again == kernel
        assert repr(again) == repr(kernel)


CHANGEABLE = [kernel for kernel in {type(kernel): kernel for kernel, _ in CASES}.values() if fields_of(kernel)]


@settings(max_examples=150, deadline=None)
@given(kernel=st.sampled_from(CHANGEABLE), value=garbage(), which=st.integers(0, 99))
def test_garbage_in_a_kernel_gives_a_kernel_or_a_sentence(kernel, value, which):
    cls, fields = type(kernel), fields_of(kernel)
    fields[sorted(fields)[which % len(fields)]] = value
    again, message = cls.__new__(cls), ""
    try:
        again.__setstate__(fields)
    except ValueError as error:
        message = str(error)
    assert message.startswith(f"{cls.__name__}: ") if message else again == cls(**fields)


@dataclass(frozen=True)
class Wide(mk.Kernel):
    """A kernel of a user, with a field that is computed."""

    width: float = 1.0

    def __post_init__(self) -> None:
        if self.width <= 0:
            raise ValueError(f"Wide: width must be above 0, got {self.width}.")

    def pair(self, a: Any, b: Any) -> float:
        return float(abs(a[0] - b[0]) < self.width)


def test_kernels_of_users_are_made_again():
    assert pickle.loads(pickle.dumps(Wide(2.0))) == Wide(2.0)
    with pytest.raises(ValueError, match=r"^Wide: width must be above 0, got -1"):
        changed(Wide(), width=-1)
    assert changed(Wide(2.0), without="width") == Wide()  # of a version that had no such field


def test_unknown_fields_are_refused():
    with pytest.raises(
        ValueError, match=r"^RBF: has the fields gamma, got 'sigma'; was it stored by another version\?$"
    ):
        changed(mk.RBF(), sigma=3.0)


def test_a_state_is_a_dict():
    with pytest.raises(ValueError, match=r"^RBF: expected the fields of a RBF in a dict, got 3\.$"):
        mk.RBF().__setstate__(3)


# ---- keyed rows and vocabularies

ROWS = KeyedRows(np.array([0, 2, 2, 3]), np.array([3, 9, 4], dtype=np.uint64), np.array([1.0, 2.0, 5.0]))
WORDS = Vocabulary(np.array([3, 9], dtype=np.uint64), ["a", "b"])
BROKEN = [
    (ROWS, "indptr", [0, 2, 2, 3]), (ROWS, "indptr", np.array([0, 2, 1, 3])), (ROWS, "indptr", np.array([0, 2, 2, 4])),
    (ROWS, "indptr", np.array([1, 2, 2, 3])), (ROWS, "indptr", np.array([0.0, 3.0])),
    (ROWS, "indptr", np.array([0, 3])),
    (ROWS, "keys", np.array([9, 3, 4], dtype=np.uint64)), (ROWS, "keys", np.array([3, 3, 4], dtype=np.uint64)),
    (ROWS, "keys", np.array([3, 9, 4])), (ROWS, "keys", np.array([[3, 9, 4]], dtype=np.uint64)), (ROWS, "keys", None),
    (ROWS, "values", np.array([1.0, np.nan, 5.0])), (ROWS, "values", np.array([1.0, np.inf, 5.0])),
    (ROWS, "values", np.array([1.0, 2.0])), (ROWS, "values", np.array([1, 2, 5])), (ROWS, "values", [1.0, 2.0, 5.0]),
    (WORDS, "keys", np.array([9, 3], dtype=np.uint64)), (WORDS, "keys", np.array([3, 3], dtype=np.uint64)),
    (WORDS, "keys", np.array([3, 9])), (WORDS, "names", ["a"]), (WORDS, "names", ("a", "b")), (WORDS, "names", [1, 2]),
]  # fmt: skip


@pytest.mark.parametrize(("value", "field", "change"), BROKEN)
def test_broken_features_are_refused(value, field, change):
    name = type(value).__name__
    with pytest.raises(ValueError, match=rf"^{name}: .+\.$"):
        changed(value, **{field: change})
    with pytest.raises(ValueError, match=rf"^{name}: .+\.$"):
        type(value)(**fields_of(value) | {field: change})


def test_features_are_private_and_leave_out_what_was_computed():
    keys = np.array([3, 9, 4], dtype=np.uint64)
    rows = KeyedRows(ROWS.indptr, keys, ROWS.values)
    keys[:] = 0
    assert rows.keys.tolist() == [3, 9, 4]
    assert rows.matrix.shape == (3, 3)
    assert set(fields_of(rows)) == {"indptr", "keys", "values"}
    broken = sp.csr_matrix(np.eye(3))
    again = changed(rows, _found=(rows.keys, broken))  # as pickles of version 0.1 hold it
    assert (again.matrix != rows.matrix).nnz == 0


@pytest.mark.parametrize("changes", [{"learned": None}, {"learned": [3]}, {"_turn": 7}, {"_turn": "a"}, {"_turn": -1}])
def test_broken_vocabularies_are_refused(changes):
    kernel, learned = ms.Spectrum(2), Vocabularies()
    kernel.feature_map(["GATTA", "TAT"], vocabularies=learned)
    again = pickle.loads(pickle.dumps(learned)).again()
    assert kernel.feature_map(["CATA"], vocabularies=again).toarray().tolist() == [[1.0, 0.0, 1.0, 0.0]]
    with pytest.raises(ValueError, match=r"^Vocabularies: .+\.$"):
        changed(learned, **changes)


# ---- packed data

X = np.random.default_rng(0).random((6, 3))
SPARSE = sp.random(6, 40, 0.2, format="csr", random_state=0)
GENES = ["GATTACA", "TTATTA", "CCGC", "", "AC", "GGCCGATA"]
MOLECULES = Graphs.from_edges(
    [(0, 1), (1, 2), (3, 4)], [0, 0, 0, 1, 1], node_labels=list("CCOCN"), node_attributes=np.arange(5.0)
)


def prepared(kernel, data):
    return kernel.resolve(data).prepare(data)


DENSE, CSR = prepared(mk.RBF(gamma=1.0) + mk.Linear(), X), prepared(mk.Linear(), SPARSE)
KEYED, SCALED = prepared(ms.Spectrum(2), GENES), prepared(mk.RBF(gamma=(1.0, 2.0, 3.0)).normalized(), X)
STRANDS = prepared(ms.Mismatch(2, 1, alphabet="dna", reverse_complement=True, method="pairs"), GENES)
TOKENS = prepared(ms.Subsequence(2), [["to", "be"], ["be"], ["or", "not"]])
ALIGNED = prepared(ms.LocalAlignment(form="cosine", alphabet="protein"), GENES)
LEFT = prepared(mk.Bilinear(np.eye(3)), X)


def matrix_with(**arrays):
    """The CSR matrix with other arrays, which its constructor would refuse."""
    broken = SPARSE.copy()
    for name, array in arrays.items():
        setattr(broken, name, array)
    return broken


def operand(value, **changes):
    """The first operand of prepared data with other fields, unchecked."""
    first = copy.copy(value.operands[0])
    vars(first).update(changes)
    return {"operands": (first, *value.operands[1:])}


def pack(value, *path, **changes):
    """The pack of the first foreign kernel with other fields, unchecked."""
    kernel, whole = value.foreign[0]
    whole = part = copy.copy(whole)
    for name in path:
        vars(part)[name] = copy.copy(getattr(part, name))
        part = getattr(part, name)
    vars(part).update(changes)
    return {"foreign": ((kernel, whole),)}


BAD_OFFSETS = np.array([0, 7, 13, 17, 17, 19, 10**9])
DAMAGED = [
    (DENSE, {"n_data": 7}), (DENSE, {"n_data": "6"}), (DENSE, {"steps": DENSE.steps[:1] * 2}), (DENSE, {"steps": ()}),
    (DENSE, {"operands": None}), (DENSE, {"rows": np.array([9])}), (DENSE, {"rows": np.array([-1])}),
    (DENSE, {"rows": np.array([0.5])}), (DENSE, {"kernel": 3}), (DENSE, {"foreign": ((mk.RBF(), X[:2]),)}),
    (DENSE, operand(DENSE, array=X[:3])), (DENSE, operand(DENSE, array=X.astype(int))),
    (DENSE, operand(DENSE, array=np.where(X > 0.5, np.nan, X))), (DENSE, operand(DENSE, array=X[0])),
    (DENSE, operand(DENSE, keyed=3)),
    (SCALED, operand(SCALED, scale=np.ones(2))), (SCALED, {"factors": (np.ones(5),)}),
    (SCALED, {"factors": (np.full(6, np.nan),)}), (LEFT, operand(LEFT, left=X[:, :2])),
    (LEFT, operand(LEFT, left=X.astype(object))),
    (CSR, operand(CSR, array=matrix_with(indptr=SPARSE.indptr + 10**6))),
    (CSR, operand(CSR, array=matrix_with(indptr=SPARSE.indptr[:-1]))),
    (CSR, operand(CSR, array=matrix_with(indices=SPARSE.indices + 10**6))),
    (CSR, operand(CSR, array=matrix_with(indices=SPARSE.indices - 10**6))),
    (CSR, operand(CSR, array=matrix_with(data=SPARSE.data[:-1]))),
    (CSR, operand(CSR, array=matrix_with(data=SPARSE.data * np.inf))),
    (KEYED, operand(KEYED, keyed=KeyedRows._of(KEYED.operands[0].keyed.indptr, KEYED.operands[0].keyed.keys[::-1],
                                               KEYED.operands[0].keyed.values))),
    (STRANDS, pack(STRANDS, "forward", offsets=BAD_OFFSETS)), (STRANDS, pack(STRANDS, backward=None, forward=None)),
    (STRANDS, pack(STRANDS, "backward", codes=np.zeros(3, dtype=np.uint8))),
    (STRANDS, pack(STRANDS, "forward", inside=np.ones(3, dtype=bool))),
    (STRANDS, pack(STRANDS, "forward", granularity="token")),
    (STRANDS, pack(STRANDS, backward=STRANDS.foreign[0][1].backward[:2])),
    (TOKENS, pack(TOKENS, texts={})), (TOKENS, pack(TOKENS, codes=TOKENS.foreign[0][1].codes.astype(np.uint8))),
    (ALIGNED, pack(ALIGNED, norms=np.ones(2))), (ALIGNED, pack(ALIGNED, norms=np.full(6, np.nan))),
    (ALIGNED, pack(ALIGNED, "sequences", offsets=BAD_OFFSETS)), (ALIGNED, pack(ALIGNED, sequences=Strings(GENES))),
]  # fmt: skip


@pytest.mark.parametrize(("value", "changes"), DAMAGED)
def test_damaged_packed_data_are_refused(value, changes):
    with pytest.raises(ValueError, match=r"(?s)^(Prepared|Operand|KeyedRows|Sequences|Strands|Alignable): .+\.$"):
        changed(value, **changes)


def test_residues_beyond_the_matrix_are_refused():
    codes = ALIGNED.foreign[0][1].sequences.codes
    damaged = changed(ALIGNED, **pack(ALIGNED, "sequences", codes=np.full(len(codes), 200, dtype=np.uint8)))
    with pytest.raises(ValueError, match=r"^LocalAlignment: residues must lie in 0 to 24, got 200 at position 0\.$"):
        damaged.kernel.block(damaged, damaged)


@pytest.mark.parametrize("value", [DENSE, CSR, KEYED, SCALED, STRANDS, TOKENS, ALIGNED, LEFT])
def test_packed_data_come_back(value):
    with np.errstate(all="raise"):
        K = value.kernel.block(value, value)
    for again in (pickle.loads(pickle.dumps(value)), pickle.loads(pickle.dumps(value.take([2, 0])))):
        rows = slice(None) if again.rows is None else again.rows
        assert np.array_equal(value.kernel.block(again, again), K[rows][:, rows])
    shared = [len({id(operand.array) for operand in p.operands}) for p in (value, pickle.loads(pickle.dumps(value)))]
    assert shared[0] == shared[1]


def test_infinite_categories_come_back():
    value = prepared(mk.Overlap(), [[np.inf, 1.0], [2.0, 1.0]])
    again = pickle.loads(pickle.dumps(value))
    assert again.kernel.block(again, value).tolist() == [[1.0, 0.5], [0.5, 1.0]]


@pytest.mark.parametrize("kernel", [mg.AttributedShortestPath(weighted=True), mg.RandomWalk(0.1, weighted=True)])
def test_unpickled_graphs_are_checked_for_what_their_kernel_needs(kernel):
    value = kernel.prepare(MOLECULES)
    fits = value.foreign[0][1]
    negative = Graphs.from_edges([(0, 1)], [0, 0, 1], weights=[-1.0], node_labels="CCO", node_attributes=np.ones(3))
    other = copy.copy(fits)
    vars(other).update(graphs=negative)

    def use():
        again = changed(value, foreign=((value.kernel, other),))
        return again.kernel.block(again, again)

    with pytest.raises(ValueError, match=rf"^{type(kernel).__name__}: graph 0 has an edge of weight -1, .+\.$"):
        use()


@pytest.mark.parametrize("value", [ROWS, DENSE, CSR, KEYED, SCALED, STRANDS, TOKENS, ALIGNED, LEFT])
@settings(max_examples=25, deadline=None)
@given(where=st.integers(0, 10**6), byte=st.integers(0, 255))
def test_any_byte_of_any_array_may_be_wrong(value, where, byte):
    buffers: list[Any] = []
    head = pickle.dumps(value, protocol=5, buffer_callback=buffers.append)
    arrays = [bytearray(buffer.raw()) for buffer in buffers]
    sizes = np.cumsum([len(array) for array in arrays])
    at = where % int(sizes[-1])
    which = int(np.searchsorted(sizes, at, side="right"))
    arrays[which][at - int(sizes[which])] = byte
    try:
        again = pickle.loads(head, buffers=arrays)
        with np.errstate(all="ignore"):  # numbers may be huge
            K = again.matrix @ again.matrix.T if value is ROWS else again.kernel.block(again, again)
    except ValueError as error:
        message = str(error)
    else:
        message = "" if K.shape == (len(value), len(value)) else "a matrix of another shape"
    names = "|".join(["KeyedRows", "Prepared", "Operand", "Sequences", "Alignable", "LocalAlignment"])
    assert re.match(rf"$|({names}): .+\.$", message)
