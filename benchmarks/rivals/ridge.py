"""Kernel ridge regression against scikit-learn.

``python -m benchmarks.rivals.ridge --data PATH``: kin40k, 10 000 points, Gaussian kernel with gamma = 1/8, same data
and penalty for both, runs in turn. Before anything is timed, the relative residual ‖y − (K + αI)c‖/‖y‖ of both models
is computed from their coefficients by one formula with a Gram matrix of scikit-learn's.

fit      the default solver, for three penalties; the smallest is where float32 does not help
predict  2000 rows, with the models of `fit`
memory   peak of a process of its own above the data and the libraries, in matrices of n² numbers in float64

``--only fit`` chooses by the name of the case; ``--rows`` is a quick look at fewer points, which is not written.
"""

import argparse
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import sklearn.kernel_ridge
from sklearn.metrics.pairwise import rbf_kernel

import mercer.ridge
from benchmarks.rivals.harness import Case, alternate, in_fresh_process, options, report
from benchmarks.rivals.tables import Problem, kin40k

TITLE = "Kernel ridge regression"
RESULTS = Path(__file__).parents[1] / "results" / "ridge.json"
LIBRARIES = {"mercer": mercer.ridge.KernelRidge, "sklearn": sklearn.kernel_ridge.KernelRidge}
GAMMA = 1 / 8
TARGETS: dict[float, float | None] = {1e-1: 2.0, 1e-3: 2.0, 1e-6: None}  # α, and what the ratio should be
HARMLESS = 1e-10  # residuals below are equal for all purposes


def fit(library: str, problem: Problem, alpha: float) -> Any:
    return LIBRARIES[library](alpha=alpha, kernel="rbf", gamma=GAMMA).fit(problem.X, problem.y)


def residual(model: Any, problem: Problem, tile: int = 2048) -> float:
    """‖y − (K + αI)c‖/‖y‖."""
    error = problem.y - model.alpha * model.dual_coef_
    for first in range(0, len(error), tile):
        rows = slice(first, first + tile)
        error[rows] -= rbf_kernel(problem.X[rows], problem.X, gamma=GAMMA) @ model.dual_coef_
    return float(np.linalg.norm(error) / np.linalg.norm(problem.y))


def cases(problem: Problem, only: str, repeats: int) -> Iterator[Case]:
    for alpha, target in TARGETS.items():
        names = [f"{kind} kin40k n={len(problem.y)} alpha={alpha:g}" for kind in ("fit", "predict")]
        if not any(only in name for name in names):
            continue
        models = {library: fit(library, problem, alpha) for library in LIBRARIES}
        residuals = {library: residual(model, problem) for library, model in models.items()}
        if residuals["mercer"] > max(HARMLESS, 10 * residuals["sklearn"]):
            raise SystemExit(f"not timed, because wrong: residuals {residuals} at alpha={alpha:g}")
        notes = {
            "residual": {library: float(f"{value:.2g}") for library, value in residuals.items()},
            "R2 on held-out rows": {
                library: round(model.score(problem.X_test, problem.y_test), 5) for library, model in models.items()
            },
            "certificate": str(models["mercer"].solution_),
        }
        for kind, name in zip(("fit", "predict"), names, strict=True):
            if only not in name:
                continue
            if kind == "fit":
                runs = [partial(fit, library, problem, alpha) for library in LIBRARIES]
            else:
                runs = [partial(model.predict, problem.X_test) for model in models.values()]
            ours, rival = alternate(*runs, repeats)
            wanted = target if kind == "fit" else 1.0
            yield Case(name, ours, rival, "sklearn.kernel_ridge", wanted, notes=notes if kind == "fit" else {})


MEMORY = """
import json
from pathlib import Path
import numpy as np
from mercer.ridge import KernelRidge

rng = np.random.default_rng(0)
X = rng.normal(size=({n}, 8))
model = KernelRidge(alpha=1e-3, kernel="rbf", gamma=1 / 8, solver={solver!r})
model.fit(X[:300], X[:300, 0]).predict(X[:300])
lines = Path("/proc/self/status").read_text().splitlines()
before = next(int(line.split()[1]) / 1000 for line in lines if line.startswith("VmRSS"))
model.fit(X, X[:, 0])
print(json.dumps(dict(matrices=(PEAK - before) * 1e6 / (8 * {n} ** 2))))
"""


def memory(n: int) -> dict[str, float]:
    """Matrices of n² numbers at the peak of a fit."""
    code = {solver: MEMORY.format(n=n, solver=solver) for solver in ("cholesky", "mixed", "cg")}
    return {solver: round(in_fresh_process(text)["matrices"], 2) for solver, text in code.items()}


def main() -> None:
    parser = options(__doc__ or "")
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--data", type=Path, required=True, help="folder that holds tables/kin40k")
    parser.add_argument("--rows", type=int, help="a quick look at the first rows only: not comparable, not written")
    parser.set_defaults(repeats=3, json=RESULTS)
    args = parser.parse_args()
    problem = kin40k(args.data)
    if args.rows:
        problem = problem.head(args.rows)
    found = list(cases(problem, args.only, args.repeats))
    extra = {"matrices at the peak": memory(len(problem.y))} if args.only in "memory" else {}
    packages = ["mercer", "numpy", "scipy", "scikit-learn"]
    report(TITLE, found, extra, packages, None if args.rows or args.only else args.json)


if __name__ == "__main__":
    main()
