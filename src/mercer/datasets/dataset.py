"""What reading gives: samples, targets where the source tells them, and the decisions that were taken."""

from dataclasses import dataclass
from typing import Any, final

import numpy.typing as npt

from mercer._validation import describe
from mercer.data import Graphs, n_samples
from mercer.data.frames import as_frame
from mercer.datasets.splitting import Split, split

__all__ = ["Dataset"]


@final
@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """Samples and, where the source tells them, targets.

    Parameters
    ----------
    name : str
        Stem of the file, or name of the bundled data set.
    X : polars.DataFrame, array (n, d), CSR matrix (n, d) or Graphs
        Samples. In a frame the target is one of the columns.
    y : array (n,), optional
        Targets that the format itself carries: LIBSVM, TU folders, folders of images. None for frames.
    target : str, optional
        What y is called, or the column of X that is the target.
    notes : tuple of str
        Decisions that were taken while reading, one sentence each.
    shape : tuple of two int, optional
        Height and width, if samples are images.

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
    ("Column 'class' is taken as the target.",)
    """

    name: str
    X: Any
    y: npt.NDArray[Any] | None = None
    target: str | None = None
    notes: tuple[str, ...] = ()
    shape: tuple[int, int] | None = None

    def __post_init__(self) -> None:
        if self.y is None:
            return
        if as_frame(self.X) is not None:
            raise ValueError("Dataset: the target of a frame is one of its columns, expected no y; join it to X.")
        if len(self.y) != len(self):
            raise ValueError(f"Dataset: y has {len(self.y)} entries but X has {len(self)} samples.")

    def __len__(self) -> int:
        return n_samples(self.X)

    def split(self, target: str | None = None, groups: str | None = None, *, drop_missing: bool = False) -> Split:
        """Take the target, and the groups, out of the samples.

        Parameters
        ----------
        target : str, optional
            Name of a column. By default the one that the data set names, or the only one that is called target, class,
            label or y, in upper or lower case; otherwise ValueError lists the columns.
        groups : str, optional
            Name of a column that tells which samples belong together.
        drop_missing : bool
            Leave out samples without target or group, and tell it in the notes, instead of raising ValueError.

        Returns
        -------
        Split
            The tuple ``X, y, groups``: the samples without those columns; arrays, of text for categories. y is None if
            the samples are no frame and came without targets, groups is None unless asked for. Its attribute `notes`
            tells all decisions, `target` what y is called.

        Notes
        -----
        Null, NaN and empty text are missing. Rows are counted from 0.
        """
        return split(self, target, groups, drop_missing)

    def __repr__(self) -> str:
        frame = as_frame(self.X)
        if frame is not None:
            what = f"frame of {frame.shape[1]} columns"
        else:
            what = repr(self.X) if isinstance(self.X, Graphs) else describe(self.X)
        told = "" if self.target is None else f", target {self.target!r}"
        return f"Dataset({self.name}: {len(self)} samples, {what}{told})"
