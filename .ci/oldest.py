"""Print the requirements of mercer and of its extras [app], [chem] and [dask], each at its lower bound."""

import re
import tomllib
from pathlib import Path

EXTRAS = ("app", "chem", "dask")  # tools of the tests are taken as they come
project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def requirements(extra: str) -> list[str]:
    """Requirements of an extra, those of the extras it names included."""
    found = []
    for requirement in project["optional-dependencies"][extra]:
        nested = re.fullmatch(r"mercer\[([\w,]+)\]", requirement)
        found += [r for name in nested[1].split(",") for r in requirements(name)] if nested else [requirement]
    return found


listed = [*project["dependencies"], *(r for extra in EXTRAS for r in requirements(extra))]
print(*dict.fromkeys(r.replace(">=", "==") for r in listed), sep="\n")
