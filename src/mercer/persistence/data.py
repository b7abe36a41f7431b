"""Packed samples: as flat arrays in the file, rebuilt by the constructors of `mercer.data`.

Every array of a state has an entry for each symbol, node, arc or row, so that nothing larger than the file comes of it.
"""

from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from mercer._typing import IndexArray
from mercer.data import Graph, Graphs, Strings, Table, Tree, Trees, take
from mercer.data.strings.symbols import UTF32
from mercer.data.tables.column import Column
from mercer.data.trees.grower import Grower
from mercer.persistence.stored import Codec, need

__all__ = ["DATA"]


def _integers(values: Any, what: str, low: int = 0) -> npt.NDArray[Any]:
    fits = type(values) is np.ndarray and values.ndim == 1 and values.dtype.kind in "iu"
    need(fits and values.min(initial=low) >= low, f"{what} are not numbers from {low} on")
    return np.asarray(values)


def _offsets(lengths: Any, size: int, what: str) -> IndexArray:
    """Where samples begin and end, if their lengths add up to the number of entries."""
    lengths = _integers(lengths, what)
    need(lengths.max(initial=0) <= size and sum(lengths.tolist()) == size, f"{what} do not add up")
    return np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(lengths, dtype=np.int64)])


def _chosen(values: list[Any], codes: Any, what: str) -> list[Any]:
    codes = _integers(codes, what)
    need(type(values) is list and codes.max(initial=-1) < len(values), f"{what} point nowhere")
    return [values[code] for code in codes.tolist()]


def _distinct(hashes: Any, values: dict[Any, Any]) -> tuple[list[Any], Any]:
    """The different values behind some hashes, and the place of each among them."""
    found, codes = np.unique(hashes, return_inverse=True)
    return [values[number] for number in found.tolist()], codes


# ---- strings


def _strings_state(strings: Strings) -> dict[str, Any]:
    state: dict[str, Any] = {"granularity": strings.granularity, "lengths": strings.lengths, "codes": strings.codes}
    if strings.granularity == "token":
        state["tokens"], state["codes"] = _distinct(strings.codes, strings.texts)
    return {**state, "names": None if strings.names is None else list(strings.names)}


def _strings(state: dict[str, Any]) -> Strings:
    codes, granularity = _integers(state["codes"], "symbols"), state["granularity"]
    offsets = _offsets(state["lengths"], len(codes), "lengths of strings")
    if granularity == "token":
        whole: Any = _chosen(state["tokens"], codes, "tokens")
    elif granularity == "byte" or codes.dtype == np.uint8:
        need(codes.dtype == np.uint8, "symbols are no bytes")
        whole = codes.tobytes() if granularity == "byte" else codes.tobytes().decode("latin-1")
    else:
        need(codes.dtype == np.uint32, "symbols are no characters")
        whole = codes.tobytes().decode(UTF32, "surrogatepass")
    strings = Strings([whole[i:j] for i, j in pairwise(offsets.tolist())], granularity, names=state["names"])
    # Rows chosen of wider strings keep their width.
    wide = granularity == "character" and codes.dtype != strings.codes.dtype
    return strings._new(codes=strings.codes.astype(np.uint32)) if wide else strings


# ---- trees


def _trees_state(trees: Trees) -> dict[str, Any]:
    texts, labels = _distinct(trees.labels, trees.texts)
    return {"texts": texts, "labels": labels, "n_children": trees.n_children, "sizes": trees.lengths}


def _trees(state: dict[str, Any]) -> Trees:
    labels = _chosen(state["texts"], state["labels"], "labels of nodes")
    need(all(type(label) is str for label in labels), "labels of nodes are no texts")
    n_children = _integers(state["n_children"], "numbers of children").tolist()
    grower = Grower()
    missing: list[int] = []  # children that open nodes still wait for
    for label, n in zip(labels, n_children, strict=True):
        grower.enter(label)
        missing.append(n)
        while missing and not missing[-1]:
            grower.leave()
            missing.pop()
            if missing:
                missing[-1] -= 1
    need(not missing, "a tree has no end")
    trees = Trees._of(grower)
    need(np.array_equal(trees.lengths, state["sizes"]), "trees do not have their sizes")
    return trees


# ---- graphs


