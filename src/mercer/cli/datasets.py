"""``mercer datasets``: list of bundled data sets, columns of a file."""

from typing import TYPE_CHECKING, Any

from mercer.cli.shared.options import Code, Json

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["datasets"]

LOOKED_AT = 1000  # number of rows from which kinds of columns are inferred


def datasets(data: str | None = None, /, *, json: Json = False, code: Code = False) -> None:
    """List bundled data sets, or show the columns of a file.

    Shows the name, kind, number of missing values and first value of each column, as mercer fit reads them.

    Parameters
    ----------
    data
        File, folder or name of a bundled data set. Without it, all bundled data sets are listed.
    """
    from mercer.cli.shared.output import print_code, print_json, terminal

    if code:
        print_code(_program(data), json=json)
        return
    if data is None:
        from mercer.datasets import names

        found: dict[str, Any] = {"datasets": dict(names())}
    else:
        from mercer.cli.shared.progress_bar import progress

        with progress("reading"):
            found = _describe(data)
    if json:
        print_json(found)
    elif data is None:
        _show_names(terminal(), found["datasets"])
    else:
        _show_data(terminal(), found)


def _describe(source: str) -> dict[str, Any]:
    from mercer.auto import TablePreparer
    from mercer.data import n_samples, take
    from mercer.data.frames import as_frame
    from mercer.datasets import read

    data = read(source)
    n = n_samples(data.X)
    frame = as_frame(data.X)
    found: dict[str, Any] = {
        "name": data.name,
        "rows": n,
        "what": "table" if frame is not None else type(data.X).__name__,
        "shape": data.shape,
        "target": data.target,
        "columns": None,
        "notes": list(data.notes),
    }
    if frame is not None:
        head = take(data.X, slice(0, LOOKED_AT))
        kinds = TablePreparer().fit(head).kinds_
        found["columns"] = [
            {
                "name": name,
                "type": str(frame[name].dtype),
                "kind": kinds[name],
                "missing": int(frame[name].null_count()),
                "first": frame[name][0] if n else None,
            }
            for name in frame.columns
        ]
    return found


def _show_names(console: "Console", names: dict[str, str]) -> None:
    from rich.text import Text

    from mercer.cli.shared.tables import facts

    console.print(facts(names))
    console.print()
    console.print(Text("Use a name in place of a file: mercer fit wine", style="dim"))


def _show_data(console: "Console", found: dict[str, Any]) -> None:
    from rich.text import Text

    from mercer.cli.shared.output import print_notes
    from mercer.cli.shared.tables import plain_table

    target = "" if found["target"] is None else f", target {found['target']}"
    console.print(Text.assemble((found["name"], "bold"), f"  {found['what']} with {found['rows']} rows{target}"))
    print_notes(console, found["notes"])
    if found["columns"] is None:
        return
    console.print()
    table = plain_table("column", "kind", "missing", "first value")
    table.columns[2].justify = "right"
    for column in found["columns"]:
        first = str(column["first"])
        table.add_row(
            Text(column["name"], style="cyan"),
            column["kind"],
            str(column["missing"] or ""),
            Text(first if len(first) <= 60 else f"{first[:59]}…"),
        )
    console.print(table)


def _program(source: str | None) -> list[str]:
    from mercer.cli.shared.programs import quoted

    if source is None:
        return [
            "from mercer.datasets import names",
            "",
            "for name, about in names().items():",
            "    print(name, about)",
        ]
    return [
        "from mercer.auto import TablePreparer",
        "from mercer.data import take",
        "from mercer.datasets import read",
        "",
        f"data = read({quoted(source)})",
        "print(data, *data.notes)",
        f"print(TablePreparer().fit(take(data.X, slice(0, {LOOKED_AT}))).kinds_)",
    ]
