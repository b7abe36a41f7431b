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
    """Write a model to a file that `load` reads without running code.

    Parameters
    ----------
    model : object
        An estimator of mercer, fitted or not; a pipeline, search or other meta-estimator of scikit-learn around it; a
        kernel; packed samples (`Strings`, `Trees`, `Graphs`, `Table`); lists and dicts of these.
    path : str or path
        Any name; by custom it ends in ``.mercer``. A file of that name is replaced in one step, when the new one is
        complete: whatever fails, even the power, leaves the old one.

    Raises
    ------
    TypeError
        If the model holds something that no file can hold, such as a kernel made of a function. Nothing is written
        then.

    Notes
    -----
    Kernels are written in their text form, arrays as they are: predictions of the loaded model are the same to the bit.
    A frame among the training samples becomes a `Table`, a list of trees or graphs of other libraries one of mercer's.
    Callbacks (``set_callbacks``) are left out: they belong to the program, not to the model.

    Memory for one copy of the file is needed. For types of other libraries, `load` asks for the user's word.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from mercer.kernels import RBF, Linear
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "kernel.mercer"
    ...     save(RBF(gamma=0.1) + Linear(), path)
    ...     load(path) == RBF(gamma=0.1) + Linear()
    True
    """
    skops = _skops("save")
    place, name, buffer = os.fspath(path), type(model).__name__, BytesIO()
    try:
        copy = storable_copy(model)
    except RecursionError:
        raise TypeError(f"save: {name} is nested too deeply.") from None
    try:
        skops.dump(copy, buffer)
        source = ZipFile(buffer)
        schema, sizes, opener = members(source)
        contents = examine(schema, sizes, opener)
    except MemoryError:
        raise
    except Exception as error:
        raise TypeError(f"save: {name} holds something that cannot be stored: {error}.") from error
    for built in contents.built:
        if built.startswith("mercer.") and built not in TRUSTED_TYPES:
            raise TypeError(
                f"save: {name} holds a {built} inside of an object that has its own way to be pickled, where mercer "
                "cannot store it; keep it in a plain attribute."
            )
    write_whole(place, lambda file: compose(source, schema, file))


def load(path: Path, *, trusted: Iterable[str | type] = ()) -> Any:
    """Read a model that `save` has written.

    Parameters
    ----------
    path : str or path
    trusted : sequence of str or type
        Classes and functions that the file may use beside those of mercer, skops and scikit-learn, by their dotted
        names: a transformer of your own, or a kernel of your own that is not registered. Their code runs.

    Raises
    ------
    UntrustedTypeError
        If the file asks for anything else. A ValueError, as are all that follow.
    ValueError
        If the file is not a model, is damaged, or has a format that this version does not read.

    Warns
    -----
    VersionWarning
        If another minor version of mercer or scikit-learn wrote the file.
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
                f"load: {place} holds a kernel that is not known here; import the module that registers it. {error}"
            ) from error
        except Exception as error:
            if not difference:
                raise
            raise ValueError(f"{error}; it {difference}") from error
    if difference:
        warn(f"load: {place} {difference}", VersionWarning)
    return model


def about(path: Path) -> dict[str, Any]:
    """What a file holds, without building anything of it.

    Only the directory and the schema of the file are read; whether its arrays are undamaged, `load` finds out. What the
    file says about itself is what its writer wanted it to say.

    Returns
    -------
    dict
        With ``format`` (int), ``versions`` (of the packages that wrote it), ``model`` (its class), ``classes`` (all
        that is in it but plain types), ``untrusted`` (names that `load` wants to hear from `trusted`), ``kernels``
        (texts), ``bytes`` (of the file), ``arrays`` (their number) and ``array_bytes``.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from mercer.svm import SVC
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "model.mercer"
    ...     save(SVC(C=10.0).fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1]), path)
    ...     told = about(path)
    >>> told["model"], told["kernels"]
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
    """The objects as skops builds them, of nothing but trusted types."""
    from skops.io.exceptions import UntrustedTypesFoundException

    if not contents.untrusted:
        with catch_warnings(), suppress(UntrustedTypesFoundException):
            simplefilter("ignore", InconsistentVersionWarning)  # told by our own rule
            return skops.load(archive.file, trusted=[*names, *contents.built & {*TRUSTED_TYPES}])
    raise UntrustedTypeError(_untrusted(skops, archive, contents) - names)


def _untrusted(skops: Any, archive: Archive, contents: Contents) -> set[str]:
    """Names that neither mercer nor skops vouches for."""
    return contents.untrusted | (set(skops.get_untrusted_types(file=archive.file)) - set(TRUSTED_TYPES))


def _difference(told: dict[str, str]) -> str:
    """Which minor versions are others than here, as a sentence; empty if none."""
    others = [
        f"{name} {told[name]}, here is {versions()[name]}"
        for name in ("mercer", "scikit-learn")
        if told[name].split(".")[:2] != versions()[name].split(".")[:2]
    ]
    if not others:
        return ""
    return f"was written with {' and with '.join(others)}; predictions may differ, fit and save the model again."


def _names(trusted: Iterable[str | type]) -> frozenset[str]:
    if isinstance(trusted, str | bool) or not isinstance(trusted, Iterable):
        raise TypeError(
            f"load: parameter trusted must be a sequence of dotted names or types, got {describe(trusted)}."
        )
    return frozenset(class_name(item) if isinstance(item, type) else str(item) for item in trusted)


def _skops(who: str) -> Any:
    try:
        return import_module("skops.io")
    except ImportError:
        raise ImportError(f"{who}: model files need skops; install it with: pip install 'mercer[io]'") from None
