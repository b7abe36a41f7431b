"""Terminal output of ``mercer fit``."""

import math
from typing import Any

from rich.console import Console
from rich.text import Text

from mercer.cli.shared.output import print_notes
from mercer.cli.shared.tables import facts, plain_table, verdict

__all__ = ["show_fit"]

MACHINES = 4  # machines of a stack that are listed
RANGES = {  # t intervals over few folds may exceed these ranges and are clipped
    **dict.fromkeys(("accuracy", "balanced accuracy", "ROC AUC"), (0.0, 1.0)),
    "R²": (-math.inf, 1.0),
    **dict.fromkeys(("RMSE", "MAE"), (0.0, math.inf)),
}


def show_fit(console: Console, found: dict[str, Any]) -> None:
    """Print data, notes, scores, model, certificates and files."""
    console.print(_title(found))
    print_notes(console, found["notes"])
    console.print()
    console.print(_scores(found))
    console.print()
    console.print(facts(_model(found)))
    console.print()
    files = {"saved": found["files"]["model"], "report": found["files"]["report"]}
    console.print(facts({name: path for name, path in files.items() if path}))
    console.print(Text(f"{found['seconds']:.1f} s", style="dim"))


def _title(found: dict[str, Any]) -> Text:
    data, classes = found["data"], found["classes"]
    columns = data["columns"]
    size = f"{data['rows']} rows" + ("" if columns is None else f", {columns} column{'' if columns == 1 else 's'}")
    what = f"{found['task']} of {found['target']}" + ("" if classes is None else f" ({len(classes)} classes)")
    return Text.assemble((data["name"], "bold"), f"  {size}  →  {what}")


def _scores(found: dict[str, Any]) -> Any:
    scores, unlabeled = found["scores"], found["unlabeled"]
    more = [] if unlabeled is None else ["without unlabelled"]
    known = found["data"]["rows"] - (0 if unlabeled is None else unlabeled["rows"])
    part = "" if found["scored"] == known else f" ({found['scored']} rows)"
    table = plain_table(f"out-of-fold score{part}", "mean", "95 % interval", *more, "baseline")
    for column in table.columns[1:]:
        column.justify, column.no_wrap = "right", True
    for metric, score in scores.items():
        least, most = RANGES[metric]
        shown = [score["mean"], max(score["low"], least), min(score["high"], most)]
        shown += [] if unlabeled is None else [unlabeled["scores_without"][metric]["mean"]]
        mean, low, high, *others = (
            format(value, ".3f" if most == 1 else ".4g") for value in [*shown, score["baseline"]]
        )
        table.add_row(metric, Text(mean, style="bold"), f"{low} to {high}", *others)
    return table


def _model(found: dict[str, Any]) -> dict[str, Any]:
    certificate, solution = found["certificate"], found["solution"]
    params = ", ".join(
        f"{name}={value:.6g}" if isinstance(value, float) else f"{name}={value}"
        for name, value in found["params"].items()
    )
    shown: dict[str, Any] = {
        **({"machines": _machines(found["candidates"])} if found["stack"] else {"kernel": found["kernel"]}),
        "model": found["model"] + (f"({params})" if params else ""),
        "certificate": Text.assemble(verdict(certificate["definiteness"]), f": {certificate['rule']}"),
    }
    if solution is not None:
        gap, violation = solution["relative_gap"], solution["violation"]
        bound = f"optimality conditions hold within {violation:.1e}"
        if gap == gap:
            bound = f"relative gap at most {gap:.1e}"
        labels = "" if found["unlabeled"] is None else " given the assigned labels"
        shown["optimality"] = f"{solution['status']}, {bound}{labels}"
    if found["approximation"] is not None:
        shown["approximation"] = _approximation(found["approximation"])
    return shown


def _machines(members: list[dict[str, Any]]) -> str:
    """The machines of a stack with the largest weights."""
    lines = [f"{m['weight']:.2f}  {m['model']}, {m['name']}" for m in members[:MACHINES]]
    rest = len(members) - MACHINES
    return "\n".join([*lines, f"and {rest} more"] if rest > 0 else lines)


def _approximation(found: dict[str, Any]) -> str:
    """Size of the approximation and its error."""
    if found["method"] == "random_fourier":
        return f"{found['components']} random Fourier features for {found['rows']} rows"
    return f"{found['components']} landmarks for {found['rows']} rows, relative residual {found['residual']:.2g}"
