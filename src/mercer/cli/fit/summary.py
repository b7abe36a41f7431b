"""Output of ``mercer fit`` in a terminal."""

import math
from typing import Any

from rich.console import Console
from rich.text import Text

from mercer.cli.shared.output import tell
from mercer.cli.shared.tables import facts, plain_table, verdict

__all__ = ["show_fit"]

RANGES = {  # t intervals of few folds may reach beyond
    **dict.fromkeys(("accuracy", "balanced accuracy", "ROC AUC"), (0.0, 1.0)),
    "R²": (-math.inf, 1.0),
    **dict.fromkeys(("RMSE", "MAE"), (0.0, math.inf)),
}


def show_fit(console: Console, found: dict[str, Any]) -> None:
    """Data, decisions, scores, the model, its certificates, the files."""
    console.print(_title(found))
    tell(console, found["notes"])
    console.print()
    console.print(_scores(found["scores"]))
    console.print()
    console.print(facts(_model(found)))
    console.print()
    files = {"saved": found["files"]["model"], "report": found["files"]["report"]}
    console.print(facts({name: path for name, path in files.items() if path}))
    console.print(Text(f"{found['seconds']:.1f} s", style="dim"))


def _title(found: dict[str, Any]) -> Text:
    data, classes = found["data"], found["classes"]
    size = f"{data['rows']} rows" + ("" if data["columns"] is None else f", {data['columns']} columns")
    what = f"{found['task']} of {found['target']}" + ("" if classes is None else f" ({len(classes)} classes)")
    return Text.assemble((data["name"], "bold"), f"  {size}  →  {what}")


def _scores(scores: dict[str, Any]) -> Any:
    table = plain_table("on unseen rows", "mean", "95 % interval", "guess")
    for column in table.columns[1:]:
        column.justify, column.no_wrap = "right", True
    for metric, score in scores.items():
        least, most = RANGES[metric]
        shown = [score["mean"], max(score["low"], least), min(score["high"], most), score["baseline"]]
        mean, low, high, guess = (format(value, ".3f" if most == 1 else ".4g") for value in shown)
        table.add_row(metric, Text(mean, style="bold"), f"{low} to {high}", guess)
    return table


def _model(found: dict[str, Any]) -> dict[str, Any]:
    certificate, solution = found["certificate"], found["solution"]
    params = ", ".join(
        f"{name}={value:.6g}" if isinstance(value, float) else f"{name}={value}"
        for name, value in found["params"].items()
    )
    shown: dict[str, Any] = {
        "kernel": found["kernel"],
        "model": found["model"] + (f"({params})" if params else ""),
        "certificate": Text.assemble(verdict(certificate["definiteness"]), f": {certificate['rule']}"),
    }
    if solution is not None:
        gap, violation = solution["relative_gap"], solution["violation"]
        bound = f"its conditions hold to {violation:.1e}"
        if gap == gap:
            bound = f"at most {gap:.1e} of the objective above the optimum"
        shown["optimality"] = f"{solution['status']}, {bound}"
    return shown