def _graphs_state(graphs: Graphs) -> dict[str, Any]:
    state = {
        "directed": graphs.directed,
        "sizes": graphs.lengths,
        "degrees": graphs.degrees,
        "neighbors": graphs.neighbors,
        "weights": graphs.weights,
        "node_attributes": graphs.node_attributes,
        "edge_attributes": graphs.edge_attributes,
    }
    for name, hashes, values in (
        ("node_labels", graphs.node_labels, graphs.node_values),
        ("edge_labels", graphs.edge_labels, graphs.edge_values),
    ):
        state[name] = None if hashes is None else dict(zip(("values", "codes"), _distinct(hashes, values), strict=True))
    return state


def _graphs(state: dict[str, Any]) -> Graphs:
    degrees, neighbors = state["degrees"], _integers(state["neighbors"], "neighbours")
    offsets = _offsets(state["sizes"], len(_integers(degrees, "degrees")), "sizes of graphs")
    _offsets(degrees, len(neighbors), "degrees")
    lengths = np.diff(offsets)
    tails = np.repeat(np.arange(len(degrees)), degrees)
    heads = neighbors.astype(np.int64) + np.repeat(offsets[:-1], lengths)[tails]
    kept = np.ones(len(tails), dtype=bool) if state["directed"] is True else tails <= heads
    carried: dict[str, Any] = {}
    for name in ("node_labels", "edge_labels"):
        labels = state[name]
        carried[name] = None if labels is None else _chosen(labels["values"], labels["codes"], name)
    for name in ("weights", "node_attributes", "edge_attributes"):
        carried[name] = state[name]
    for name in ("edge_labels", "weights", "edge_attributes"):
        if carried[name] is not None:
            need(len(carried[name]) == len(tails), f"{name} do not fit the arcs")
            carried[name] = take(carried[name], kept)
    graphs = Graphs.from_edges(
        np.column_stack([tails[kept], heads[kept]]),
        np.repeat(np.arange(len(lengths)), lengths),
        n_graphs=len(lengths),
        directed=bool(state["directed"]),
        **carried,
    )
    need(
        np.array_equal(graphs.neighbors, neighbors) and np.array_equal(graphs.degrees, degrees), "arcs are not in order"
    )
    return graphs


# ---- tables


def _column_state(column: Column) -> dict[str, Any]:
    if column.kind == "category":
        return dict(zip(("levels", "codes"), _distinct(column.values, column.levels), strict=True))
    return {"values": column.values if column.kind == "number" else column.values.tolist()}


def _column(kind: str, state: dict[str, Any]) -> Any:
    if kind == "category":
        return _chosen(state["levels"], state["codes"], "categories")
    need(type(state["values"]) is (np.ndarray if kind == "number" else list), "a column is not of its kind")
    return state["values"]


def _table_state(table: Table) -> dict[str, Any]:
    return {
        "names": list(table.names),
        "kinds": list(table.kinds),
        "columns": list(map(_column_state, table.columns)),
    }


def _table(state: dict[str, Any]) -> Table:
    names, kinds = state["names"], state["kinds"]
    need(all(type(name) is str for name in names) and len({*names}) == len(names), "names of columns are not unique")
    columns = [_column(kind, column) for kind, column in zip(kinds, state["columns"], strict=True)]
    return Table.from_frame(dict(zip(names, columns, strict=True)), dict(zip(names, kinds, strict=True)))


def _all(cls: type) -> Any:
    return lambda value: type(value) is list and bool(value) and all(type(item) is cls for item in value)


def _listed(container: type, codec_kind: str, item: type) -> Codec:
    """Lists of single trees or graphs, packed."""
    return Codec(codec_kind, _all(item), lambda v: {"packed": container(v)}, lambda s: _packed(s, container).to_list())


def _packed(state: dict[str, Any], container: Any) -> Any:
    need(type(state["packed"]) is container, f"expected {container.__name__}")
    return state["packed"]


DATA = (
    Codec("strings", lambda v: type(v) is Strings, _strings_state, _strings),
    Codec("trees", lambda v: type(v) is Trees, _trees_state, _trees),
    Codec("graphs", lambda v: type(v) is Graphs, _graphs_state, _graphs),
    Codec("table", lambda v: type(v) is Table, _table_state, _table),
    _listed(Trees, "list of trees", Tree),
    _listed(Graphs, "list of graphs", Graph),
    Codec("tree", lambda v: type(v) is Tree, lambda v: {"packed": Trees([v])}, lambda s: _packed(s, Trees)[0]),
    Codec("graph", lambda v: type(v) is Graph, lambda v: {"packed": Graphs([v])}, lambda s: _packed(s, Graphs)[0]),
)
