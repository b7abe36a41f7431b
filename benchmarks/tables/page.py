"""The results as text in Markdown: ranks, wins and losses, errors by table, intervals, rare classes."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from benchmarks.tables import ranks
from benchmarks.tables.names import LABELS, OURS, PRIMARY
from benchmarks.tables.store import Row
from benchmarks.tables_page import rows as markdown

NEAR = 1.1  # times the error of the best rival
SCORES = {
    "auc": "area under the ROC curve",
    "average_precision": "average precision",
    "calibration_error": "calibration error",
}
SHORT = {"classification": "error rate", "regression": "RMSE / sd"}


def present(rows: Iterable[Row], mode: str) -> list[str]:
    """Methods that have results, in the order of `LABELS`."""
    found = {row["method"] for row in rows if row["mode"] == mode}
    return [method for method in LABELS if method in found]


def number(value: float) -> str:
    """Four digits after the point; a dash for what was not measured."""
    return "–" if np.isnan(value) else "failed" if np.isinf(value) else f"{value:.4f}"


def body(data: dict[str, Any], methods: Sequence[str] | None = None) -> str:
    """Comparison of the methods; all that have results if none are given."""
    rows = data["results"]
    methods = present(rows, "tables") if methods is None else [m for m in methods if m in present(rows, "tables")]
    found = ranks.errors(rows, methods) if methods else {}
    if not found:
        return "No table has results of all methods.\n"
    rivals = [method for method in methods if method not in OURS]
    parts = [_ranks(rows, methods, found), _test(found), _missing(rows, methods, found)]
    for ours in [method for method in methods if method in OURS and rivals]:
        parts += [_against(found, ours, rivals)]
    parts += [_errors(rows, methods, found, rivals), _probabilities(rows, methods), _intervals(rows)]
    return "\n".join(part for part in parts if part)


def _ranks(rows: list[Row], methods: Sequence[str], found: ranks.Errors) -> str:
    """Mean ranks, and seconds on the splits that all methods have; the best method first."""
    columns = {"all": found, **{task: ranks.errors(rows, methods, task) for task in PRIMARY}}
    means = {name: ranks.mean_ranks(part) for name, part in columns.items()}
    own = {method: _splits(rows, method) for method in methods}
    splits = set.intersection(*(set(by_split) for by_split in own.values()))
    lines = []
    for method in sorted(methods, key=lambda method: means["all"][method]):
        shares = [f"{means[name][method]:.2f}" if method in means[name] else "–" for name in columns]
        used = [own[method][split] for split in splits]
        times = [sum(row[what] for row in used) for what in ("fit_seconds", "fit_cpu_seconds", "predict_seconds")]
        lines.append(
            [LABELS[method], *shares, *(f"{time / len(used):.2f}" for time in times), f"{times[0] + times[2]:.0f}"]
        )
    header = [f"{name} ({len(part)})" for name, part in columns.items()]
    seconds = ["s per fit", "CPU s per fit", "s per prediction", f"s for all {len(splits)} splits"]
    return markdown(["mean rank (tables)", *header, *seconds], lines)


def _splits(rows: list[Row], method: str) -> dict[tuple[str, int], Row]:
    """Results of a method by table and seed."""
    return {(row["table"], row["seed"]): row for row in rows if (row["mode"], row["method"]) == ("tables", method)}


def _test(found: ranks.Errors) -> str:
    methods, p = len(next(iter(found.values()))), ranks.friedman(found)
    if np.isnan(p):
        return ""
    difference = ranks.critical_difference(methods, len(found))
    return (
        f"Friedman's test that all methods rank equally: p = {p:.2g}. Mean ranks over all tables that differ by "
        f"{difference:.2f} or more differ significantly by Nemenyi's test (level 5 %).\n"
    )


def _missing(rows: list[Row], methods: Sequence[str], found: ranks.Errors) -> str:
    """Tables left out, failed fits, and methods of several versions."""
    notes = []
    if out := sorted({row["table"] for row in rows if row["mode"] == "tables"} - set(found)):
        notes.append(f"Not in the comparison, because a method has no result yet: {', '.join(out)}.")
    own = [row for row in rows if row["mode"] == "tables" and row["method"] in methods]
    notes += [
        f"Failed: {LABELS[row['method']]} on {row['table']}, seed {row['seed']}." for row in own if row.get("failed")
    ]
    for method in methods:
        if len(versions := sorted({row["version"] for row in own if row["method"] == method})) > 1:
            notes.append(f"{LABELS[method]} has results of several versions: {', '.join(versions)}.")
    return "\n".join(notes) + "\n" if notes else ""


def _against(found: ranks.Errors, ours: str, rivals: Sequence[str]) -> str:
    """Wins and losses of one method, and where the best rival is better."""
    verdicts = ranks.verdicts(found, ours, rivals)
    near = sum(verdict.ratio <= NEAR for verdict in verdicts)
    lost = [f"{v.table} ({LABELS[v.rival]}, × {v.ratio:.2f})" for v in verdicts if v.ratio > 1]
    table = markdown(
        [f"{LABELS[ours]} against", "wins", "ties", "losses"],
        ([LABELS[rival], *map(str, ranks.wins(found, ours, rival))] for rival in rivals),
    )
    return (
        f"{table}\nThe error of {LABELS[ours]} is at most {NEAR:g} times that of the best rival on {near} of "
        f"{len(verdicts)} tables ({near / len(verdicts):.0%}).\n"
        f"Tables where the best rival is better, with the ratio of the errors: {', '.join(lost) or 'none'}.\n"
    )


def _errors(rows: list[Row], methods: Sequence[str], found: ranks.Errors, rivals: Sequence[str]) -> str:
    """Errors by table; the last columns are ratios to the best rival."""
    known = {row["table"]: (row["size"], SHORT[row["task"]]) for row in rows if row["mode"] == "tables"}
    judged = [method for method in methods if method in OURS and rivals]
    ratios = {ours: {v.table: f"{v.ratio:.2f}" for v in ranks.verdicts(found, ours, rivals)} for ours in judged}
    return markdown(
        [
            "table",
            "size",
            "score",
            *(LABELS[method] for method in methods),
            *(f"{LABELS[o]} / best rival" for o in judged),
        ],
        (
            [table, *known[table], *(number(by_method[m]) for m in methods), *(ratios[ours][table] for ours in judged)]
            for table, by_method in sorted(found.items(), key=lambda item: (known[item[0]][1], item[0]))
        ),
    )


def _probabilities(rows: list[Row], methods: Sequence[str]) -> str:
    """Log-loss and area under the ROC curve by table, over all seeds of a method; ranks of methods with a log-loss."""
    own = [row for row in rows if row["mode"] == "tables" and row["task"] == "classification"]
    able = [method for method in methods if any("log_loss" in row["scores"] for row in own if row["method"] == method)]
    if not able:
        return ""
    found = ranks.errors(own, able, score="log_loss")
    means = sorted(ranks.mean_ranks(found).items(), key=lambda item: item[1])
    text = (
        f"Mean ranks by log-loss ({len(found)} tables): {', '.join(f'{LABELS[m]} {rank:.2f}' for m, rank in means)}.\n"
    )
    return f"{_by_table(own, methods, {'log_loss': 'log-loss', 'auc': SCORES['auc']})}\n{text}"


def _by_table(rows: list[Row], methods: Sequence[str], scores: Mapping[str, str], last: str = "") -> str:
    """Mean scores over all seeds, one line for each table and score that was measured."""
    lines = []
    for table in sorted({row["table"] for row in rows}):
        for score, label in scores.items():
            cells = [_mean(rows, table, method, score) for method in methods]
            if not np.isnan(cells).all():
                extra = [_rule(rows, table) if score == "auc" else ""] if last else []
                lines.append([table, label, *map(number, cells), *extra])
    return markdown(["table", "score", *(LABELS[method] for method in methods), *([last] if last else [])], lines)


def _mean(rows: list[Row], table: str, method: str, score: str) -> float:
    values = [row["scores"].get(score, np.nan) for row in rows if (row["table"], row["method"]) == (table, method)]
    return float(np.mean(values)) if values else float("nan")


def _intervals(rows: list[Row]) -> str:
    """Coverage and width of prediction intervals; empty if no method has any."""
    own = [row for row in rows if row["mode"] == "tables" and "coverage" in row["scores"]]
    lines = []
    for table, method in sorted({(row["table"], row["method"]) for row in own}):
        scores = [row["scores"] for row in own if (row["table"], row["method"]) == (table, method)]
        means = [f"{np.mean([score[name] for score in scores]):.3f}" for name in ("coverage", "width_sd")]
        lines.append([table, LABELS[method], *means])
    return markdown(["table", "method", "coverage of 90 % intervals", "width / sd"], lines) if lines else ""


def rare_body(data: dict[str, Any], methods: Sequence[str] | None = None) -> str:
    """Scores on thinned tables, and whether mercer is at most one standard error below logistic regression."""
    rows = [row for row in data["results"] if row["mode"] == "rare"]
    methods = [method for method in present(rows, "rare") if methods is None or method in methods]
    return (
        _by_table(rows, methods, SCORES, "mercer − logistic regression, ≥ −1 standard error")
        if rows
        else "No table has results.\n"
    )


def _rule(rows: list[Row], table: str) -> str:
    """Difference of the areas with its standard error, and whether it is below minus one standard error."""
    gap, error = ranks.rare_difference(rows, table, "mercer", "logistic")
    if np.isnan(gap):
        return "–"
    allowed = 0.0 if np.isnan(error) else error
    return f"{gap:+.4f} ± {error:.4f}{', not met' if gap < -allowed else ''}"
