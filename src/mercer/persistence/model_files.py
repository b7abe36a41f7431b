"""Saving and loading of models: atomic writing, and reading without running code."""

import os
from collections.abc import Iterable
from contextlib import suppress
from importlib import import_module
from io import BytesIO
from typing import Any
from warnings import catch_warnings, simplefilter
from zipfile import ZipFile

from sklearn.exceptions import InconsistentVersionWarning

from mercer._estimator import warn
from mercer._runtime.files import write_whole
from mercer._validation import describe
from mercer.exceptions import KernelSyntaxError, VersionWarning
from mercer.persistence.archive import Archive, compose, members, opened, versions
from mercer.persistence.convert import restored, storable_copy
from mercer.persistence.errors import ModelFileError, UntrustedTypeError
from mercer.persistence.schema import Contents, examine
from mercer.persistence.stored import class_name
from mercer.persistence.trusted import TRUSTED_TYPES

__all__ = ["about", "load", "save"]

Path = str | os.PathLike[str]


def save(model: Any, path: Path) -> None:
    """Save a model to a file that `load` reads without running code.

    Parameters
    ----------
    model : object
        Estimator of mercer, fitted or not; pipeline, search or other meta-estimator of scikit-learn that contains one;
        kernel; packed samples (`Strings`, `Trees`, `Graphs`, `Table`); lists and dicts of these.
    path : str or path-like
        File to write, by convention with the suffix ``.mercer``. An existing file is replaced atomically when the new
        one is complete.

    Raises
    ------
    TypeError
        If the model contains an object that cannot be stored, such as a kernel made of a function. No file is written
        then.

    See Also
    --------
    load : Loads a saved model.
    about : Describes the contents of a file.
    mercer.auto.code : Python code that fits an automatic model again.

    Notes
    -----
    Kernels are stored in their text form and arrays without conversion, so that the loaded model gives bit-identical
    predictions. Frames among the training samples are stored as a `Table`, and trees or graphs of other libraries as
    those of mercer. Callbacks (``set_callbacks``) are not stored.

    Saving needs memory for one copy of the file. Types of other libraries can be saved, but `load` builds them only if
    they are trusted.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from mercer.kernels import RBF, Linear
    >>> from mercer.persistence import load, save
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "kernel.mercer"
    ...     save(RBF(gamma=0.1) + Linear(), path)
    ...     print(load(path))
    rbf(gamma=0.1) + linear
    """
    skops = _skops("save")
    place, name, buffer = os.fspath(path), type(model).__name__, BytesIO()
    try:
        copy = storable_copy(model)
    except RecursionError:
        raise TypeError(f"save: {name} is nested too deeply to be stored.") from None
    try:
        skops.dump(copy, buffer)
        source = ZipFile(buffer)
        schema, sizes, opener = members(source)
        contents = examine(schema, sizes, opener)
    except MemoryError:
        raise
    except Exception as error:
        raise TypeError(f"save: {name} contains an object that cannot be stored: {error}.") from error
    for built in contents.built:
        if built.startswith("mercer.") and built not in TRUSTED_TYPES:
            raise TypeError(
                f"save: {name} contains a {built} inside an object with its own pickling, where mercer cannot store "
                "it; keep it in a plain attribute."
            )
    write_whole(place, lambda file: compose(source, schema, file))


def load(path: Path, *, trusted: Iterable[str | type] = ()) -> Any:
    """Load a model saved by `save`.

    Only trusted types are built, so that no code of the file runs. The model is returned completely or not at all.

    Parameters
    ----------
    path : str or path-like
        File to read.
    trusted : sequence of str or type, default=()
        Additional classes and functions that the file may contain, as types or dotted names: a transformer of your
        own, or a kernel of your own that is not registered. Their code runs.

    Returns
    -------
    object
        The model, with bit-identical predictions.

    Raises
    ------
    UntrustedTypeError
        If the file contains other types.
    ModelFileError
        If the file is not a model, is damaged, or has a format that this version does not read. A subclass of
        ValueError.

    Warns
    -----
    VersionWarning
        If the file was written by another minor version of mercer or scikit-learn.

    See Also
    --------
    save : Saves a model.
    about : Describes the contents of a file without loading it.
    TRUSTED_TYPES : Types that are trusted by default.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from mercer.persistence import load, save
    >>> from mercer.svm import SVC
    >>> model = SVC(C=10.0).fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "model.mercer"
    ...     save(model, path)
    ...     load(path).decision_function([[0.5], [2.0]]).round(3)
    array([-1.308,  1.   ])
    """
    skops = _skops("load")
    place, names = os.fspath(path), _names(trusted)
    with opened("load", place) as file:
        difference = _difference(file.versions)
        try:
            file.check_digest()
            archive = file.updated()
            contents = examine(*members(archive.zip), names)
            model = restored(_built(skops, archive, contents, names), names)
        except UntrustedTypeError as error:
            raise UntrustedTypeError(error.types, place) from None
        except KernelSyntaxError as error:
            raise ModelFileError(
                f"load: {place} contains an unknown kernel; import the module that registers it. {error}"
            ) from error
        except Exception as error:
            if not difference:
                raise
            raise ValueError(f"{error}; it {difference}") from error
    if difference:
        warn(f"load: {place} {difference}", VersionWarning)
    return model


