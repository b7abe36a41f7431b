"""One sequence or molecule per sample: FASTA and SMILES."""

import pathlib
from typing import Any

from mercer.data.readers.fasta import parse_fasta
from mercer.data.readers.lines import decoded_lines
from mercer.datasets.columns import typed
from mercer.datasets.dataset import Dataset
from mercer.datasets.input_files import polars, refuse, require_cells, stem
from mercer.datasets.sniffing import tidy

__all__ = ["read_fasta", "read_smiles"]


def read_fasta(path: pathlib.Path) -> Dataset:
    """Read sequences, plain or gzip, and their headers.

    The first word of a header is the id, words ``key=value`` become columns, all others the column description. If
    headers consist of ids only, with at most half as many distinct ids as sequences, they are the class.
    """
    lines: list[int] = []
    headers, sequences = parse_fasta(path, lines=lines)
    n = len(sequences)
    notes: list[str] = []
    ids: list[str | None] = [None] * n
    rest: list[str | None] = [None] * n
    keys: dict[str, list[str | None]] = {}
    for i, header in enumerate(headers):
        plain = []
        for word in header.split():
            key, equals, value = word.partition("=")
            if key and equals:
                if key not in keys:
                    require_cells(path, n, len(keys) + 1)
                keys.setdefault(key, [None] * n)[i] = value
            else:
                plain.append(word)
        if plain:
            ids[i], rest[i] = plain[0], " ".join(plain[1:]) or None
    n_ids = len({*ids})
    shared = not keys and not any(rest) and None not in ids and 2 * n_ids <= n
    if shared:
        notes.append(f"{n} sequences share {n_ids} headers, which are used as the class.")
    found: list[tuple[str, list[Any]]] = [
        ("class" if shared else "id", ids),
        ("sequence", sequences),
        *keys.items(),
        ("description", rest),
    ]
    found = [(name, values) for name, values in found if values.count(None) < n]
    names = tidy([name for name, _ in found], notes)
    said = [name for name, (key, _) in zip(names, found, strict=True) if key in keys or (shared and key == "class")]
    return _dataset(path, dict(zip(names, (values for _, values in found), strict=True)), said, notes, lines)


def read_smiles(path: pathlib.Path) -> Dataset:
    """Read molecules, plain or gzip: SMILES, optionally followed by a name, which may contain blanks.

    A first line that starts with the word smiles is a header and is skipped, as are blank lines and lines that start
    with #.
    """
    smiles: list[str] = []
    names: list[str | None] = []
    lines: list[int] = []
    skipped = 0
    for number, line in decoded_lines(path):
        words = line.removeprefix("\ufeff").split(maxsplit=1)
        if not words or words[0].startswith("#") or (number == 1 and words[0].lower() == "smiles"):
            skipped += bool(words)
            continue
        smiles.append(words[0])
        lines.append(number)
        names.append(words[1].strip() if len(words) > 1 else None)
    if not smiles:
        raise refuse(path, "is empty, expected a SMILES and a name on each line")
    notes = [f"Header and comment lines were skipped: {skipped}."] if skipped else []
    columns: dict[str, list[Any]] = {"smiles": smiles}
    if any(names):
        columns["name"] = names
    return _dataset(path, columns, list(columns)[1:], notes, lines)


def _dataset(
    path: pathlib.Path, columns: dict[str, list[Any]], open_: list[str], notes: list[str], lines: list[int]
) -> Dataset:
    """Frame of text; types are inferred for the columns `open_`. Samples begin in `lines` of the file."""
    pl = polars("mercer.datasets.read")
    frame = pl.DataFrame(columns, schema=dict.fromkeys(columns, pl.String))
    if open_:
        values, remarks = typed(frame.select(open_))
        frame, notes = frame.with_columns(values), [*notes, *remarks]
    return Dataset(stem(path), frame, notes=tuple(notes), lines=lines)
