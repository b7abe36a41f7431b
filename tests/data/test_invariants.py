"""Containers are valid whenever they exist: what a pickle or a constructor brings in is refused or repaired."""

import copy
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mercer.data import Alphabet, Graph, Graphs, Strings, Table, Tree, Trees
from mercer.data.hashing.labels import hash_label
from mercer.data.tables.column import Column
from mercer.kernels import graphs as mg
from mercer.kernels import strings as ms
from mercer.kernels import trees as mt
from tests.pickles import changed, fields_of

TOKENS = Strings([["to", "be"], ["or", "not", "to", "be"], []], names=["a", "b", "c"])
GENES = Strings(["GATTACA", "CAT", "", "ACGT"])
WIDE = Strings(["\u0394x", "xy", "z\u0394"])
BYTES = Strings([b"GAT", b"TACA"])
PARSES = Trees(["(S (NP (DT the) (NN ox)) (VP eats))", "(S (NP oxen) (VP eat))", "(S)"])
MOLECULES = Graphs.from_edges(
    [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (6, 6)],
    [0, 0, 0, 1, 1, 1, 2],
    node_labels=list("CCOCNCC"),
    edge_labels=list("ssdsds"),
    weights=[1.0, 2.0, 1.0, 3.0, 1.0, 1.0],
    node_attributes=np.arange(14.0).reshape(7, 2),
    edge_attributes=np.arange(6.0)[:, None],
)
DIRECTED = Graphs.from_edges([(0, 1), (1, 2), (3, 2)], [0, 0, 0, 0], directed=True, node_labels=[1, 2, 1, 2])
NUMBERS = Column("number", np.array([1.0, np.nan, 3.0]))
CITIES = Table.from_frame({"city": ["Rome", "Oslo", "Rome"]}).columns[0]
WORDS = Table.from_frame({"word": ["ox", "cow", "owl"]}, {"word": "text"}).columns[0]
TABLE = Table(("age", "city"), (NUMBERS, CITIES))
DNA = Alphabet("ACGT", ("ACGT", "TGCA"), "dna")
KERNELS = {
    Strings: [ms.Spectrum(2), ms.Mismatch(2, 1), ms.Gapped(3, 2), ms.Subsequence(2), ms.WeightedDegree(2),
              ms.BagOfWords(), ms.LocalAlignment(scores=(1.0, -1.0))],
    Trees: [mt.Subtree(), mt.SubsetTree(), mt.PartialTree()],
    Graphs: [mg.VertexHistogram(), mg.EdgeHistogram(), mg.WeisfeilerLehman(2), mg.WLOptimalAssignment(2),
             mg.NeighborhoodHash(2), mg.ShortestPath(), mg.ShortestPath(weighted=True), mg.AttributedShortestPath(),
             mg.GraphHopper(), mg.Propagation(2), mg.RandomWalk(0.001), mg.Graphlet(3), mg.Graphlet(4, n_samples=20),
             mg.Graphlet(3, labeled=True)],
}  # fmt: skip


def edit(position, value):
    """A change of one entry."""

    def make(array):
        array = array.copy()
        array[position] = value
        return array

    return make


def as_type(dtype):
    return lambda array: array.astype(dtype)


def without_last(values):
    return values[:-1]


def matrix(array):
    return array.reshape(1, -1)


def nothing(value):
    return None


def missing_text(values):
    return dict(list(values.items())[1:])


def other_text(values):
    return {key: f"{value}!" if isinstance(value, str) else value for key, value in values.items()}


def one_way(array):
    """The neighbours of MOLECULES with the arc (1, 0) replaced by a loop."""
    return edit(2, 1)(array)


BROKEN_OFFSETS = [edit(0, 1), edit(1, 10**12), edit(1, -1), edit(-1, 10**6), as_type(float), matrix, nothing,
                  lambda a: a.tolist(), lambda a: a[:0], without_last]  # fmt: skip
