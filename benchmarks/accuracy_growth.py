"""Errors of ``AutoClassifier`` and gradient boosting for growing numbers of training rows.

``python -m benchmarks.accuracy_growth --data PATH`` takes the tables of the comparison (``benchmarks.accuracy_tables``)
on which gradient boosting is better, and fits both to random parts of their training rows; test rows are those of the
comparison. It shows whether a difference comes with the number of rows or is there from the start.
"""

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.rivals.harness import header, write
from benchmarks.tables.facts import Table, read, split
from benchmarks.tables.methods import METHODS
from benchmarks.tables.scores import scored

RESULTS = Path(__file__).parent / "results" / "accuracy_growth.json"
TABLES = ("spambase", "magic", "adult")
SIZES = (500, 1000, 2000, 4000, 8000, 16_000, 32_000)
SEEDS = 2
WHO = ("mercer", "catboost", "lightgbm")


def measured(table: Table, n: int, seed: int, threads: int) -> dict[str, dict[str, Any]]:
    """Scores of every method, fitted to n training rows of one split."""
    train, test = split(table, seed)
    some = np.sort(np.random.default_rng(seed).permutation(train)[:n])
    part = replace(table, X=table.X.iloc[some], y=table.y[some])
    found = {}
    for who in WHO:
        method = METHODS[who]
        with threadpool_limits(threads):
            model = method.make(table.task, part.X, seed, threads, **method.params).fit(part.X, part.y)
            predicted = np.asarray(model.predict(table.X.iloc[test])).ravel()
            scores = scored(model, table.X.iloc[test], table.y[test], predicted, "tables", table.classes)
        found[who] = {name: float(f"{value:.4g}") for name, value in scores.items()}
    return found


def mean(values: Sequence[float]) -> float:
    """Mean to four digits."""
    return float(f"{np.mean(values):.4g}")


def rows(data: Path, names: Sequence[str], sizes: Sequence[int], seeds: int, threads: int) -> list[dict[str, Any]]:
    """Means over seeds, for every table and number of rows."""
    found = []
    for name in names:
        table = read(data, name)
        most = len(split(table, 0)[0])
        for n in sorted({min(n, most) for n in sizes}):
            runs = [measured(table, n, seed, threads) for seed in range(seeds)]
            row: dict[str, Any] = {"table": name, "n": n}
            for who in WHO:
                row[who] = {key: mean([run[who][key] for run in runs]) for key in ("error", "log_loss")}
            print(row, flush=True)
            found.append(row)
    return found


def main() -> None:
    """Print the errors and write them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="folder that holds tables/")
    parser.add_argument("--tables", nargs="+", choices=TABLES, default=list(TABLES), metavar="TABLE")
    parser.add_argument("--sizes", type=int, nargs="+", default=list(SIZES), help="numbers of rows (%(default)s)")
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--json", type=Path, default=None, help=f"write the results, for example to {RESULTS.name}")
    args = parser.parse_args()
    found = rows(args.data, args.tables, args.sizes, args.seeds, args.threads)
    if args.json is not None:
        packages = ["mercer", "catboost", "lightgbm", "scikit-learn"]
        write(args.json, {"title": "Errors by number of rows", **header(packages), "seeds": args.seeds, "rows": found})


if __name__ == "__main__":
    main()
