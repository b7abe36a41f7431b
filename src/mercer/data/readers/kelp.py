"""KeLP files: one example per line, with its label and named representations between marks.

``NUM |BS:text| How far ? |ES| |BV:bow| far:1.0 how:1.0 |EV| |BT:tree| (S(W(how))(W(far))) |ET|``
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from mercer._runtime.budget import memory_limit
from mercer._validation import describe, shortened
from mercer.data.readers.brackets import parse_texts
from mercer.data.readers.lines import Path, decoded_lines, file_error
from mercer.data.strings.strings import Strings
from mercer.data.trees.grower import Grower
from mercer.data.trees.trees import Trees

__all__ = ["read_kelp"]

TOKEN = 100  # bytes of memory per repeated feature
_MARKS = re.compile(r"\|B([A-Z]+):([^|]*)\|(.*?)\|E\1\|")
_KINDS = {"T": "trees", "S": "text", "V": "vectors"}


@dataclass
class _Representation:
    """One representation of all examples read so far."""

    kind: str
    values: list[Any] = field(default_factory=list)
    grower: Grower = field(default_factory=Grower)

    def finish(self, vectors: str) -> Any:
        if self.kind == "T":
            return Trees._of(self.grower)
        if self.kind == "S":
            return Strings(self.values, "character")
        return Strings(self.values, "token") if vectors == "tokens" else self.values


def read_kelp(
    source: Path | Sequence[str], names: Iterable[str] | None = None, *, vectors: Literal["tokens", "dicts"] = "tokens"
) -> tuple[list[str], dict[str, Any]]:
    """Read labels and representations of a KeLP file, plain or gzip.

    Parameters
    ----------
    source : str, path or list of str
        File, or its lines.
    names : iterable of str, default=None
        Representations to read, each of which every example must have once. With None, those of the first example.
    vectors : {"tokens", "dicts"}, default="tokens"
        Type of sparse vectors ``|BV:name|``. "tokens": `Strings` in which each feature is repeated according to its
        count. "dicts": list of dicts of features and values, which allows any numbers.

    Returns
    -------
    labels : list of str
        Label of each example.
    representations : dict
        By name: `Trees` for ``|BT:``, `Strings` of characters for ``|BS:``, and sparse vectors according to `vectors`.

    Raises
    ------
    ValueError
        If a line cannot be read. The message names file, line and record.

    See Also
    --------
    Trees.read_brackets : Files of trees alone.
    mercer.datasets.read : Other file formats.

    Examples
    --------
    >>> line = "NUM |BS:text| How far ? |ES| |BV:bow| far:1.0 how:1.0 |EV| |BT:tree| (S(W(how))(W(far))) |ET|"
    >>> y, parts = read_kelp([line])
    >>> y, parts["text"][0], parts["bow"][0]
    (['NUM'], 'How far ?', ('far', 'how'))
    >>> parts["tree"][0].to_text()
    '(S (W how) (W far))'
    """
    if vectors not in ("tokens", "dicts"):
        raise ValueError(f"read_kelp: parameter vectors must be 'tokens' or 'dicts', got {describe(vectors)}.")
    path: Path = "read_kelp" if isinstance(source, (list, tuple)) else source  # type: ignore[assignment]
    labels: list[str] = []
    parts: dict[str, _Representation] = {}
    wanted = None if names is None else list(names)
    for number, line in _lines(source):
        if not line.strip():
            continue
        try:
            label, found = _split(line)
            for name in wanted if wanted is not None else found:
                if name not in found:
                    known = ", ".join(repr(shortened(one)) for one in list(found)[:8])
                    raise ValueError(f"has no representation {shortened(name)!r}, only {known}")
            if wanted is None:
                wanted = list(found)
            if not labels:
                grower_of = None if isinstance(source, (list, tuple)) else path
                parts = {name: _Representation(found[name][0], grower=Grower(grower_of)) for name in wanted}
            for name, part in parts.items():
                _add(part, name, *found[name], vectors)
        except ValueError as error:
            raise file_error(path, number, len(labels), str(error)) from None
        labels.append(label)
    if not labels:
        raise file_error(path, 1, None, "found no example")
    return labels, {name: part.finish(vectors) for name, part in parts.items()}


def _lines(source: Any) -> Iterator[tuple[int, str]]:
    if isinstance(source, (list, tuple)):
        return enumerate(source, start=1)
    return decoded_lines(source)


def _split(line: str) -> tuple[str, dict[str, tuple[str, str]]]:
    """Label of a line, and kind and content of each representation."""
    found: dict[str, tuple[str, str]] = {}
    start = line.find("|B")
    label, at = line[:start].strip() if start >= 0 else line.strip(), max(start, 0)
    for match in _MARKS.finditer(line, at):
        if line[at : match.start()].strip():
            break
        kind, name, content = match.groups()
        if name in found:
            raise ValueError(f"has the representation {shortened(name)!r} twice")
        found[name], at = (kind, content.strip()), match.end()
    if not found or line[at:].strip():
        rest = line[at:].strip()
        raise ValueError(f"expected a representation '|BT:name| ... |ET|', got {rest[:40]!r}{'...' * (len(rest) > 40)}")
    return label, found


def _add(part: _Representation, name: str, kind: str, content: str, vectors: str) -> None:
    if kind not in _KINDS:
        raise ValueError(
            f"{shortened(name)!r} has kind '|B{kind}:', expected one of '|BT:', '|BS:', '|BV:'; leave it out of names"
        )
    if kind != part.kind:
        raise ValueError(f"{shortened(name)!r} holds {_KINDS[kind]} here, but {_KINDS[part.kind]} in the first example")
    if kind == "T":
        try:
            parse_texts([content], part.grower, words=False)
        except ValueError as error:
            raise ValueError(f"{shortened(name)!r} is not a tree: {error}") from None
    else:
        part.values.append(content if kind == "S" else _vector(name, content, vectors))


def _vector(name: str, content: str, vectors: str) -> Any:
    entries: dict[str, float] = {}
    for entry in content.split():
        feature, colon, text = entry.rpartition(":")
        try:
            entries[feature] = float(text)
        except ValueError:
            colon = ""
        if not colon:
            raise ValueError(f"{shortened(name)!r} has {shortened(entry)!r}, expected feature:value") from None
    if vectors == "dicts":
        return entries
    for feature, value in entries.items():
        if not (value >= 0 and value.is_integer()):
            what = f"the value {value:g} for {shortened(feature)!r}"
            raise ValueError(f"{shortened(name)!r} has {what}, expected a count; use vectors='dicts'")
    total, most = sum(entries.values()), memory_limit() // TOKEN
    if total > most:
        raise ValueError(
            f"{shortened(name)!r} counts {total:g} features, and there is memory for {most}; use vectors='dicts'"
        )
    return [feature for feature, value in entries.items() for _ in range(int(value))]
