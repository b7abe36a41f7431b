"""Kernels with sparse features that have keys instead of an order, and the vocabularies that give them one.

A feature is named by a 64-bit key, so that data packed apart agree without a vocabulary. Only explicit features need
columns: a `Vocabulary` lists the keys that occurred in some data, with a readable name for each. `Vocabularies` carries
those of all leaves of an expression from the data where they were learned to the data where they are applied.
"""

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from mercer._typing import Data
from mercer.kernels.base import Kernel
from mercer.kernels.features import Options
from mercer.kernels.keyed import KeyedRows
from mercer.kernels.program import Builder, Op

__all__ = ["KeyedKernel", "Vocabularies", "Vocabulary"]

KeyArray = npt.NDArray[np.uint64]


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """Columns of explicit features.

    Attributes
    ----------
    keys : array of uint64
        Ascending.
    names : list of str
        What each key stands for.
    """

    keys: KeyArray
    names: list[str]


class Vocabularies:
    """Vocabularies of the leaves of an expression, in the order in which their features are asked for.

    The first pass over the expression learns them, every later one, begun with `again`, applies them.
    """

    def __init__(self) -> None:
        self._known: list[Vocabulary] = []
        self._next: int | None = None  # None while learning

    def again(self) -> "Vocabularies":
        """The same vocabularies, to be applied from the first leaf on."""
        applied = Vocabularies()
        applied._known, applied._next = self._known, 0
        return applied

    def of(self, learn: Callable[[], Vocabulary]) -> Vocabulary:
        """The vocabulary of the leaf whose turn it is; learned if this is the first pass."""
        if self._next is None:
            self._known.append(learn())
            return self._known[-1]
        self._next += 1
        return self._known[self._next - 1]


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
        """CSR matrix with a column for every feature that occurred when the vocabulary was learned."""
        A = self.pack(X)
        rows = self.rows(A)
        vocabularies: Vocabularies = options.get("vocabularies") or Vocabularies()
        vocabulary = vocabularies.of(lambda: Vocabulary(rows.columns, self.names(A, rows.columns)))
        return rows.onto_keys(vocabulary.keys)
