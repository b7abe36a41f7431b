"""The bag of words: how often tokens occur, whatever their order."""

import re
from dataclasses import KW_ONLY, dataclass, field
from typing import ClassVar, final

from mercer._typing import Data
from mercer._validation import check_choice, check_integer, describe
from mercer.data import Strings
from mercer.kernels.definiteness import Certificate, Definiteness
from mercer.kernels.keyed import KeyArray, KeyedRows
from mercer.kernels.program import Op
from mercer.kernels.sharing import once
from mercer.kernels.strings.base import Case, StringOptions, as_strings
from mercer.kernels.strings.sequences import Sequences
from mercer.kernels.strings.spectrum import Mode
from mercer.kernels.strings.windows import Template, Windows
from mercer.kernels.vocabulary import KeyedKernel

__all__ = ["BagOfWords"]


@final
@dataclass(frozen=True)
class BagOfWords(StringOptions, KeyedKernel):
    r"""Bag of words  k(s, t) = Σ_w c_w(s) c_w(t) over all words w of a text.

    Parameters
    ----------
    mode : {"count", "presence", "min"}
        Σ c_w(s) c_w(t), the number of different words in common, or Σ min(c_w(s), c_w(t)).
    n : int
        Number of neighbouring words that count as one: 1 for words, 2 for pairs, ...
    pattern : str
        Regular expression of a word in a text. Samples that are lists of tokens are taken as they are.
    case : {"lower", "keep", "upper"}
        How letters are folded.
    alphabet : sequence of str, optional
        The words that count; by default all do.
    outside
        What happens to other words, see `StringOptions`.

    Notes
    -----
    O(length) per text, then a sparse product; PSD. Words are named by hashes, so nothing has to be fitted: texts of any
    time can be compared. With idf weights in mind, use scikit-learn's ``TfidfVectorizer`` and ``Linear()``.

    Examples
    --------
    >>> BagOfWords()(["To be or not to be", "let it be"])
    array([[10.,  2.],
           [ 2.,  3.]])
    """

    name: ClassVar[str] = "bag_of_words"
    formula: ClassVar[str] = "Σ_w c_w(s)c_w(t)"
    mode: Mode = "count"
    _: KW_ONLY
    n: int = 1
    pattern: str = r"\w+"
    case: Case = field(default="lower", kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set(
            mode=check_choice("BagOfWords", "mode", self.mode, Mode),
            n=check_integer("BagOfWords", "n", self.n, low=1, high=10_000),
        )
        try:
            re.compile(self.pattern)
        except (TypeError, re.error) as error:
            raise ValueError(
                f"BagOfWords: parameter pattern must be a regular expression, got {describe(self.pattern)}: {error}."
            ) from None
        if isinstance(self.alphabet, str):
            raise TypeError(
                f"BagOfWords: parameter alphabet must be a sequence of words or None, got {describe(self.alphabet)}."
            )

    @property
    def op(self) -> Op:
        return Op.min_sum if self.mode == "min" else Op.dot

    def strings(self, X: Data) -> Strings:
        strings = as_strings(X, "BagOfWords")
        if strings.granularity == "byte":
            strings = once("characters", strings, lambda: Strings(strings, "character"))
        if strings.granularity == "character":
            strings = once(("words", self.pattern), strings, lambda: Strings.from_text(strings, self.pattern))
        return self._folded(strings)

    @property
    def _windows(self) -> Windows:
        return Windows([Template.word(self.n)], presence=self.mode == "presence")

    def rows(self, A: Sequences) -> KeyedRows:
        return self._windows.rows(A)

    def names(self, A: Sequences, keys: KeyArray) -> list[str]:
        return self._windows.names(A, keys)

    def proof(self) -> Certificate:
        return self._certify(Definiteness.PSD, "an inner product of the counts of words (in unary for mode 'min')")
