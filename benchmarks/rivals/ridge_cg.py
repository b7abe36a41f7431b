"""Kernel ridge regression without the matrix, against factorisations: ``python -m benchmarks.rivals.ridge_cg``.

20 000 × 8 generated samples, Gaussian kernel with gamma = 1/8, once as they are and once with a tenth of the samples
replaced by outliers, more than the preconditioner has columns. Each fit runs in a process of its own, the solvers in
turn. Fits whose relative residual ‖y − (K + αI)c‖/‖y‖, computed by one formula with scikit-learn's kernel, is more than
10⁻⁹ are not reported.

time    seconds of the fit: solver="cg" over solver="cholesky" and over scikit-learn's `KernelRidge`
memory  peak of the process above the data and the libraries, in MB

The notes of each case have the numbers of products with K, which should not grow much with outliers. ``--rows`` is a
quick look at another number of samples, which is not written.
"""

import argparse
import statistics
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import sklearn.kernel_ridge

import mercer.ridge
from benchmarks.rivals.harness import Case, in_fresh_process, options, report
from benchmarks.rivals.ridge import GAMMA
from benchmarks.rivals.ridge_path import waves
from benchmarks.rivals.tables import Problem

TITLE = "Kernel ridge regression without the matrix"
RESULTS = Path(__file__).parents[1] / "results" / "ridge_cg.json"
ROWS = 20_000
ALPHA = 0.1
DATA = ("plain", "outliers")
SOLVERS = ("cg", "cholesky", "sklearn")
RIVALS = {"cholesky": 'mercer, solver="cholesky"', "sklearn": "sklearn.kernel_ridge"}
WRONG = 1e-9  # residuals above are not those of the same model


def problem(data: str, n: int) -> Problem:
    X, y = waves(n)
    if data == "outliers":
        X[: n // 10] = np.random.default_rng(1).uniform(-20, 20, size=(n // 10, 8))
    return Problem(data, X, y, X[:0], y[:0], {})


def fit(solver: str, X: np.ndarray, y: np.ndarray) -> Any:
    if solver == "sklearn":
        return sklearn.kernel_ridge.KernelRidge(alpha=ALPHA, kernel="rbf", gamma=GAMMA).fit(X, y)
    return mercer.ridge.KernelRidge(alpha=ALPHA, kernel="rbf", gamma=GAMMA, solver=solver).fit(X, y)


def resident() -> float:
    """Resident memory of the process in MB."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1000 for line in lines if line.startswith("VmRSS"))


def fitted(solver: str, given: Problem) -> tuple[Any, float, float]:
    """The model, the seconds of its fit, and the memory before it in MB."""
    fit(solver, given.X[:300], given.y[:300])
    before, start = resident(), time.perf_counter()
    return fit(solver, given.X, given.y), time.perf_counter() - start, before


RUN = """
import json
from benchmarks.rivals.ridge import residual
from benchmarks.rivals.ridge_cg import fitted, problem

given = problem({data!r}, {n})
model, seconds, before = fitted({solver!r}, given)
found = dict(seconds=seconds, memory=PEAK - before, products=getattr(model, "n_iter_", None))
print(json.dumps(found | dict(residual=residual(model, given))))
"""


def measured(data: str, n: int, repeats: int) -> dict[str, dict[str, Any]]:
    """Medians of seconds and MB for each solver, its residual, and its number of products with K."""
    runs: dict[str, list[dict[str, Any]]] = {solver: [] for solver in SOLVERS}
    for _ in range(repeats):
        for solver, found in runs.items():
            found.append(in_fresh_process(RUN.format(data=data, n=n, solver=solver)))
    medians = {
        solver: {kind: statistics.median(run[kind] for run in found) for kind in ("seconds", "memory")}
        for solver, found in runs.items()
    }
    return {solver: found[0] | medians[solver] for solver, found in runs.items()}


def cases(n: int, only: str, repeats: int) -> Iterator[Case]:
    for data in DATA:
        names = {kind: f"{kind} {data} n={n}" for kind in ("time", "memory")}
        if not any(only in name for name in names.values()):
            continue
        found = measured(data, n, repeats)
        residuals = {solver: float(f"{found[solver]['residual']:.2g}") for solver in SOLVERS}
        if max(residuals.values()) > WRONG:
            raise SystemExit(f"not reported, because wrong: residuals {residuals} with the data {data!r}")
        notes = {"products with K": found["cg"]["products"], "residual": residuals}
        for kind, name in names.items():
            if only not in name:
                continue
            key, unit, target = ("seconds", "s", None) if kind == "time" else ("memory", "MB", 4.0)
            for solver, rival in RIVALS.items():
                values = found["cg"][key], found[solver][key]
                yield Case(name, *values, rival, target, notes=notes if solver == "cholesky" else {}, unit=unit)


def main() -> None:
    parser = options(__doc__ or "")
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--rows", type=int, default=ROWS, help="samples (default %(default)s); others are not written")
    parser.set_defaults(repeats=1, json=RESULTS)
    args = parser.parse_args()
    found = list(cases(args.rows, args.only, args.repeats))
    packages = ["mercer", "numpy", "scipy", "scikit-learn"]
    report(TITLE, found, {}, packages, None if args.rows != ROWS or args.only else args.json)


if __name__ == "__main__":
    main()
