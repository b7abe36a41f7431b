"""The kernel perceptron against a loop in NumPy, on a9a.

``python -m benchmarks.rivals.perceptron --data PATH``: one row of the Gaussian kernel per visit, against the support
vectors so far. The loop is a careful one: it multiplies the support vectors, in one array that is allocated ahead, by
the sample, with all squared norms known. ``--plain`` adds the formula as it stands, from differences, which takes five
times as long. Loops read dense vectors, mercer the same samples as a CSR matrix, within the cache of the other
benchmarks. All must make the same number of mistakes in every pass, but for a few margins below rounding. Runs take
turns.
"""

import argparse
import statistics
import time
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from benchmarks.rivals.harness import Case, options, report
from benchmarks.rivals.tables import a9a_csr
from mercer.perceptron import KernelPerceptron

TITLE = "Kernel perceptron"
RESULTS = Path(__file__).parents[1] / "results" / "perceptron.json"
CACHE = 2000


def plain_row(S: np.ndarray, norms: np.ndarray, x: np.ndarray, square: float, gamma: float) -> np.ndarray:  # noqa: ARG001
    """exp(−γ‖s − x‖²) for all rows s."""
    return np.exp(-gamma * ((S - x) ** 2).sum(axis=1))


def careful_row(S: np.ndarray, norms: np.ndarray, x: np.ndarray, square: float, gamma: float) -> np.ndarray:
    row = S @ x
    row *= 2.0
    row -= norms
    row -= square
    row *= gamma
    return np.exp(row, out=row)


def loop(row: Callable[..., np.ndarray], X: np.ndarray, y: np.ndarray, gamma: float, passes: int) -> list[int]:
    """Mistakes of each pass of f(x) = Σ_j α_j y_j k(x_j, x)."""
    n = len(X)
    squares = np.einsum("ij,ij->i", X, X)
    support, norms, coef, place = np.empty_like(X), np.empty(n), np.zeros(n), np.full(n, -1)
    used, counts = 0, []
    for _ in range(passes):
        mistakes = 0
        for i in range(n):
            if y[i] * (row(support[:used], norms[:used], X[i], squares[i], gamma) @ coef[:used]) > 0:
                continue
            mistakes += 1
            if place[i] < 0:
                place[i] = used
                support[used], norms[used] = X[i], squares[i]
                used += 1
            coef[place[i]] += y[i]
        counts.append(mistakes)
        if mistakes == 0:
            break
    return counts


def model(X: Any, y: np.ndarray, gamma: float, passes: int) -> list[int]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        fitted = KernelPerceptron(gamma=gamma, fit_intercept=False, max_iter=passes, cache_size=CACHE).fit(X, y)
    return [int(count) for count in fitted.mistakes_[0]]


def cases(args: argparse.Namespace) -> list[Case]:
    problem = a9a_csr(args.data)
    if args.rows:
        problem = problem.head(args.rows)
    y, settings = np.where(problem.y > 0, 1.0, -1.0), (problem.params["gamma"], args.passes)
    dense = problem.X.toarray()
    runs: dict[str, Callable[[], list[int]]] = {
        "mercer": partial(model, problem.X, y, *settings),
        "NumPy loop": partial(loop, careful_row, dense, y, *settings),
    }
    if args.plain:
        runs["plain NumPy loop"] = partial(loop, plain_row, dense, y, *settings)
    seconds: dict[str, list[float]] = {name: [] for name in runs}
    counts: dict[str, list[int]] = {}
    for _ in range(args.repeats):
        for name, run in runs.items():
            start = time.perf_counter()
            counts[name] = run()
            seconds[name].append(time.perf_counter() - start)
    for name in counts:
        if np.abs(np.subtract(counts["mercer"], counts[name])).max() > 1e-3 * max(counts[name]) + 2:
            raise SystemExit(f"the mistakes differ: {counts}")
    spent = {name: statistics.median(values) for name, values in seconds.items()}
    notes = {"passes": args.passes, "runs": args.repeats, "mistakes": counts, "cache in MB": CACHE}
    title = f"a9a {len(y)} x {dense.shape[1]}, {args.passes} passes"
    return [Case(title, spent["mercer"], spent[name], name, 20.0, notes=notes) for name in counts if name != "mercer"]


def main() -> None:
    parser = options(__doc__ or "")
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--data", type=Path, required=True, help="folder that holds tables/a9a")
    parser.add_argument("--passes", type=int, default=10)
    parser.add_argument("--plain", action="store_true", help="also time the loop that takes differences")
    parser.add_argument("--rows", type=int, help="a quick look at the first rows only: not comparable, not written")
    parser.set_defaults(repeats=1, json=RESULTS)
    args = parser.parse_args()
    report(TITLE, cases(args), {}, ["mercer", "numpy", "scipy", "scikit-learn"], None if args.rows else args.json)


if __name__ == "__main__":
    main()
