"""Few labels: automatic transductive models beside automatic models of the labelled samples only.

``python -m benchmarks.accuracy_few_labels [--draws 4]`` needs no files. Each task has 200 samples (wine: 178), of which
3 or 6 of every class have a label. Shown is the accuracy on the others, the mean over draws of samples and labels. For
the data set whose classes differ most in size, the model is also fitted with the true fractions of the classes.
"""

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_digits, load_wine, make_circles, make_moons

from benchmarks.rivals.harness import header
from mercer.auto import AutoClassifier

RESULTS = Path(__file__).parent / "results" / "accuracy_few_labels.json"
SIZE = 200
Task = Callable[[int], tuple[Any, Any]]


def drawn(X: Any, y: Any) -> Task:
    """Random samples of a data set."""

    def draw(seed: int) -> tuple[Any, Any]:
        rows = np.random.default_rng(seed).permutation(len(y))[:SIZE]
        return X[rows], y[rows]

    return draw


def two_digits() -> Task:
    X, y = load_digits(return_X_y=True)
    chosen = (y == 3) | (y == 8)
    return drawn(X[chosen], (y[chosen] == 8).astype(int))


TASKS: dict[str, Task] = {
    "half moons, noise 0.1": lambda seed: make_moons(SIZE, noise=0.1, random_state=seed),
    "circles": lambda seed: make_circles(SIZE, factor=0.5, noise=0.05, random_state=seed),
    "wine": drawn(*load_wine(return_X_y=True)),
    "breast cancer": drawn(*load_breast_cancer(return_X_y=True)),
    "digits 3 and 8": two_digits(),
}
UNEQUAL = "breast cancer"


def scores(task: Task, n_labels: int, seed: int, *, fractions: bool) -> dict[str, float]:
    """Accuracies on the samples without a label."""
    X, truth = task(seed)
    order = np.random.default_rng(seed).permutation(len(truth))
    labeled = np.concatenate([order[truth[order] == c][:n_labels] for c in np.unique(truth)])
    hidden = np.setdiff1d(order, labeled)
    y = np.full(len(truth), np.nan)
    y[labeled] = truth[labeled]
    transductive = AutoClassifier(model="transductive").fit(X, y)
    inductive = AutoClassifier(model="svm").fit(X[labeled], truth[labeled])
    found = {
        "transductive": transductive.score(X[hidden], truth[hidden]),
        "svm": inductive.score(X[hidden], truth[hidden]),
    }
    if fractions:
        given = clone(transductive.model_).set_params(class_fractions=np.bincount(truth[hidden]) / len(hidden))
        fitted = given.fit(transductive.prepare(X), y)
        found["true fractions"] = float(np.mean(fitted.transduction_[hidden] == truth[hidden]))
    return found


def main() -> None:
    """Print the table as it grows, and write it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=4)
    parser.add_argument("--json", type=Path, default=RESULTS)
    args = parser.parse_args()
    rows = []
    for n_labels in (3, 6):
        for name, task in TASKS.items():
            found = [scores(task, n_labels, seed, fractions=name == UNEQUAL) for seed in range(args.draws)]
            row = {"labels": n_labels, "set": name, **{key: [one[key] for one in found] for key in found[0]}}
            print(n_labels, name, {key: f"{np.mean([one[key] for one in found]):.3f}" for key in found[0]}, flush=True)
            rows.append(row)
    args.json.write_text(json.dumps({**header(["mercer", "numpy", "scikit-learn"]), "rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
