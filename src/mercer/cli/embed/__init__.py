"""``mercer embed``: two-dimensional embedding of samples."""

from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter
from cyclopts.validators import Number

from mercer.cli.shared.options import Code, Json, KernelText, Output, Rows, Seed, Target

__all__ = ["embed"]


def embed(
    data: str,
    /,
    *,
    target: Target = None,
    kernel: KernelText = "auto",
    method: Literal["kpca", "klda"] = "kpca",
    components: Annotated[int, Parameter(validator=Number(gte=1))] = 2,
    rows: Rows = 2000,
    seed: Seed = 0,
    output: Output | None = None,
    table: Path | None = None,
    json: Json = False,
    code: Code = False,
) -> None:
    """Plot samples by kernel PCA or kernel discriminant analysis.

    With --target the kernel is selected as in mercer fit. Without it, the kernel is the sum of a default kernel for
    each kind of column. The target is never part of the samples: without --target, this is the target of the data set,
    or the only column named target, class, label or y.

    Parameters
    ----------
    data
        File, folder or name of a bundled data set (see mercer datasets).
    target
        Column of classes or numbers, shown as colours.
    kernel
        Kernel on the prepared columns, as a name or quoted expression; auto selects one.
    method
        kpca: kernel PCA, needs no target. klda: discriminant analysis, separates the classes of the target.
    components
        Number of components to compute. The figure shows the first two.
    output
        Write the figure to this file (.png or .svg). [default: NAME-map.png, after DATA]
    table
        Write the components to this file (.csv).
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
