"""Notes of the automatic models on decisions taken in `fit`."""

from collections.abc import Mapping, Sequence
from typing import Any

from mercer.approximation import FittedApproximation
from mercer.auto.columns import RawColumn
from mercer.auto.kinds import Choice

__all__ = [
    "approximation_note",
    "column_notes",
    "counted",
    "dropped_notes",
    "listed",
    "single_classes_note",
    "small_classes_note",
    "stack_note",
    "transduction_note",
    "unused_columns",
]

LARGE = 0.1  # relative residual above which an exact model of fewer rows may be better


def approximation_note(found: FittedApproximation, total: int, searched: int) -> str:
    """Note on the approximation of the final model.

    Parameters
    ----------
    found : FittedApproximation
        Approximation.
    total : int
        Number of rows passed to `fit`.
    searched : int
        Number of rows on which kernel and parameters were chosen.

    Returns
    -------
    str
        One sentence, and a second one if the approximation is coarse.

    Examples
    --------
    >>> import numpy as np
    >>> curve = np.linspace(1, 0.02, 301)
    >>> print(approximation_note(FittedApproximation("nystroem", 300, 40_000, 20_000, "", curve), 40_000, 2000))
    The model was fitted to all 40000 samples with 300 landmarks; relative residual 0.02; the search used 2000 samples.
    """
    rows = f"all {total}" if found.n_samples == total else f"{found.n_samples} of {total}"
    what = f"{found.n_components} landmarks; relative residual {found.residual_trace:.2g}"
    if found.method == "random_fourier":
        what = f"{found.n_components} random Fourier features"
    note = f"The model was fitted to {rows} samples with {what}; the search used {searched} samples."
    if found.residual_trace > LARGE:
        note += (
            " The residual is large: more landmarks or a wider kernel may be better, as may fewer samples with "
            "approximation=None."
        )
    return note


def transduction_note(labeled: int, n: int) -> str:
    """Note on the use of unlabelled samples."""
    return (
        f"The transductive SVM learns from {labeled} labelled and {n - labeled} unlabelled samples; the unlabelled "
        "samples are in every training part of cross-validation and are not scored."
    )


def single_classes_note(labels: list[Any], where: str = "Inner cross-validation") -> str:
    """Note on classes with one sample."""
    shown = ", ".join(map(repr, labels[:5])) + (f" and {len(labels) - 5} more" if len(labels) > 5 else "")
    return f"{where}: classes with one sample ({shown}) stay in every training part and are not scored."


def small_classes_note(sizes: dict[Any, int], folds: int) -> str:
    """Note on classes that are missing from some test parts of an evaluation; empty if there are none.

    >>> print(small_classes_note({"a": 90, "b": 3}, 5))
    Evaluation: classes with fewer samples than 5 folds ('b': 3) are missing from some test parts.
    """
    few = [f"{label!r}: {size}" for label, size in sizes.items() if size < folds]
    if not few:
        return ""
    shown = ", ".join(few[:5]) + (f" and {len(few) - 5} more" if len(few) > 5 else "")
    return f"Evaluation: classes with fewer samples than {folds} folds ({shown}) are missing from some test parts."


def stack_note(members: int, taught: int, n: int) -> str:
    """Note on a stack of machines.

    >>> print(stack_note(3, 700, 2000))
    The model is a weighted mean of 3 machines fitted to all 2000 samples; weights of columns were learned on 700.
    """
    machines = "one machine" if members == 1 else f"a weighted mean of {members} machines"
    return f"The model is {machines} fitted to all {n} samples; weights of columns were learned on {taught}."


def column_notes(column: RawColumn, choice: Choice, *, inferred: bool) -> list[str]:
    """Notes on the kind of a column and on the reading of its values.

    >>> column = RawColumn("size", "text", ["small", "large", "medium"])
    >>> print(*column_notes(column, Choice("ordered", "", ("ordered", "small", "medium", "large")), inferred=True))
    size: read as ordered, small < medium < large; kinds={'size': 'category'} keeps categories.
    """
    name, missing = column.name, column.n_missing
    notes = [f"{name}: {choice.why}."] if choice.why else []
    match choice.reading:
        case ("ordered", *levels):
            hint = f"; kinds={{{name!r}: 'category'}} keeps categories" if inferred else ""
            notes.append(f"{name}: read as ordered, {_chain(levels)}{hint}.")
        case ("amount", sign, unit):
            how = (" with decimal commas" if sign == "," else "") + (f" in {unit}" if unit else "")
            notes.append(f"{name}: text read as numbers{how}.")
        case ("date", ("day first" | "month first") as form):
            notes.append(f"{name}: dates with the {form} were converted to days.")
        case _ if choice.reading or column.type == "date":
            notes.append(f"{name}: dates and times were converted to days.")
    if missing and choice.kind == "category":
        notes.append(f"{name}: {counted(missing, 'missing value')}, treated as a category.")
    if missing and choice.kind in ("text", "sequence"):
        notes.append(f"{name}: {counted(missing, 'missing value')}, treated as empty text.")
    return notes


def dropped_notes(unused: Mapping[str, str], given: Mapping[str, Any]) -> list[str]:
    """One note for each reason to drop columns, since tables can have many columns of one kind.

    >>> dropped_notes({"a": "all values are equal", "b": "row identifier", "c": "all values are equal"}, {})
    ['a, c: dropped (all values are equal).', 'b: dropped (row identifier).']
    """
    reasons: dict[str, list[str]] = {}
    for name, why in unused.items():
        reasons.setdefault(why, []).append(name)
    found = []
    for why, names in reasons.items():
        hint = ""
        if "different" in why and names[0] not in given:
            hint = f"; kinds={{{names[0]!r}: 'category'}} keeps {'it' if len(names) == 1 else 'the first'}"
        found.append(f"{listed(names)}: dropped ({why}){hint}.")
    return found


def unused_columns(model: Any) -> dict[str, str]:
    """Columns that a fitted automatic model does not read, and the reasons.

    Parameters
    ----------
    model : AutoClassifier or AutoRegressor
        Fitted model.

    Returns
    -------
    dict of str to str
        Reasons by name: columns that were dropped, and columns of which the selected kernel reads nothing.
    """
    found, read = dict(model.preparer_.unused_), set(model.columns_)
    for name, outputs in model.preparer_.outputs_.items() if read else ():
        if not read & set(outputs):
            found[name] = "not read by the selected kernel"
    return found


def _chain(levels: list[Any]) -> str:
    shown = levels if len(levels) <= 8 else [*levels[:4], "…", *levels[-3:]]
    return " < ".join(map(str, shown))


def counted(n: int, what: str, several: str = "") -> str:
    """A number with its noun in singular or plural."""
    return f"{n} {what}" if n == 1 else f"{n} {several or what + 's'}"


def listed(names: Sequence[str]) -> str:
    """Names, at most eight of them."""
    shown = ", ".join(names[:8])
    return shown if len(names) <= 8 else f"{shown} and {len(names) - 8} more"
