"""Bag-of-words kernel: counts of tokens, regardless of their order."""

import re
from dataclasses import KW_ONLY, dataclass, field
from typing import ClassVar, final

from mercer._typing import Data
from mercer._validation import check_choice, check_integer, describe
from mercer.data import Strings
from mercer.kernels.definiteness import Certificate, Definiteness
from mercer.kernels.keyed import KeyArray, KeyedRows
from mercer.kernels.operations import Op
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
    r"""Bag-of-words kernel  k(s, t) = Σ_w c_w(s) c_w(t) over all words w; c_w counts occurrences.

    Parameters
    ----------
    mode : {"count", "presence", "min"}, default="count"
        "count": Σ c_w(s) c_w(t). "presence": number of distinct words in common. "min": Σ min(c_w(s), c_w(t)).
    case : {"keep", "upper", "lower"}, default="lower"
        Case folding, applied before anything else.
    alphabet : sequence of str, default=None
        Words that count. With None, all words count.
    outside : {"break", "keep", "error"}, default="break"
        Treatment of words that are not in `alphabet`. "break": they match nothing, and n-grams with one of them are
        left out. "keep": they count like all others. "error": they raise ValueError.
    n : int, default=1
        Length of the n-grams that are counted, 1 ≤ n ≤ 10000: 1 for words, 2 for pairs of consecutive words.
    pattern : str, default="\w+"
        Regular expression of a word. Samples that are token lists are not split.

    See Also
    --------
    Spectrum : The same over the symbols of a string.
    mercer.preprocessing.FeatureMap : Explicit features with named columns.

    Notes
    -----
    PSD: an inner product of word counts (in unary for mode "min"). The feature map φ(s) = (c_w(s))_w has
    one feature for each word that occurs.

    Complexity: O(length) per text, then a sparse product. Words are identified by 64-bit hashes, so encoding is
    stateless: train and test can be encoded separately. For tf-idf weights use scikit-learn's ``TfidfVectorizer`` with
    `Linear`.

    References
    ----------
    * Joachims, *Text categorization with support vector machines: learning with many relevant features*, ECML 1998.

    Examples
    --------
    >>> BagOfWords()(["To be or not to be", "let it be"])
    array([[10.,  2.],
           [ 2.,  3.]])
    >>> BagOfWords("min")(["To be or not to be", "let it be"])
    array([[6., 1.],
           [1., 3.]])
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
        return self._certify(Definiteness.PSD, "an inner product of word counts (in unary for mode 'min')")
