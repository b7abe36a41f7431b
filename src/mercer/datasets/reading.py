"""Reading of a path or a name: choice of the reader."""

import os
import pathlib
from collections.abc import Callable
from functools import partial

from mercer._runtime.budget import checked_bytes, limited_memory
from mercer._runtime.files import require_regular
from mercer._validation import describe
from mercer._validation.near import near_misses
from mercer.datasets.apart import must_read_apart, read_apart
from mercer.datasets.bundled import load, names
from mercer.datasets.dataset import Dataset
from mercer.datasets.delimited import read_delimited
from mercer.datasets.folders import holds_graphs, holds_images, read_image_folder, read_tu_folder
from mercer.datasets.input_files import listed, refuse
from mercer.datasets.sequences import read_fasta, read_smiles
from mercer.datasets.svmlight import read_svmlight
from mercer.datasets.typed_tables import read_jsonl, read_parquet

__all__ = ["FILES", "READERS", "read"]

FILES: dict[str, tuple[Callable[[pathlib.Path], Dataset], tuple[str, ...]]] = {
    "csv": (read_delimited, ("csv",)),
    "tsv": (partial(read_delimited, usual="\t"), ("tsv", "tab")),
    "txt": (partial(read_delimited, usual="\t", lines=True), ("txt",)),
    "parquet": (read_parquet, ("parquet",)),
    "jsonl": (read_jsonl, ("jsonl", "ndjson")),
    "svmlight": (read_svmlight, ("svm", "libsvm", "svmlight")),
    "fasta": (read_fasta, ("fasta", "fa", "faa", "fna")),
    "smiles": (read_smiles, ("smi", "smiles")),
}
READERS = {ending: reader for reader, endings in FILES.values() for ending in endings}
_FOLDERS = {"tu": read_tu_folder, "images": read_image_folder}


def read(source: str | os.PathLike[str], *, format: str | None = None, max_memory: int | str | None = None) -> Dataset:
    """Read a data set from a file, a folder, or by the name of a bundled data set.

    Parameters
    ----------
    source : str or path
        File, folder, or name of a bundled data set (`names`). An existing file or folder takes precedence.
    format : str, default=None
        Format of the file or folder: a file name extension of the table below, "tu" or "images". With None, recognised
        by the name.
    max_memory : int or str, default=None
        Memory that reading may take: bytes, or a text such as ``"2 GB"``. None means half of the available memory.

    Returns
    -------
    Dataset
        The data set. Its notes record every automatic decision.

    Raises
    ------
    FileNotFoundError
        If there is no such file, folder or bundled data set.
    ValueError
        If the format is unknown, the content is invalid, or the path is neither a regular file nor a folder.
    MemoryLimitError
        If the file, decompressed, needs more memory than `max_memory`.

    See Also
    --------
    load : Load a bundled data set.
    read_images : Read a folder of images.
    mercer.data.read_kelp : Read files of KeLP.

    Notes
    -----
    ===========================  =======================================================================
    .csv .tsv .txt               frame; separator, encoding and column types are recognised
    .parquet .jsonl .ndjson      frame
    .svm .libsvm .svmlight       CSR matrix and labels
    .fasta .fa .faa .fna         frame: id, sequence, a column for each ``key=value`` of the headers
    .smi                         frame: smiles, name
    folder with NAME_A.txt       graphs in the TU Dortmund format, and their labels
    folder of images             matrix of pixels; subfolders are the classes
    ===========================  =======================================================================

    Text formats may be compressed with gzip (``data.csv.gz``). Decompression stops at the memory limit.

    Parquet files, and text of more than 64 MB, are read by a child process, so that a damaged file cannot end this one.

    Examples
    --------
    >>> read("iris")
    Dataset(iris: 150 samples, frame of 5 columns, target 'species')
    >>> read("irsi")
    Traceback (most recent call last):
    FileNotFoundError: mercer.datasets.read: there is no file or folder 'irsi'; did you mean the bundled 'iris'?
    """
    if not isinstance(source, (str, os.PathLike)):
        raise TypeError(f"mercer.datasets.read: expected a path or a name, got {describe(source)}.")
    if not os.fspath(source):
        raise ValueError("mercer.datasets.read: expected a path or a name, got an empty string.")
    with limited_memory(checked_bytes("mercer.datasets.read", max_memory)):
        return _read(pathlib.Path(source), os.fspath(source), format)


def _read(path: pathlib.Path, source: str, format: str | None) -> Dataset:
    if not os.path.lexists(path):
        if format is None and source in names():
            return load(source)
        raise _nothing(source)
    if format is not None:
        return _as(path, format)
    if path.is_dir():
        return _folder(path)
    ending = _ending(path)
    if ending not in READERS:
        require_regular(path)
        endings = " ".join(f".{ending}" for ending in READERS)
        raise refuse(
            path,
            f"unknown file name extension .{_ending(path)}, expected {endings}, or a folder of graphs or images; "
            "pass its format with the parameter format",
        )
    return _file(path, ending)


def _file(path: pathlib.Path, ending: str) -> Dataset:
    require_regular(path)
    return read_apart(path, ending) if must_read_apart(path, ending) else READERS[ending](path)


def _nothing(source: str) -> FileNotFoundError:
    near = near_misses(source, names())
    hint = f"did you mean the bundled {near[0]!r}?" if near else f"bundled data sets: {', '.join(names())}."
    return FileNotFoundError(f"mercer.datasets.read: there is no file or folder {source!r}; {hint}")


def _as(path: pathlib.Path, format: str) -> Dataset:
    """Read a file or folder in a given format."""
    known = (*READERS, *_FOLDERS)
    name = format.lower().removeprefix(".") if isinstance(format, str) else format
    if name not in known:
        words = ", ".join(map(repr, known))
        raise ValueError(f"mercer.datasets.read: parameter format must be one of {words}, got {describe(format)}.")
    if path.is_dir() != (name in _FOLDERS):
        raise refuse(path, f"is a {'folder' if path.is_dir() else 'file'}, but format {format!r} is not")
    return _FOLDERS[name](path) if name in _FOLDERS else _file(path, name)


def _folder(path: pathlib.Path) -> Dataset:
    if holds_graphs(path):
        return read_tu_folder(path)
    if holds_images(path):
        return read_image_folder(path)
    inside = sorted(file.name for file in path.iterdir() if file.is_file() and _ending(file) in READERS)
    hint = f"; it contains {listed(map(repr, inside))}, read one of these" if inside else ""
    raise refuse(path, f"expected a folder of images or of graphs (NAME_A.txt, NAME_graph_indicator.txt){hint}")


def _ending(path: pathlib.Path) -> str:
    return pathlib.Path(path.name.lower().removesuffix(".gz")).suffix.removeprefix(".")
