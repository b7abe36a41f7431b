"""Result of reading: samples, targets if the source has them, and notes on automatic decisions."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy.typing as npt

from mercer._validation import describe
from mercer.data import Graphs, n_samples
from mercer.data.frames import as_frame
from mercer.datasets.splitting import Split, split, usual_target

__all__ = ["Dataset"]


@final
@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """Samples and, if the source has them, targets.

    Parameters
    ----------
    name : str
        Stem of the file, or name of the bundled data set.
    X : polars.DataFrame, ndarray or csr_matrix of shape (n_samples, n_features), or Graphs
        Samples. In a frame the target is one of the columns.
    y : ndarray of shape (n_samples,), default=None
        Targets stored by the format itself: LIBSVM, TU folders, image folders. None for frames.
    target : str, default=None
        Name of y, or of the column of X that is the target.
    notes : tuple of str, default=()
        Automatic decisions taken while reading, one sentence each.
    shape : tuple of two int, default=None
        Height and width, if samples are images.
    names : tuple of str, default=None
        File of each sample within the folder, if samples are images.
    lines : sequence of int, default=None
        Line of the file, from 1, in which each sample begins. None if the source has no lines.

    See Also
    --------
    read : Read a file, a folder or a bundled data set.
    load : Load a bundled data set.
    Split : Result of `Dataset.split`.

    Examples
    --------
    >>> import polars
    >>> data = Dataset("toy", polars.DataFrame({"size": [1.5, 2.0], "colour": ["red", "blue"], "class": ["a", "b"]}))
    >>> data
    Dataset(toy: 2 samples, frame of 3 columns)
    >>> X, y, groups = data.split()
    >>> X.columns, y.tolist(), groups
    (['size', 'colour'], ['a', 'b'], None)
    >>> data.split().notes
    ("Column 'class' is used as the target.",)
    """

    name: str
    X: Any
    y: npt.NDArray[Any] | None = None
    target: str | None = None
    notes: tuple[str, ...] = ()
    shape: tuple[int, int] | None = None
    names: tuple[str, ...] | None = None
    lines: Sequence[int] | None = None

    def __post_init__(self) -> None:
        if self.names is not None and len(self.names) != len(self):
            raise ValueError(f"Dataset: got {len(self.names)} names for {len(self)} samples; give one for each.")
        if self.y is None:
            return
        if as_frame(self.X) is not None:
            raise ValueError(
                "Dataset: the target of a frame is one of its columns, but y was given; add it to X as a column."
            )
        if len(self.y) != len(self):
            raise ValueError(f"Dataset: y has {len(self.y)} entries but X has {len(self)} samples.")

    def __len__(self) -> int:
        return n_samples(self.X)

    @property
    def likely_target(self) -> str | None:
        """Name of the target that `split` takes if none is given; None if it would ask for one."""
        frame = as_frame(self.X)
        return self.target if self.target is not None or frame is None else usual_target(frame.columns)

    def split(
        self,
        target: str | None = None,
        groups: str | None = None,
        *,
        drop_missing: bool = False,
        unlabeled: bool = False,
    ) -> Split:
        """Separate the target and the groups from the samples.

        Parameters
        ----------
        target : str, default=None
            Name of the target column. With None, the one that the data set names, or the only column called target,
            class, label or y (in any case); otherwise ValueError lists the columns.
        groups : str, default=None
            Name of a column whose equal values mark samples that belong together.
        drop_missing : bool, default=False
            Whether to drop samples without target or group, with a note, instead of raising ValueError.
        unlabeled : bool, default=False
            Whether to keep samples without target, for semi-supervised models. y is then an array of objects with None
            for these samples. Samples without group still raise ValueError.

        Returns
        -------
        Split
            Tuple ``X, y, groups``: the samples without those columns, and arrays (of str for categories). y is None if
            the samples are not a frame and have no targets; groups is None unless requested. The attribute `notes`
            holds all notes, `target` the name of y.

        Notes
        -----
        Null, NaN and empty strings are missing. Messages name the line of the file if it is known, and otherwise the
        row, counted from 0.
        """
        return split(self, target, groups, drop_missing, unlabeled)

    def __repr__(self) -> str:
        frame = as_frame(self.X)
        if frame is not None:
            what = f"frame of {frame.shape[1]} columns"
        else:
            what = repr(self.X) if isinstance(self.X, Graphs) else describe(self.X)
        target = "" if self.target is None else f", target {self.target!r}"
        return f"Dataset({self.name}: {len(self)} samples, {what}{target})"
