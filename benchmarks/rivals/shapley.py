"""Shapley values of kernel machines against the explainers of shap.

``python -m benchmarks.rivals.shapley``: a Gaussian support vector machine on 30 columns, with 1000 support vectors, and
50 background rows. shap calls the ``decision_function`` of the same machine, with which mercer's values are exact:
`KernelExplainer` (a weighted least squares fit on sampled subsets, its default number of them) and
`PermutationExplainer` (its default number of permutations). Both explain fewer rows, since they take longer; the
times are seconds per row, of runs in turn. The notes have the largest difference from the exact values relative to
the largest value.
All rows together have a time limit. ``--mixture`` adds the time of a kernel that is not a product, exp(−√S), and that
of interactions of all pairs of columns. It needs ``pip install shap``.
"""

import argparse
import contextlib
import io
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.rivals.harness import Case, options, race, report
from mercer.explain import KernelExpansion, shapley_values
from mercer.kernels import WeightedColumns
from mercer.svm import SVC

TITLE = "Shapley values"
RESULTS = Path(__file__).parents[1] / "results" / "shapley.json"
COLUMNS, POINTS, BACKGROUND = 30, 1000, 50
LIMIT = 10.0  # seconds for 100 rows
KINDS = ("KernelExplainer", "PermutationExplainer")


def machine(n_points: int, columns: int) -> tuple[Any, np.ndarray]:
    """A fitted machine with almost all training samples as support vectors, and samples of the same distribution."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_points, columns))
    y = X[:, 0] * X[:, 1] + X[:, 2] + rng.normal(size=n_points) > 0  # too noisy to be learned in 30 dimensions
    return SVC(gamma=1.0 / columns, C=0.1).fit(X, y), rng.normal(size=(200 + BACKGROUND, columns))


def of_shap(kind: str, f: Any, rows: np.ndarray, background: np.ndarray) -> np.ndarray:
    import shap

    with contextlib.redirect_stderr(io.StringIO()):  # progress bars
        if kind == "KernelExplainer":
            return np.asarray(shap.KernelExplainer(f, background).shap_values(rows, silent=True))
        masker = shap.maskers.Independent(background, max_samples=len(background))
        return np.asarray(shap.PermutationExplainer(f, masker, seed=0)(rows).values)


def cases(args: argparse.Namespace) -> list[Case]:
    model, samples = machine(args.points, COLUMNS)
    background, rows = samples[:BACKGROUND], samples[BACKGROUND:][: args.rows]
    some = rows[: args.shap_rows]
    runs: dict[str, Any] = {"mercer": partial(shapley_values, model, rows, background)}
    for kind in KINDS:
        runs[kind] = partial(of_shap, kind, model.decision_function, some, background)
    if args.mixture:
        expansion = KernelExpansion(WeightedColumns(1.0 / COLUMNS, g=0.5), model.support_vectors_, model.dual_coef_.T)
        runs["mixture"] = partial(shapley_values, expansion, rows, background)
        runs["interactions"] = partial(shapley_values, model, some, background, interactions=True)
    seconds, found = race(runs, args.repeats)  # the first run of each, which compiles loops of shap, does not count
    exact, ours = found["mercer"].values, seconds["mercer"] / len(rows)
    notes = {"rows": len(rows), "support vectors": len(model.support_), "rows of shap": len(some)}
    compared = [Case(f"{len(rows)} rows, 30 columns", seconds["mercer"], LIMIT, f"{LIMIT:g} seconds", 1.0, notes=notes)]
    for kind in KINDS:
        error = np.abs(found[kind] - exact[: len(some)]).max() / np.abs(exact).max()
        told = {**notes, "error of shap": float(f"{error:.2g}")}
        compared.append(Case("one row, 30 columns", ours, seconds[kind] / len(some), f"shap {kind}", 1.0, notes=told))
    if args.mixture:
        told = {**notes, "bound on the error": float(f"{found['mixture'].error:.2g}")}
        spent = seconds["mixture"] / len(rows)
        compared.append(Case("one row, exp(−√S)", spent, ours, "mercer, product kernel", notes=told))
        spent = seconds["interactions"] / len(some)
        compared.append(Case("one row with all interactions", spent, ours, "mercer, values alone", notes=notes))
    return compared


def main() -> None:
    parser = options(__doc__ or "")
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--rows", type=int, default=100, help="rows that mercer explains")
    parser.add_argument("--shap-rows", type=int, default=4, help="rows that shap explains")
    parser.add_argument("--points", type=int, default=POINTS, help="training samples")
    parser.add_argument("--mixture", action="store_true", help="add a kernel that is not a product")
    parser.set_defaults(repeats=3, json=RESULTS)
    args = parser.parse_args()
    report(TITLE, cases(args), {}, ["mercer", "shap", "numpy", "scipy", "scikit-learn"], args.json)


if __name__ == "__main__":
    main()
