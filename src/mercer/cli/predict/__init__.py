"""``mercer predict``: a saved model on new data."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from mercer.cli.shared.options import Code, Json, Output, Target

__all__ = ["predict"]


def predict(
    model: Path,
    data: str,
    /,
    *,
    output: Output = Path("-"),
    target: Target = None,
    key: Annotated[str | None, Parameter(name="--id")] = None,
    json: Json = False,
    code: Code = False,
) -> None:
    """Apply a saved model to new data.

    Writes a table: number or name of the row, prediction, and the values of the decision function where the model has
    one. If the data hold the target, the score is told too.

    Parameters
    ----------
    model
        A file that mercer fit wrote.
    data
        A file, a folder or a bundled name.
    output
        File to write: .csv, .jsonl or .parquet; - is the screen.
    target
        Column to compare with; found by itself if it is the only one that the model does not know.
    key
        Column that names the rows; id if there is one, else rows are counted from 1.
    """
    from mercer.cli.predict.forecast import Forecast
    from mercer.cli.shared.output import print_code, print_json

    forecast = Forecast(model, data, output, target, key)
    if code:
        print_code(forecast.program(), json=json)
        return
    forecast.run()
    if json:
        print_json(forecast.plain())
    else:
        forecast.show()
