"""Input of commands: samples, targets and groups, with random sampling of large tables."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mercer.auto.rare import Rare
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
    automatic : bool, default=False
        Whether groups are to be made of duplicates.
    """

    source: "Dataset"
    X: Any
    y: Any
    groups: Any
    total: int
    automatic: bool = False

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

    def without_rare(self, least: int, rare: "Rare") -> "Samples":
        """Keep, merge or drop classes with fewer than `least` rows."""
        from mercer.auto.rare import rare_classes
        from mercer.data import take

        rows, y, note = rare_classes(self.y, least, rare)
        if not note:
            return self
        if len(rows) == self.n:
            return replace(self, y=y).noted(note)
        groups = None if self.groups is None else self.groups[rows]
        kept = replace(self, X=take(self.X, rows), y=y, groups=groups, total=len(rows))
        return kept.noted(note)

    def grouped(self, kinds: Any = None) -> "Samples":
        """Make groups of duplicates, if these were asked for."""
        if not self.automatic:
            return self
        from mercer.auto.evaluation.duplicates import find_duplicates

        found = find_duplicates(self.X, kinds=kinds)
        if found is None:
            return self.noted("All samples are different, so --groups auto makes no groups.")
        count = len(set(found.clusters.tolist()))
        return replace(self, groups=found.clusters).noted(
            f"--groups auto: {found.related} of {self.n} samples are duplicates or near-duplicates ({found.what}); "
            f"{count} groups are kept together in folds."
        )

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
    likely: bool = False,
) -> Samples:
    """Read data and split off the target.

    If not `supervised`, this is done only for a target that is given or defined by the data set, or, with `likely`,
    that its name suggests.
    """
    from mercer.data import n_samples
    from mercer.datasets import read

    data = read(source)
    known = data.likely_target if likely else data.target
    if not supervised and not target and not known:
        return Samples(data, data.X, data.y, None, n_samples(data.X))
    automatic = groups == "auto" and "auto" not in getattr(data.X, "columns", ())
    parts = data.split(target, None if automatic else groups, drop_missing=drop_missing, unlabeled=unlabeled)
    data = replace(data, target=parts.target, notes=parts.notes)
    return Samples(data, *parts, n_samples(parts.X), automatic)
