"""Kernels with sparse features named by keys, and the vocabularies of their explicit features.

A feature is named by a 64-bit key, so that data packed separately agree without a vocabulary. Only explicit features
need columns: a `Vocabulary` lists the keys that occurred in some data, with a readable name for each. `Vocabularies`
holds those of all leaves of an expression, from the data where they were learned to the data where they are applied.
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
from mercer.kernels.operations import Op
from mercer.kernels.program import Builder
from mercer.kernels.sharing import sharing

__all__ = ["KeyedKernel", "Vocabularies", "Vocabulary", "has_vocabulary"]

PART = 16384  # samples per part


@dataclass(frozen=True, eq=False)
class Vocabulary(Rebuilt):
    """Columns of explicit features: keys and readable names.

    Parameters
    ----------
    keys : ndarray of uint64 of shape (n_features,)
        Keys, strictly ascending. The array is copied.
    names : list of str
        Name of each key. An empty vocabulary has one name, for the column of zeros that a matrix must have.

    Raises
    ------
    ValueError
        If the keys do not ascend, or if the number of names is wrong.

    See Also
    --------
    Vocabularies : Vocabularies of all leaves of a kernel expression.
    mercer.preprocessing.FeatureMap : Transformer that learns vocabularies.

    Examples
    --------
    >>> from mercer.kernels import Spectrum
    >>> learned = Vocabularies()
    >>> F = Spectrum(2).feature_map(["GATTA", "TAT"], vocabularies=learned)
    >>> learned.learned[0].names
    ['AT', 'GA', 'TA', 'TT']
    """

    keys: KeyArray
    names: list[str]

    def __post_init__(self) -> None:
        keys = check_array("Vocabulary", "keys", self.keys, np.uint64, (np.size(self.keys),))
        if not (keys[1:] > keys[:-1]).all():
            at = int(np.argmin(keys[1:] > keys[:-1]))
            raise ValueError(f"Vocabulary: keys must ascend, got {keys[at]} before {keys[at + 1]}.")
        width = max(1, len(keys))
        texts = isinstance(self.names, list) and all(isinstance(name, str) for name in self.names)
        if not texts or len(self.names) != width:
            raise ValueError(f"Vocabulary: names must be a list of {width} str, got {describe(self.names)}.")
        self.__dict__.update(keys=keys, names=list(self.names))


class Vocabularies:
    """Vocabularies of the leaves of a kernel expression, in the order in which their features are computed.

    The first pass over the expression learns them. Every later pass, started with `again`, applies them.

    See Also
    --------
    Vocabulary : Columns of one leaf.
    mercer.preprocessing.FeatureMap : Transformer that learns vocabularies.

    Examples
    --------
    >>> from mercer.kernels import Spectrum
    >>> kernel, learned = Spectrum(2), Vocabularies()
    >>> kernel.feature_map(["GATTA", "TAT"], vocabularies=learned).shape
    (2, 4)
    >>> kernel.feature_map(["CATA"], vocabularies=learned.again()).toarray()  # AT, GA, TA, TT; CA is unknown
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
        """Start a pass that applies the learned vocabularies, from the first leaf.

        Returns
        -------
        Vocabularies
            The same vocabularies, ready to be applied.
        """
        applied = Vocabularies()
        applied.learned, applied._turn = self.learned, 0
        return applied

    def next(self) -> Vocabulary | None:
        """Vocabulary of the next leaf.

        Returns
        -------
        Vocabulary or None
            None while vocabularies are learned: the leaf then passes its own to `add`.
        """
        if self._turn is None:
            return None
        self._turn += 1
        return self.learned[self._turn - 1]

    def add(self, vocabulary: Vocabulary) -> None:
        """Store the vocabulary that the current leaf has learned.

        Parameters
        ----------
        vocabulary : Vocabulary
            Columns of the features of the leaf.
        """
        self.learned.append(vocabulary)


class KeyedKernel(Kernel):
    """Base class of kernels with sparse explicit features named by keys.

    k(x, z) = Σ_u φ_u(x) φ_u(z), or Σ_u min(φ_u(x), φ_u(z)) if `op` is ``Op.min_sum``. A subclass defines `pack` (a
    container of samples that can be sliced), `rows` and `names`.

    Parameters
    ----------
    *args : object
        Fields of the subclass, which is a frozen dataclass.
    **options : object
        Fields of the subclass, by name.

    See Also
    --------
    KeyedRows : Features of samples.
    PackedKernel : Base class of kernels that are computed pair by pair.

    References
    ----------
    * Haussler, *Convolution kernels on discrete structures*, Technical report UCSC-CRL-99-10, 1999.

    Examples
    --------
    >>> import numpy as np
    >>> from dataclasses import dataclass
    >>> from mercer.kernels import KeyedRows
    >>> @dataclass(frozen=True)
    ... class FirstLetter(KeyedKernel):
    ...     def pack(self, X):
    ...         return list(X)
    ...     def rows(self, A):
    ...         keys = np.array([ord(word[0]) for word in A], dtype=np.uint64)
    ...         return KeyedRows(np.arange(len(A) + 1), keys, np.ones(len(A)))
    ...     def names(self, A, keys):
    ...         return [chr(key) for key in keys]
    >>> FirstLetter()(["ox", "owl", "cow"])
    array([[1., 1., 0.],
           [1., 1., 0.],
           [0., 0., 1.]])
    """

    @property
    def op(self) -> Op:
        """Combination of two feature rows: ``Op.dot`` or ``Op.min_sum``."""
        return Op.dot

    @abstractmethod
    def rows(self, A: Any) -> KeyedRows:
        """Sparse features of packed samples.

        Parameters
        ----------
        A : object
            Packed samples.

        Returns
        -------
        KeyedRows
            One row per sample.
        """

    @abstractmethod
    def names(self, A: Any, keys: KeyArray) -> list[str]:
        """Readable names of features.

        Parameters
        ----------
        A : object
            Packed samples.
        keys : ndarray of uint64
            Ascending keys that occur in the samples.

        Returns
        -------
        list of str
            One name per key.
        """

    def emit(self, program: Builder, X: Data) -> None:
        program.keyed(program.once(("rows", self), X, lambda: self.rows(self.pack(X))), self.op)

    def features(self, X: Data, options: Options) -> Any:
        """Explicit features: one column for every key that occurred when the vocabulary was learned.

        The data are read in parts, so that little more memory is needed than for the result.

        Parameters
        ----------
        X : data
            Samples.
        options : dict
            Options of `feature_map`. ``options["vocabularies"]`` is a `Vocabularies` or None.

        Returns
        -------
        csr_matrix of shape (n_samples, n_features)
            Features whose inner products are the kernel.
        """
        A = self.pack(X)
        parts = (self._part(A, start) for start in range(0, len(A), PART))
        vocabularies: Vocabularies | None = options["vocabularies"]
        if vocabularies is None:  # names are not needed, and may take longer than the features
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
        with sharing():  # objects derived from a part are released with it
            return self._linear(self.rows(A[start : start + PART]))

    def _linear(self, rows: KeyedRows) -> KeyedRows:
        """Features whose inner product is the kernel."""
        return rows.unary() if self.op is Op.min_sum else rows

    def _named(self, A: Any, keys: KeyArray) -> list[str]:
        if not len(keys):
            return ["(none)"]  # name of the column of zeros
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
    """Whether the features of a kernel, or of one of its parts, are learned from data."""
    leaf = isinstance(kernel, KeyedKernel) or (kernel.reads == "codes" and not kernel.parts())
    return leaf or any(map(has_vocabulary, kernel.parts().values()))
