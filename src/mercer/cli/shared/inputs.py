"""Input of commands: samples, targets and groups, and a random draw of the rows of large tables."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mercer.datasets import Dataset

__all__ = ["Samples", "read_samples"]


@dataclass(frozen=True, eq=False)
class Samples:
    """Samples that a command works on.

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
        """Name of the data."""
        return self.source.name

    @property
    def target(self) -> str | None:
        """Name of the target."""
        return self.source.target

    @property
    def notes(self) -> tuple[str, ...]:
        """Decisions taken while reading."""
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
        """Return the same samples with one more note."""
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
