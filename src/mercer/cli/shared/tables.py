"""Tables, lists of facts, verdicts and proofs for the terminal."""

from collections.abc import Mapping
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text
from rich.tree import Tree

__all__ = ["facts", "number", "plain_table", "proof_tree", "verdict"]

# A symbol and a word besides the colour, for terminals without colours and colour-blind users.
_VERDICTS = {
    "psd": ("✓ PSD", "green"),
    "cpd": ("~ CPD", "yellow"),
    "not_psd": ("✗ not PSD", "red"),
    "unknown": ("? unknown", "magenta"),
    None: ("", ""),
}


def plain_table(*columns: str) -> Table:
    """Table with a line below its header and no frame."""
    table = Table(box=SIMPLE_HEAD, show_edge=False, padding=(0, 1, 0, 0))
    for column in columns:
        table.add_column(column, overflow="fold")
    return table


def facts(entries: Mapping[str, Any]) -> Table:
    """Grid with names on the left and values on the right."""
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(style="cyan", no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in entries.items():
        table.add_row(name, Text(value) if isinstance(value, str) else value)
    return table


def number(value: float, *, whole: bool) -> str:
    """A score with three decimals if 1 is its largest value, else with four digits; undefined ones are a dash.

    >>> number(0.5, whole=True), number(21432.7, whole=False), number(0.13422, whole=False)
    ('0.500', '21433', '0.1342')
    """
    if value != value:
        return "–"
    if whole:
        return f"{value:z.3f}"  # no minus before zeros
    return f"{value:.0f}" if 1e4 <= abs(value) < 1e7 else f"{value:.4g}"  # without an exponent where it is as short


def verdict(value: str | None) -> Text:
    """Definiteness as symbol, word and colour."""
    words, style = _VERDICTS[value]
    return Text(words, style=style)


def proof_tree(certificate: dict[str, Any], tree: Tree | None = None) -> Tree:
    """Proof tree of a certificate, with a branch for each part of the kernel."""
    domain = certificate["domain"] and f"for {certificate['domain']}"
    source = "; ".join(part for part in (certificate["reference"], domain) if part)
    label = Text.assemble(
        (certificate["kernel"], "cyan"),
        "  ",
        verdict(certificate["definiteness"]),
        f": {certificate['rule']}",
        (f" ({source})" if source else "", "dim"),
    )
    branch = Tree(label) if tree is None else tree.add(label)
    for part in certificate["parts"]:
        proof_tree(part, branch)
    return branch
