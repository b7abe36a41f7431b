"""Kernel PCA on large data, for ``benchmarks.rivals.scale``."""

import argparse
import statistics
from collections.abc import Iterator
from functools import partial
from typing import Any

from benchmarks.rivals.harness import Case, Goal, peak_memory, timed
from benchmarks.rivals.tables import smooth_regression
from mercer.decomposition import KernelPCA

COMPONENTS, MORE = 20, 1.2  # the goal: the time of a pass for the moments, and a fifth


def estimator(m: int, d: int = 20) -> KernelPCA:
    return KernelPCA(COMPONENTS, kernel="rbf", gamma=1 / d, approximation=m)


def selected(model: Any, X: Any) -> Any:
    """Features of training samples, as a fit makes them before its pass over all samples."""
    return model._approximated(model._training(X, targets=False)[0])


def on_generated(args: argparse.Namespace) -> Iterator[Case | Goal]:
    """Time of a fit and of one pass that computes the moments of the same features, in turn."""
    m, rows = args.landmarks or 500, args.rows or 1_000_000
    X = smooth_regression(rows, 20)[0]
    times: dict[str, list[float]] = {"fit": [], "selection": [], "moments": []}
    for _ in range(args.repeats):
        times["fit"].append(timed(partial(estimator(m).fit, X))[0])
        seconds, features = timed(partial(selected, estimator(m), X))
        times["selection"].append(seconds)
        times["moments"].append(timed(features.moments)[0])
    median = {name: statistics.median(values) for name, values in times.items()}
    setup = f"from benchmarks.rivals.scale_pca import *\nX = smooth_regression({rows}, 20)[0]"
    notes = {
        "seconds of the selection of landmarks": median["selection"],
        "peak MB above the data": round(peak_memory(setup, f"estimator({m}).fit(X)")),
    }
    name = f"pca-1e6, m={m}"
    yield Case(name, median["fit"], median["moments"], "mercer: one pass of moments", at_most=True, notes=notes)
    yield Goal(f"pca-1e6: time of the fit / pass of moments, m={m}", median["fit"] / median["moments"], MORE)
