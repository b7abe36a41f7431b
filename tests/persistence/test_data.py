"""Packed samples and plain values: they come back as they are, and nothing else gets past their constructors."""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp

from mercer.data import Graphs, Strings, Table, Trees
from mercer.kernels import Definiteness
from mercer.persistence import about, load, save
from mercer.persistence.convert import restored
from mercer.persistence.stored import Stored
from mercer.solvers import Status

ATTRIBUTES = np.random.default_rng(0).normal(size=(7, 2))
MOLECULES = Graphs.from_edges(
    [(0, 1), (1, 2), (2, 2), (3, 4), (4, 5)],
    [0, 0, 0, 2, 2, 2, 3],
    n_graphs=5,
    node_labels=["C", 1, 2.5, ("a", 1), b"x", True, "C"],
    edge_labels=["s", "d", "d", "s", "s"],
    weights=[0.5, 1.0, 2.0, 3.0, 4.0],
    node_attributes=ATTRIBUTES,
    edge_attributes=ATTRIBUTES[:5],
)
CONTAINERS: dict[str, Any] = {
    "characters": Strings(["GATTACA", "", "naïve", "ß"], names=["a", "b", "", "ü"]),
    "wide characters": Strings(["αβγ", "𝄞", "\ud800x", ""]),
    "chosen of wide ones": Strings(["abc", "αβγ", "de"])[[0, 2]],
    "bytes": Strings([b"\x00\xff", b"", b"abc"]),
    "tokens": Strings([["to", "be"], [], ["not", "to", "be", ""]]),
    "chosen tokens": Strings([["to", "be"], ["or"], ["not", "be"]])[1:],
    "no strings": Strings([]),
    "trees": Trees(["(S (NP (DT the) (NN ox)) (VP eats))", ("S", []), ("a b", [("(", ["", "c"])])]),
    "deep tree": Trees(["(a " * 5000 + "b" + ")" * 5000]),
    "chosen trees": Trees(["(S x)", "(S (T y))", "(S z)"])[[2, 0]],
    "no trees": Trees([]),
    "graphs": Graphs([[(0, 1), (1, 2)], (3, [(0, 1)]), [], (1, [])]),
    "graphs that carry": MOLECULES,
    "chosen graphs": MOLECULES[[2, 0, 4]],
    "directed graphs": Graphs([[(0, 1), (1, 0), (2, 0)], [(1, 0)]], directed=True),
    "no graphs": Graphs([]),
}


def round_trip(value: Any, folder: Any) -> Any:
    save(value, folder / "data.mercer")
    return load(folder / "data.mercer")


def fields(container: Any) -> dict[str, Any]:
    return container._fields()


@pytest.mark.parametrize("name", CONTAINERS)
def test_containers(name, tmp_path):
    given = CONTAINERS[name]
    again = round_trip(given, tmp_path)
    assert type(again) is type(given)
    assert again == given
    for field, value in fields(given).items():
        other = fields(again)[field]
        if isinstance(value, np.ndarray):
            assert other.dtype == value.dtype
            assert np.array_equal(other, value)
            assert not other.flags.writeable
        elif value is not None or len(given.offsets) > 1:
            assert other == value
    assert about(tmp_path / "data.mercer")["model"] == f"{type(given).__module__}.{type(given).__name__}"


def test_single_trees_and_graphs_and_lists_of_them(tmp_path):
    trees, graphs = CONTAINERS["trees"], MOLECULES
    again = round_trip({"tree": trees[0], "trees": list(trees), "graph": graphs[0], "graphs": list(graphs)}, tmp_path)
    assert again["tree"] == trees[0]
    assert again["trees"] == list(trees)
    assert again["graph"] == graphs[0]
    assert again["graphs"] == list(graphs)


