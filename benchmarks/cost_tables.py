"""Seconds and memory of the automatic models of tables, and how close fits come to a time limit.

``python -m benchmarks.cost_tables`` needs no files. The tables are generated: 16 numbers, 4 categories, missing entries
in two columns, a target that is a smooth function with a rule between categories, of 500, 5000 and 50 000 rows. Every
fit runs in a process of its own, on two threads. Seconds are elapsed ones, so the machine should be otherwise idle;
memory is the peak above data and libraries.
"""

import argparse
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.rivals.harness import Goal, as_row, header, in_fresh_process, limit_threads, write

RESULTS = Path(__file__).parent / "results" / "cost_tables.json"
SECONDS = {500: 3.0, 5000: 30.0, 50_000: 180.0}  # allowed
MEMORY = 4000.0  # MB allowed
LIMITS = {500: (1.0,), 5000: (3.0, 6.0, 12.0), 50_000: (10.0, 20.0, 40.0)}  # values of time_limit
WITHIN = 1.2  # time of a fit relative to its limit
MODELS = ("AutoClassifier", "AutoRegressor")

MEASURE = """
import json, time
from benchmarks.cost_tables import generated
import mercer.auto
from mercer.auto import {model}
X, y = generated({n}, {model!r})
{model}().fit(X.head(60), y[:60])
before = RESIDENT
start, cpu = time.perf_counter(), time.process_time()
model = {model}(time_limit={limit}).fit(X, y)
seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
print(json.dumps(dict(seconds=seconds, cpu=cpu, megabytes=PEAK - before)))
"""


def generated(n: int, model: str) -> tuple[pd.DataFrame, np.ndarray]:
    """A table of numbers and categories, and targets for a model."""
    rng = np.random.default_rng(0)
    numbers = rng.standard_normal((n, 16))
    levels = {f"c{i}": rng.integers(count, size=n) for i, count in enumerate((2, 4, 8, 20))}
    rule = (levels["c0"] == 1) ^ (levels["c1"] > 1)
    target = np.sin(2 * numbers[:, 0]) + numbers[:, 1] * numbers[:, 2] + np.abs(numbers[:, 3]) + rule
    target += 0.3 * rng.standard_normal(n)
    numbers[:, 4:6][rng.random((n, 2)) < 0.1] = np.nan
    X = pd.DataFrame(numbers, columns=[f"x{j}" for j in range(16)])
    for name, values in levels.items():
        X[name] = pd.Categorical([f"level {value}" for value in values])
    return X, target if model == "AutoRegressor" else np.where(target > 1.3, "high", "low")


def measured(n: int, model: str, limit: float | None) -> dict[str, float]:
    """Elapsed and processor seconds, and peak memory, of one fit."""
    found = in_fresh_process(MEASURE.format(n=n, model=model, limit=limit))
    print(f"{model} n={n} time_limit={limit}: {found}", flush=True)
    return {name: float(f"{value:.3g}") for name, value in found.items()}


def costs(sizes: list[int]) -> list[Goal]:
    """Fits without a limit."""
    goals = []
    for n in sizes:
        for model in MODELS:
            found = measured(n, model, None)
            what = f"`{model}.fit`, {n} × 20"
            goals.append(Goal(what, found["seconds"], SECONDS.get(n), "s", notes={"processor seconds": found["cpu"]}))
            goals.append(Goal(f"{what}: memory", found["megabytes"], MEMORY, "MB"))
    return goals


def limited(sizes: list[int]) -> list[Goal]:
    """Fits with ``time_limit``: their time relative to the limit."""
    goals = []
    for n in sizes:
        for limit in LIMITS.get(n, ()):
            for model in MODELS:
                found = measured(n, model, limit)
                what = f"`{model}(time_limit={limit:g})`, {n} × 20: time / limit"
                goals.append(Goal(what, found["seconds"] / limit, WITHIN, notes=found))
    return goals


def main() -> None:
    """Print the goals and write them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=list(SECONDS), help="numbers of rows (%(default)s)")
    parser.add_argument("--json", type=Path, default=RESULTS)
    args = parser.parse_args()
    limit_threads(2)
    goals = [*costs(args.sizes), *limited(args.sizes)]
    for goal in goals:
        print(f"{goal.name:<60} {goal.value:10.3g} {goal.unit:<3} {goal.verdict}")
    if args.sizes == list(SECONDS):
        data = {"title": "Cost of automatic models", **header(["mercer", "numpy", "scikit-learn"])}
        write(args.json, data | {"goals": [as_row(goal) for goal in goals]})


if __name__ == "__main__":
    main()
