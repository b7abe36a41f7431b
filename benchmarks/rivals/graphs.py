"""Kernels of graphs against GraKeL, and a graph of a million edges.

``python -m benchmarks.rivals.graphs --data PATH``, runs in turn. Values are seen to agree,
except for graphlets, where GraKeL samples (and miscounts). GraKeL runs once where a run takes minutes.

wl         Gram matrix of NCI1, five rounds
shortest   Gram matrices of NCI1 and PROTEINS, labelled shortest paths
large      one random graph of 10⁶ edges: five rounds of WL, and graphlets of 3 and 4 nodes
memory     peak of both for WL on NCI1 and shortest paths on PROTEINS, each in a process of its own
graphlets  exact connected graphlets of 4 and 5 nodes in a tenth of PROTEINS, against GraKeL's 5000 samples each
"""

import argparse
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.rivals.harness import Case, against_slow, in_fresh_process, options, report
from mercer.data import Graphs
from mercer.kernels import Kernel
from mercer.kernels.graphs import Graphlet, ShortestPath, WeisfeilerLehman

TENTH = 10  # GraKeL takes a second or more to sample one graph
RESULTS = Path(__file__).parents[1] / "results" / "graphs.json"


def as_grakel(graphs: Graphs) -> list[Any]:
    """Edges and labels as GraKeL reads them."""
    return [[{(int(u), int(v)) for u, v in graph.edges()} | {(int(v), int(u)) for u, v in graph.edges()},
             dict(enumerate(graph.node_labels))] for graph in graphs]  # fmt: skip


def duel(name: str, kernel: Kernel, graphs: Graphs, rival: Callable[[], Any], target: float, repeats: int) -> Case:
    """Both in turn, after their values are seen to agree; a rival that gives none only samples."""
    found: list[Any] = []

    def theirs() -> None:
        found[:] = [rival()]

    ours, other, notes = against_slow(lambda: kernel(graphs), theirs, repeats)
    if found[0] is not None and not np.array_equal(kernel(graphs), found[0]):
        raise SystemExit(f"{name}: values differ by up to {np.abs(kernel(graphs) - found[0]).max():g}")
    return Case(name, ours, other, "GraKeL", target, notes=notes)


def wl(data: Path, repeats: int) -> Iterator[Case]:
    from grakel.kernels import VertexHistogram
    from grakel.kernels import WeisfeilerLehman as Theirs

    graphs, _ = Graphs.read_tu(data / "graphs" / "NCI1")
    given = as_grakel(graphs)
    rival = lambda: Theirs(n_iter=5, base_graph_kernel=VertexHistogram).fit_transform(given)  # noqa: E731
    yield duel("wl NCI1 h=5", WeisfeilerLehman(5), graphs, rival, 15.0, repeats)


def shortest(data: Path, repeats: int) -> Iterator[Case]:
    from grakel.kernels import ShortestPath as Theirs

    for name in ("NCI1", "PROTEINS"):
        graphs, _ = Graphs.read_tu(data / "graphs" / name)
        given = as_grakel(graphs)
        rival = lambda given=given: Theirs(with_labels=True).fit_transform(given)  # noqa: E731
        yield duel(f"shortest path {name}", ShortestPath(), graphs, rival, 30.0, repeats)


def graphlets(data: Path, repeats: int) -> Iterator[Case]:
    from grakel.kernels import GraphletSampling

    graphs, _ = Graphs.read_tu(data / "graphs" / "PROTEINS")
    some = graphs[::TENTH]
    given = as_grakel(some)

    def rival(size: int) -> None:
        GraphletSampling(k=size, sampling={"n_samples": 5000}).fit_transform(given)

    for size in (4, 5):
        case = duel(f"graphlets PROTEINS/10 size={size}", Graphlet(size), some, lambda s=size: rival(s), 30.0, repeats)
        start = time.perf_counter()
        Graphlet(size)(graphs)
        case.notes["seconds for all of PROTEINS here"] = round(time.perf_counter() - start, 4)
        yield case


def large(_: Path, repeats: int) -> Iterator[Case]:
    rng = np.random.default_rng(0)
    ends = rng.integers(0, 200_000, size=(1_000_000, 2))
    graphs = Graphs.from_edges(ends[ends[:, 0] != ends[:, 1]])
    for name, kernel in {"WL h=5": WeisfeilerLehman(5), "graphlets 3": Graphlet(3), "graphlets 4": Graphlet(4)}.items():
        times = []
        for _ in range(repeats):
            start = time.perf_counter()
            kernel.diag(graphs)
            times.append(time.perf_counter() - start)
        yield Case(f"large 1e6 edges, {name}", float(np.median(times)), 10.0, "10 seconds", 1.0)


def memory(data: Path, _: int) -> Iterator[Case]:
    rivals = {
        ("NCI1", "WeisfeilerLehman(5)"): "WeisfeilerLehman(n_iter=5, base_graph_kernel=VertexHistogram)",
        ("PROTEINS", "ShortestPath()"): "ShortestPath(with_labels=True)",
    }
    for (name, ours), theirs in rivals.items():
        read = f"""
import json, warnings
warnings.simplefilter("ignore")
from pathlib import Path
from mercer.data import Graphs
graphs, _ = Graphs.read_tu(Path({str(data / "graphs" / name)!r}))
"""
        show = '\nprint(json.dumps({"peak": PEAK}))'
        mine = in_fresh_process(f"{read}from mercer.kernels.graphs import *\nK = {ours}(graphs){show}")
        other = in_fresh_process(
            f"{read}from benchmarks.rivals.graphs import as_grakel\n"
            "from grakel.kernels import ShortestPath, VertexHistogram, WeisfeilerLehman\n"
            f"K = {theirs}.fit_transform(as_grakel(graphs)){show}"
        )
        yield Case(f"memory {name} {ours}", mine["peak"], other["peak"], "GraKeL", 1.0, unit="MB")


def main() -> None:
    warnings.simplefilter("ignore")  # GraKeL's
    parser = options(__doc__ or "")
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--data", type=Path, required=True, help="folder that holds graphs/NCI1 and PROTEINS")
    parser.set_defaults(json=RESULTS)
    args = parser.parse_args()
    runs = [run for run in (wl, shortest, large, memory, graphlets) if args.only in run.__name__]
    cases = [case for run in runs for case in run(args.data, args.repeats)]
    packages = ["mercer", "numpy", "scipy", "grakel"]
    report("Kernels of graphs", cases, {}, packages, None if args.only else args.json)


if __name__ == "__main__":
    main()
