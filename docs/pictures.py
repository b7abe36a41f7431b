"""Draw the pictures of README.md and the guide that do not come from the gallery or ``benchmarks.chart``.

``python docs/pictures.py [counterexample] [report] [weights] [badges] [scaling]`` writes

counterexample  docs/images/counterexample.png: tᵀKt of two kernels over all directions t, at the two points that
                refute tanh ⟨x, z⟩
report          docs/images/report.png: parts of the page that ``mercer fit wine --target class --report wine.html``
                writes, photographed by a headless Chromium, which has to be installed; the picture also stores the
                text of the page, under the key "text"
weights         docs/images/kernel-weights.png: the figure of examples/tables/plot_kernel_weights.py; it also stores its
                title, under the key "title"
badges          docs/images/badges/*.svg: licence and Python versions, as pyproject.toml states them
scaling         docs/images/scaling.png: time and error of exact and approximated fits for growing numbers of samples,
                from benchmarks/results/cost_model.json; the picture also stores the values, under the key "curve"

and without arguments all of them.
"""

import html
import json
import re
import runpy
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

import numpy as np

from mercer.kernels import RBF, Sigmoid, find_counterexample

ROOT = Path(__file__).parents[1]
IMAGES = ROOT / "docs" / "images"
BLUE, ORANGE = "#0072B2", "#D55E00"  # Okabe and Ito

# Head and contents of the page, the comparison of models, and figures of two sections side by side.
LAYOUT = """
body { padding: 0 2rem; }
header { padding-top: 1.6rem; }
nav { padding-top: 1.7rem !important; }
section { padding-top: 1.5rem; }
footer, .skip, section:not(#scores, #errors, #geometry), .lead, .remark, figcaption { display: none !important; }
main { display: grid; grid-template-columns: minmax(0, 34fr) minmax(0, 66fr); column-gap: 1.2rem; }
main { align-content: start; }
.gallery { grid-template-columns: 1fr 1fr; gap: .6rem; margin-bottom: .6rem; }
#scores { grid-column: 1 / -1; }
#scores > :not(.scroll:has(#comparison)), #scores .keep { display: none; }
#errors > :not(.keep), #geometry > :not(.keep) { display: none; }
#errors .keep > figure { display: block; }
.scroll { margin: 0; }
"""


def counterexample() -> None:
    """The quadratic form of the Gaussian and of tanh ⟨x, z⟩ on the half circle of directions."""
    import matplotlib as mpl

    mpl.use("agg")
    import matplotlib.pyplot as plt

    found = find_counterexample(Sigmoid(gamma=1.0))
    assert found is not None
    degrees = np.linspace(0, 180, 361)
    T = np.stack([np.cos(np.radians(degrees)), np.sin(np.radians(degrees))])

    def form(kernel):
        return np.einsum("it,ij,jt->t", T, kernel(found.points), T)

    tanh, rbf = form(Sigmoid(gamma=1.0)), form(RBF(gamma=1.0))
    angle = np.degrees(np.arctan2(found.t[1], found.t[0])) % 180
    points = " and ".join(f"{x:.2f}".replace("-", "−") for x in found.points[:, 0])
    with plt.rc_context({"font.size": 11, "axes.spines.top": False, "axes.spines.right": False}):
        figure, axes = plt.subplots(figsize=(8, 3.4), layout="constrained")
        axes.axhline(0, color="0.3", lw=1)
        axes.plot(degrees, rbf, color=BLUE, lw=2)
        axes.plot(degrees, tanh, color=ORANGE, lw=2)
        axes.fill_between(degrees, tanh, 0, where=tanh < 0, color=ORANGE, alpha=0.25, lw=0)
        axes.plot(angle, found.value, "o", color=ORANGE, ms=8)
        axes.annotate(
            f"tᵀKt = {found.value:.2f} < 0:\nnot an inner product".replace("-", "−"),
            (angle, found.value),
            xytext=(75, -0.6),
            va="center",
            arrowprops={"arrowstyle": "-", "color": "0.4", "shrinkB": 5},
        )
        axes.text(2, 1.06, "exp(−‖x − z‖²): never negative", color=BLUE, va="bottom")
        axes.text(102, 1.58, "tanh ⟨x, z⟩", color=ORANGE, ha="right", va="center")
        axes.set(xlim=(0, 180), ylim=(-0.85, 1.85), ylabel="tᵀKt", xticks=range(0, 181, 45))
        axes.set_xticklabels([f"{tick}°" for tick in range(0, 181, 45)])
        axes.set_xlabel(f"direction of the unit vector t; K is the Gram matrix of the points {points}")
        figure.savefig(IMAGES / "counterexample.png", dpi=160, metadata={"Software": None})
        plt.close(figure)


