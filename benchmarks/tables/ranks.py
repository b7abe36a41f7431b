"""Comparison of methods over tables: mean errors, ranks, wins and losses, critical difference.

`Errors` has a row for each table: the mean error of every method over the seeds that all of them have. Tables on which
a method has no result are left out; a failed fit counts as an infinite error.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import friedmanchisquare, rankdata, studentized_range

from benchmarks.tables.names import PRIMARY
from benchmarks.tables.store import Row

Errors = dict[str, dict[str, float]]
DIGITS = 12  # of errors: equal shares of wrong labels are ties, whatever the rounding of their means


def errors(rows: Iterable[Row], methods: Sequence[str], task: str | None = None, score: str | None = None) -> Errors:
    """Mean errors by table and method, of one task or both; `score` replaces the error of the task."""
    values: dict[str, dict[str, dict[int, float]]] = {}
    for row in rows:
        if row["mode"] == "tables" and row["method"] in methods and task in (None, row["task"]):
            value = np.inf if row.get("failed") else row["scores"].get(score or PRIMARY[row["task"]])
            if value is not None:
                values.setdefault(row["table"], {}).setdefault(row["method"], {})[row["seed"]] = value
    found = {}
    for table, by_method in values.items():
        if seeds := common(by_method, methods):
            found[table] = {
                method: round(float(np.mean([by_method[method][seed] for seed in seeds])), DIGITS) for method in methods
            }
    return found


def common(by_method: Mapping[str, Collection[int]], methods: Sequence[str]) -> list[int]:
    """Seeds that all methods have."""
    return sorted(set.intersection(*(set(by_method.get(method, ())) for method in methods)))


def mean_ranks(found: Errors) -> dict[str, float]:
    """Mean rank of each method, 1 for the smallest error; ties share the mean of their ranks."""
    methods = list(next(iter(found.values()), {}))
    ranks = [rankdata([by_method[method] for method in methods]) for by_method in found.values()]
    return dict(zip(methods, np.mean(ranks, axis=0).tolist(), strict=True)) if ranks else {}


def friedman(found: Errors) -> float:
    """p-value of Friedman's test that all methods have the same ranks; NaN for fewer than three methods or tables."""
    columns = list(zip(*(by_method.values() for by_method in found.values()), strict=True))
    if len(columns) < 3 or len(found) < 3:
        return float("nan")
    return float(friedmanchisquare(*columns).pvalue)


def critical_difference(methods: int, tables: int, level: float = 0.05) -> float:
    """Difference of mean ranks that is significant by Nemenyi's test (Demšar 2006)."""
    quantile = studentized_range.ppf(1 - level, methods, np.inf) / np.sqrt(2)
    return float(quantile * np.sqrt(methods * (methods + 1) / (6 * tables)))


@dataclass(frozen=True)
class Verdict:
    """How one method compares with the best of its rivals on a table."""

    table: str
    error: float
    rival: str
    rival_error: float

    @property
    def ratio(self) -> float:
        """Error divided by that of the best rival; 1 if both are 0."""
        if self.error == self.rival_error:
            return 1.0
        return self.error / self.rival_error if self.rival_error else float("inf")


def verdicts(found: Errors, method: str, rivals: Sequence[str]) -> list[Verdict]:
    """One verdict for each table, the largest ratio first."""
    out = []
    for table, by_method in found.items():
        best = min(rivals, key=lambda rival: by_method[rival])
        out.append(Verdict(table, by_method[method], best, by_method[best]))
    return sorted(out, key=lambda verdict: -verdict.ratio)


def wins(found: Errors, method: str, rival: str) -> tuple[int, int, int]:
    """Numbers of tables where the method has a smaller, an equal and a larger error than the rival."""
    signs = [np.sign(by_method[rival] - by_method[method]) for by_method in found.values()]
    return signs.count(1), signs.count(0), signs.count(-1)


def rare_difference(rows: Iterable[Row], table: str, method: str, other: str) -> tuple[float, float]:
    """Mean difference of the areas under the ROC curve on the same splits, and its standard error.

    NaN if there is no common split; the standard error is NaN for a single one.
    """
    areas = {
        (row["method"], row["seed"]): row["scores"]["auc"]
        for row in rows
        if row["mode"] == "rare" and row["table"] == table and "auc" in row["scores"]
    }
    seeds = sorted(seed for who, seed in areas if who == method and (other, seed) in areas)
    gaps = np.array([areas[method, seed] - areas[other, seed] for seed in seeds])
    if not len(gaps):
        return float("nan"), float("nan")
    error = float(np.std(gaps, ddof=1) / np.sqrt(len(gaps))) if len(gaps) > 1 else float("nan")
    return float(gaps.mean()), error
