"""Building blocks of the Python programs printed by ``--code``."""

import json as json_format
from collections.abc import Iterable
from itertools import chain
from typing import Any

__all__ = ["COUNTING", "DRAWING", "READING", "imports", "quoted", "reading_program", "sampling_program"]

READING = ("from mercer.datasets import read",)
DRAWING = ("from mercer.auto import sample_rows", "from mercer.data import take")
COUNTING = ("from mercer.auto import sample_rows", "from mercer.data import n_samples, take")


def quoted(text: object) -> str:
    """Return a Python string literal in double quotes."""
    return json_format.dumps(str(text), ensure_ascii=False)


def imports(*lines: Iterable[str]) -> list[str]:
    """Merge and sort import lines: other packages before mercer, modules before names."""
    names: dict[str, set[str]] = {}
    for line in chain(*lines):
        package, _, listed = line.partition(" import ")
        names.setdefault(package, set()).update(listed.split(", ") if listed else ())
    merged = [f"{package} import {', '.join(sorted(some))}" if some else package for package, some in names.items()]
    return sorted(merged, key=lambda line: ("mercer" in line.split()[1], line.startswith("from"), line))


def reading_program(
    source: str, target: str | None = None, *, supervised: bool = True, likely: bool = False, **options: Any
) -> list[str]:
    """Lines that read the samples into X, y and groups, as `read_samples` does; `options` are those of `split`."""
    named = {"target": target, **options}
    values = {name: quoted(value) if isinstance(value, str) else value for name, value in named.items() if value}
    split = f"data.split({', '.join(f'{name}={value}' for name, value in values.items())})"
    if not supervised and not target:
        split += f" if data.{'likely_target' if likely else 'target'} else (data.X, data.y, None)"
    return [f"data = read({quoted(source)})", f"X, y, groups = {split}"]


def sampling_program(rows: int | None, seed: int, stratify: str = "False") -> list[str]:
    """Lines that sample the same rows of a larger table."""
    if rows is None:
        return []
    whole = "range(n_samples(X))" if stratify == "False" else "y"
    return [
        f"rows = sample_rows({whole}, {rows}, stratify={stratify}, random_state={seed})",
        "X, y, groups = take(X, rows), *(v if v is None else v[rows] for v in (y, groups))",
    ]
