"""FASTA files: a header line ``>name``, then the sequence on any number of lines."""

from mercer.data.readers.lines import Path, file_error, numbered_lines
from mercer.data.strings.alphabet import Alphabet

__all__ = ["parse_fasta"]


def parse_fasta(
    path: Path, alphabet: Alphabet | None = None, *, lines: list[int] | None = None
) -> tuple[list[str], list[str]]:
    """Headers without ``>`` and sequences of a FASTA file, plain or gzip.

    Blank lines, comment lines that start with ``;`` and blanks inside sequences are skipped. Headers and sequences may
    be empty. With an alphabet, every symbol must belong to it. The numbers of the lines of headers go to `lines`.
    """
    names: list[str] = []
    parts: list[list[bytes]] = []
    letters = None if alphabet is None else _letters(alphabet)
    for number, raw in numbered_lines(path):
        line = raw.strip()
        if line.startswith(b">"):
            try:
                names.append(line[1:].strip().decode("utf-8"))
            except UnicodeDecodeError:
                raise file_error(path, number, len(names), "the header is not UTF-8; convert the file") from None
            parts.append([])
            if lines is not None:
                lines.append(number)
        elif line and not line.startswith(b";"):
            if not parts:
                hint = "; this looks like FASTQ, convert it to FASTA" if line.startswith(b"@") else ""
                raise file_error(
                    path, number, None, f"expected a header that begins with '>', got {_shown(line)}{hint}"
                )
            if b" " in line or b"\t" in line:
                line = line.translate(None, b" \t")
            if not line.isascii():
                raise file_error(path, number, len(parts) - 1, f"expected letters in ASCII, got {_shown(line)}")
            if letters is not None and (foreign := line.translate(None, letters)):
                what = f"{chr(foreign[0])!r} does not belong to the {alphabet}"
                raise file_error(path, number, len(parts) - 1, what)
            parts[-1].append(line)
    if not parts:
        raise file_error(path, 1, None, "expected a header that begins with '>', found no record")
    return names, [b"".join(part).decode("ascii") for part in parts]


def _letters(alphabet: Alphabet) -> bytes:
    symbols = alphabet.symbols
    return symbols if isinstance(symbols, bytes) else symbols.encode("ascii", "ignore")


def _shown(line: bytes) -> str:
    text = line[:40].decode("ascii", "backslashreplace")
    return repr(text) + ("..." if len(line) > 40 else "")