def test_tables(tmp_path):
    columns = {
        "number": np.array([1.5, np.nan, -0.0]),
        "single": np.array([1, 2, 3], dtype=np.float32),
        "category": ["red", 3, ("a", b"x")],
        "text": ["x", "", "ü"],
        "object": [None, [1, 2], {"a": np.arange(2)}],
    }
    table = Table.from_frame(columns, kinds={"category": "category", "text": "text", "object": "object"})
    again = round_trip(table, tmp_path)
    assert again.names == table.names
    assert again.kinds == table.kinds
    for name in ("number", "single", "category", "text"):
        assert again.select(name) == table.select(name)
        assert again.select(name).columns[0].values.dtype == table.select(name).columns[0].values.dtype
    assert again.column("object")[:2] == [None, [1, 2]]
    assert np.array_equal(again.column("object")[2]["a"], np.arange(2))
    assert round_trip(table[[2, 0]], tmp_path).column("category") == [("a", b"x"), "red"]


VALUES: list[Any] = [
    None, True, 3, -0.0, 1e300, float("inf"), "ü\ud800", 10**40, [], [1, "a", None, [2.5, []]], (), (1, (2.0,)), {},
    {"a": 1}, {1: "a", "1": "b"}, {False: 0.5, True: 2.0}, {None: 1, (1, "x"): 2, 0.5: 3}, {"__loader__": "x"},
    {f"word {i}": i for i in range(20)}, {"a": np.int64(1), "b": np.int64(2)}, [np.float32(0.1), np.float32(2)], {1, 2},
    frozenset({"a"}), b"\x00\xff", np.float64(0.1), np.int32(-1), np.str_("x"), np.bool_(True),
    np.datetime64("2020-01-01"), tuple(float(i) for i in range(10)), slice(1, None, 2), int, np.float32, np.dtype("f4"),
    np.dtype("<M8[ns]"), np.dtype(object), np.tanh, Status.MAX_ITER, Definiteness.CPD,
]  # fmt: skip


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_values(value, tmp_path):
    again = round_trip({"value": value}, tmp_path)["value"]
    assert type(again) is type(value)
    assert again == value
    assert repr(again) == repr(value)


ARRAYS: list[Any] = [
    np.arange(6.0).reshape(2, 3),
    np.asfortranarray(np.arange(6.0).reshape(2, 3)),
    np.arange(10)[::3],
    np.array(["a", "bcd", ""]),
    np.array(["x", 1, None, [2], np.arange(2)], dtype=object),
    np.array([["x", 1.5], [None, ""]], dtype=object),
    np.array(["a", "αβ"], dtype=np.dtypes.StringDType()),
    np.array(3.0),
    np.array([], dtype=np.int8),
    np.array([1, 2], dtype=">i4"),
    np.array([(1.5, "a"), (2.5, "b")], dtype=[("x", "f8"), ("y", "U1")]),
    np.array(["2020-01-01"], dtype="M8[D]"),
    np.ma.MaskedArray([1.0, 2.0], mask=[True, False]),
    np.ma.MaskedArray(np.array(["a", 1], dtype=object), mask=[False, True]),
]


@pytest.mark.parametrize("array", ARRAYS, ids=lambda a: f"{type(a).__name__}-{a.dtype}-{a.shape}")
def test_arrays(array, tmp_path):
    again = round_trip(array, tmp_path)
    assert type(again) is type(array)
    assert again.dtype == array.dtype
    assert again.shape == array.shape
    assert repr(again) == repr(array)


@pytest.mark.parametrize("make", [sp.csr_matrix, sp.csc_matrix, sp.csr_array, sp.csc_array])
@pytest.mark.parametrize("wide", [np.int32, np.int64])
def test_sparse_matrices(make, wide, tmp_path):
    matrix = make(np.array([[0.0, 1.5, 0.0], [2.0, 0.0, np.nan]]))
    matrix.indices, matrix.indptr = matrix.indices.astype(wide), matrix.indptr.astype(wide)
    again = round_trip(matrix, tmp_path)
    assert type(again) is type(matrix)
    assert again.indices.dtype == wide
    assert np.array_equal(again.toarray(), matrix.toarray(), equal_nan=True)


def test_random_states_go_on_where_they_were(tmp_path):
    state = np.random.RandomState(3)
    state.normal(size=5)
    again = round_trip(state, tmp_path)
    assert np.array_equal(again.normal(size=1000), state.normal(size=1000))


def test_what_is_shared_stays_shared(tmp_path):
    graphs, array = CONTAINERS["graphs"], np.arange(3.0)
    again = round_trip({"a": [graphs, array], "b": (graphs, array)}, tmp_path)
    assert again["a"][0] is again["b"][0]
    assert again["a"][1] is again["b"][1]


