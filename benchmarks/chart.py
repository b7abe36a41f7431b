"""Draw docs/images/speed.png and speed-dark.png from the files in benchmarks/results.

``python -m benchmarks.chart``: a bar for every fit and every Gram matrix below whose time was compared with
scikit-learn, scikit-learn-intelex or GraKeL at equal results; its length is their time divided by mercer's, on a
logarithmic scale. The values are also stored in the picture, under the key "bars", so that a test can compare them
with the files.
"""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks.tables_page import ROOT, results

PICTURES = {"light": ROOT / "docs" / "images" / "speed.png", "dark": ROOT / "docs" / "images" / "speed-dark.png"}

# Group of cases, file, and the cases of the file with their labels.
GROUPS = [
    (
        "Gram matrix, 8000 samples",
        "gram",
        {
            "rbf float64 d=20": "Gaussian, d = 20",
            "rbf float64 d=784": "Gaussian, d = 784",
            "matern nu=1.5 d=20": "Matérn ν = 3/2, d = 20",
            "laplacian d=20": "Laplacian, d = 20",
            "poly degree=3 d=20": "cubic polynomial, d = 20",
            "chi2 d=20": "χ², d = 20",
        },
    ),
    (
        "SVM, fit",
        "svm",
        {
            "small n=100": "100 × 10, with predict",
            "fit letter": "letter, 15 000 × 16",
            "fit magic": "magic, 15 000 × 10",
            "fit mnist": "MNIST, 10 000 × 784",
            "fit a9a dense": "a9a, 32 561 × 123",
            "fit kin40k": "kin40k (SVR), 10 000 × 8",
        },
    ),
    ("Ridge and PCA, fit", "ridge", {"fit kin40k n=10000 alpha=0.001": "ridge, kin40k, 10 000 × 8"}),
    ("Ridge and PCA, fit", "ridge_path", {"leave-one-out n=3000, over a grid": "50 penalties, 3000 × 8"}),
    (
        "Ridge and PCA, fit",
        "kernel_pca",
        {"mnist 5000 fit": "PCA, MNIST, 5000 × 784", "kin40k 5000 fit": "PCA, kin40k, 5000 × 8"},
    ),
    (
        "Graph kernel, Gram matrix",
        "graphs",
        {
            "wl NCI1 h=5": "Weisfeiler–Lehman, NCI1",
            "shortest path NCI1": "shortest path, NCI1",
            "shortest path PROTEINS": "shortest path, PROTEINS",
        },
    ),
]
COLOURS = {"scikit-learn": "#0072B2", "scikit-learn-intelex": "#E69F00", "GraKeL": "#009E73"}  # Okabe and Ito


@dataclass(frozen=True)
class Bar:
    """One comparison: their time divided by mercer's."""

    group: str
    label: str
    rival: str
    speedup: float


def bars() -> list[Bar]:
    """The bars, from top to bottom, as the files have them."""
    found = []
    for group, file, labels in GROUPS:
        cases = {case["name"]: case for case in results(file)["cases"]}
        for name, label in labels.items():
            found += [Bar(group, label, rival, value) for rival, value in _speedups(file, cases[name]).items()]
    return found


def _speedups(file: str, case: dict[str, Any]) -> dict[str, float]:
    if file == "svm":
        seconds = case["notes"]["seconds"]
        names = {"scikit-learn": "sklearn", "scikit-learn-intelex": "sklearnex"}
        return {rival: seconds[key] / seconds["mercer"] for rival, key in names.items() if key in seconds}
    return {"GraKeL" if file == "graphs" else "scikit-learn": case["rival"] / case["mercer"]}


def draw(theme: str, path: Path) -> None:
    """Write one picture, 1600 pixels wide."""
    import matplotlib as mpl

    mpl.use("agg")
    import matplotlib.pyplot as plt
    from matplotlib.patches import Patch

    ink, faint, ground = ("#1a1a1a", "#cccccc", "white") if theme == "light" else ("#e6edf3", "#3d444d", "#0d1117")
    colours = COLOURS if theme == "light" else {**COLOURS, "scikit-learn": "#56B4E9"}
    every = bars()
    places, heads, y = [], [], 0.0
    for i, bar in enumerate(every):
        before = every[i - 1] if i else None
        if before is None or before.group != bar.group:
            y += 0.5
            heads.append((y, bar.group))
            y += 1.0
        elif before.label != bar.label:
            y += 0.28
        places.append(y)
        y += 0.72
    with plt.rc_context({"font.family": "DejaVu Sans", "font.size": 11, "text.color": ink}):
        figure, axes = plt.subplots(figsize=(8, 0.2 * y + 0.95), facecolor=ground)
        axes.set_facecolor(ground)
        for place, bar in zip(places, every, strict=True):
            axes.barh(place, bar.speedup - 1, left=1, height=0.66, color=colours[bar.rival], linewidth=0)
            text = f"{bar.speedup:.0f}×" if bar.speedup >= 10 else f"{bar.speedup:.1f}×"
            axes.text(max(bar.speedup, 1) * 1.04, place, text, va="center", fontsize=10)
        for label in dict.fromkeys((bar.group, bar.label) for bar in every):
            where = [place for place, bar in zip(places, every, strict=True) if (bar.group, bar.label) == label]
            axes.text(0.96, sum(where) / len(where), label[1], ha="right", va="center", fontsize=10.5)
        for place, group in heads:
            axes.text(0.96, place, group, ha="right", va="center", fontsize=10.5, fontweight="bold")
        axes.set_xscale("log")
        axes.set_xlim(min(1, *(bar.speedup for bar in every)), 200)
        axes.set_ylim(y + 0.2, 0)
        ticks = [1, 2, 5, 10, 20, 50, 100]
        axes.set_xticks(ticks, [f"{tick}×" for tick in ticks])
        axes.minorticks_off()
        axes.set_yticks([])
        axes.tick_params(axis="x", colors=ink, length=0)
        axes.grid(axis="x", color=faint, linewidth=0.7)
        axes.set_axisbelow(True)
        axes.axvline(1, color=ink, linewidth=1)
        for side in axes.spines.values():
            side.set_visible(False)
        axes.set_xlabel(
            "time of the other library ÷ time of mercer (logarithmic; longer is better for mercer)", color=ink
        )
        axes.xaxis.set_label_coords(0.25, -0.065)
        handles = [Patch(color=colour, label=f"against {rival}") for rival, colour in colours.items()]
        figure.legend(
            handles=handles, loc="upper left", ncols=3, frameon=False, fontsize=10.5, bbox_to_anchor=(0.01, 1.0)
        )
        figure.subplots_adjust(left=0.315, right=0.985, top=0.95, bottom=0.1)
        metadata = {"bars": json.dumps([asdict(bar) for bar in every]), "Software": None}
        figure.savefig(path, dpi=200, facecolor=ground, metadata=metadata)
        plt.close(figure)


def main() -> None:
    for theme, path in PICTURES.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        draw(theme, path)
        print(f"{path.relative_to(ROOT)}: {path.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
