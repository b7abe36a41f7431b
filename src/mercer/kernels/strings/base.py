"""What kernels of strings share: how data become strings, and which symbols count."""

from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from mercer._typing import Data
from mercer._validation import describe
from mercer.data import Strings, Table
from mercer.data.alphabet import as_alphabet
from mercer.kernels.packed import PackedKernel
from mercer.kernels.strings.sequences import Sequences

__all__ = ["Case", "Outside", "StringKernel", "as_strings", "check_choice"]

Case: TypeAlias = Literal["keep", "upper", "lower"]
Outside: TypeAlias = Literal["break", "keep", "error"]


def check_choice(who: str, name: str, value: Any, options: Any) -> str:
    """One of the words of a Literal, as a plain str."""
    words = get_args(options)
    if not isinstance(value, str) or value not in words:
        raise ValueError(
            f"{who}: parameter {name} must be one of {', '.join(map(repr, words))}, got {describe(value)}."
        )
    return str(value)


def as_strings(X: Data, who: str) -> Strings:
    """Strings of a list, array or column of str, bytes or lists of tokens; a table or matrix needs a single column.

    >>> as_strings(["GATTACA", "CAT"], "Spectrum")
    Strings(2 of length 3 to 7, 4 symbols: ACGT)
    """
    if isinstance(X, Strings):
        return X
    if isinstance(X, (Table, np.ndarray)) and len(X.shape) == 2:
        if X.shape[1] != 1:
            raise ValueError(
                f"{who}: expected one string per sample, got {X.shape[1]} columns; choose one with Columns(name, kernel)."
            )
        X = X.column(0) if isinstance(X, Table) else X[:, 0]
    try:
        return Strings(X)
    except (TypeError, ValueError) as error:
        error.args = (f"{who}: {error.args[0]}",)
        raise


@dataclass(frozen=True)
class StringKernel(PackedKernel):
    """A kernel of strings; its samples are str, bytes, lists of tokens, or `mercer.data.Strings`.

    Parameters
    ----------
    case : {"keep", "upper", "lower"}
        How letters are folded before anything else.
    alphabet : {"dna", "rna", "protein"}, str with the symbols, or sequence of tokens, optional
        The symbols that count; by default all do.
    outside : {"break", "keep", "error"}
        What happens to symbols outside the alphabet: they match nothing, not even themselves (a window with one of them
        is left out); they count as others do; or they raise ValueError.
    """

    case: Case = field(default="keep", kw_only=True)
    alphabet: str | tuple[str, ...] | None = field(default=None, kw_only=True)
    outside: Outside = field(default="break", kw_only=True)

    def __post_init__(self) -> None:
        who = type(self).__name__
        object.__setattr__(self, "case", check_choice(who, "case", self.case, Case))
        object.__setattr__(self, "outside", check_choice(who, "outside", self.outside, Outside))
        given: Any = self.alphabet
        if isinstance(given, str):
            as_alphabet(given, who)
        elif given is not None:
            tokens = tuple(given) if isinstance(given, (list, tuple)) else ()
            if not tokens or not all(isinstance(token, str) for token in tokens):
                raise TypeError(
                    f"{who}: parameter alphabet must be 'dna', 'rna', 'protein', a text with the symbols, a sequence of "
                    f"tokens or None, got {describe(given)}."
                )
            object.__setattr__(self, "alphabet", tokens)

    def strings(self, X: Data) -> Strings:
        """The data as strings, case folded."""
        strings = as_strings(X, type(self).__name__)
        return strings if self.case == "keep" else getattr(strings, self.case)()

    def sequences(self, strings: Strings) -> Sequences:
        """Codes of the strings, with the policy for symbols outside the alphabet applied."""
        inside = None
        if self.alphabet is not None and self.outside != "keep":
            inside = strings.belongs(self.alphabet)
            if inside.all():
                inside = None
            elif self.outside == "error":
                strings.require(self.alphabet)
        return Sequences(strings.codes, strings.offsets, inside, strings.granularity, strings.texts)

    def pack(self, X: Data) -> Any:
        return self.sequences(self.strings(X))
