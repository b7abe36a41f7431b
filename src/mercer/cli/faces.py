"""``mercer faces``: face recognition with eigenfaces, Fisherfaces and their kernel versions."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from mercer.cli.shared.options import Code, Json

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["faces"]

COMPONENTS = (20, 40, 60, 80, 100, 120)


def faces(
    folder: str,
    /,
    *,
    components: Annotated[
        tuple[int, ...],
        Parameter(consume_multiple=True, negative="", show_default=lambda counts: " ".join(map(str, counts))),
    ] = COMPONENTS,
    pictures: Path | None = None,
    json: Json = False,
    code: Code = False,
) -> None:
    """Compare eigenfaces, Fisherfaces and their kernel versions.

    Reproduces the comparison of Yang (2001): leave-one-out errors of a nearest-neighbour classifier in the reduced
    space of each method.

    Parameters
    ----------
    folder
        Folder with one subfolder of images per person, or a MATLAB file of faces.
    components
        Numbers of components to compare.
    pictures
        Write a figure with mean faces, eigenfaces, Fisherfaces and reconstructions to this file (.png or .svg).
    """
    from mercer.cli.shared.destinations import check_folder, check_suffix
    from mercer.cli.shared.output import print_code, print_json, terminal

    if pictures is not None:
        check_suffix(pictures, ".png", ".svg")
    if code:
        print_code(_program(folder, components, pictures), json=json)
        return
    check_folder(pictures)
    if not Path(folder).exists():
        raise FileNotFoundError(f"{folder}: no such file or folder.")
    from mercer.cli.shared.progress_bar import progress
    from mercer.faces import read, table

    images = read(folder)
    found: dict[str, Any] = {}
    with progress("leave-one-out") as step:
        if images.labels is not None or pictures is None:
            found = table(images, components=components, progress=lambda done, total: step(done, total, "")).to_dict()
        if pictures is not None:
            step(0, 1, "pictures")
            _draw(images, pictures)
    found["pictures"] = None if pictures is None else str(pictures)
    if json:
        print_json(found)
    else:
        _show(terminal(), found)


def _draw(images: Any, path: Path) -> None:
    from mercer._runtime.files import replacing
    from mercer.faces import pictures
    from mercer.plots import blank

    found, (height, width) = pictures(images), images.shape
    heights = []  # in inches: a title and rows of panels with titles
    for picture in found.values():
        lines = -(-len(picture.images) // picture.columns)
        heights.append(0.5 + lines * (0.3 + 9 / picture.columns * height / width))
    figure, ax = blank(9, sum(heights))
    ax.remove()
    parts: Any = figure.subfigures(len(found), height_ratios=heights)
    for part, (name, picture) in zip(parts, found.items(), strict=True):
        part.suptitle(name)
        picture.plot(part.add_subplot())
    with replacing(path) as (aside,):
        figure.savefig(aside, dpi=120)


def _show(console: "Console", found: dict[str, Any]) -> None:
    from rich.text import Text

    from mercer.cli.shared.output import print_notes
    from mercer.cli.shared.tables import facts, plain_table

    if "rows" in found:
        height, width = found["shape"]
        size = f"{found['n_images']} images of {found['n_persons']} persons, {height} × {width} pixels"
        console.print(Text.assemble((found["source"] or "faces", "bold"), f"  {size}"))
        console.print()
        counts = sorted({k for row in found["rows"] for k in row["components"]})
        published = any(row["published"] for row in found["rows"])
        table = plain_table("errors by components", *map(str, counts), "best", "rate", *["paper"] * published)
        for column in table.columns[1:]:
            column.justify, column.no_wrap = "right", True
        for row in found["rows"]:
            errors = dict(zip(row["components"], row["errors"], strict=True))
            paper = [str(row["published"]["errors"]) if row["published"] else ""] * published
            best = Text(f"{row['best_errors']}", style="bold")
            cells = [str(errors.get(k, "")) for k in counts]
            table.add_row(row["method"], *cells, best, f"{row['rate']:.1%}", *paper)
        console.print(table)
        console.print()
        print_notes(console, found["notes"])
    if found["pictures"]:
        console.print(facts({"pictures": found["pictures"]}))


def _program(folder: str, components: tuple[int, ...], pictures: Path | None) -> list[str]:
    from mercer.cli.shared.programs import quoted

    options = "" if components == COMPONENTS else f", components={components}"
    lines = [f"images = read({quoted(folder)})", f"print(table(images{options}))"]
    if pictures is None:
        return ["from mercer.faces import read, table", "", *lines]
    return [
        "from mercer.faces import pictures, read, table",
        "from mercer.plots import blank",
        "",
        *lines,
        "found, (height, width) = pictures(images), images.shape",
        "heights = []",
        "for picture in found.values():",
        "    lines = -(-len(picture.images) // picture.columns)",
        "    heights.append(0.5 + lines * (0.3 + 9 / picture.columns * height / width))",
        "figure, ax = blank(9, sum(heights))",
        "ax.remove()",
        "parts = figure.subfigures(len(found), height_ratios=heights)",
        "for part, (name, picture) in zip(parts, found.items()):",
        "    part.suptitle(name)",
        "    picture.plot(part.add_subplot())",
        f"figure.savefig({quoted(pictures)}, dpi=120)",
    ]
