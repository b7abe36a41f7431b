"""Terminal output of ``mercer check``."""

from typing import TYPE_CHECKING, Any

import numpy as np
from rich.console import Console
from rich.text import Text

from mercer.cli.shared.output import print_notes
from mercer.cli.shared.tables import facts, plain_table, proof_tree

if TYPE_CHECKING:
    from mercer.kernels import Counterexample

__all__ = ["show_findings"]

_NAMES = {"psd": "positive semidefinite", "cpd": "conditionally positive semidefinite"}


def show_findings(console: Console, found: dict[str, Any], counterexample: "Counterexample | None") -> None:
    """Print the proof, the result on the data, the counterexample with all digits, and the outcome."""
    console.print(proof_tree(found["certificate"]))
    data = found["data"]
    if data is not None:
        console.print()
        console.print(Text(f"Gram matrix of {data['rows']} samples of {data['name']}: {data['gram']['verdict']}"))
        console.print(_report(data["gram"]))
        print_notes(console, data["notes"])
    if counterexample is not None:
        console.print()
        _show_counterexample(console, counterexample, found["counterexample"]["points"])
    console.print()
    console.print(_outcome(found))


def _report(gram: dict[str, Any]) -> Any:
    def show(value: float | None) -> str:
        return "not computed" if value is None else f"{value:.6g}"

    return facts(
        {
            "smallest eigenvalue": show(gram["min_eigenvalue"]),
            "largest eigenvalue": show(gram["max_eigenvalue"]),
            "asymmetry": show(gram["asymmetry"]),
            "rank": show(gram["rank"]),
            "effective dimension": show(gram["effective_dimension"]),
        }
    )


def _show_counterexample(console: Console, found: "Counterexample", points: list[Any]) -> None:
    kind = found.kind.replace("psd", "PSD").replace("cpd", "CPD")
    console.print(Text.assemble("Counterexample for ", (str(found.kernel), "cyan"), f", which is {kind}:"))
    table = plain_table("", *([] if found.t is None else ["t"]), "point")
    names = "xz" if found.t is None else None
    for i, point in enumerate(points):
        weight = [] if found.t is None else [repr(float(found.t[i]))]
        table.add_row(names[i] if names else f"x{i + 1}", *weight, Text(_shown(point)))
    console.print(table)
    if found.t is None:
        console.print(Text(f"k(x,z) − k(z,x) = {found.value:.6g}, expected 0"))
        return
    K = np.asarray(found.kernel(found.points))
    with np.printoptions(precision=6, linewidth=max(console.width - 6, 20), threshold=10_000):
        lines = str(K).replace("[", " ").replace("]", " ").splitlines()
    console.print()
    console.print(Text("\n".join(("K = " if i == 0 else "    ") + line.rstrip() for i, line in enumerate(lines))))
    side = ", though Σt = 0" if found.kind == "not cpd" else ""
    console.print(Text(f"tᵀKt = {found.value:.6g} < 0{side}"))


def _shown(point: Any) -> str:
    """Format a sample with all digits."""
    if isinstance(point, dict):
        return ", ".join(f"{name}={value!r}" for name, value in point.items())
    if isinstance(point, list):
        return "(" + ", ".join(repr(value) for value in point) + ")"
    return str(point)


def _outcome(found: dict[str, Any]) -> Text:
    name, proof = _NAMES[found["asked"]], found["certificate"]["definiteness"]
    match found["outcome"]:
        case "proved":
            where = ", ".join(sorted(_domains(found["certificate"])))
            words = ("✓ valid", "bold green"), f": proved {name} for all data" + (f" with {where}" if where else "")
        case "valid on the data":
            others = "proved not to be on others" if proof == "not_psd" else "no proof for other data"
            words = ("✓ no violation", "bold green"), f": {name} on these data; {others}"
        case "refuted":
            words = ("✗ refuted", "bold red"), f": not {name}{_why(found, proof)}"
        case _:
            why = "no samples to search; give DATA" if found["unsearched"] else "no counterexample found"
            words = ("? undecided", "bold magenta"), f": no proof, and {why}"
    return Text.assemble(*words)


def _why(found: dict[str, Any], proof: str) -> str:
    """Reason of a refutation that is not printed above, and weaker properties that hold."""
    if proof == "cpd" and found["asked"] == "psd":
        return ", but proved conditionally so, which is sufficient for centred data (--conditional)"
    if found["counterexample"] is not None:
        return ""
    return ", by proof; give DATA for an example" if found["data"] is None else ", by the eigenvalues of this matrix"


def _domains(certificate: dict[str, Any]) -> set[str]:
    own = {certificate["domain"]} if certificate["domain"] else set()
    return own.union(*(_domains(part) for part in certificate["parts"]))
