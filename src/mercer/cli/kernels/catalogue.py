"""Terminal output of ``mercer kernels``."""

from itertools import groupby
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from mercer.cli.shared.tables import plain_table, proof_tree, verdict
from mercer.kernels.parametrised import literal

__all__ = ["show_kernel", "show_kernels"]

_LEGEND = (
    "✓ PSD: positive semidefinite, a valid kernel.  ~ CPD: conditionally positive semidefinite, sufficient for "
    "centred data (SVM with intercept, kernel PCA).  ✗ not PSD: proved not to be positive semidefinite.  ? unknown: "
    "neither is proved.  Verdicts hold for the parameters shown. `mercer kernels NAME` shows the proof and all "
    "parameters (…)."
)


def show_kernels(console: Console, described: dict[str, Any]) -> None:
    """Print a table for each family of kernels, and one of the operations of the kernel algebra."""
    for family, members in groupby(described["kernels"], lambda leaf: leaf["family"]):
        console.print(_family(console, family, list(members)))
        console.print()
    table = plain_table("algebra", "formula", "of PSD k", "of CPD k")
    for node in described["nodes"]:
        verdicts = (verdict(node["of_psd"]), verdict(node["of_cpd"]))
        table.add_row(Text(node["written"], style="cyan"), Text(node["formula"]), *verdicts)
    console.print(table)
    console.print()
    console.print(Text(_LEGEND, style="dim"))


def _family(console: Console, family: str, leaves: list[dict[str, Any]]) -> Table:
    domains = any(leaf["domain"] for leaf in leaves)
    table = plain_table(family, "formula", "verdict", *(["domain"] if domains else []), "parameters")
    for column in (table.columns[0], *table.columns[2:-1]):
        column.no_wrap = True
    # By default, rich shares a narrow width evenly and breaks formulas. Parameters can break at commas.
    longest = max(len(leaf["formula"]) for leaf in leaves)
    name = max(len(text) for text in (family, *(leaf["name"] for leaf in leaves)))
    table.columns[1].width = min(longest, max(10, (console.width - name - 20) * 5 // 8))
    for leaf in leaves:
        table.add_row(
            Text(leaf["name"], style="cyan"),
            Text(leaf["formula"]),
            verdict(leaf["definiteness"]),
            *([Text(leaf["domain"])] if domains else []),
            Text(", ".join(_listed(leaf["parameters"]))),
        )
    return table


def _listed(parameters: list[dict[str, Any]]) -> list[str]:
    """Positional parameters; dots stand for keyword-only ones."""
    places = [_assignment(p) for p in parameters if not p["by_name"]]
    return [*places, "…"] if len(places) < len(parameters) else places


def show_kernel(console: Console, described: dict[str, Any]) -> None:
    """Print summary, parameters and proof of definiteness of one kernel."""
    console.print(Text(described.get("name") or described["written"], style="bold cyan"))
    console.print(Text(described.get("summary") or described["python"]))
    if "class" in described:
        console.print(Text(f"In Python: {described['module']}.{described['class']}", style="dim"))
    if described["parameters"]:
        console.print()
        console.print(_parameters(described["parameters"]))
        console.print()
    if "certificate" in described:
        console.print(proof_tree(described["certificate"]))
    elif "of_psd" in described:
        for kind in ("of_psd", "of_cpd"):
            start = f"of {kind[3:].upper()} kernels: "
            console.print(Text.assemble(start, verdict(described[kind])))


def _parameters(entries: list[dict[str, Any]]) -> Table:
    values = any("value" in entry for entry in entries)  # an expression has values, but no documentation
    table = plain_table("parameter", "value" if values else "default")
    if not values:
        table.add_column("meaning")
    for entry in entries:
        name = Text(entry["name"], style="cyan")
        if values:
            table.add_row(name, Text(literal(entry["value"])))
        else:
            default = "required" if entry["required"] else literal(entry["default"])
            meaning = "; ".join(part for part in (entry["type"], entry["about"]) if part)
            table.add_row(name, Text(default), Text(meaning))
    return table


def _assignment(parameter: dict[str, Any]) -> str:
    name = str(parameter["name"])
    return name if parameter["required"] else f"{name}={literal(parameter['default'])}"
