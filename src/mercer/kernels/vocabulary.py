"""Kernels with sparse features that have keys instead of an order, and the vocabularies that give them one.

A feature is named by a 64-bit key, so that data packed apart agree without a vocabulary. Only explicit features need
columns: a `Vocabulary` lists the keys that occurred in some data, with a readable name for each. `Vocabularies` carries
those of all leaves of an expression from the data where they were learned to the data where they are applied.
"""

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from mercer._typing import Data
from mercer._validation import Rebuilt, check_array, describe
from mercer.kernels.base import Kernel
from mercer.kernels.features import Options
from mercer.kernels.keyed import KeyArray, KeyedRows, key_index, stacked
from mercer.kernels.naming import located
from mercer.kernels.program import Builder, Op
from mercer.kernels.sharing import sharing

__all__ = ["KeyedKernel", "Vocabularies", "Vocabulary", "has_vocabulary"]

PART = 16384  # samples that are read at a time


@dataclass(frozen=True, eq=False)
class Vocabulary(Rebuilt):
    """Columns of explicit features.

    Parameters
    ----------
    keys : ndarray of uint64, shape (n,)
        Ascending, each once; copied.
    names : list of str
        What each key stands for; of an empty vocabulary one name, for the column of zeros that a matrix must have.
    """

    keys: KeyArray
    names: list[str]

    def __post_init__(self) -> None:
        keys = check_array("Vocabulary", "keys", self.keys, np.uint64, (np.size(self.keys),))
        if not (keys[1:] > keys[:-1]).all():
            at = int(np.argmin(keys[1:] > keys[:-1]))
            raise ValueError(f"Vocabulary: keys must ascend, got {keys[at]} and then {keys[at + 1]}.")
        width = max(1, len(keys))
        texts = isinstance(self.names, list) and all(isinstance(name, str) for name in self.names)
        if not texts or len(self.names) != width:
            raise ValueError(f"Vocabulary: names must be a list of {width} texts, got {describe(self.names)}.")
        self.__dict__.update(keys=keys, names=list(self.names))


class Vocabularies:
    """Vocabularies of the leaves of an expression, in the order in which their features are asked for.

    The first pass over the expression learns them, every later one, begun with `again`, applies them.

    Examples
    --------
    >>> from mercer.kernels import Spectrum
    >>> kernel, learned = Spectrum(2), Vocabularies()
    >>> kernel.feature_map(["GATTA", "TAT"], vocabularies=learned).shape
    (2, 4)
    >>> kernel.feature_map(["CATA"], vocabularies=learned.again()).toarray()  # AT, GA, TA, TT; CA was not there
    array([[1., 0., 1., 0.]])
    """

    def __init__(self) -> None:
        self.learned: list[Vocabulary] = []
        self._turn: int | None = None  # None while learning

    def __setstate__(self, state: dict[str, Any]) -> None:
        learned, turn = state.get("learned"), state.get("_turn")
        if not isinstance(learned, list) or not all(isinstance(known, Vocabulary) for known in learned):
            raise ValueError(f"Vocabularies: learned must be a list of Vocabulary, got {describe(learned)}.")
        if turn is not None and (type(turn) is not int or not 0 <= turn <= len(learned)):
            raise ValueError(
                f"Vocabularies: _turn must be None or an integer of 0 to {len(learned)}, got {describe(turn)}."
            )
        self.learned, self._turn = learned, turn

    def again(self) -> "Vocabularies":
        """The same vocabularies, to be applied from the first leaf on."""
        applied = Vocabularies()
        applied.learned, applied._turn = self.learned, 0
        return applied

    def next(self) -> Vocabulary | None:
        """The vocabulary of the leaf whose turn it is; None if it is still to be learned and given to `add`."""
        if self._turn is None:
            return None
        self._turn += 1
        return self.learned[self._turn - 1]

    def add(self, vocabulary: Vocabulary) -> None:
        """Keep what the leaf learned whose turn it was."""
        self.learned.append(vocabulary)


class KeyedKernel(Kernel):
    """A leaf Σ_u φ_u(x) φ_u(z) over sparse features with keys; with ``op = Op.min_sum``, Σ_u min(φ_u(x), φ_u(z)).

    An author writes `pack` (a container of samples that can be sliced), `rows` and `names`.
    """

    @property
    def op(self) -> Op:
        """How features meet: `Op.dot` or `Op.min_sum`."""
        return Op.dot

    @abstractmethod
    def rows(self, A: Any) -> KeyedRows:
        """Features of packed samples."""

    @abstractmethod
    def names(self, A: Any, keys: KeyArray) -> list[str]:
        """A readable name for each of some keys (ascending) that occur in packed samples."""

    def emit(self, program: Builder, X: Data) -> None:
        program.keyed(program.once(("rows", self), X, lambda: self.rows(self.pack(X))), self.op)

    def features(self, X: Data, options: Options) -> Any:
        """CSR matrix with a column for every feature that occurred when the vocabulary was learned.

        The data are read a part at a time, so that memory is that of the result and little more.
        """
        A = self.pack(X)
        parts = (self._part(A, start) for start in range(0, len(A), PART))
        vocabularies: Vocabularies | None = options["vocabularies"]
        if vocabularies is None:  # nobody asks for names, which may take longer than the features
            return stacked(parts)[1]
        known = vocabularies.next()
        if known is not None:
            index = key_index(known.keys)
            return sp.vstack([rows.in_columns(index) for rows in parts], format="csr")
        keys, matrix = stacked(parts)
        vocabularies.add(Vocabulary(keys, list(self._named(A, keys))))
        return matrix

    def feature_names(self, X: Data, options: Options) -> list[str]:
        known = options["vocabularies"].next()
        return located(known.names, options) if known is not None else super().feature_names(X, options)

    def _part(self, A: Any, start: int) -> KeyedRows:
        with sharing():  # what is derived from a part is released with it
            return self._linear(self.rows(A[start : start + PART]))

    def _linear(self, rows: KeyedRows) -> KeyedRows:
        """Features whose inner product is the kernel."""
        return rows.unary() if self.op is Op.min_sum else rows

    def _named(self, A: Any, keys: KeyArray) -> list[str]:
        if not len(keys):
            return ["(none)"]  # of the one column that a matrix must have
        if self.op is Op.dot:
            return self.names(A, keys)
        rows = self.rows(A)
        most = np.asarray(rows.matrix.max(axis=0).todense(), dtype=np.int64).ravel()
        words = np.repeat(self.names(A, rows.columns), most).tolist()
        levels = KeyedRows._of(np.array([0, len(most)]), rows.columns, most.astype(np.float64)).unary(order=False)
        count = levels.values.astype(np.int64).tolist()
        names = {key: f"{word} #{c}" for key, word, c in zip(levels.keys.tolist(), words, count, strict=True)}
        return [names[key] for key in keys.tolist()]


def has_vocabulary(kernel: Kernel) -> bool:
    """Whether the features of a kernel, or of a part of it, are those that occur in data."""
    leaf = isinstance(kernel, KeyedKernel) or (kernel.reads == "codes" and not kernel.parts())
    return leaf or any(map(has_vocabulary, kernel.parts().values()))
