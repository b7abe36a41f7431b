"""Kernel PCA against scikit-learn.

``python -m benchmarks.rivals.kernel_pca --data PATH``: RBF kernel, 20 components, scikit-learn's fastest eigen_solver
at this size, runs in turn. Before anything is timed, the residual max‖K̃v − λv‖/λ₁ of every model is computed from its
eigenvectors by one formula on one Gram matrix.

mnist    5000 x 784, the default tolerance; transform of 2000 rows
kin40k   5000 x 8
eigen    the eigenvectors alone, of the centred matrix of mnist, against scipy's eigsh
"""

import argparse
import statistics
import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import sklearn.decomposition
from scipy.sparse.linalg import eigsh
from sklearn.metrics.pairwise import rbf_kernel

import mercer.decomposition
from benchmarks.rivals.harness import Case, options, report
from benchmarks.rivals.tables import TABLES
from mercer.operators import center_gram
from mercer.solvers.eigen import top_eigenpairs

RESULTS = Path(__file__).parents[1] / "results" / "kernel_pca.json"
COMPONENTS = 20
ROWS = 5000
TARGET = 2.0


class WrongResultError(Exception):
    """A model that is not worth timing."""


def centred(X: np.ndarray, gamma: float) -> np.ndarray:
    return center_gram(rbf_kernel(X, gamma=gamma))


def residual(K: np.ndarray, values: np.ndarray, vectors: np.ndarray) -> float:
    return float(np.linalg.norm(K @ vectors - vectors * values, axis=0).max() / values.max())


def check(residuals: Mapping[str, float]) -> None:
    ours, others = residuals["mercer"], [value for name, value in residuals.items() if name != "mercer"]
    if ours > max(1e-14, 4 * min(others)):
        raise WrongResultError(f"residuals are not equal: {residuals}")


def in_turn(runs: Mapping[str, Callable[[], Any]], repeats: int) -> dict[str, float]:
    """Median seconds of every run, taken in turn."""
    times: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(repeats):
        for name, run in runs.items():
            start = time.perf_counter()
            run()
            times[name].append(time.perf_counter() - start)
    return {name: statistics.median(values) for name, values in times.items()}


def compare(name: str, seconds: Mapping[str, float], notes: dict[str, Any], target: float | None = TARGET) -> Case:
    """Mercer's median against that of the fastest rival."""
    rival = min((other for other in seconds if other != "mercer"), key=seconds.__getitem__)
    notes = {"seconds": {key: float(f"{value:.4g}") for key, value in seconds.items()}, **notes}
    return Case(name, seconds["mercer"], seconds[rival], rival, target, notes=notes)


def models(gamma: float, solvers: tuple[str, ...]) -> dict[str, Any]:
    params = {"n_components": COMPONENTS, "kernel": "rbf", "gamma": gamma, "random_state": 0}
    rivals = {f"sklearn {s}": sklearn.decomposition.KernelPCA(**params, eigen_solver=s) for s in solvers}
    return {"mercer": mercer.decomposition.KernelPCA(**params), **rivals}


def fits(name: str, X: np.ndarray, X_test: np.ndarray, gamma: float, repeats: int, dense: bool) -> Iterator[Case]:
    """Fit and transform on one table; each is fitted once to be checked, which is its warm-up."""
    found = models(gamma, ("arpack", "dense") if dense else ("arpack",))
    K = centred(X, gamma)
    for model in found.values():
        model.fit(X)
    residuals = {key: residual(K, m.eigenvalues_, m.eigenvectors_) for key, m in found.items()}
    check(residuals)
    del K
    notes = {"residual": {key: float(f"{value:.2g}") for key, value in residuals.items()}}
    yield compare(f"{name} fit", in_turn({key: partial(m.fit, X) for key, m in found.items()}, repeats), notes)
    rival = "sklearn arpack"
    scores = {key: found[key].transform(X_test) for key in ("mercer", rival)}
    distance = float(np.abs(scores["mercer"] - scores[rival]).max())
    times = in_turn({key: partial(found[key].transform, X_test) for key in scores}, repeats)
    yield compare(f"{name} transform {len(X_test)} rows", times, {"largest difference": distance}, None)


def eigen(X: np.ndarray, gamma: float, repeats: int) -> Case:
    K = centred(X, gamma)
    start = np.random.default_rng(0).uniform(-1, 1, size=len(K))
    runs: dict[str, Callable[[], Any]] = {
        "mercer": lambda: top_eigenpairs(K, COMPONENTS),
        "scipy eigsh": lambda: eigsh(K, COMPONENTS, which="LA", tol=0, v0=start),
    }
    ours, (values, vectors) = runs["mercer"](), runs["scipy eigsh"]()
    residuals = {"mercer": residual(K, ours.values, ours.vectors), "scipy eigsh": residual(K, values, vectors)}
    check(residuals)
    return compare("mnist eigenvectors", in_turn(runs, repeats), {"residual": residuals}, None)


def cases(args: argparse.Namespace) -> Iterator[Case]:
    mnist, kin40k = (TABLES[name](args.data) for name in ("mnist", "kin40k"))
    X = np.asarray(mnist.X[:ROWS], dtype=np.float64)
    runs: dict[str, Callable[[], Iterator[Case]]] = {
        "mnist": lambda: fits("mnist 5000", X, mnist.X_test, 0.02, args.repeats, args.dense),
        "kin40k": lambda: fits("kin40k 5000", kin40k.X[:ROWS], kin40k.X_test, 0.125, args.repeats, False),
        "eigen": lambda: iter([eigen(X, 0.02, args.repeats)]),
    }
    for name, run in runs.items():
        if args.only in name:
            yield from run()


def main() -> None:
    parser = options(__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="folder that holds tables/")
    parser.add_argument("--dense", action="store_true", help="time scikit-learn's dense solver too, which is slow")
    parser.set_defaults(json=RESULTS)
    args = parser.parse_args()
    packages = ("mercer", "scikit-learn", "scipy", "numpy")
    report("Kernel PCA", list(cases(args)), {"components": COMPONENTS}, packages, args.json)


if __name__ == "__main__":
    main()
