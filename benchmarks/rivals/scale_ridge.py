"""Kernel ridge regression on large data, for ``benchmarks.rivals.scale``.

Both sides minimise Σ(y − ⟨w, φ̂(x)⟩)² + α‖w‖² over Nyström features φ̂, so that α means the same in
``KernelRidge(approximation=m)`` and in scikit-learn's ``make_pipeline(Nystroem(m), Ridge(α, fit_intercept=False))``.
"""

import argparse
import statistics
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline

from benchmarks.rivals.harness import Case, Goal, in_fresh_process, peak_memory, race, timed
from benchmarks.rivals.tables import HELD_OUT, Problem, kin40k_fold, smooth_regression
from mercer.ridge import KernelRidge

RIVAL = "scikit-learn Nystroem + Ridge"
FASTER = 5.0
ERRORS = {"same m": 0.178, "same time": 0.16}  # goals of the test RMSE on kin40k
MOST_MEMORY = 4000.0  # MB


def fit(who: str, problem: Problem, m: int) -> Any:
    """Model of mercer or scikit-learn with m landmarks."""
    gamma, alpha = problem.params["gamma"], problem.params["alpha"]
    if who == "mercer":
        model: Any = KernelRidge(alpha, kernel="rbf", gamma=gamma, approximation=m)
    else:
        features = Nystroem(kernel="rbf", gamma=gamma, n_components=m, random_state=0)
        model = make_pipeline(features, Ridge(alpha, fit_intercept=False))
    return model.fit(problem.X, problem.y)


def rmse(model: Any, problem: Problem) -> float:
    return float(np.sqrt(np.mean((model.predict(problem.X_test) - problem.y_test) ** 2)))


def load_kin40k(data: str | Path, rows: int | None = None) -> Problem:
    problem = kin40k_fold(Path(data))
    return problem if rows is None else problem.head(rows)


def generated(rows: int, d: int = 20) -> Problem:
    X, y = smooth_regression(rows + HELD_OUT, d)
    return Problem("generated", X[:rows], y[:rows], X[rows:], y[rows:], {"gamma": 1 / d, "alpha": 1e-3})


def compare(name: str, problem: Problem, source: str, m: int, repeats: int) -> tuple[Case, Any]:
    """Fits of both sides with m landmarks, and mercer's model. The source is an expression for the problem."""
    runs = {who: partial(fit, who, problem, m) for who in ("mercer", "sklearn")}
    seconds, models = race(runs, repeats)
    setup = f"from benchmarks.rivals.scale_ridge import *\nproblem = {source}"
    notes = {
        "shape": problem.X.shape,
        "m": m,
        "test RMSE": {who: round(rmse(model, problem), 4) for who, model in models.items()},
        "peak MB": {who: round(peak_memory(setup, f"fit({who!r}, problem, {m})")) for who in runs},
        "approximation": str(models["mercer"].approximation_),
        "certificate": str(models["mercer"].solution_),
    }
    return Case(f"{name}, m={m}", seconds["mercer"], seconds["sklearn"], RIVAL, notes=notes), models["mercer"]


def on_kin40k(args: argparse.Namespace) -> Iterator[Case | Goal]:
    """Equal m: time and error. Larger m: the error that mercer reaches in scikit-learn's time."""
    m, problem = args.landmarks or 2000, load_kin40k(args.data, args.rows)
    case, model = compare("ridge-kin40k", problem, f"load_kin40k({str(args.data)!r}, {args.rows})", m, args.repeats)
    yield case
    yield Goal(f"ridge-kin40k: time of scikit-learn / mercer, m={m}", case.ratio, FASTER, at_least=True)
    reached = {m: (case.mercer, rmse(model, problem))}
    yield Goal(f"ridge-kin40k: test RMSE, m={m}", reached[m][1], ERRORS["same m"])
    for larger in sorted(args.larger):
        run = partial(fit, "mercer", problem, larger)
        times, models = zip(*(timed(run) for _ in range(args.repeats)), strict=True)
        reached[larger] = statistics.median(times), rmse(models[0], problem)
        if reached[larger][0] > case.rival:
            break
    in_time = {size: error for size, (seconds, error) in reached.items() if seconds <= case.rival}
    best = min(in_time or {m: reached[m][1]}, key=lambda size: reached[size][1])
    notes = {
        "seconds of scikit-learn": case.rival,
        "m: seconds, RMSE": {size: (round(t, 3), round(error, 4)) for size, (t, error) in reached.items()},
    }
    name = f"ridge-kin40k: test RMSE in the time of scikit-learn with m={m}"
    yield Goal(name, reached[best][1], ERRORS["same time"], notes={"m": best, **notes})


def on_generated(args: argparse.Namespace) -> Iterator[Case | Goal]:
    """10⁵ samples of 20 features."""
    m, rows = args.landmarks or 2000, args.rows or 100_000
    case, _ = compare("ridge-1e5", generated(rows), f"generated({rows})", m, args.repeats)
    yield case
    yield Goal(f"ridge-1e5: time of scikit-learn / mercer, m={m}", case.ratio, FASTER, at_least=True)


FIT = """
import json
from benchmarks.rivals.harness import timed
from benchmarks.rivals.scale_ridge import fit, generated
problem = generated({n})
seconds, model = timed(lambda: fit("mercer", problem, {m}))
print(json.dumps(dict(seconds=seconds, peak=PEAK, residual=model.approximation_.residual_trace)))
"""


def slope(sizes: list[int], seconds: list[float]) -> float:
    """Slope of log time over log n by least squares; 1 for a time that is proportional to n."""
    return float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])


def linear(args: argparse.Namespace) -> Iterator[Case | Goal]:
    """Mercer alone, each size in a process of its own: time, peak memory with the data, slope."""
    m, sizes = args.landmarks or 500, [*args.sizes, *([10_000_000] if args.huge else [])]
    seconds = []
    for n in sizes:
        found = in_fresh_process(FIT.format(n=n, m=m))
        seconds.append(found["seconds"])
        notes = {"relative residual": found["residual"]}
        yield Goal(f"ridge-linear: time, n={n}, m={m}", found["seconds"], None, "s", notes=notes)
        yield Goal(f"ridge-linear: peak memory, n={n}, m={m}", found["peak"], MOST_MEMORY, "MB")
    if len(sizes) > 1:
        yield Goal(f"ridge-linear: slope of log time over log n, m={m}", slope(sizes, seconds), None)
