"""Operations on the flat arrays of many graphs: building, selecting, joining, comparing and counting."""

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from mercer._runtime.limits import require_memory
from mercer._typing import IndexArray
from mercer._validation import check_integer, describe
from mercer.data.graphs.assemble import build
from mercer.data.graphs.unpacked import matrix
from mercer.data.hashing.texts import merge_texts
from mercer.data.packed import gather, joined_offsets, offsets_of

if TYPE_CHECKING:
    from mercer.data.graphs.graphs import Graphs

__all__ = ["ARCS", "NODES", "choose", "from_arrays", "join", "same", "summary"]

NODES = ("node_labels", "node_attributes")  # arrays over nodes, and over arcs
ARCS = ("edge_labels", "weights", "edge_attributes")

Refuse = Callable[[int, str], ValueError]  # makes the error for an edge, given its row


def from_arrays(
    who: str,
    edges: Any,
    graph_indicator: Any,
    *,
    n_nodes: int | None = None,
    n_graphs: int | None = None,
    directed: bool | None,
    complete: bool,
    refuse: Refuse | None = None,
    **carried: Any,
) -> dict[str, Any]:
    """Fields of `Graphs` from an array of edges and the graph number of every node.

    With `complete`, one direction of an edge suffices. `carried` holds labels, weights and attributes.
    """
    pairs = _integers(who, "edges", edges, 2)
    for name in NODES:
        if n_nodes is None and graph_indicator is None and carried.get(name) is not None:
            n_nodes = len(carried[name])
    if graph_indicator is None:
        n_nodes = int(pairs.max(initial=-1)) + 1 if n_nodes is None else n_nodes
        if n_nodes < 0:
            raise ValueError(f"{who}: parameter n_nodes must be 0 or more, got {n_nodes}.")
        graph_indicator, n_graphs = np.zeros(n_nodes, dtype=np.int64), 1
    graph = _integers(who, "graph_indicator", graph_indicator, 1)
    _require_range(pairs, graph, refuse or (lambda row, what: ValueError(f"{who}: edge {row} {what}.")))
    known = int(graph.max(initial=-1)) + 1
    n_graphs = known if n_graphs is None else check_integer(who, "n_graphs", n_graphs, high=2**40)
    require_memory(
        8 * n_graphs, what=f"offsets of {n_graphs} graphs", instead="Pass the number of graphs that there are."
    )
    if len(graph) and not 0 <= graph.min() <= graph.max() < n_graphs:
        at = int(np.argmax((graph < 0) | (graph >= n_graphs)))
        raise ValueError(f"{who}: node {at} has graph number {graph[at]}, expected 0 to {n_graphs - 1}.")
    for name, values in carried.items():
        carried[name] = _checked(who, name, values, len(graph) if name in NODES else len(pairs))
    if (np.diff(graph) < 0).any():  # sort the nodes by graph
        order = np.argsort(graph, kind="stable")
        rank = np.empty_like(order)
        rank[order] = np.arange(len(order))
        pairs = rank[pairs]
        for name in NODES:
            values = carried.get(name)
            if values is not None:
                carried[name] = values[order] if isinstance(values, np.ndarray) else [values[i] for i in order]
    offsets = offsets_of(np.bincount(graph, minlength=n_graphs), n_graphs)
    return build(who, offsets, pairs, directed=directed, incomplete=np.full(n_graphs, complete), **carried)


def _integers(who: str, name: str, values: Any, ndim: int) -> IndexArray:
    try:
        array: npt.NDArray[Any] = np.array(values)  # a copy, which other threads cannot change after validation
    except ValueError:  # rows of different lengths, such as one list of edges per graph
        raise TypeError(
            f"{who}: parameter {name} must be one flat array, got parts of unequal lengths; concatenate them and pass "
            "the graph of each node as graph_indicator, or pass a list of graphs to Graphs()."
        ) from None
    if not array.size and array.ndim <= ndim:
        return np.empty((0, 2)[:ndim], dtype=np.int64)
    if array.ndim != ndim or (ndim == 2 and array.shape[1] != 2) or array.dtype.kind not in "iu":
        expected = "pairs of nodes, shape (m, 2)" if ndim == 2 else "the number of the graph of each node"
        raise TypeError(f"{who}: parameter {name} must be integers, {expected}, got {describe(array)}.")
    return array.astype(np.int64, copy=False)


