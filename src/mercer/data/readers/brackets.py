"""Trees in bracket notation, as in the Penn Treebank: ``(S (NP (DT the) (NN ox)) (VP (VBZ eats)))``.

A node is ``(label child ...)``; a child is a node or a word, which is a leaf. The parser uses an explicit stack, so
that depth is limited by memory only.
"""

import re
from collections.abc import Iterable

from mercer._validation import shortened
from mercer.data.readers.lines import Path, decoded_lines, file_error
from mercer.data.trees.grower import Grower

__all__ = ["BracketParser", "parse_texts", "read_brackets"]

_WORDS = re.compile(r"[()]|[^()\s]+")
_LABELS = re.compile(r"[()]|[^()]+")


class BracketParser:
    """Incremental parser of bracket notation; errors are ValueErrors without a position.

    With ``words=False`` every node has its own brackets and labels may contain blanks. Outer brackets without a label,
    as in files of the Penn Treebank, are dropped.
    """

    def __init__(self, grower: Grower, *, words: bool = True) -> None:
        self._grower = grower
        self._words = words
        self._nameless = False  # after "(", before its label
        self._wrapped = False
        self._done = 0  # number of trees when the outer bracket opened

    @property
    def is_open(self) -> bool:
        """Whether a bracket is open."""
        return self._grower.is_open or self._nameless or self._wrapped

    def feed(self, text: str) -> None:
        """Parse the next piece, which must not end within a label."""
        for found in (_WORDS if self._words else _LABELS).finditer(text):
            token = found.group()
            if token == "(":
                self._open()
            elif token == ")":
                self._close()
            elif label := token.strip():
                self._name(label)

    def _open(self) -> None:
        grower = self._grower
        if self._nameless:
            if grower.is_open or self._wrapped:
                raise ValueError("a node has no label: '((', expected '(label'")
            self._wrapped, self._done = True, len(grower.ends)
        elif self._wrapped and not grower.is_open and len(grower.ends) > self._done:
            raise ValueError("an outer bracket without a label holds two trees, expected one")
        self._nameless = True

    def _close(self) -> None:
        if self._nameless:
            raise ValueError("a node has no label: '()', expected '(label'")
        if self._grower.is_open:
            self._grower.leave()
        elif self._wrapped:
            self._wrapped = False
        else:
            raise ValueError("')' without a matching '('")

    def _name(self, label: str) -> None:
        if self._nameless:
            self._nameless = False
            self._grower.enter(label)
        elif self._words and self._grower.is_open:
            self._grower.enter(label)
            self._grower.leave()
        else:
            place = "between nodes" if self._grower.is_open else "outside of brackets"
            raise ValueError(f"{shortened(label)!r} is {place}")


def parse_texts(texts: Iterable[str], grower: Grower, *, words: bool = True) -> None:
    """Parse one tree from each text; a ValueError describes the fault but not the text."""
    for text in texts:
        before = len(grower.ends)
        parser = BracketParser(grower, words=words)
        parser.feed(text)
        if parser.is_open:
            raise ValueError("a bracket is not closed")
        if len(grower.ends) - before != 1:
            raise ValueError(f"holds {len(grower.ends) - before} trees, expected one")


def read_brackets(path: Path) -> Grower:
    """Read all trees of a file, plain or gzip, on one line or several each."""
    grower = Grower(path)
    parser = BracketParser(grower)
    number = begin = 1
    for number, line in decoded_lines(path):
        begin = begin if parser.is_open else number
        try:
            parser.feed(line)
        except ValueError as error:
            raise file_error(path, number, len(grower.ends), str(error)) from None
    if parser.is_open:
        raise file_error(path, begin, len(grower.ends), "the bracket that opens here is not closed before the end")
    if not grower.ends:
        raise file_error(path, number, None, "found no tree")
    return grower
