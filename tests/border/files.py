"""Damaged files of every format, and damaged kernel texts: what readers are handed.

A case is a small valid file, changed at random: bytes, tokens, lines and blocks are replaced, repeated, removed or
taken from another file, and the file may be compressed.
"""

import atexit
import gzip
import io
import os
import shutil
import tempfile
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np

import mercer
from mercer._runtime.budget import limited_memory
from mercer.data import Graphs, Strings, Trees, read_kelp
from mercer.datasets.images import read_images
from mercer.datasets.reading import READERS
from mercer.exceptions import KernelSyntaxError
from tests.border.case import Case
from tests.border.odd import pick
from tests.border.parquet import parquet_files, read_by_child
from tests.border.sentences import LONGEST

__all__ = ["FORMATS", "SHARES", "file_case", "prepare", "read_parquet"]

MEMORY = 300_000_000  # bytes that a reader may take
SEEDS: dict[str, list[bytes]] = {
    "csv": [
        b"age,word,y\n1.5,ox,1\n2,cow,0\n3,owl,1\n",
        b'a;b;c\n"1,5";"x ""y""";2024-01-02\n"2,5";"line\nbreak";2024-02-03\n',
        b"\xef\xbb\xbfname,value\r\ncaf\xc3\xa9,1e5\r\nNA,-\r\n",
    ],
    "tsv": [b"a\tb\n1\t\"x\n2\ty\n", b"x y z\n1 2 3\n4 5 6\n"],
    "txt": [b"first line of text\nsecond line\n", b"1 2\n3 4\n", b"a|b\n1|2\n"],
    "jsonl": [
        b'{"a": 1, "b": "x"}\n{"a": 2.5, "b": null, "c": true}\n',
        b'{"d": "2024-01-02", "e": 12345678901234567890}\n',
    ],
    "svm": [b"1 1:0.5 3:2\n-1 2:1 # c\n1 qid:2 1:1 2:1\n"],
    "fasta": [b">a class=1\nGATTACA\nTT\n>b class=2 note\nTTA\n", b">x\nAA\n>y\nCC\n>x\nGG\n>y\nTT\n"],
    "smi": [b"smiles name\nCCO ethanol\nc1ccccc1 benzene\n# comment\nCC(=O)O\n"],
    "brackets": [b"(S (NP ox) (VP eats))\n(S (NP cow))\n", b"( (S (NP (DT the) (NN ox))\n  (VP (VBZ eats))))\n"],
    "kelp": [
        b"1 |BT:t| (S(NP ox)) |ET| |BV:v| a:1.0 b:2 |EV| |BS:s| text |ES|\n"
        b"0 |BT:t| (S) |ET| |BV:v| |EV| |BS:s| |ES|\n",
    ],
    "kernel": [
        b"rbf(gamma=0.1) + 2*linear[age, 'b c']", b"normalized(spectrum(p=4))**2 * overlap", b"exp(-rbf) @ [1, 2e-5]",
        b"poly(degree=3, coef0=1.0)[0] + matern(nu=2.5, gamma='scale')", b"rbf.from_sigma(2) - constant(1)",
    ],
}  # fmt: skip
TU = {
    "A": b"1, 2\n2, 1\n3, 4\n4, 3\n",
    "graph_indicator": b"1\n1\n2\n2\n",
    "graph_labels": b"1\n-1\n",
    "node_labels": b"1\n2\n1\n1\n",
    "edge_attributes": b"0.5\n0.5\n1e3\n1e3\n",
}
TOKENS = [
    b"", b"\n", b"\r", b"\r\n", b"\0", b",", b";", b"\t", b"|", b'"', b'""', b"'", b"(", b")", b"[", b"]", b"{", b"}",
    b":", b">", b"#", b"\\", b"\\u0000", b"\\ud800", b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf", b"\xc3",
    b"\xf0\x9f\x99\x82", b"\x1b[2J", b"x^", b"x\x01", b"\x1f\x8b", b"PK\x03\x04", b"PAR1", b"0", b"-1", b"1e999",
    b"-1e-999", b"nan", b"NaN", b"inf", b"true", b"9223372036854775808", b"99999999999999999999999999", b"2147483648",
    b"0x10", b"1_000", b"1+2j", b"0007", b"1,5", b"--", b"2024-01-02", b"2024-13-45", b"0000-00-00",
    b"9999-12-31T25:61", b"2024-01-02T03:04:05+99:99", b"null", b"None", b"|BT:t|", b"|ET|", b"|BV:", b"|EV|",
    b"qid:1", b"1:1", b"4294967297:1", b"a=b", b"=", b" ", b"+", b"*", b"**", b"@", b"lambda", b"__import__", b".",
    b"gamma", b"rbf", b"\xe2\x80\xae", b"\xe2\x80\xa8", b"\x85", b"1" * 5000, b"(" * 500, b"[" * 5000, b"a," * 300,
]  # fmt: skip


def prepare() -> None:
    """Make what cases share: once, before they are run in processes that end without cleaning up."""
    parquet_files()
    _images()
    _folder()


@cache
def _folder() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="border-", dir="/dev/shm" if os.path.isdir("/dev/shm") else None))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


@cache
def _images() -> list[bytes]:
    from PIL import Image

    found = []
    for kind in ("PNG", "GIF", "BMP", "PPM", "TIFF", "JPEG"):
        buffer = io.BytesIO()
        Image.fromarray(np.arange(192, dtype=np.uint8).reshape(8, 8, 3)).save(buffer, kind)
        found.append(buffer.getvalue())
    return found


