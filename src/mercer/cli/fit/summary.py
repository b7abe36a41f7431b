"""Terminal output of ``mercer fit``."""

from typing import Any

from rich.console import Console
from rich.text import Text

from mercer.auto.notes import listed
from mercer.cli.shared.output import as_options, print_notes
from mercer.cli.shared.tables import facts, number, plain_table, verdict

__all__ = ["show_fit"]

MACHINES = 4  # machines of a stack that are listed
INTERVAL = "95 % interval"  # the column that is broken into lines where the terminal is too narrow
SHORT = {"linear model": "linear", "gradient boosting": "boosting"}  # heads of columns


def show_fit(console: Console, found: dict[str, Any]) -> None:
    """Print the share of the data, data, notes, scores, model, certificates and files."""
    seen = found["seen"]
    if seen["rows"] < seen["of"]:
        share = f"{seen['rows'] / seen['of']:.2g}" if seen["rows"] < 0.01 * seen["of"] else ""
        percent = share or f"{seen['rows'] / seen['of']:.0%}"
        console.print(Text(f"The model has seen {seen['rows']} of {seen['of']} rows ({percent}).", style="yellow"))
    console.print(_title(found))
    print_notes(console, found["notes"])
    console.print()
    console.print(_scores(found))
    for line in [*found["warnings"], *found["better"]]:
        console.print(Text.assemble(("! ", "bold yellow"), as_options(line)))
    if found["threshold"] is not None:
        console.print(Text.assemble(("threshold  ", "cyan"), found["threshold"]["text"]))
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
    from mercer.auto.metrics import metric_range

    scores, unlabeled, baselines = found["scores"], found["unlabeled"], found["baselines"]
    more = [] if unlabeled is None else ["labelled\nonly"]
    known = found["data"]["rows"] - (0 if unlabeled is None else unlabeled["rows"])
    part = "" if found["scored"] == known else f"\n({found['scored']} rows)"
    names = [SHORT.get(name, name) for name in baselines]
    constant = "majority" if found["task"] == "classification" else "mean"
    table = plain_table(f"out-of-fold score{part}", "mean", INTERVAL, *more, *names, constant)
    table.columns[0].min_width = len("out-of-fold")  # lines are broken between words only
    for column in table.columns[1:]:
        column.justify, column.no_wrap = "right", column.header != INTERVAL
    flag = " !" if found["warnings"] else ""
    for metric, score in scores.items():
        whole = metric_range(metric)[1] == 1
        shown = [score["mean"], score["low"], score["high"]]
        shown += [] if unlabeled is None else [unlabeled["scores_without"][metric]["mean"]]
        shown += [baseline["scores"].get(metric, float("nan")) for baseline in baselines.values()]
        mean, low, high, *others = (number(value, whole=whole) for value in [*shown, score["baseline"]])
        table.add_row(metric, Text(mean + flag, style="bold"), f"{low} to {high}", *others)
    if baselines:
        times = [_seconds(baseline["seconds"]) for baseline in baselines.values()]
        table.add_row("time of a fit", _seconds(found["fit_seconds"]), "", *["" for _ in more], *times, "")
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
    if found["positive"] is not None:
        shown["positive class"] = str(found["positive"])
    if found["unused"]:
        shown["unused columns"] = _unused(found["unused"])
    if found["approximation"] is not None:
        shown["approximation"] = _approximation(found["approximation"])
    return shown


def _seconds(value: float) -> str:
    """Time with two digits, without a power of ten.

    >>> _seconds(0.0213), _seconds(113.4)
    ('0.021 s', '113 s')
    """
    return f"{value:.2g} s" if value < 99.5 else f"{value:.0f} s"


def _unused(found: dict[str, str]) -> str:
    """Unused columns by reason; the first of many."""
    reasons: dict[str, list[str]] = {}
    for name, why in found.items():
        reasons.setdefault(why, []).append(name)
    return "; ".join(f"{listed(names)} ({why})" for why, names in reasons.items())


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