BROKEN_HASHES = [edit(0, 5), as_type(np.int64), without_last, matrix, lambda a: a.tolist()]
BROKEN_TEXTS = [missing_text, other_text, nothing, lambda t: list(t.items()), lambda t: t | {"key": "text"}]
BROKEN_NUMBERS = [edit(0, np.nan), edit(0, np.inf), as_type(np.float32), as_type(np.int64), without_last]
BROKEN = {
    "GENES": {
        "codes": [as_type(np.uint64), as_type(np.int8), as_type(float), without_last, matrix, nothing, bytes],
        "offsets": BROKEN_OFFSETS,
        "granularity": [lambda g: "token", lambda g: "word", lambda g: 3, nothing],
        "names": [lambda n: ("a", "b"), lambda n: (1, 2, 3, 4), lambda n: ["a", "b", "c", "d"], lambda n: "abcd"],
        "texts": [nothing, lambda t: [], lambda t: {"a": "b"}, lambda t: {7: "b"}],
    },
    "TOKENS": {"codes": [*BROKEN_HASHES, as_type(np.uint8)], "granularity": [lambda g: "byte"], "texts": BROKEN_TEXTS},
    "WIDE": {"codes": [edit(0, 0x110000), edit(0, 2**32 - 1)], "granularity": [lambda g: "byte", lambda g: "token"]},
    "BYTES": {"codes": [as_type(np.uint32)]},
    "PARSES": {
        "offsets": [*BROKEN_OFFSETS, edit(1, 7), edit(1, 9), lambda a: np.array([0, 8, 8, 13, 14])],
        "labels": [*BROKEN_HASHES],
        "sizes": [edit(0, 7), edit(1, 2), edit(-1, 0), edit(0, -1), edit(0, 10**6), without_last, as_type(float)],
        "n_children": [edit(0, 0), edit(0, 3), edit(-1, 1), edit(0, -1), edit(0, 2**31 - 1), without_last, nothing],
        "productions": [edit(0, 5), edit(3, 0), without_last, as_type(np.int64)],
        "texts": BROKEN_TEXTS,
    },
    "MOLECULES": {
        "offsets": [*BROKEN_OFFSETS, edit(1, 2), edit(1, 4)],
        "indptr": [*BROKEN_OFFSETS, edit(1, 1), edit(1, 3)],
        "neighbors": [edit(0, 0), edit(0, 2), edit(0, 3), edit(0, -1), edit(0, 2**31 - 1), edit(-1, 1), one_way,
                      lambda a: a[::-1], without_last, as_type(float), nothing],
        "directed": [nothing, lambda d: 0, lambda d: "no"],
        "node_labels": BROKEN_HASHES,
        "edge_labels": [*BROKEN_HASHES, edit(0, hash_label("d"))],
        "weights": [*BROKEN_NUMBERS, edit(0, 7.0)],
        "node_attributes": [*BROKEN_NUMBERS, lambda a: a[:, :0], lambda a: a[:, 0]],
        "edge_attributes": [*BROKEN_NUMBERS, lambda a: a[:, :0], lambda a: a[:, 0], edit((0, 0), 9.0)],
        "node_values": BROKEN_TEXTS,
        "edge_values": BROKEN_TEXTS,
    },
    "DIRECTED": {"directed": [lambda d: False], "neighbors": [edit(0, 4)]},
    "NUMBERS": {
        "kind": [lambda k: "category", lambda k: "text", lambda k: "object", lambda k: "numbers", nothing],
        "values": [lambda v: np.array([1, 2, 3]), as_type(object), matrix, nothing, lambda v: v.tolist()],
        "levels": [nothing, lambda v: {1.0: "a", "b": 2}],
    },
    "CITIES": {
        "kind": [lambda k: "text", lambda k: "city"],
        "values": [edit(0, 0.5), edit(0, np.nan), as_type(np.float32)],
        "levels": [missing_text, other_text, nothing, lambda v: {}],
    },
    "WORDS": {"kind": [lambda k: "number"], "values": [edit(0, 3), edit(0, None), edit(0, ["ox"])]},
    "TABLE": {
        "names": [lambda n: ("age", "age"), lambda n: ("age",), lambda n: (), nothing, lambda n: (1, 2), list],
        "columns": [lambda c: (c[0],), lambda c: (c[0], CITIES.take([0])), lambda c: (c[0], c[1].values), nothing],
    },
    "DNA": {
        "symbols": [nothing, lambda s: 7, list],
        "complement": [nothing, lambda c: ("A",), lambda c: ("AC", "T"), lambda c: (1, 2), lambda c: ("Ä", "Ö")],
        "name": [nothing, lambda n: 3],
    },
}  # fmt: skip
CASES = [
    pytest.param(globals()[name], field, change, id=f"{name}-{field}-{i}")
    for name, fields in BROKEN.items()
    for field, changes in fields.items()
    for i, change in enumerate(changes)
]