def _require_range(pairs: IndexArray, graph: IndexArray, refuse: Refuse) -> None:
    if not len(pairs):
        return
    if pairs.min() < 0 or pairs.max() >= len(graph):
        at = int(np.argmax(((pairs < 0) | (pairs >= len(graph))).any(axis=1)))
        raise refuse(at, f"joins nodes {pairs[at, 0]} and {pairs[at, 1]}, expected numbers from 0 to {len(graph) - 1}")
    across = graph[pairs[:, 0]] != graph[pairs[:, 1]]
    if across.any():
        at = int(np.argmax(across))
        tail, head = pairs[at].tolist()
        raise refuse(at, f"joins node {tail} of graph {graph[tail]} and node {head} of graph {graph[head]}")


def _checked(who: str, name: str, values: Any, size: int) -> Any:
    if values is None:
        return None
    if name.endswith("labels"):
        if np.shape(values) == () if isinstance(values, np.ndarray) else not isinstance(values, Iterable):
            raise TypeError(f"{who}: parameter {name} must be a sequence of {size} labels, got {describe(values)}.")
        values = values if isinstance(values, np.ndarray) else list(values)
        if len(values) != size or (isinstance(values, np.ndarray) and values.ndim > 2):
            what = "nodes" if name in NODES else "edges"
            raise ValueError(
                f"{who}: parameter {name} must have {size} labels, one for each of the {what}, got {len(values)}."
            )
        return values
    try:
        numbers = matrix(name, values, size)
    except (ValueError, TypeError) as error:
        raise type(error)(f"{who}: {error}.") from None
    return numbers[:, 0] if name == "weights" and numbers is not None else numbers


# ---- rows


def _flat(values: Any) -> Any:
    """Rows of a matrix as entries of a vector."""
    if values.ndim == 1:
        return values
    width = values.shape[1]
    return np.ascontiguousarray(values).reshape(-1).view(f"V{values.itemsize * width}")


def _like(flat: Any, values: Any) -> Any:
    return flat if values.ndim == 1 else flat.view(values.dtype).reshape(-1, values.shape[1])


def choose(graphs: "Graphs", rows: Any) -> dict[str, Any]:
    """Arrays of the chosen graphs: nodes first, then their arcs."""
    if isinstance(rows, range):
        return _slice(graphs, rows.start, max(rows.start, rows.stop))
    nodes = {name: getattr(graphs, name) for name in NODES if getattr(graphs, name) is not None}
    arcs = {name: getattr(graphs, name) for name in ("neighbors", *ARCS) if getattr(graphs, name) is not None}
    offsets, degrees, *node_flats = gather(graphs.offsets, rows, graphs.degrees, *map(_flat, nodes.values()))
    _, *arc_flats = gather(graphs.indptr[graphs.offsets], rows, *map(_flat, arcs.values()))
    chosen = [*zip(nodes.items(), node_flats, strict=True), *zip(arcs.items(), arc_flats, strict=True)]
    return {
        "offsets": offsets,
        "indptr": offsets_of(degrees, len(degrees)),
        **{name: _like(flat, values) for (name, values), flat in chosen},
    }


def _slice(graphs: "Graphs", start: int, stop: int) -> dict[str, Any]:
    """Views of the arrays of consecutive graphs."""
    offsets = graphs.offsets[start : stop + 1]
    nodes = slice(int(offsets[0]), int(offsets[-1]))
    indptr = graphs.indptr[nodes.start : nodes.stop + 1]
    arcs = slice(int(indptr[0]), int(indptr[-1]))
    fields = {"offsets": offsets - offsets[0], "indptr": indptr - indptr[0]}
    for names, part in ((NODES, nodes), (("neighbors", *ARCS), arcs)):
        flats = {name: getattr(graphs, name) for name in names}
        fields |= {name: None if flat is None else flat[part] for name, flat in flats.items()}
    return fields