def test_memory_maps_become_arrays(tmp_path):
    np.save(tmp_path / "a.npy", np.arange(3.0))
    assert type(round_trip(np.load(tmp_path / "a.npy", mmap_mode="r"), tmp_path)) is np.ndarray


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (np.random.default_rng(0), "pass an integer as random_state"),
        (bytearray(b"x"), "convert it to bytes"),
        (sp.coo_matrix(np.eye(2)), "convert it with tocsr"),
        (np.zeros(2, dtype="V5"), "convert it to numbers or texts"),
        (np.zeros(1, dtype="f8,i4")[0], "convert it to numbers or texts"),
        (np.array(["a"], dtype=np.dtypes.StringDType(na_object=None)), "convert it with astype"),
        (np.ones((1, 1)).view(np.matrix), r"convert it with numpy\.asarray"),
        (lambda x: x, "cannot be imported by its name"),
        (pd.DataFrame({"a": [1]}), "an array or a Table"),
        (pl.Series([1]), "an array or a Table"),
        ((i for i in range(3)), "cannot be stored"),
    ],
    ids=lambda v: type(v).__name__ if not isinstance(v, str) else "",
)  # fmt: skip
def test_what_no_file_holds_is_refused_with_its_place(value, message, tmp_path):
    with pytest.raises(TypeError, match=rf"save: dict(\['model'\]\[1\])?.*{message}"):
        save({"model": [0, value]}, tmp_path / "data.mercer")
    assert not list(tmp_path.iterdir())


def test_what_contains_itself_is_refused(tmp_path):
    loop: list[Any] = ["x"]
    loop.append(loop)
    with pytest.raises(TypeError, match=r"save: list\[1\] contains itself"):
        save(loop, tmp_path / "data.mercer")


