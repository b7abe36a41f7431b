"""Critical-difference diagram (Demšar 2006): mean ranks on a line; bars join methods that do not differ."""

import json
from collections.abc import Mapping
from pathlib import Path

from benchmarks.tables.names import LABELS, OURS

WIDTH, DPI = 8.0, 200
OUR_COLOUR = "#0072B2"


def cliques(ranks: Mapping[str, float], difference: float) -> list[tuple[float, float]]:
    """Largest intervals of ranks whose methods differ by less than the critical difference, two methods at least."""
    values = sorted(ranks.values())
    found: list[tuple[float, float]] = []
    for start in values:
        end = max(value for value in values if value - start < difference)
        if end > start and not any(low <= start and end <= high for low, high in found):
            found.append((start, end))
    return found


def draw(ranks: Mapping[str, float], difference: float, tables: int, path: Path) -> None:
    """Draw the diagram; ranks and critical difference are also stored in the picture, under the key "ranks"."""
    from matplotlib.figure import Figure

    ordered = sorted(ranks, key=lambda method: ranks[method])
    half = (len(ordered) + 1) // 2
    bars = cliques(ranks, difference)
    low = 0.35 * len(bars) + 0.2  # the labels begin below the bars
    figure = Figure(figsize=(WIDTH, 1.6 + 0.28 * (half + len(bars))))
    axes = figure.add_subplot()
    axes.set_xlim(0.2, len(ordered) + 0.8)
    axes.set_ylim(-low - 0.5 * half - 0.2, 1.5)
    axes.axis("off")
    axes.plot([1, len(ordered)], [0, 0], color="black", linewidth=1)
    for rank in range(1, len(ordered) + 1):
        axes.plot([rank, rank], [0, 0.15], color="black", linewidth=1)
        axes.text(rank, 0.25, str(rank), ha="center", va="bottom", fontsize=9)
    for place, method in enumerate(ordered):
        left = place < half
        y = -low - 0.5 * ((place if left else len(ordered) - 1 - place) + 0.5)
        end = 0.95 if left else len(ordered) + 0.05
        colour = OUR_COLOUR if method in OURS else "black"
        axes.plot([ranks[method], ranks[method], end], [0, y, y], color=colour, linewidth=1)
        text = f"{LABELS[method]}  {ranks[method]:.2f}" if left else f"{ranks[method]:.2f}  {LABELS[method]}"
        axes.text(end, y, f" {text} ", ha="right" if left else "left", va="center", fontsize=9, color=colour)
    for i, (start, end) in enumerate(bars):
        y = -0.25 - 0.35 * i
        axes.plot([start - 0.04, end + 0.04], [y, y], color="black", linewidth=4, solid_capstyle="round")
    axes.plot([1, 1 + difference], [1, 1], color="black", linewidth=1.5, marker="|")
    note = f"critical difference {difference:.2f} (Nemenyi, 5 %), {tables} tables"
    axes.text(1 + difference / 2, 1.1, note, ha="center" if difference > 3 else "left", va="bottom", fontsize=9)
    stored = json.dumps({"ranks": dict(ranks), "difference": difference, "tables": tables})
    figure.savefig(path, dpi=DPI, bbox_inches="tight", metadata={"ranks": stored})
