"""Question classification on TREC with kernels of trees: accuracy next to the published one.

``python -m benchmarks.accuracy_trec --data PATH``, with the folder that holds ``train_5500.coarse.klp.gz`` and
``TREC_10.coarse.klp.gz`` of KeLP: 5452 questions to learn from, 500 to test, six classes. One machine for each class
against the rest, C = 3, errors on the class itself times n₋/n₊; the largest of the six decision values wins. All
kernels are normalised. Published: Filice et al. 2015 (KeLP).
"""

import argparse
import json
import time
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.rivals.harness import header
from mercer.data import read_kelp
from mercer.kernels import Kernel
from mercer.kernels.strings import BagOfWords
from mercer.kernels.trees import PartialTree, SubsetTree, Subtree
from mercer.svm import SVC

__all__ = ["CASES", "accuracy", "questions"]

RESULTS = Path(__file__).parent / "results" / "accuracy_trec.json"

# kernel, representation, published accuracy in per cent
CASES: list[tuple[Kernel, str, float | None]] = [
    (BagOfWords(), "bow", 86.2),
    (SubsetTree(0.4, leaves=True), "grct", 91.4),
    (SubsetTree(0.4), "grct", None),
    (PartialTree(0.4, 0.4, terminal_factor=5.0), "grct", 91.0),
    (Subtree(0.4), "grct", None),
]


def questions(folder: Path) -> dict[str, tuple[Any, dict[str, Any]]]:
    """Classes, and words and trees of the questions, to learn from and to test."""
    files = {"train": "train_5500.coarse.klp.gz", "test": "TREC_10.coarse.klp.gz"}
    read = {name: read_kelp(folder / file, ["bow", "grct"]) for name, file in files.items()}
    return {name: (np.array(y), parts) for name, (y, parts) in read.items()}


def accuracy(kernel: Kernel, train: Any, y_train: Any, test: Any, y_test: Any) -> float:
    """Accuracy in per cent of one machine per class."""
    K, L = kernel(train), kernel(test, train)
    classes, values = np.unique(y_train), []
    for name in classes:
        y = y_train == name
        weights = {False: 1.0, True: (~y).sum() / y.sum()}
        machine = SVC(kernel="precomputed", C=3.0, class_weight=weights).fit(K, y)
        values.append(machine.decision_function(L))
    return 100 * float(np.mean(classes[np.argmax(values, axis=0)] == y_test))


def main() -> None:
    """Print the table as it grows, and write it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="folder of the two files of KeLP")
    parser.add_argument("--json", type=Path, default=RESULTS)
    args = parser.parse_args()
    data, rows = questions(args.data), []
    (y_train, train), (y_test, test) = data["train"], data["test"]
    print(f"{'kernel, normalised':42} {'accuracy':>8} {'published':>9} {'Gram s':>7} {'in all s':>8}")
    for kernel, part, published in CASES:
        start = time.perf_counter()
        kernel.normalized()(train[part])
        gram = time.perf_counter() - start
        score = accuracy(kernel.normalized(), train[part], y_train, test[part], y_test)
        shown = "" if published is None else f"{published:.1f}"
        print(
            f"{kernel!s:42} {score:8.1f} {shown:>9} {gram:7.1f} {time.perf_counter() - start - gram:8.1f}", flush=True
        )
        rows.append({"kernel": str(kernel), "accuracy": score, "published": published})
        args.json.write_text(json.dumps({**header(["mercer", "numpy", "scikit-learn"]), "rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
