"""Graph classification under the protocol of the TUDataset paper: accuracy next to the published one.

``python -m benchmarks.accuracy_graphs --data PATH [--repeats 10]``, with the folder that holds graphs/ENZYMES and so
on. Ten times ten folds, shuffled and not stratified; in each, a tenth of the training samples chooses C from 1000 to
0.001 and the number of rounds from 1 to 5, and a support vector machine on the other nine tenths, with the normalised
Gram matrix, is tested. Shown is the mean over all folds, and the standard deviation over repetitions. Published: Morris
et al. 2020.
"""

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.model_selection import KFold, train_test_split

from benchmarks.rivals.harness import header, write
from mercer.data import Graphs
from mercer.kernels import Kernel
from mercer.kernels.graphs import ShortestPath, WeisfeilerLehman, WLOptimalAssignment
from mercer.svm import SVC, c_path

RESULTS = Path(__file__).parent / "results" / "accuracy_graphs.json"
ROUNDS = range(1, 6)
KERNELS: dict[str, list[Kernel]] = {
    "WL": [WeisfeilerLehman(h) for h in ROUNDS],
    "WL-OA": [WLOptimalAssignment(h) for h in ROUNDS],
    "SP": [ShortestPath()],
}
PUBLISHED = {
    ("WL", "ENZYMES"): 50.8, ("WL", "PROTEINS"): 72.6, ("WL", "NCI1"): 84.2,
    ("WL-OA", "ENZYMES"): 56.4, ("WL-OA", "PROTEINS"): 73.4, ("WL-OA", "NCI1"): 85.0,
    ("SP", "ENZYMES"): 39.3, ("SP", "PROTEINS"): 75.6, ("SP", "NCI1"): 74.2,
}  # fmt: skip
PENALTIES = [10.0**e for e in range(-3, 4)]  # of equals the largest C is chosen, as in the paper


def blocks(K: np.ndarray, train: np.ndarray, *others: np.ndarray) -> list[np.ndarray]:
    """Rows of the matrix against the training samples: those of themselves, and of other samples."""
    return [K[np.ix_(rows, train)] for rows in (train, *others)]


def folds(matrices: list[np.ndarray], y: np.ndarray, seed: int) -> Iterator[float]:
    """Accuracies of ten folds, each with the matrix and the C that were best on a tenth of its training samples."""
    for whole, test in KFold(10, shuffle=True, random_state=seed).split(y):
        train, chosen = train_test_split(whole, test_size=0.1, random_state=seed)
        best = -1.0
        for K in matrices:
            own, held, new = blocks(K, train, chosen, test)
            path = c_path(SVC(kernel="precomputed", polish=False), own, y[train], PENALTIES)
            for model in reversed(path.estimators):
                score = model.score(held, y[chosen])
                if score > best:  # the first of equals
                    best, right = score, float(model.score(new, y[test]))
        yield right


def recorded(path: Path, head: dict[str, Any]) -> dict[tuple[str, str], dict[str, Any]]:
    """Rows of the file by kernel and set, if processor and versions are those of now."""
    data = json.loads(path.read_text()) if path.exists() else {}
    same = all(data.get(key) == head[key] for key in ("machine", "versions"))
    return {(row["kernel"], row["set"]): row for row in data["rows"]} if same else {}


def main() -> None:
    """Print the table as it grows, and write it after every repetition; what the file holds is not run again."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="folder that holds graphs/")
    parser.add_argument("--repeats", type=int, default=10)
    parser.add_argument("--sets", nargs="+", default=["ENZYMES", "PROTEINS", "NCI1"])
    parser.add_argument("--kernels", nargs="+", default=list(KERNELS), choices=list(KERNELS))
    parser.add_argument("--json", type=Path, default=RESULTS, help="completed, if processor and versions are the same")
    args = parser.parse_args()
    head = header(["mercer", "numpy", "scikit-learn"])
    rows = recorded(args.json, head)
    print(f"{'kernel':7} {'set':9} {'accuracy':>8} {'+-':>5} {'published':>9}")
    for name in args.sets:
        graphs, y = Graphs.read_tu(args.data / "graphs" / name)
        for kind in args.kernels:
            fresh = {"kernel": kind, "set": name, "accuracies": [], "published": PUBLISHED[kind, name]}
            row = rows.setdefault((kind, name), fresh)
            scores = row["accuracies"]
            if len(scores) < args.repeats:
                matrices = [kernel.normalized()(graphs) for kernel in KERNELS[kind]]
            for seed in range(len(scores), args.repeats):
                scores.append(100 * float(np.mean(list(folds(matrices, y, seed)))))
                write(args.json, {**head, "rows": list(rows.values())})
            print(f"{kind:7} {name:9} {np.mean(scores):8.1f} {np.std(scores):5.1f} {row['published']:9.1f}", flush=True)


if __name__ == "__main__":
    main()
