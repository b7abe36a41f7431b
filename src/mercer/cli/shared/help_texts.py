"""Help texts in the form of other programs: short names first, ``-t, --target COL``, in panels by purpose."""

from collections.abc import Sequence

from cyclopts import Group, Parameter
from cyclopts.help import ColumnSpec, DefaultFormatter, DescriptionRenderer, HelpEntry
from rich.console import Console, ConsoleOptions

__all__ = ["BLOCKS", "FORMATTER", "MODEL", "OPTIONS", "ROWS", "SCORES"]

OPTIONS = Group("Options", sort_key=10)
# Panels of `fit`, which has too many options for one.
ROWS, MODEL, SCORES, BLOCKS = (
    Parameter(group=Group(title, sort_key=place))
    for place, title in enumerate(("Data", "Model", "Scores", "Tables larger than memory"))
)


_VALUES = {"PATH": "FILE", "STR": "TEXT", "INT": "N", "CHOICE|INT": "CHOICE|N"}  # names of types, as users read them


def _columns(console: Console, options: ConsoleOptions, entries: Sequence[HelpEntry]) -> tuple[ColumnSpec, ColumnSpec]:  # noqa: ARG001 - called with all by cyclopts
    """Names, at most as wide as a third of the terminal, and descriptions."""
    indent = " " * 4 * any(_shorts(entry) for entry in entries)

    def names(entry: HelpEntry) -> str:
        if entry.positional_label:
            return entry.positional_label
        shorts = _shorts(entry)
        found = ", ".join([*shorts, *(name for name in entry.all_options if name not in shorts)])
        value = (entry.metavar or "").removesuffix("...")
        repeated = "..." if value != (entry.metavar or "") else ""
        return f"{'' if shorts else indent}{found} {_VALUES.get(value, value)}{repeated}".rstrip()

    width = round(console.width * 0.36)
    return (
        ColumnSpec(renderer=names, header="Option", style="cyclopts.name", max_width=width),
        ColumnSpec(renderer=DescriptionRenderer(), header="Description", overflow="fold"),
    )


def _shorts(entry: HelpEntry) -> list[str]:
    return [name for name in entry.all_options if name.startswith("-") and not name.startswith("--")]


FORMATTER = DefaultFormatter(column_specs=_columns)