def _mutated(rng: np.random.Generator, seeds: list[bytes]) -> bytes:
    """One of the files, changed one to six times."""
    data = bytearray(pick(rng, seeds))
    for _ in range(int(rng.integers(1, 7))):
        at, until = sorted(int(place) for place in rng.integers(0, len(data) + 1, 2))
        until = min(until, at + int(rng.integers(1, 30)))
        match int(rng.integers(9)):
            case 0:
                data[at:at] = pick(rng, TOKENS)
            case 1:
                data[at:until] = pick(rng, TOKENS)
            case 2:
                del data[at:until]
            case 3 if data:
                data[at % len(data)] ^= 1 << int(rng.integers(8))
            case 4 if data:
                data[at % len(data)] = int(rng.integers(256))
            case 5:
                data[at:at] = data[at:until] * int(rng.integers(1, 50))
            case 6:
                del data[at:]
            case 7:
                other = pick(rng, seeds)
                data[at:] = other[int(rng.integers(len(other))) :]
            case 8:
                lines = bytes(data).split(b"\n")
                rng.shuffle(lines)  # type: ignore[arg-type]
                data = bytearray(b"\n".join(lines))
    return bytes(data[:200_000])


def _wrapped(rng: np.random.Generator, data: bytes) -> bytes:
    """Now and then compressed, whole or damaged."""
    chance = rng.random()
    if chance < 0.9:
        return data
    packed = bytearray(gzip.compress(data, mtime=0))
    if chance > 0.95:
        packed = bytearray(_mutated(rng, [bytes(packed)]))
    return bytes(packed)


def _read_file(reader: Callable[[Path], Any], name: str, data: bytes) -> Any:
    path = _folder() / name
    path.write_bytes(data)
    with limited_memory(MEMORY):
        return repr(reader(path))[:100]


def _read_folder(reader: Callable[[Path], Any], files: dict[str, bytes]) -> Any:
    folder = _folder() / "folder"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for name, data in files.items():
        (folder / name).write_bytes(data)
    with limited_memory(MEMORY):
        return repr(reader(folder))[:100]


def _kernel(text: str) -> Any:
    """Errors of the text mark the place in further lines, so their form is judged here."""
    try:
        return repr(mercer.kernel(text))[:100]
    except KernelSyntaxError as error:
        if not str(error).startswith("kernel: ") or len(str(error)) > LONGEST:
            raise AssertionError(f"not a sentence about the kernel: {error}") from None
        raise ValueError("Refused with a sentence.") from None


CONTAINERS: dict[str, Callable[[Path], Any]] = {
    "fasta": Strings.read_fasta,
    "brackets": Trees.read_brackets,
    "kelp": read_kelp,
}


def _data_file(name: str, rng: np.random.Generator) -> Case:
    data = _wrapped(rng, _mutated(rng, SEEDS[name]))
    return _case(name, data, partial(_read_file, READERS[name], f"data.{name}", data), f"reader of .{name}")


def _parquet_file(rng: np.random.Generator) -> Case:
    data = _mutated(rng, parquet_files())
    return _case("parquet", data, partial(read_by_child, data, read_parquet), "reader of .parquet")


def read_parquet(data: bytes) -> Any:
    """Read a Parquet file with this content."""
    return _read_file(READERS["parquet"], "data.parquet", data)


def _container(rng: np.random.Generator) -> Case:
    name = pick(rng, list(CONTAINERS))
    data = _wrapped(rng, _mutated(rng, SEEDS[name]))
    return _case(name, data, partial(_read_file, CONTAINERS[name], "data.txt", data), f"{name} into a container")


def _tu(rng: np.random.Generator) -> Case:
    part = pick(rng, list(TU))
    data = _wrapped(rng, _mutated(rng, [TU[part]]))
    files = {f"X_{name}.txt": text for name, text in TU.items()} | {f"X_{part}.txt": data}
    return _case(f"TU {part}", data, partial(_read_folder, Graphs.read_tu, files), "Graphs.read_tu")


def _image(rng: np.random.Generator) -> Case:
    data = _mutated(rng, _images())
    return _case("image", data, partial(_read_folder, read_images, {"a.png": data}), "read_images")


def _kernel_text(rng: np.random.Generator) -> Case:
    text = _mutated(rng, SEEDS["kernel"]).decode("utf-8", pick(rng, ["replace", "surrogateescape"]))
    return _case("kernel", text, partial(_kernel, text), "mercer.kernel")


def _case(name: str, data: bytes | str, call: Callable[[], Any], entry: str) -> Case:
    return Case(f"{name} {data!r:.70}", entry, call, finite=False)


FORMATS: dict[str, Callable[[np.random.Generator], Case]] = {
    **{name: partial(_data_file, name) for name in ("csv", "tsv", "txt", "jsonl", "svm", "fasta", "smi")},
    "parquet": _parquet_file,
    "containers": _container,
    "tu": _tu,
    "images": _image,
    "kernel": _kernel_text,
}
SHARES = {  # of a hundred cases
    "csv": 20, "tsv": 6, "txt": 6, "jsonl": 8, "svm": 8, "fasta": 6, "smi": 4, "parquet": 12, "containers": 8, "tu": 7,
    "images": 3, "kernel": 12,
}  # fmt: skip


def file_case(seed: int, kind: str, i: int) -> Case:
    """Case i of a format."""
    _folder()
    number = int.from_bytes(kind.encode(), "little") % 2**32
    return FORMATS[kind](np.random.default_rng([seed, number, i]))