def about(path: Path) -> dict[str, Any]:
    """Describe the contents of a model file without building them.

    Only the directory and the schema of the file are read; damaged arrays are detected by `load`. The information is
    that of the writer of the file and is not authenticated.

    Parameters
    ----------
    path : str or path-like
        File to read.

    Returns
    -------
    dict
        Dictionary with the keys ``format`` (int), ``versions`` (of the packages that wrote the file), ``model`` (its
        class), ``classes`` (all classes except built-in and NumPy types), ``untrusted`` (names that `load` needs in
        `trusted`), ``kernels`` (text forms), ``bytes`` (size of the file), ``arrays`` (their number) and
        ``array_bytes``.

    See Also
    --------
    load : Loads a model.
    save : Saves a model.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from mercer.persistence import about, save
    >>> from mercer.svm import SVC
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "model.mercer"
    ...     save(SVC(C=10.0).fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1]), path)
    ...     contents = about(path)
    >>> contents["model"], contents["kernels"]
    ('mercer.svm.SVC', ['rbf(gamma=0.8)'])
    """
    skops = _skops("about")
    place = os.fspath(path)
    with opened("about", place) as file:
        archive = file.updated()
        contents = examine(*members(archive.zip))
        return {
            "format": archive.manifest["format"],
            "versions": archive.versions,
            "model": contents.model,
            "classes": sorted(name for name in contents.classes if not name.startswith(("builtins.", "numpy."))),
            "untrusted": sorted(_untrusted(skops, archive, contents)),
            "kernels": contents.kernels,
            "bytes": os.path.getsize(place),
            "arrays": contents.n_arrays,
            "array_bytes": contents.array_bytes,
        }


def _built(skops: Any, archive: Archive, contents: Contents, names: frozenset[str]) -> Any:
    """Build the objects with skops, from trusted types only."""
    from skops.io.exceptions import UntrustedTypesFoundException

    if not contents.untrusted:
        with catch_warnings(), suppress(UntrustedTypesFoundException):
            simplefilter("ignore", InconsistentVersionWarning)  # replaced by VersionWarning
            return skops.load(archive.file, trusted=[*names, *contents.built & {*TRUSTED_TYPES}])
    raise UntrustedTypeError(_untrusted(skops, archive, contents) - names)


def _untrusted(skops: Any, archive: Archive, contents: Contents) -> set[str]:
    """Names that neither mercer nor skops trusts."""
    return contents.untrusted | (set(skops.get_untrusted_types(file=archive.file)) - set(TRUSTED_TYPES))


def _difference(written: dict[str, str]) -> str:
    """Sentence on minor versions that differ from the installed ones; empty if there are none."""
    others = [
        f"{name} {written[name]} (installed: {versions()[name]})"
        for name in ("mercer", "scikit-learn")
        if written[name].split(".")[:2] != versions()[name].split(".")[:2]
    ]
    if not others:
        return ""
    return f"was written with {' and '.join(others)}; predictions may differ, fit and save the model again."


def _names(trusted: Iterable[str | type]) -> frozenset[str]:
    if isinstance(trusted, str | bool) or not isinstance(trusted, Iterable):
        raise TypeError(f"load: trusted must be a sequence of dotted names or types, got {describe(trusted)}.")
    return frozenset(class_name(item) if isinstance(item, type) else str(item) for item in trusted)


def _skops(who: str) -> Any:
    try:
        return import_module("skops.io")
    except ImportError:
        raise ImportError(f"{who}: model files need skops; install it with: pip install 'mercer[io]'") from None
