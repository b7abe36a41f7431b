"""Options shared by several commands."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter
from cyclopts.validators import Number

__all__ = ["Code", "Column", "Flag", "Json", "KernelText", "Output", "Rows", "Seconds", "Seed", "Target"]

Flag = Annotated[bool, Parameter(negative="", show_default=False)]
Json = Annotated[bool, Parameter(negative="", show_default=False, help="Print the result as one JSON object.")]
Code = Annotated[
    bool,
    Parameter(negative="", show_default=False, help="Print the equivalent Python program and exit."),
]
Seed = Annotated[
    int,
    Parameter(validator=Number(gte=0, lt=2**32), help="Seed of the random number generator."),
]
Rows = Annotated[
    int,
    Parameter(validator=Number(gte=0), help="Sample about this many rows from larger tables; 0 uses all rows."),
]
Target = Annotated[str | None, Parameter(name=["--target", "-t"], metavar="COL")]
Column = Annotated[str | None, Parameter(metavar="COL")]
KernelText = Annotated[str, Parameter(metavar="KERNEL")]
Seconds = Parameter(validator=Number(gt=0), metavar="SECONDS")
Output = Annotated[Path, Parameter(name=["--output", "-o"])]