def report() -> None:
    """The report on the wines, as a browser shows it."""
    from PIL import Image, PngImagePlugin

    from mercer.cli import main

    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        raise SystemExit("docs/pictures.py: report needs chromium")
    with tempfile.TemporaryDirectory() as name:
        page, picture = Path(name) / "wine.html", Path(name) / "wine.png"
        model = page.with_suffix(".mercer")
        if main(["fit", "wine", "--target", "class", "--report", str(page), "--output", str(model)]):
            raise SystemExit("docs/pictures.py: mercer fit failed")
        text = page.read_text(encoding="utf-8").replace("</head>", f"<style>{LAYOUT}</style></head>")
        page.write_text(text, encoding="utf-8")
        command = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]
        command += ["--window-size=1280,985", f"--screenshot={picture}", page.as_uri()]
        subprocess.run(command, check=True, capture_output=True, timeout=120)
        stored = PngImagePlugin.PngInfo()
        stored.add_itxt(
            "text", " ".join(html.unescape(re.sub(r"<style.*?</style>|<[^>]+>", " ", text, flags=re.S)).split())
        )
        with Image.open(picture) as image:
            image.convert("RGB").save(IMAGES / "report.png", pnginfo=stored, optimize=True)


def weights() -> None:
    """The figure of an example that the guide shows."""
    import matplotlib as mpl

    mpl.use("agg")
    import matplotlib.pyplot as plt

    runpy.run_path(str(ROOT / "examples" / "tables" / "plot_kernel_weights.py"))
    figure = plt.gcf()
    title = next(text for axes in figure.axes for loc in ("left", "center") if (text := axes.get_title(loc)))
    figure.savefig(IMAGES / "kernel-weights.png", dpi=160, metadata={"title": title, "Software": None})
    plt.close(figure)


def badge(label: str, value: str, colour: str) -> str:
    """Two boxes with text; widths are estimates for an 11 px sans-serif font."""
    left, right = (round(6.6 * len(text) + 12) for text in (label, value))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + right}" height="20" role="img" '
        f'aria-label="{label}: {value}">\n<title>{label}: {value}</title>\n'
        f'<rect width="{left + right}" height="20" rx="3" fill="{colour}"/>\n'
        f'<path d="M3 0h{left - 3}v20h-{left - 3}a3 3 0 0 1-3-3v-14a3 3 0 0 1 3-3z" fill="#444"/>\n'
        '<g fill="#fff" text-anchor="middle" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">\n'
        f'<text x="{left / 2:g}" y="14">{label}</text>\n<text x="{left + right / 2:g}" y="14">{value}</text>\n'
        "</g>\n</svg>\n"
    )


def badge_texts() -> dict[str, str]:
    """The SVG of each badge, by its name."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    stage = next(line for line in project["classifiers"] if line.startswith("Development Status")).split(" - ")[1]
    return {
        "licence": badge("licence", project["license"], "#0b6285"),
        "python": badge("python", project["requires-python"].replace(">=", "≥ "), "#0b6285"),
        "status": badge("status", f"{stage.lower()} {project['version']}", "#a2500b"),
    }


def badges() -> None:
    """Write the badges."""
    for name, text in badge_texts().items():
        (IMAGES / "badges" / f"{name}.svg").write_text(text, encoding="utf-8")


def measured_curve() -> list[dict]:
    """Measurements of ``python -m benchmarks.cost_model --only curve``."""
    file = ROOT / "benchmarks" / "results" / "cost_model.json"
    return json.loads(file.read_text(encoding="utf-8"))["curve"]


def scaling() -> None:
    """Time and error against the number of samples, a line for the exact fits and for each number of landmarks."""
    import matplotlib as mpl

    mpl.use("agg")
    import matplotlib.pyplot as plt

    rows = measured_curve()
    styles = [("0.3", "s--"), (ORANGE, "v-"), (BLUE, "o-")]
    with plt.rc_context({"font.size": 11, "axes.spines.top": False, "axes.spines.right": False}):
        figure, panels = plt.subplots(1, 2, figsize=(8, 3.4), layout="constrained")
        for m, (colour, style) in zip(dict.fromkeys(row["m"] for row in rows), styles, strict=True):
            line = [row for row in rows if row["m"] == m]
            label = "exact" if m is None else f"approximation={m}"
            for axes, key in zip(panels, ("seconds", "error"), strict=True):
                axes.loglog([row["n"] for row in line], [row[key] for row in line], style, color=colour, label=label)
        titles, ticks = ("seconds of a fit, one core", "error on new samples"), ([0.01, 0.1, 1, 10], [0.05, 0.1, 0.2])
        for axes, title, places in zip(panels, titles, ticks, strict=True):
            axes.set_title(title, fontsize=11)
            axes.set_xlabel("samples n")
            axes.set_xticks([1000, 10_000, 100_000], ["1000", "10 000", "100 000"])
            axes.set_yticks(places, [f"{place:g}" for place in places])
            axes.minorticks_off()
            axes.grid(alpha=0.3)
        panels[0].legend(frameon=False)
        metadata = {"curve": json.dumps(rows), "Software": None}
        figure.savefig(IMAGES / "scaling.png", dpi=160, metadata=metadata)
        plt.close(figure)


if __name__ == "__main__":
    tasks = {task.__name__: task for task in (counterexample, report, weights, badges, scaling)}
    for task in sys.argv[1:] or tasks:
        tasks[task]()
