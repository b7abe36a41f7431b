"""``mercer predict``: predictions of a saved model."""

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
    key: Annotated[str | None, Parameter(name="--id", metavar="COL")] = None,
    json: Json = False,
    code: Code = False,
) -> None:
    """Predict new data with a saved model.

    Writes a table with one row per sample: row number or identifier, prediction, and the calibrated probability of each
    class, or the ends of 90 % prediction intervals. Predictions follow the threshold that was chosen in mercer fit. If
    the data contain the target, the scores are printed as well, with a note if rows equal rows of the training data.

    Parameters
    ----------
    model
        Model file written by mercer fit.
    data
        File, folder or name of a bundled data set.
    output
        Write the table to this file (.csv, .jsonl or .parquet); - writes CSV to the standard output.
    target
        Column with the true targets, for the scores. Inferred if it is the only column unknown to the model.
    key
        Column that identifies the rows of the table. [default: row numbers from 1]
    """
    from mercer.cli.predict.forecast import Forecast
    from mercer.cli.shared.output import print_code, print_json
    from mercer.cli.shared.progress_bar import progress

    forecast = Forecast(model, data, output, target, key)
    if code:
        print_code(forecast.program(), json=json)
        return
    with progress("reading") as step:
        forecast.run(step)
    if json:
        print_json(forecast.plain())
    else:
        forecast.show()
