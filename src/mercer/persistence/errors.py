"""What is raised about files."""

from collections.abc import Iterable

__all__ = ["ModelFileError", "UntrustedTypeError"]


class ModelFileError(ValueError):
    """A file that cannot be loaded; the message says why."""


class UntrustedTypeError(ModelFileError):
    """A file asks for classes or functions that nobody has vouched for.

    Attributes
    ----------
    types : tuple of str
        Their dotted names.
    """

    def __init__(self, types: Iterable[str], path: str = "the file") -> None:
        self.types = tuple(sorted(types))
        names = ", ".join(map(repr, self.types))
        super().__init__(
            f"load: {path} asks for {', '.join(self.types)}, which mercer does not know; nothing was loaded. If you "
            f"know where the file comes from and what these are, pass trusted=[{names}]."
        )
