"""Two choices inside the automatic models of tables: rotated columns, and leaves in place of landmarks.

``python -m benchmarks.accuracy_variants --data PATH``. *Rotation*: errors of the automatic model with and without a
candidate of rotated columns, fitted to some of the training rows of the comparison (``benchmarks.accuracy_tables``).
*Landmarks*: ridge regression on many rows with one kernel with learned column weights, in leaves of 1500 rows and on
landmarks selected by RPCholesky; root mean squared error on the test rows, divided by the standard deviation of the
target, and CPU seconds of one fit. For classes, the target is the centred indicator of the second class. Penalties are
the learned one and four times as much: leaves choose by leave-one-out, landmarks get the one that is better on the test
rows, which can only favour them.
"""

import argparse
import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from benchmarks.rivals.harness import header, write
from benchmarks.tables.facts import Table, read, split
from mercer.auto import AutoClassifier, AutoRegressor
from mercer.auto.stack import LeafRidge, kernels
from mercer.auto.stack.plan import FEWER, LEAF
from mercer.feature_learning import LeaveOneOutWeights
from mercer.ridge import KernelRidge

RESULTS = Path(__file__).parent / "results" / "accuracy_variants.json"
ROTATED = ("kin40k", "elevators", "airfoil", "protein", "banana", "housing")
MANY = ("kin40k", "california_housing", "protein", "magic")  # tables of numbers only
ROWS, MOST = 2000, 15_000  # training rows of the first and of the second comparison
LANDMARKS = (1000, 2000)


def rotation(table: Table, seed: int) -> dict[str, Any]:
    """Errors and CPU seconds of the automatic model without and with rotated columns, and their weight."""
    train, test = split(table, seed)
    some, row = train[:ROWS], {}
    for name, pays in (("without", 0.0), ("with", kernels.PAYS)):
        start = time.process_time()
        with patch.object(kernels, "PAYS", pays):
            make = AutoRegressor if table.task == "regression" else AutoClassifier
            model = make(random_state=seed, n_jobs=1).fit(table.X.iloc[some], table.y[some])
        row[f"{name}_seconds"] = rounded(time.process_time() - start)
        row[name] = error(model.predict(table.X.iloc[test]), table.y[test], table.task)
    row["weight"] = rounded(sum(c.weight for c in model.candidates_ if c.name.startswith("rotated")))
    return {"n": len(some), **row}


def landmarks(table: Table, seed: int) -> dict[str, Any]:
    """Errors and CPU seconds of ridge regression in leaves and on landmarks, with one kernel."""
    train, test = split(table, seed)
    train = train[:MOST]
    scaler = StandardScaler().fit(table.X.iloc[train])
    X, Z = (np.clip(scaler.transform(table.X.iloc[rows]), -8, 8) for rows in (train, test))
    y = (table.y - table.y[train].mean()) / table.y[train].std()
    learners = [LeaveOneOutWeights(p=p, task="regression", n_jobs=1).fit(X, y[train]) for p in (1.0, 2.0)]
    learner = max(learners, key=lambda one: one.loo_score_)
    start = time.process_time()
    leaves = LeafRidge(learner.kernel_, learner.p, (), LEAF)
    alphas = [factor * learner.alpha_ for factor in FEWER]
    leaves.fit(X, y[train, None], alphas, np.ones(len(train), dtype=bool))
    row: dict[str, Any] = {"n": len(train), "p": learner.p, "leaves_seconds": rounded(time.process_time() - start)}
    row["leaves"] = error(leaves.predict(Z)[:, 0], y[test], "regression")
    for m in LANDMARKS:
        start = time.process_time()
        ridges = [KernelRidge(a, kernel=learner.kernel_, approximation=m, n_jobs=1).fit(X, y[train]) for a in alphas]
        row[f"landmarks_{m}_seconds"] = rounded((time.process_time() - start) / len(alphas))
        row[f"landmarks_{m}"] = min(error(ridge.predict(Z), y[test], "regression") for ridge in ridges)
    return row


def error(predicted: Any, truth: Any, task: str) -> float:
    """Share of wrong classes, or root mean squared error divided by the standard deviation."""
    if task == "classification":
        return rounded(float(np.mean(predicted != truth)))
    return rounded(float(np.sqrt(np.mean(np.square(predicted - truth))) / np.std(truth)))


def rounded(value: float) -> float:
    """Four digits."""
    return float(f"{value:.4g}")


def rows(data: Path, names: Sequence[str], measure: Any, seeds: int) -> list[dict[str, Any]]:
    """Results for every table and seed."""
    found = []
    for name in names:
        table = read(data, name)
        for seed in range(seeds):
            with threadpool_limits(1):
                found.append({"table": name, "seed": seed, **measure(table, seed)})
            print(found[-1], flush=True)
    return found


PARTS: dict[str, tuple[Sequence[str], Any]] = {"landmarks": (MANY, landmarks), "rotation": (ROTATED, rotation)}


def main() -> None:
    """Print both comparisons and write them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="folder that holds tables/")
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=list(PARTS), help="comparisons (%(default)s)")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--json", type=Path, default=None, help=f"write the results, for example to {RESULTS.name}")
    args = parser.parse_args()
    found = json.loads(args.json.read_text()) if args.json is not None and args.json.exists() else {}
    for part in args.parts:
        names, measure = PARTS[part]
        found[part] = rows(args.data, names, measure, args.seeds)
    if args.json is not None:
        parts = {part: found[part] for part in PARTS if part in found}
        write(args.json, {"title": "Variants of automatic models", **header(["mercer", "scikit-learn"]), **parts})


if __name__ == "__main__":
    main()
