"""``mercer embed``: a map of the samples."""

from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter
from cyclopts.validators import Number

from mercer.cli.shared.options import Code, Json, Output, Rows, Seed, Target

__all__ = ["embed"]


def embed(
    data: str,
    /,
    *,
    target: Target = None,
    kernel: str = "auto",
    method: Literal["kpca", "klda"] = "kpca",
    components: Annotated[int, Parameter(validator=Number(gte=1))] = 2,
    rows: Rows = 2000,
    seed: Seed = 0,
    output: Output | None = None,
    table: Path | None = None,
    json: Json = False,
    code: Code = False,
) -> None:
    """Draw a map of the samples by kernel PCA or discriminant analysis.

    With --target the kernel is chosen as mercer fit does it; else the usual kernel for every kind of column is taken.

    Parameters
    ----------
    data
        A file, a folder or a bundled name (see mercer datasets).
    target
        Column of classes or numbers.
    kernel
        A kernel on the prepared columns, or auto.
    method
        kpca needs no target; klda separates its classes.
    components
        Number of coordinates; a picture shows the first two.
    output
        Picture to write, .png or .svg; by default the name of the data with -map.png.
    table
        File of the coordinates to write, .csv.
    """
    from mercer.cli.embed.chart import Chart
    from mercer.cli.shared.output import print_code, print_json, terminal

    if output is None:
        output = Path(f"{Path(data).stem}-map.png")
    chart = Chart(data, target, kernel, method, components, rows, seed, output, table)
    if code:
        print_code(chart.program(), json=json)
        return
    found = chart.run()
    if json:
        print_json(found)
    else:
        chart.show(terminal(), found)
