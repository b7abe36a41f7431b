"""Options that several commands have, described once."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter
from cyclopts.validators import Number

__all__ = ["Code", "Flag", "Json", "Output", "Rows", "Seed", "Target"]

Flag = Annotated[bool, Parameter(negative="", show_default=False)]
Json = Annotated[bool, Parameter(negative="", show_default=False, help="Print one JSON object instead of tables.")]
Code = Annotated[
    bool,
    Parameter(negative="", show_default=False, help="Print the Python program that does the same, and run nothing."),
]
Seed = Annotated[
    int,
    Parameter(validator=Number(gte=0, lt=2**32), help="Seed of everything that is drawn at random."),
]
Rows = Annotated[
    int,
    Parameter(validator=Number(gte=0), help="Draw about so many rows at random from a larger table; 0 takes all."),
]
Target = Annotated[str | None, Parameter(name=["--target", "-t"])]
Output = Annotated[Path, Parameter(name=["--output", "-o"])]
