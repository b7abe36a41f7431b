"""Unpickling through the constructor, so that stored objects are validated like new ones."""

import dataclasses
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from mercer._validation.describe import describe

__all__ = ["Pending", "Rebuilt", "refusals"]


@contextmanager
def refusals(who: str) -> Iterator[None]:
    """Convert every error that a wrong state can cause inside the block to a ValueError that names `who`."""
    try:
        yield
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        text, named = str(error), str(error).startswith(f"{who}: ")
        if isinstance(error, ValueError) and named:
            raise
        raise ValueError(text if named else f"{who}: what was stored is not valid: {text.rstrip('.')}.") from error


class Pending:
    """Base class of placeholders in an incomplete state. Code that replaces them calls ``__setstate__`` again."""


class Rebuilt:
    """Mixin for dataclasses whose pickles and copies store the fields, and whose unpickling calls the constructor.

    A class whose constructor is called too often to check every array overrides ``_validated``, which is called for
    unpickling only. Cached properties are not stored.

    Examples
    --------
    >>> import pickle
    >>> from mercer.kernels import Linear
    >>> kernel = Linear()
    >>> object.__setattr__(kernel, "coef0", float("nan"))
    >>> pickle.loads(pickle.dumps(kernel))
    Traceback (most recent call last):
    ...
    ValueError: Linear: parameter coef0 must be a finite number, got nan.
    """

    def _validated(self) -> dict[str, Any]:
        """Return validated private copies of fields that the constructor does not validate."""
        return {}

    def __getstate__(self) -> dict[str, Any]:
        if not dataclasses.is_dataclass(self):
            return dict(vars(self))
        return {f.name: getattr(self, f.name) for f in dataclasses.fields(self) if f.init}

    def __setstate__(self, state: Any) -> None:
        who = type(self).__name__
        if not isinstance(state, dict):
            raise ValueError(f"{who}: expected the fields of a {who} in a dict, got {describe(state)}.")
        if not dataclasses.is_dataclass(self) or any(isinstance(value, Pending) for value in state.values()):
            vars(self).update(state)
            return
        known = {f.name: state[f.name] for f in dataclasses.fields(self) if f.init and f.name in state}
        # Pickles of older versions contain cached properties, too, which are recomputed.
        computed = {f.name for f in dataclasses.fields(self)} | set(dir(type(self)))
        unknown = [name for name in state if name not in computed]
        if unknown:
            raise ValueError(
                f"{who}: has the fields {', '.join(f.name for f in dataclasses.fields(self))}, got {unknown[0]!r}; was "
                "it stored by another version?"
            )
        with refusals(who):
            made: Any = type(self)(**known)
            vars(self).update(vars(made) | made._validated())
