"""Kernels of trees: bounds of time on TREC, and the textbook recursion in Python.

``python -m benchmarks.rivals.trees --data PATH``. There is no other package of tree kernels for Python; values are
those of KeLP (Java), which the tests hold them to.

subset tree, partial tree  normalised Gram matrix of the 5452 questions of TREC: at most 60 seconds and 5 minutes
python                     the same on 40 questions, against the plain recursion over pairs of nodes
"""

import argparse
import time
from pathlib import Path

import numpy as np

from benchmarks.rivals.harness import Case, alternate, options, report
from mercer.data import Trees, read_kelp
from mercer.kernels.trees import PartialTree, SubsetTree
from tests.reference.trees import partial_tree_value, subset_tree_value

RESULTS = Path(__file__).parents[1] / "results" / "trees.json"
KERNELS = {
    "subset tree": (SubsetTree(0.4, leaves=True), 60.0, lambda x, z: subset_tree_value(x, z, 0.4, True)),
    "partial tree": (
        PartialTree(0.4, 0.4, terminal_factor=5.0),
        300.0,
        lambda x, z: partial_tree_value(x, z, 0.4, 0.4, 5.0),
    ),
}


def whole(name: str, trees: Trees, repeats: int) -> Case:
    kernel, bound, _ = KERNELS[name]
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        kernel.normalized()(trees)
        times.append(time.perf_counter() - start)
    return Case(f"{name} TREC n={len(trees)}", float(np.median(times)), bound, f"{bound:g} seconds", 1.0)


def python(name: str, trees: Trees, repeats: int) -> Case:
    kernel, _, value = KERNELS[name]
    few = trees[:40]
    pairs = [tree.to_tuple() for tree in few]

    def recursion() -> np.ndarray:
        return np.array([[value(x, z) for z in pairs] for x in pairs])

    if not np.allclose(kernel(few), recursion(), rtol=1e-10):
        raise SystemExit(f"{name}: the core and the recursion differ")
    ours, rival = alternate(lambda: kernel(few), recursion, repeats)
    return Case(f"python, {name} n=40", ours, rival, "recursion in Python")


def main() -> None:
    parser = options(__doc__ or "")
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--data", type=Path, required=True, help="folder that holds trees/trec_qc")
    parser.set_defaults(json=RESULTS)
    args = parser.parse_args()
    path = args.data / "trees" / "trec_qc" / "train_5500.coarse.klp.gz"
    trees = read_kelp(path, ["grct"])[1]["grct"]
    cases = [run(name, trees, args.repeats) for run in (whole, python) for name in KERNELS if args.only in name]
    report("Kernels of trees", cases, {}, ["mercer", "numpy"], None if args.only else args.json)


if __name__ == "__main__":
    main()
