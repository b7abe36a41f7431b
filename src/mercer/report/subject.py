"""What a report is about: the model, its honest scores, the data, and the samples that are drawn."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from mercer._typing import DoubleArray, IndexArray
from mercer.auto.columns import RawColumn, raw_columns, row_count, rows_of
from mercer.data.frames import as_frame
from mercer.report.text import count, number, plain

__all__ = ["DRAWN", "Subject"]

DRAWN = 1000  # most samples in a picture of samples


@dataclass(frozen=True, eq=False)
class Subject:
    """The parts of a report, and what several sections ask of them.

    Attributes
    ----------
    model : AutoClassifier or AutoRegressor
        Fitted to X and y.
    evaluation : Evaluation
        Of the same model on the same samples.
    dataset : Dataset
        Where the samples come from.
    X : data of n samples
        What the model was fitted to.
    named : str or None
        What the target is called, if the data set does not tell.
    told : sequence of str
        Decisions besides those of the data set, the model and the evaluation.
    """

    model: Any
    evaluation: Any
    dataset: Any
    X: Any
    named: str | None = None
    told: Sequence[str] = ()

    @property
    def n(self) -> int:
        """Number of samples."""
        return row_count("render_report", self.X)

    @property
    def classifies(self) -> bool:
        """Whether the target is a class."""
        return bool(self.evaluation.task == "classification")

    @cached_property
    def target(self) -> str:
        """What the target is called: as asked, else by the data set, else the one column of it that is not in X."""
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
        """All decisions, each once."""
        all_notes = [*self.dataset.notes, *self.told, *self.model.notes_, *self.evaluation.notes]
        return [plain(note) for note in dict.fromkeys(all_notes)]

    @cached_property
    def columns(self) -> dict[str, RawColumn]:
        """The columns of X as they came, where it has any."""
        return raw_columns("render_report", self.X)

    @cached_property
    def truth(self) -> Any:
        """The targets, as the evaluation has them."""
        return np.asarray(self.evaluation.truth)

    @cached_property
    def classes(self) -> tuple[list[str], IndexArray]:
        """Names of the classes, and the number of the class of every sample."""
        labels, codes = np.unique(self.truth, return_inverse=True)
        return [plain(label) for label in labels.tolist()], np.asarray(codes)

    # ---- samples that are drawn

    @cached_property
    def drawn(self) -> IndexArray:
        """The samples in pictures of samples: all, or `DRAWN` of them."""
        if self.n <= DRAWN:
            return np.arange(self.n)
        return np.sort(np.random.default_rng(0).choice(self.n, DRAWN, replace=False))

    @property
    def drawn_words(self) -> str:
        """Which samples are drawn, as a sentence."""
        if len(self.drawn) == self.n:
            return f"All {count(self.n, 'sample')} are shown."
        return f"{number(len(self.drawn))} of {count(self.n, 'sample')} are shown, drawn at random."

    @property
    def drawn_truth(self) -> Any:
        """Targets of the drawn samples; floats in regression."""
        return self.truth[self.drawn] if self.classifies else self.truth[self.drawn].astype(np.float64)

    @cached_property
    def prepared(self) -> Any:
        """The drawn samples as the fitted model reads them."""
        return self.model.prepare(rows_of(self.X, self.drawn))

    @cached_property
    def gram(self) -> DoubleArray:
        """Kernel values between the drawn samples."""
        return np.asarray(self.model.model_.kernel_(self.prepared), dtype=np.float64)
