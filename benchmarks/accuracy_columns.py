"""Kernels of every width on every column, with learned and equal weights: accuracy and number of kernels.

``python -m benchmarks.accuracy_columns --data PATH [--repeats 20]``, with the folder that holds tables/heart; the other
tables are those of scikit-learn. The protocol is that of SimpleMKL (Rakotomamonjy et al. 2008): random splits with 70 %
for training, columns standardised by the training samples, Gaussian kernels exp(−‖x − z‖²/2σ²) with σ = 0.5, 1, 2, 5,
7, 10, 12, 15, 17, 20 and polynomials (⟨x, z⟩ + 1)^d with d = 1, 2, 3, on all columns and on each one alone, C = 100 for
kernels of unit trace, gap 0.01. Unit trace and C = 100 are mean diagonal 1 and C = 100/n.
"""

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

from benchmarks.rivals.harness import header, timed, write
from benchmarks.tables.facts import read
from mercer.kernels import RBF, Columns, Kernel, Polynomial
from mercer.multiple_kernel import MKLClassifier

RESULTS = Path(__file__).parent / "results" / "accuracy_columns.json"
WIDTHS = (0.5, 1, 2, 5, 7, 10, 12, 15, 17, 20)
POSITIVE = 1e-4  # weights above count
METHODS: dict[str, dict[str, Any]] = {"equal": {"method": "uniform"}, "p = 2": {"p": 2.0}, "p = 1": {"p": 1.0}}
Samples = tuple[np.ndarray, np.ndarray]


def heart(data: Path) -> Samples:
    table = read(data, "heart")
    return table.X.to_numpy(dtype=float), table.y


TABLES: dict[str, Callable[[Path], Samples]] = {
    "wine": lambda _: load_wine(return_X_y=True),
    "heart": heart,
    "breast_cancer": lambda _: load_breast_cancer(return_X_y=True),
}


def kernels(width: int) -> list[Kernel]:
    """All kernels on all columns, and on each column alone."""
    base: list[Kernel] = [RBF(gamma=1 / (2 * s * s)) for s in WIDTHS]
    base += [Polynomial(degree=d, gamma=1.0, coef0=1.0) for d in (1, 2, 3)]
    return [*base, *(Columns([j], k) for j in range(width) for k in base)]


def measure(X: np.ndarray, y: np.ndarray, repeats: int) -> dict[str, dict[str, list[float]]]:
    """Accuracies in per cent, numbers of kernels with positive weight, relative gaps and seconds of every method."""
    given = kernels(X.shape[1])
    found: dict[str, dict[str, list[float]]] = {
        name: {"accuracies": [], "kernels": [], "gaps": [], "seconds": []} for name in METHODS
    }
    for seed in range(repeats):
        train, test = train_test_split(np.arange(len(y)), train_size=0.7, random_state=seed)
        scale = StandardScaler().fit(X[train])
        A, B = scale.transform(X[train]), scale.transform(X[test])
        for name, options in METHODS.items():
            machine = MKLClassifier(given, C=100 / len(train), tol=0.01, **options)
            seconds, model = timed(lambda: machine.fit(A, y[train]))  # noqa: B023 - called at once
            row = found[name]
            row["accuracies"].append(100 * model.score(B, y[test]))
            row["kernels"].append(int((model.weights_ > POSITIVE).sum()))
            row["gaps"].append(model.solution_.relative_gap)
            row["seconds"].append(seconds)
    return found


def main() -> None:
    """Print the table as it grows, and write it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="folder that holds tables/heart")
    parser.add_argument("--repeats", type=int, default=20)
    parser.add_argument("--json", type=Path, default=RESULTS)
    args = parser.parse_args()
    rows = []
    for name, load in TABLES.items():
        X, y = load(args.data)
        methods = measure(X, y, args.repeats)
        size = {"samples": int(0.7 * len(y)), "kernels": len(kernels(X.shape[1]))}
        rows.append({"set": name, **size, "methods": methods})
        for method, found in methods.items():
            mean = {key: np.mean(values) for key, values in found.items()}
            print(
                f"{name:14}{size['samples']:>5}{size['kernels']:>5} {method:6}{mean['accuracies']:>7.1f}"
                f"{np.std(found['accuracies']):>5.1f}{mean['kernels']:>7.1f}{max(found['gaps']):>9.2g}"
                f"{mean['seconds']:>7.2f} s",
                flush=True,
            )
    write(args.json, {**header(["mercer", "numpy", "scikit-learn"]), "rows": rows})


if __name__ == "__main__":
    main()