@pytest.mark.parametrize(("value", "field", "change"), CASES)
def test_broken_states_are_refused_with_a_sentence(value, field, change):
    with pytest.raises(ValueError, match=rf"^{type(value).__name__}: .+\.$"):
        changed(value, **{field: change(fields_of(value)[field])})


def test_every_field_of_every_container_is_broken_above():
    tried = {cls: set() for cls in (Strings, Trees, Graphs, Column, Table, Alphabet)}
    for name, fields in BROKEN.items():
        tried[type(globals()[name])] |= set(fields)
    assert tried == {type(globals()[name]): set(fields_of(globals()[name])) for name in BROKEN}


@pytest.mark.parametrize("value", [GENES, PARSES, MOLECULES, TABLE, DNA], ids=lambda value: type(value).__name__)
def test_missing_and_unknown_fields_are_refused(value):
    fields = fields_of(value)
    first = next(iter(fields))
    with pytest.raises(ValueError, match=f"^{type(value).__name__}: "):
        changed(value, without=first)
    if not isinstance(value, (Table, Alphabet)):
        with pytest.raises(ValueError, match=f"^{type(value).__name__}: "):
            changed(value, more=1)


def test_only_containers_are_restored():
    restore = GENES.__reduce__()[0]
    for cls in (dict, "Strings", None):
        with pytest.raises(ValueError, match=r"^Packed: expected the class of a container"):
            restore(cls, fields_of(GENES))


# ---- single samples


TREE, GRAPH = PARSES[0], MOLECULES[0]


@pytest.mark.parametrize("change", [
    lambda labels, sizes, children, texts: (labels[:-1], sizes, children, texts),
    lambda labels, sizes, children, texts: (labels, sizes + 1, children, texts),
    lambda labels, sizes, children, texts: (labels, sizes, edit(0, 5)(children), texts),
    lambda labels, sizes, children, texts: (labels, sizes, children, {}),
    lambda labels, sizes, children, texts: (labels[:0], sizes[:0], children[:0], texts),
    lambda labels, sizes, children, texts: (None, sizes, children, texts),
])  # fmt: skip
def test_broken_trees_are_refused(change):
    with pytest.raises(ValueError, match=r"^Tree: .+\.$"):
        Tree(*change(*TREE.__reduce__()[1]))


@pytest.mark.parametrize("one", [None, MOLECULES, MOLECULES[:0], PARSES[:1], GRAPH])
def test_a_graph_is_of_one_container_with_one_graph(one):
    with pytest.raises(ValueError, match=r"^Graph: expected Graphs with a single graph, got .+\.$"):
        Graph(one)


def test_single_samples_come_back():
    assert pickle.loads(pickle.dumps(TREE)) == TREE
    assert pickle.loads(pickle.dumps(GRAPH)) == GRAPH
    assert copy.deepcopy(GRAPH) == GRAPH


# ---- harmless changes


def strided(array):
    return np.repeat(array, 2, axis=0)[::2]


def swapped(array):
    return array.astype(array.dtype.newbyteorder(">"))


@pytest.mark.parametrize("change", [strided, swapped, np.asfortranarray, np.copy])
@pytest.mark.parametrize("value", [GENES, TOKENS, WIDE, PARSES, MOLECULES, DIRECTED], ids=repr)
def test_the_layout_of_arrays_does_not_matter(value, change):
    arrays = {name: change(field) for name, field in fields_of(value).items() if isinstance(field, np.ndarray)}
    again = changed(value, **arrays)
    assert again == value
    for name in arrays:
        array = getattr(again, name)
        assert array.flags.c_contiguous
        assert not array.flags.writeable
        assert array.dtype == getattr(value, name).dtype
    for kernel in KERNELS[type(value)]:
        if kernel_takes(kernel, value):
            assert np.array_equal(kernel(again), kernel(value))


@pytest.mark.parametrize("name", ["offsets", "indptr", "neighbors"])
def test_other_integers_are_converted(name):
    again = changed(MOLECULES, **{name: getattr(MOLECULES, name).astype(np.uint16)})
    assert again == MOLECULES
    assert getattr(again, name).dtype == getattr(MOLECULES, name).dtype


