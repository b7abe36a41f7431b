"""Input of commands: samples, targets and groups, with random sampling of large tables."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mercer.datasets import Dataset

__all__ = ["Samples", "read_samples"]


@dataclass(frozen=True, eq=False)
class Samples:
    """Samples of a command.

    Parameters
    ----------
    source : Dataset
        Data set as it was read, with the name of the target and all notes.
    X : frame, array, sparse matrix, Graphs, Strings or Trees
        Samples.
    y : ndarray or None
        Targets.
    groups : ndarray or None
        Group labels.
    total : int
        Number of usable rows before random sampling.
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
        """Decisions taken while reading the data."""
        return self.source.notes

    @property
    def n(self) -> int:
        """Number of samples."""
        from mercer.data import n_samples

        return n_samples(self.X)

    def draw(self, rows: int | None, seed: int, *, stratify: bool = False) -> "Samples":
        """Sample about `rows` rows at random if there are more; `stratify` keeps the proportions of the classes."""
        if rows is None or self.n <= rows:
            return self
        from mercer.auto.sampling import sample_rows
        from mercer.data import take

        chosen = sample_rows(self.y if stratify else range(self.n), rows, stratify=stratify, random_state=seed)
        if len(chosen) == self.n:  # labelled and unlabelled rows are drawn separately
            return self
        y, groups = (None if values is None else values[chosen] for values in (self.y, self.groups))
        drawn = replace(self, X=take(self.X, chosen), y=y, groups=groups)
        return drawn.noted(f"{drawn.n} of {self.n} rows were sampled at random (seed {seed}); change with --rows.")

    def noted(self, note: str) -> "Samples":
        """Return the samples with an additional note."""
        return replace(self, source=replace(self.source, notes=(*self.notes, note)))


def read_samples(
    source: str,
    *,
    target: str | None = None,
    groups: str | None = None,
    drop_missing: bool = False,
    unlabeled: bool = False,
    supervised: bool = True,
) -> Samples:
    """Read data and split off the target; if not `supervised`, only if it is given or defined by the data set."""
    from mercer.data import n_samples
    from mercer.datasets import read

    data = read(source)
    if not supervised and not target and not data.target:
        return Samples(data, data.X, data.y, None, n_samples(data.X))
    parts = data.split(target, groups, drop_missing=drop_missing, unlabeled=unlabeled)
    data = replace(data, target=parts.target, notes=parts.notes)
    return Samples(data, *parts, n_samples(parts.X))
