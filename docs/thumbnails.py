"""Draw the thumbnails of the gallery that README.md shows.

``python docs/thumbnails.py`` runs six example scripts, each in a process of its own, and saves one figure of each, or
one panel of it, as docs/images/gallery/NAME.png on a white ground of 480 x 360 pixels. The figure is the one that the
gallery shows: the first, or that of ``sphinx_gallery_thumbnail_number``.
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "docs" / "images" / "gallery"
SIZE = (480, 360)
SCRIPTS = {  # under examples/, in the order of the README, with the panel of the figure; None is the whole figure
    "svm/plot_svm_margin.py": None,
    "kernels/plot_lifted_plane.py": 0,
    "decomposition/plot_kernel_pca.py": None,
    "semi_supervised/plot_laplacian_moons.py": None,
    "structured/plot_dna_motifs.py": None,
    "structured/plot_molecules.py": None,
}

# Runs a script without a window and saves one of the figures that are open at its end, or one panel of it.
RUN = """
import runpy, sys
import matplotlib
matplotlib.use("agg")
import matplotlib.pyplot as plt
script, picture, number, panel = sys.argv[1:]
sys.argv = [script]
runpy.run_path(script, run_name="__main__")
figure = plt.figure(plt.get_fignums()[int(number) - 1])
box = "tight"
if panel != "None":
    figure.canvas.draw()
    box = figure.axes[int(panel)].get_tightbbox().transformed(figure.dpi_scale_trans.inverted()).padded(0.05)
figure.savefig(picture, dpi=200, facecolor="white", bbox_inches=box)
"""


def thumbnail(script: str, panel: int | None) -> Path:
    """Run one script and return the path of its picture."""
    from PIL import Image

    path = FOLDER / f"{Path(script).stem.removeprefix('plot_')}.png"
    source = ROOT / "examples" / script
    chosen = re.search(r"sphinx_gallery_thumbnail_number = (\d+)", source.read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as folder:
        picture = Path(folder) / "figure.png"
        command = [sys.executable, "-c", RUN, str(source), str(picture), chosen[1] if chosen else "1", str(panel)]
        subprocess.run(command, check=True, cwd=folder, stdout=subprocess.DEVNULL)
        with Image.open(picture) as image:
            small = image.convert("RGB")
            small.thumbnail(SIZE, Image.Resampling.LANCZOS)
    ground = Image.new("RGB", SIZE, "white")
    ground.paste(small, ((SIZE[0] - small.width) // 2, (SIZE[1] - small.height) // 2))
    path.parent.mkdir(parents=True, exist_ok=True)
    ground.save(path, optimize=True)
    return path


def main() -> None:
    """Write all thumbnails."""
    for script, panel in SCRIPTS.items():
        path = thumbnail(script, panel)
        sys.stdout.write(f"{path.relative_to(ROOT)}: {path.stat().st_size / 1000:.0f} kB\n")


if __name__ == "__main__":
    main()
