"""Exceptions of model files."""

from collections.abc import Iterable

__all__ = ["ModelFileError", "UntrustedTypeError"]


class ModelFileError(ValueError):
    """Exception raised if a model file cannot be loaded.

    The file is not a model file, is damaged, or has a format that this version does not read. The message states the
    reason.

    See Also
    --------
    load : Raises this exception.
    UntrustedTypeError : Raised if a file contains types that are not trusted.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from mercer.persistence import ModelFileError, load
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "notes.txt"
    ...     size = path.write_text("not a model")
    ...     try:
    ...         load(path)
    ...     except ModelFileError as error:
    ...         print(str(error).partition("notes.txt ")[2])
    is not a mercer model: models are written by mercer.persistence.save.
    """


class UntrustedTypeError(ModelFileError):
    """Exception raised if a model file contains types that are not trusted.

    Parameters
    ----------
    types : iterable of str
        Dotted names of the classes and functions.
    path : str, default="the file"
        Name of the file, for the message.

    Attributes
    ----------
    types : tuple of str
        Dotted names, sorted. Pass them as ``trusted`` to `load` if you trust them.

    See Also
    --------
    load : Raises this exception.
    about : Lists the untrusted types of a file.

    Examples
    --------
    >>> from mercer.persistence import UntrustedTypeError
    >>> UntrustedTypeError(["somewhere.B", "somewhere.A"]).types
    ('somewhere.A', 'somewhere.B')
    """

    def __init__(self, types: Iterable[str], path: str = "the file") -> None:
        self.types = tuple(sorted(types))
        names = ", ".join(map(repr, self.types))
        super().__init__(
            f"load: {path} contains untrusted types: {', '.join(self.types)}. Nothing was loaded. If you "
            f"trust the origin of the file and these types, pass trusted=[{names}]."
        )