CSR = {
    "type": "csr_matrix",
    "shape": [2, 2],
    "data": np.ones(2),
    "indices": np.array([0, 1]),
    "indptr": np.array([0, 1, 2]),
}
TREES = {"texts": ["a", "b"], "labels": np.array([0, 1]), "n_children": np.array([1, 0]), "sizes": np.array([2])}
GRAPHS = {
    "directed": False, "sizes": np.array([2]), "degrees": np.array([1, 1]), "neighbors": np.array([1, 0]),
    "weights": None, "node_attributes": None, "edge_attributes": None, "node_labels": None, "edge_labels": None,
}  # fmt: skip
STRINGS = {
    "granularity": "character",
    "lengths": np.array([1, 2]),
    "codes": np.array([65, 66, 67], dtype=np.uint8),
    "names": None,
}
TABLE = {"names": ["a"], "kinds": ["category"], "columns": [{"levels": ["x"], "codes": np.array([0, 0])}]}
RANDOM = {"key": np.zeros(624, dtype=np.uint32), "pos": 624, "has_gauss": 0, "gauss": 0.0}
TOKENS = {**STRINGS, "granularity": "token", "tokens": ["a", "b"], "codes": np.array([0, 1, 1])}
INVALID: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("sparse matrix", CSR, {"indices": np.array([0, 2])}),
    ("sparse matrix", CSR, {"indices": np.array([0, -1])}),
    ("sparse matrix", CSR, {"indices": np.array([0.0, 1.0])}),
    ("sparse matrix", CSR, {"indptr": np.array([0, 5, 2])}),
    ("sparse matrix", CSR, {"indptr": np.array([0, 1, 9])}),
    ("sparse matrix", CSR, {"indptr": np.array([0, 1])}),
    ("sparse matrix", CSR, {"shape": [10**12, 2]}),
    ("sparse matrix", CSR, {"shape": [2, 1]}),
    ("sparse matrix", CSR, {"shape": [2, -1]}),
    ("sparse matrix", CSR, {"data": np.ones(3)}),
    ("sparse matrix", CSR, {"data": np.array(["a", "b"])}),
    ("sparse matrix", CSR, {"type": "dok_matrix"}),
    ("trees", TREES, {"labels": np.array([0, 2])}),
    ("trees", TREES, {"labels": np.array([0, -1])}),
    ("trees", TREES, {"n_children": np.array([2, 0])}),
    ("trees", TREES, {"n_children": np.array([-1, 0])}),
    ("trees", TREES, {"sizes": np.array([1, 1])}),
    ("trees", TREES, {"texts": ["a", 3]}),
    ("graphs", GRAPHS, {"neighbors": np.array([1, 2])}),
    ("graphs", GRAPHS, {"neighbors": np.array([1, -1])}),
    ("graphs", GRAPHS, {"neighbors": np.array([1, 1])}),
    ("graphs", GRAPHS, {"sizes": np.array([10**12])}),
    ("graphs", GRAPHS, {"degrees": np.array([10**12, 1])}),
    ("graphs", GRAPHS, {"degrees": np.array([2, 1])}),
    ("graphs", GRAPHS, {"weights": np.ones(1)}),
    ("graphs", GRAPHS, {"weights": np.array([np.nan, 1.0])}),
    ("graphs", GRAPHS, {"node_attributes": np.ones((3, 1))}),
    ("graphs", GRAPHS, {"node_labels": {"values": ["a"], "codes": np.array([0, 1])}}),
    ("strings", STRINGS, {"lengths": np.array([1, 3])}),
    ("strings", STRINGS, {"lengths": np.array([-1, 4])}),
    ("strings", STRINGS, {"lengths": np.array([2**63, 2**63], dtype=np.uint64)}),
    ("strings", STRINGS, {"codes": np.array([2**31, 0, 0], dtype=np.uint32)}),
    ("strings", STRINGS, {"codes": np.array([65.0, 66.0, 67.0])}),
    ("strings", STRINGS, {"granularity": "word"}),
    ("strings", STRINGS, {"names": ["a"]}),
    ("strings", TOKENS, {"codes": np.array([0, 1, 2])}),
    ("strings", TOKENS, {"tokens": ["a", 1]}),
    ("table", TABLE, {"columns": [{"levels": ["x"], "codes": np.array([0, 1])}]}),
    ("table", TABLE, {"names": ["a", "a"], "kinds": ["number", "number"]}),
    ("table", TABLE, {"kinds": ["number"]}),
    ("random state", RANDOM, {"pos": 625}),
    ("random state", RANDOM, {"pos": -1}),
    ("random state", RANDOM, {"key": np.zeros(10, dtype=np.uint32)}),
    ("objects", {"shape": [2], "items": [1, 2], "texts": False}, {"shape": [10**12]}),
    ("objects", {"shape": [2], "items": [1, 2], "texts": False}, {"shape": [-2]}),
    ("masked array", {"data": np.ones(2), "mask": np.ones(2, dtype=bool), "fill_value": 0.0}, {"mask": np.ones(2)}),
    ("kernel", {"text": "rbf(gamma=1)"}, {"text": "rbf(gamma=-1)"}),
    ("kernel", {"text": "rbf(gamma=1)"}, {"class": "os.system", "fields": {}}),
    ("kernel", {"text": "rbf(gamma=1)"}, {"class": "mercer.kernels.User", "fields": {"function": len}}),
    ("kernel", {"text": "rbf(gamma=1)"}, {"class": "mercer.kernels.RBF", "fields": {"gamma": -1.0}}),
    ("word", {"class": "mercer.solvers.Status", "value": "converged"}, {"value": "x"}),
    ("word", {"class": "mercer.solvers.Status", "value": "converged"}, {"class": "os.system"}),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "state", "change"), INVALID, ids=lambda v: str(v)[:40])
def test_constructors_refuse_what_is_not_valid(kind, state, change):
    restored(Stored(kind, "", dict(state)))
    with pytest.raises((ValueError, TypeError, KeyError, IndexError)):
        restored(Stored(kind, "", {**state, **change}))
    for name in state:
        with pytest.raises((ValueError, TypeError, KeyError, IndexError, AttributeError)):
            restored(Stored(kind, "", {**state, name: object()}))


def test_kinds_that_do_not_exist():
    with pytest.raises(ValueError, match="'pickle' is not a known kind"):
        restored(Stored("pickle", "", {}))