def join(parts: Sequence["Graphs"]) -> dict[str, Any]:
    """Arrays of several concatenated containers."""
    if len({part.directed for part in parts}) > 1:
        raise ValueError("Graphs: cannot concatenate directed and undirected graphs; pack them with one `directed`.")
    starts = np.cumsum([0, *(part.indptr[-1] for part in parts)])
    rows = [part.indptr[1:] + start for part, start in zip(parts, starts[:-1], strict=True)]
    fields: dict[str, Any] = {
        "offsets": joined_offsets(parts),
        "indptr": np.concatenate([np.zeros(1, dtype=np.int64), *rows]),
        "neighbors": np.concatenate([part.neighbors for part in parts]),
    }
    for name in (*NODES, *ARCS):
        if name == "weights" and any(part.weights is not None for part in parts):
            arrays: list[Any] = [_weights(part) for part in parts]
        else:
            arrays = _all_or_none(name, parts)
        if len({array.shape[1:] for array in arrays}) > 1:
            raise ValueError(f"Graphs: cannot concatenate graphs with different numbers of {name.replace('_', ' ')}.")
        fields[name] = np.concatenate(arrays) if arrays else None
    for name in ("node_values", "edge_values"):
        # Slices of one container share its labels, which are merged only once.
        dicts = {id(getattr(part, name)): getattr(part, name) for part in parts}
        fields[name] = merge_texts("Graphs", (pair for values in dicts.values() for pair in values.items()))
    return fields


def _all_or_none(name: str, parts: Sequence["Graphs"]) -> list[Any]:
    flats = [getattr(part, name) for part in parts]
    bare = [flat is None for flat in flats]
    sizes = [part.offsets[-1] if name in NODES else len(part.neighbors) for part in parts]
    if not all(bare) and any(size for size, none in zip(sizes, bare, strict=True) if none):
        raise ValueError(f"Graphs: cannot concatenate graphs with and without {name.replace('_', ' ')}.")
    return [flat for flat in flats if flat is not None]


def _weights(graphs: "Graphs") -> Any:
    return np.ones(len(graphs.neighbors)) if graphs.weights is None else graphs.weights


def same(first: "Graphs", second: "Graphs") -> bool:
    """Whether two containers have equal graphs; missing weights are weights of 1."""
    if first.directed != second.directed:
        return False
    for name in ("offsets", "indptr", "neighbors", *NODES, *ARCS):
        pair = getattr(first, name), getattr(second, name)
        if name == "weights" and any(flat is not None for flat in pair):
            pair = _weights(first), _weights(second)
        if not _equal(*pair):
            return False
    return True


def _equal(first: Any, second: Any) -> bool:
    if first is None or second is None:  # no data, or no nodes or edges that have data
        return all(flat is None or not len(flat) for flat in (first, second))
    return np.array_equal(first, second) or not (len(first) or len(second))


def summary(graphs: "Graphs") -> str:
    """Number and size of graphs, and what they carry."""
    sizes = graphs.lengths
    low, high = (int(sizes.min()), int(sizes.max())) if len(graphs) else (0, 0)
    parts = [f"{len(graphs)} of {low if low == high else f'{low} to {high}'} nodes"]
    parts += ["directed"] * graphs.directed
    for what, labels, attributes in (
        ("node", graphs.node_labels, graphs.node_attributes),
        ("edge", graphs.edge_labels, graphs.edge_attributes),
    ):
        if labels is not None:
            parts.append(_counted(len(np.unique(labels)), f"{what} label"))
        if attributes is not None:
            parts.append(_counted(attributes.shape[1], f"{what} attribute"))
    parts += ["weights"] * (graphs.weights is not None)
    return ", ".join(parts)


def _counted(n: int, what: str) -> str:
    return f"{n} {what}{'' if n == 1 else 's'}"
