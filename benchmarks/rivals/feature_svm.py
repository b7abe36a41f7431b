"""Linear support vector machines on Nyström features against scikit-learn's LinearSVC and LinearSVR.

``python -m benchmarks.rivals.feature_svm --data PATH``: RBF features from 1000 uniform landmarks, made once and not
timed. Many classes are split into two halves. mercer solves to a relative duality gap of 1e-3 on float32 features,
LIBLINEAR (through scikit-learn) on float64 features, the only type it takes.

LIBLINEAR penalises the intercept and computes no gap. It therefore runs with growing numbers of passes until its primal
value, with the best free bias for its weights, is within 1e-3 of a lower bound on the optimum, and only this last
number of passes is timed. ``--exact`` also runs mercer's `solve_dual` on the same features, once.
"""

import argparse
import statistics
import warnings
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.svm import LinearSVC, LinearSVR

from benchmarks.rivals.harness import SLOW, Case, options, report, timed
from benchmarks.rivals.tables import TABLES, Problem
from mercer.operators import LowRankOperator
from mercer.solvers import Dual, solve_dual
from mercer.solvers.feature_svm import FeatureSolution, solve_on_features
from mercer.solvers.svm import classification, regression

TOL = 1e-3
GROWTH = 1.5  # of the passes of the rival from run to run
MOST_PASSES = 20_000
TITLE = "Support vector machines on features"
RESULTS = Path(__file__).parents[1] / "results" / "feature_svm.json"


class WrongResultError(Exception):
    """A model that is not worth timing."""


def nystroem(X: Any, gamma: float, landmarks: int) -> np.ndarray:
    """Features whose inner products are the Nyström approximation of the RBF kernel."""
    rows = np.random.default_rng(0).choice(X.shape[0], min(landmarks, X.shape[0]), replace=False)
    values, vectors = np.linalg.eigh(rbf_kernel(X[rows], gamma=gamma))
    kept = values > 1e-10 * values[-1]
    whiten = vectors[:, kept] / np.sqrt(values[kept])
    parts = [rbf_kernel(X[i : i + 4096], X[rows], gamma=gamma) @ whiten for i in range(0, X.shape[0], 4096)]
    return np.vstack(parts)


def target(problem: Problem) -> np.ndarray:
    """Numbers for regression, else signs: the upper half of the classes against the lower half."""
    if problem.estimator == "SVR":
        return np.asarray(problem.y, dtype=np.float64)
    classes, label = np.unique(problem.y, return_inverse=True)
    return np.where(2 * label >= len(classes), 1.0, -1.0)


def stated(y: np.ndarray, C: float, epsilon: float | None) -> Dual:
    rows, bound = np.arange(len(y)), np.full(len(y), C)
    return classification(rows, y, bound) if epsilon is None else regression(rows, y, bound, epsilon)


def primal(F: np.ndarray, y: np.ndarray, C: float, epsilon: float | None, w: np.ndarray) -> float:
    """Primal value at w with the best bias, by ternary search over a convex function."""
    f = F @ w

    def value(b: float) -> float:
        loss = 1 - y * (f + b) if epsilon is None else np.abs(y - f - b) - epsilon
        return float(w @ w / 2 + C * np.maximum(0, loss).sum())

    low, high = float((y - f).min()) - 2, float((y - f).max()) + 2
    for _ in range(100):
        first, second = low + (high - low) / 3, high - (high - low) / 3
        low, high = (low, second) if value(first) < value(second) else (first, high)
    return value((low + high) / 2)


def liblinear(F: np.ndarray, y: np.ndarray, C: float, epsilon: float | None, passes: int) -> Any:
    shared = {"C": C, "dual": True, "tol": 1e-12, "max_iter": passes, "random_state": 0}
    if epsilon is None:
        model = LinearSVC(loss="hinge", **shared)
    else:
        model = LinearSVR(loss="epsilon_insensitive", epsilon=epsilon, **shared)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(F, y)


def compare(name: str, F: np.ndarray, y: np.ndarray, C: float, epsilon: float | None, args: Any) -> Case:
    single, dual = F.astype(np.float32), stated(y, C, epsilon)

    def ours(features: np.ndarray = single, tol: float = TOL) -> FeatureSolution:
        return solve_on_features(features, [dual], tol=tol, max_iter=100_000)[0]

    precise = ours(F, TOL / 30).solution
    bound = -precise.objective  # every primal value is at least minus the dual objective
    first = ours()
    excess = {"mercer": primal(F, y, C, epsilon, first.weights) / bound - 1}
    if not (first.solution.converged and excess["mercer"] <= 1.1 * TOL):
        raise WrongResultError(f"{name}: mercer is not optimal to {TOL:g}: {first.solution}, {excess}")
    passes, searched = 2, 0.0
    while True:
        seconds, model = timed(partial(liblinear, F, y, C, epsilon, passes))
        searched += seconds
        excess["sklearn"] = primal(F, y, C, epsilon, model.coef_.ravel()) / bound - 1
        if excess["sklearn"] <= TOL or passes >= MOST_PASSES or searched > SLOW:
            break
        passes = int(GROWTH * passes) + 1
    times: dict[str, list[float]] = {"mercer": [], "sklearn": [], "mercer float64": []}
    for _ in range(args.repeats):
        times["mercer"].append(timed(ours)[0])
        times["mercer float64"].append(timed(lambda: ours(F))[0])
        if excess["sklearn"] <= TOL:
            times["sklearn"].append(timed(lambda: liblinear(F, y, C, epsilon, passes))[0])
    notes: dict[str, Any] = {
        "shape": F.shape,
        "primal excess": {key: float(f"{value:.3g}") for key, value in excess.items()},
        "relative gap": float(f"{first.solution.relative_gap:.3g}"),
        "passes": {"mercer": first.solution.n_iter, "sklearn": passes},
        "seconds, float64 features": round(statistics.median(times["mercer float64"]), 4),
    }
    if excess["sklearn"] > TOL:
        times["sklearn"] = [seconds]
        notes["rival"] = "given up before the tolerance, run once"
    if args.exact:
        seconds, answer = timed(lambda: solve_dual(LowRankOperator(F), [dual], tol=1e-2)[0])
        notes["solve_dual"] = {"seconds": round(seconds, 2), "relative gap": answer.solution.relative_gap}
    rival = "LinearSVC" if epsilon is None else "LinearSVR"
    middle = {key: statistics.median(values) for key, values in times.items()}
    return Case(name, middle["mercer"], middle["sklearn"], f"sklearn.svm.{rival}", 3.0, notes=notes)


def main() -> None:
    parser = options(__doc__ or "")
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--data", type=Path, required=True, help="folder that holds tables/letter, tables/magic, ...")
    parser.add_argument("--landmarks", type=int, default=1000, help="(default %(default)s)")
    parser.add_argument("--costs", default="1,10", help="values of C (default %(default)s)")
    parser.add_argument("--exact", action="store_true", help="run solve_dual once, too")
    parser.set_defaults(repeats=3, json=RESULTS)
    args = parser.parse_args()
    cases = []
    for table in ("a9a csr", "magic", "letter", "mnist", "kin40k"):
        if args.only not in table:
            continue
        problem = TABLES[table](args.data)
        F, y = nystroem(problem.X, problem.params["gamma"], args.landmarks), target(problem)
        costs, epsilon = map(float, args.costs.split(",")), problem.params.get("epsilon")
        cases += [compare(f"{problem.name} C={C:g}", F, y, C, epsilon, args) for C in costs]
    report(TITLE, cases, {}, ["mercer", "numpy", "scipy", "scikit-learn"], args.json)


if __name__ == "__main__":
    main()
