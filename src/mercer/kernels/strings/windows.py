"""Windows of strings as sparse features: k-mers, gapped k-mers, k-mers at positions."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import mercer._core as _core
from mercer._runtime.engine import thread_count
from mercer._typing import IndexArray
from mercer.data.strings.alphabet import as_alphabet, look_up
from mercer.data.strings.symbols import UNICODE, UTF32
from mercer.kernels.keyed import KeyArray, KeyedRows
from mercer.kernels.strings.sequences import Sequences

__all__ = ["Template", "Windows"]

OPEN = "."  # shown for open positions


@dataclass(frozen=True)
class Template:
    """Positions of a window that are read.

    Attributes
    ----------
    width : int
        Length of the window.
    kept : tuple of int
        Positions that are read, ascending and below `width`.
    weight : float
        Value that one occurrence adds to its feature.
    salt : int
        0 for full k-mers; else a number below 2⁶⁴ that separates the keys of different templates.
    """

    width: int
    kept: tuple[int, ...]
    weight: float = 1.0
    salt: int = 0

    @classmethod
    def word(cls, width: int, weight: float = 1.0) -> "Template":
        """A window without open positions."""
        return cls(width, tuple(range(width)), weight)


@dataclass(frozen=True)
class Windows:
    """Sparse features of strings: contents of all windows, read through templates.

    Parameters
    ----------
    templates : sequence of Template
        Positions to read.
    alphabet : str, default=None
        Closed alphabet of the strings, if there is one. Keys are then shorter, so that longer k-mers are exact.
    both_strands : bool, default=False
        Whether a k-mer and its reverse complement are one feature.
    position_weights : tuple of float, default=None
        Factor for every start of a window.
    positional : bool, default=False
        Whether k-mers at different positions are different features.
    presence : bool, default=False
        Whether a feature is counted once, regardless of how often it occurs.

    Notes
    -----
    O(windows · kept positions) and a sort per string. Keys of k-mers are exact up to 63 bits: 31 symbols of
    DNA if the alphabet is given, 7 characters below U+0100 without one. Longer k-mers have 64-bit hashes as keys; among
    m different k-mers, two collide with probability about m²/2⁶⁵.

    Examples
    --------
    >>> from mercer.data import Strings
    >>> packed = Strings(["GATTA", "TAT"])
    >>> pairs = Windows([Template.word(2)])
    >>> rows = pairs.rows(Sequences(packed.codes, packed.offsets))
    >>> pairs.names(Sequences(packed.codes, packed.offsets), rows.columns)
    ['AT', 'GA', 'TA', 'TT']
    >>> rows.matrix.toarray()
    array([[1., 1., 1., 1.],
           [1., 0., 1., 0.]])
    """

    templates: Sequence[Template]
    alphabet: str | None = None
    both_strands: bool = False
    position_weights: tuple[float, ...] | None = None
    positional: bool = False
    presence: bool = False

    def _letters(self) -> Any:
        letters = as_alphabet(self.alphabet)
        return letters.points, letters

    def _read(self, sequences: Sequences) -> tuple[Any, _core.WindowRule]:
        """Arguments of the core: codes of the strings, and the rule for reading windows."""
        codes, bits, complement = sequences.codes, 8 * sequences.codes.dtype.itemsize, None
        if sequences.granularity == "character":
            bits = 8  # for all containers: k-mers packed separately must agree
        if self.alphabet is not None:
            points, letters = self._letters()
            bits = max(1, int(len(points) - 1).bit_length())
            ranks = np.zeros(256 if codes.dtype == np.uint8 else UNICODE, dtype=np.uint8)
            ranks[points[points < len(ranks)]] = np.arange(len(points))[points < len(ranks)]
            codes = look_up(ranks, codes)
            if self.both_strands:
                partners, _ = letters.complemented(points.astype(np.uint32))
                complement = np.searchsorted(points, partners).astype(np.uint64)
        weights = None if self.position_weights is None else np.array(self.position_weights, dtype=np.float64)
        shapes = [(t.width, list(t.kept), t.weight, t.salt) for t in self.templates]
        return codes, _core.WindowRule(shapes, bits, complement, weights, self.positional, self.presence)

    def rows(self, sequences: Sequences) -> KeyedRows:
        """Features of every string."""
        codes, rule = self._read(sequences)
        found = _core.keyed_windows(codes, sequences.offsets, sequences.inside, rule, thread_count())
        return KeyedRows._of(*found)

    def names(self, sequences: Sequences, keys: KeyArray) -> list[str]:
        """K-mer of each of some ascending keys that occur in the strings; open positions are shown as dots."""
        codes, rule = self._read(sequences)
        starts, indices, flipped = _core.find_windows(codes, sequences.offsets, sequences.inside, rule, keys)
        names = np.empty(len(keys), dtype=object)
        for index, template in enumerate(self.templates):
            for other in (False, True) if self.both_strands else (False,):
                chosen = np.flatnonzero((indices == index) & (flipped == other))
                names[chosen] = self._words(sequences, template, starts[chosen], other)
        return names.tolist()

    def _words(self, sequences: Sequences, template: Template, starts: IndexArray, flipped: bool) -> list[str]:
        """Readable contents of windows at some positions."""
        width = template.width
        codes = sequences.codes[starts[:, None] + np.arange(width)]
        if flipped:
            codes = self._letters()[1].complemented(codes[:, ::-1].ravel())[0].reshape(codes.shape)
        if sequences.granularity == "token":
            rows = [[sequences.texts[code] for code in row] for row in codes.tolist()]
            kept = set(template.kept)
            words = [" ".join(w if k in kept else OPEN for k, w in enumerate(row)) for row in rows]
        else:
            letters = np.full(codes.shape, ord(OPEN), dtype=np.uint32)
            letters[:, template.kept] = codes[:, template.kept]
            text = letters.tobytes().decode(UTF32, "surrogatepass") if letters.size else ""
            words = [text[first : first + width] for first in range(0, len(text), width)]
        if not self.positional:
            return words
        first = sequences.offsets[np.searchsorted(sequences.offsets, starts, side="right") - 1]
        return [f"{word}@{place}" for word, place in zip(words, (starts - first).tolist(), strict=True)]
