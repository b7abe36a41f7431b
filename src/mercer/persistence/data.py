"""Codecs of packed samples: flat arrays in the file, validated by the containers of `mercer.data` on loading.

Every array of a state has one entry for each symbol, node, arc or row, so that loading needs no more memory than the
size of the file.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from mercer._typing import IndexArray
from mercer.data import Graph, Graphs, Strings, Table, Tree, Trees
from mercer.data.hashing.labels import hash_labels
from mercer.data.hashing.texts import hash_texts
from mercer.data.tables.column import Column
from mercer.persistence.stored import Codec, need

__all__ = ["DATA"]


def _integers(values: Any, what: str, low: int = 0) -> npt.NDArray[Any]:
    fits = type(values) is np.ndarray and values.ndim == 1 and values.dtype.kind in "iu"
    need(fits and values.min(initial=low) >= low, f"{what} are not integers of at least {low}")
    return np.asarray(values)


def _offsets(lengths: Any, size: int, what: str) -> IndexArray:
    """Offsets of samples, checked to add up to the number of entries."""
    lengths = _integers(lengths, what)
    need(lengths.max(initial=0) <= size and sum(lengths.tolist()) == size, f"{what} do not add up")
    return np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(lengths, dtype=np.int64)])


def _chosen(values: Any, codes: Any, what: str) -> Any:
    """Entries of a list or array by index, checked to be in range."""
    codes = _integers(codes, what)
    need(isinstance(values, list | np.ndarray) and codes.max(initial=-1) < len(values), f"{what} are out of range")
    return values[codes] if isinstance(values, np.ndarray) else [values[code] for code in codes.tolist()]


def _hashed(texts: Any, codes: Any, what: str) -> tuple[Any, dict[int, str]]:
    """Stable hashes of texts by index, and the text of each hash."""
    need(type(texts) is list and all(type(text) is str for text in texts), f"{what} are not texts")
    hashes, behind = hash_texts("load", texts)
    return _chosen(hashes, codes, what), behind


def _distinct(hashes: Any, values: dict[Any, Any]) -> tuple[list[Any], Any]:
    """Distinct values of some hashes, and the index of each hash among them."""
    found, codes = np.unique(hashes, return_inverse=True)
    return [values[number] for number in found.tolist()], codes


# ---- strings


def _strings_state(strings: Strings) -> dict[str, Any]:
    state: dict[str, Any] = {"granularity": strings.granularity, "lengths": strings.lengths, "codes": strings.codes}
    if strings.granularity == "token":
        state["tokens"], state["codes"] = _distinct(strings.codes, strings.texts)
    return {**state, "names": None if strings.names is None else list(strings.names)}


def _strings(state: dict[str, Any]) -> Strings:
    codes, names, texts = _integers(state["codes"], "symbols"), state["names"], dict[int, str]()
    offsets = _offsets(state["lengths"], len(codes), "lengths of strings")
    if state["granularity"] == "token":
        codes, texts = _hashed(state["tokens"], codes, "tokens")
    return Strings._rebuilt(
        {
            "codes": codes,
            "offsets": offsets,
            "granularity": state["granularity"],
            "names": tuple(names) if type(names) is list else names,
            "texts": texts,
        }
    )


# ---- trees


def _trees_state(trees: Trees) -> dict[str, Any]:
    texts, labels = _distinct(trees.labels, trees.texts)
    return {"texts": texts, "labels": labels, "n_children": trees.n_children, "sizes": trees.lengths}


def _trees(state: dict[str, Any]) -> Trees:
    labels, texts = _hashed(state["texts"], state["labels"], "labels of nodes")
    return Trees._rebuilt(
        {
            "offsets": _offsets(state["sizes"], len(labels), "sizes of trees"),
            "labels": labels,
            "sizes": None,
            "n_children": state["n_children"],
            "texts": texts,
        }
    )


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
    neighbors, degrees = _integers(state["neighbors"], "neighbours"), _integers(state["degrees"], "degrees")
    fields: dict[str, Any] = {
        "offsets": _offsets(state["sizes"], len(degrees), "sizes of graphs"),
        "indptr": _offsets(degrees, len(neighbors), "degrees"),
        "neighbors": neighbors,
    }
    for what in ("node", "edge"):
        labels = state[f"{what}_labels"]
        fields |= {f"{what}_labels": None, f"{what}_values": {}}
        if labels is not None:
            hashes, values = hash_labels("load", labels["values"], f"{what} label {{}}".format)
            codes = _chosen(hashes, labels["codes"], f"labels of {what}s")
            fields |= {f"{what}_labels": codes, f"{what}_values": values}
    carried = ("directed", "weights", "node_attributes", "edge_attributes")
    return Graphs._rebuilt(fields | {name: state[name] for name in carried})


# ---- tables


def _column_state(column: Column) -> dict[str, Any]:
    if column.kind == "category":
        return dict(zip(("levels", "codes"), _distinct(column.values, column.levels), strict=True))
    return {"values": column.values if column.kind == "number" else column.values.tolist()}


def _column(kind: str, state: dict[str, Any]) -> Any:
    if kind == "category":
        return _chosen(state["levels"], state["codes"], "categories")
    need(type(state["values"]) is (np.ndarray if kind == "number" else list), "a column does not match its kind")
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
    """Codec of lists of trees or graphs, which are stored packed."""
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
