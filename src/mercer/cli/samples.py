"""Reading for commands: samples, targets, a draw of the rows where there are too many, and the same in Python."""

import json as json_format
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mercer.datasets import Dataset

__all__ = [
    "COUNTING",
    "DRAWING",
    "READING",
    "Samples",
    "imports",
    "quoted",
    "read_samples",
    "reading_program",
    "sampling_program",
]

READING = ("from mercer.datasets import read",)
DRAWING = ("from mercer.auto import sample_rows", "from mercer.data import take")
COUNTING = ("from mercer.auto import sample_rows", "from mercer.data import n_samples, take")


@dataclass(frozen=True, eq=False)
class Samples:
    """What a command works on.

    Attributes
    ----------
    source : Dataset
        As it was read, with all notes so far and the name of the target.
    X, y, groups
        Samples, targets and groups; the latter two may be None.
    total : int
        Rows that could be used; more than X has after a draw.
    """

    source: "Dataset"
    X: Any
    y: Any
    groups: Any
    total: int

    @property
    def name(self) -> str:
        """Of the data."""
        return self.source.name

    @property
    def target(self) -> str | None:
        """What y is called."""
        return self.source.target

    @property
    def notes(self) -> tuple[str, ...]:
        """Decisions taken on the way."""
        return self.source.notes

    @property
    def n(self) -> int:
        """Number of samples."""
        from mercer.data import n_samples

        return n_samples(self.X)

    def draw(self, rows: int | None, seed: int, *, stratify: bool = False) -> "Samples":
        """About `rows` samples at random in their order, if there are more; `stratify` keeps the shares of classes."""
        if rows is None or self.n <= rows:
            return self
        from mercer.auto.sampling import sample_rows
        from mercer.data import take

        chosen = sample_rows(self.y if stratify else range(self.n), rows, stratify=stratify, random_state=seed)
        y, groups = (None if values is None else values[chosen] for values in (self.y, self.groups))
        drawn = replace(self, X=take(self.X, chosen), y=y, groups=groups)
        return drawn.noted(f"{drawn.n} of {self.n} rows drawn at random (seed {seed}); --rows changes that.")

    def noted(self, note: str) -> "Samples":
        """The same with one more decision to tell."""
        return replace(self, source=replace(self.source, notes=(*self.notes, note)))


def read_samples(
    source: str,
    *,
    target: str | None = None,
    groups: str | None = None,
    drop_missing: bool = False,
    supervised: bool = True,
) -> Samples:
    """Read data and take the target out; if not `supervised`, only one that is named or that the data name."""
    from mercer.data import n_samples
    from mercer.datasets import read

    data = read(source)
    if not supervised and not target and not data.target:
        return Samples(data, data.X, data.y, None, n_samples(data.X))
    parts = data.split(target, groups, drop_missing=drop_missing)
    data = replace(data, target=parts.target, notes=parts.notes)
    return Samples(data, *parts, n_samples(parts.X))


def quoted(text: object) -> str:
    """A text as Python writes it, in double quotes."""
    return json_format.dumps(str(text), ensure_ascii=False)


def imports(*lines: Iterable[str]) -> list[str]:
    """Import lines of a program, one for each package: others before mercer, modules before names."""
    names: dict[str, set[str]] = {}
    for line in chain(*lines):
        package, _, listed = line.partition(" import ")
        names.setdefault(package, set()).update(listed.split(", ") if listed else ())
    merged = [f"{package} import {', '.join(sorted(some))}" if some else package for package, some in names.items()]
    return sorted(merged, key=lambda line: ("mercer" in line.split()[1], line.startswith("from"), line))


def reading_program(source: str, target: str | None = None, *, supervised: bool = True, **options: Any) -> list[str]:
    """Lines that read the same samples into X, y and groups; `options` are those of `split`."""
    named = {"target": target, **options}
    values = {name: quoted(value) if isinstance(value, str) else value for name, value in named.items() if value}
    split = f"data.split({', '.join(f'{name}={value}' for name, value in values.items())})"
    if not supervised and not target:
        split += " if data.target else (data.X, data.y, None)"
    return [f"data = read({quoted(source)})", f"X, y, groups = {split}"]


def sampling_program(rows: int | None, seed: int, stratify: str = "False") -> list[str]:
    """Lines that draw the same rows, where there are more."""
    if rows is None:
        return []
    whole = "range(n_samples(X))" if stratify == "False" else "y"
    return [
        f"rows = sample_rows({whole}, {rows}, stratify={stratify}, random_state={seed})",
        "X, y, groups = take(X, rows), *(v if v is None else v[rows] for v in (y, groups))",
    ]