@pytest.mark.parametrize("value", [GENES, TOKENS, PARSES, MOLECULES], ids=repr)
def test_arrays_are_private(value):
    buffers: list[Any] = []
    data = pickle.dumps(value, protocol=5, buffer_callback=buffers.append)
    shared = [bytearray(buffer.raw()) for buffer in buffers]
    again = pickle.loads(data, buffers=shared)
    for memory in shared:
        memory[:] = bytes(len(memory))
    assert shared
    assert again == value


def test_columns_and_edges_are_private():
    numbers, edges = np.array([1.0, 2.0]), np.array([[0, 1], [1, 2]])
    column = Column("number", numbers)
    numbers[0] = 7.0
    assert column.values.tolist() == [1.0, 2.0]
    graphs = Graphs.from_edges(edges)
    edges[:] = 10**9
    assert graphs[0].edges() == [(0, 1), (1, 2)]


def test_joined_columns_are_of_one_kind():
    with pytest.raises(ValueError, match=r"^Column: cannot join values of kind 'number' and 'category'; .+\.$"):
        NUMBERS.joined(CITIES)


@pytest.mark.parametrize("value", [GENES, TOKENS, WIDE, BYTES, PARSES, MOLECULES, DIRECTED, TABLE], ids=repr)
def test_copies_are_equal(value):
    for again in (copy.copy(value), copy.deepcopy(value), pickle.loads(pickle.dumps(value))):
        assert again == value
        assert type(again) is type(value)


OLD = Path(__file__).parent / "fixtures"


@pytest.mark.parametrize("name", ["GENES", "TOKENS", "WIDE", "BYTES", "PARSES", "MOLECULES", "DIRECTED", "TABLE", "DNA",
                                  "TREE", "GRAPH"])  # fmt: skip
def test_pickles_of_version_0_1_load(name):
    assert pickle.loads((OLD / f"{name.lower()}.pickle").read_bytes()) == globals()[name]


# ---- random changes


def kernel_takes(kernel, value):
    """Whether a kernel has what it needs: labels of edges, attributes, weights above 0."""
    bare = isinstance(value, Graphs) and value.edge_labels is None
    return not (bare and isinstance(kernel, (mg.EdgeHistogram, mg.AttributedShortestPath, mg.GraphHopper)))


def legal(value):
    """The same samples, packed again from Python objects."""
    return type(value)(value.to_list())


@st.composite
def mutations(draw, value):
    """A field of a container with some entries replaced, moved or lost."""
    arrays = {name: field for name, field in fields_of(value).items() if isinstance(field, np.ndarray)}
    name = draw(st.sampled_from(sorted(arrays)))
    array = arrays[name].copy()
    how = draw(st.sampled_from(["entry", "swap", "shift", "lost", "twice"]))
    flat = array.reshape(-1)
    i, j = (draw(st.integers(0, max(0, flat.size - 1))) for _ in range(2))
    if not flat.size:
        return name, array
    if how == "entry":
        if array.dtype.kind == "f":
            flat[i] = draw(st.sampled_from([0.0, -1.0, 2.5, np.nan, np.inf]))
        else:
            limits = np.iinfo(array.dtype)
            near = st.integers(max(-2, limits.min), 12)
            flat[i] = draw(near | st.integers(limits.min, limits.max) | st.sampled_from(flat.tolist()))
    elif how == "swap":
        flat[i], flat[j] = flat[j], flat[i]
    elif how == "shift":
        array = np.roll(array, 1, axis=0)
    elif how == "lost":
        array = np.delete(array, min(i, len(array) - 1), axis=0)
    else:
        array = np.repeat(array, 2, axis=0)
    return name, array


@pytest.mark.parametrize("value", [GENES, TOKENS, WIDE, PARSES, MOLECULES, DIRECTED], ids=repr)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_random_changes_are_refused_or_give_a_legal_container(value, data):
    name, array = data.draw(mutations(value))
    again, refusal = outcome(lambda: changed(value, **{name: array}))
    if refusal:
        assert refusal.startswith(f"{type(value).__name__}: ")
        return
    assert legal(again) == again
    for kernel in filter(lambda kernel: kernel_takes(kernel, again), KERNELS[type(value)]):
        K, refusal = outcome(lambda kernel=kernel: kernel(again))
        if refusal:  # weights of 0 or less are those of legal graphs, but have no shortest paths
            assert "weight" in refusal
        else:
            assert np.isfinite(K).all()
            assert np.array_equal(K, K.T)


def outcome(make):
    """What a function returns, or the message of the ValueError that it raises."""
    try:
        return make(), ""
    except ValueError as error:
        return None, str(error)
