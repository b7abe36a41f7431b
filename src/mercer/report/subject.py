"""Subject of a report: model, evaluation, data, and the samples that are plotted."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from mercer._typing import DoubleArray, IndexArray
from mercer.auto.columns import RawColumn, raw_columns, row_count, rows_of
from mercer.data.frames import as_frame
from mercer.report.text import count, number, plain

__all__ = ["DRAWN", "UNEVEN", "Subject"]

DRAWN = 1000  # largest number of samples in a figure
UNEVEN = 0.65  # fraction of the largest class from which accuracy alone is misleading


@dataclass(frozen=True, eq=False)
class Subject:
    """Subject of a report, with values that several sections use.

    Parameters
    ----------
    model : AutoClassifier or AutoRegressor
        Fitted model.
    evaluation : Evaluation
        Evaluation of the model on the same samples, or on some of them.
    dataset : Dataset
        Source of the samples.
    X : frame, array, sparse matrix, Table, Graphs, Strings or Trees
        Labelled training samples.
    named : str or None, default=None
        Name of the target. None means the name in the data set.
    own_notes : sequence of str, default=()
        Notes besides those of the data set, the model and the evaluation.
    labeled : ndarray of bool or None, default=None
        Mask of the training samples with a label, which are in X. None if all samples are labelled.
    targets : ndarray of shape (n,) or None, default=None
        Targets of the samples. None means those of the evaluation, which then has all samples.
    """

    model: Any
    evaluation: Any
    dataset: Any
    X: Any
    named: str | None = None
    own_notes: Sequence[str] = ()
    labeled: npt.NDArray[np.bool_] | None = None
    targets: Any = None

    @property
    def n(self) -> int:
        """Number of samples."""
        return row_count("render_report", self.X)

    @property
    def rows(self) -> IndexArray:
        """Positions of the samples among all training samples, ascending."""
        return np.arange(self.n) if self.labeled is None else np.flatnonzero(self.labeled)

    def numbers(self, chosen: IndexArray) -> list[int]:
        """Numbers of samples of X among all training samples, from 1."""
        return [int(i) + 1 for i in self.rows[chosen]]

    def files(self, chosen: IndexArray) -> list[str]:
        """Files of samples of X; empty if they do not come from a file each."""
        names = getattr(self.dataset, "names", None)
        total = self.n if self.labeled is None else len(self.labeled)
        return [] if names is None or len(names) != total else [names[i] for i in self.rows[chosen].tolist()]

    @property
    def numbering(self) -> str:
        """Sentence on how samples are counted, everywhere on the page."""
        total = self.n if self.labeled is None else len(self.labeled)
        rest = "" if len(self.dataset) == total else " Rows that were left out are not counted."
        return f"Samples are numbered from 1 in the order of the data.{rest}"

    @property
    def classifies(self) -> bool:
        """Whether the task is classification."""
        return bool(self.evaluation.task == "classification")

    @cached_property
    def target(self) -> str:
        """Name of the target: as given, else from the data set, else the only column of it that is not in X."""
        if self.named is not None:
            return plain(self.named)
        whole, rest = as_frame(self.dataset.X), as_frame(self.X)
        if whole is None or rest is None:
            return plain(self.dataset.target or "target")
        taken = [name for name in whole.columns if name not in rest.columns]
        if self.dataset.target in taken or len(taken) != 1:
            return plain(self.dataset.target or "target")
        return plain(taken[0])

    @property
    def notes(self) -> list[str]:
        """All notes without duplicates."""
        all_notes = [*self.dataset.notes, *self.own_notes, *self.model.notes_, *self.evaluation.notes]
        return [plain(note) for note in dict.fromkeys(all_notes)]

    @cached_property
    def columns(self) -> dict[str, RawColumn]:
        """Raw columns of X, if it has any."""
        return raw_columns("render_report", self.X)

    @cached_property
    def truth(self) -> Any:
        """Targets of the labelled samples."""
        return np.asarray(self.evaluation.truth if self.targets is None else self.targets)

    @cached_property
    def scored(self) -> IndexArray:
        """Samples of X to which the predictions of the evaluation belong, ascending."""
        rows: IndexArray | None = self.evaluation.rows
        if rows is None:
            return np.arange(self.n)
        return rows if self.labeled is None else np.searchsorted(np.flatnonzero(self.labeled), rows)

    @property
    def scored_words(self) -> str:
        """Sentence on the samples of the evaluation; empty if these are all samples."""
        if len(self.scored) == self.n:
            return ""
        single = self._single
        if len(self.scored) + single == self.n:
            return f"{count(single, 'sample')} of classes with one sample {'is' if single == 1 else 'are'} not scored."
        return (
            f"The scores were computed on a random sample of {number(len(self.scored))} of {count(self.n, 'sample')}. "
            "The saved model was fitted to more samples than the models of the folds, and is usually somewhat better."
        )

    @property
    def _single(self) -> int:
        """Number of classes with one sample, which is in every training part."""
        return int((np.unique(self.truth, return_counts=True)[1] == 1).sum()) if self.classifies else 0

    @cached_property
    def classes(self) -> tuple[list[str], IndexArray]:
        """Names of the classes, and the class index of every sample."""
        labels, codes = np.unique(self.truth, return_inverse=True)
        return [plain(label) for label in labels.tolist()], np.asarray(codes)

    @property
    def largest_class(self) -> float:
        """Fraction of the samples that belong to the largest class."""
        return float(np.bincount(self.classes[1]).max() / self.n)

    # ---- plotted samples

    @cached_property
    def plotted(self) -> IndexArray:
        """Positions of the plotted samples in the evaluation: all, or a random sample of `DRAWN`."""
        n = len(self.scored)
        if n <= DRAWN:
            return np.arange(n)
        return np.sort(np.random.default_rng(0).choice(n, DRAWN, replace=False))

    @property
    def drawn(self) -> IndexArray:
        """Indices of the plotted samples in X."""
        return self.scored[self.plotted]

    @property
    def drawn_words(self) -> str:
        """Sentence on which samples are plotted."""
        if len(self.drawn) == self.n:
            return f"All {count(self.n, 'sample')} are shown."
        if len(self.drawn) + self._single == self.n:
            return f"All {count(len(self.drawn), 'scored sample')} are shown."
        return f"A random sample of {number(len(self.drawn))} of {count(self.n, 'sample')} is shown."

    @property
    def drawn_truth(self) -> Any:
        """Targets of the plotted samples; floats in regression."""
        return self.truth[self.drawn] if self.classifies else self.truth[self.drawn].astype(np.float64)

    @cached_property
    def prepared(self) -> Any:
        """Plotted samples, prepared for the fitted model."""
        return self.model.prepare(rows_of(self.X, self.drawn))

    @cached_property
    def gram(self) -> DoubleArray:
        """Gram matrix of the plotted samples."""
        return np.asarray(self.model.model_.kernel_(self.prepared), dtype=np.float64)
