"""Advice for parameters that a kernel does not have: `RBF.from_sigma` for ``sigma``, ``degree`` for ``d``."""

import dataclasses
import inspect
from collections.abc import Iterable
from typing import Any

from mercer._validation import shortened
from mercer._validation.near import near_misses
from mercer._words import proper_name

__all__ = ["InitSignature", "advice", "check_keywords", "nearest"]

# Names of the parameters in textbooks and other libraries. The first name that the kernel has is suggested.
_OTHER_WORDS: dict[str, tuple[str, ...]] = {
    "c": ("coef0", "scale", "value"),
    "c0": ("coef0",),
    "coef": ("coef0", "coefficients"),
    "coeffs": ("coefficients",),
    "bias": ("coef0",),
    "constant": ("coef0", "value"),
    "offset": ("coef0",),
    "r": ("coef0",),
    "d": ("degree", "exponent"),
    "deg": ("degree", "exponent"),
    "n": ("exponent", "degree", "p", "n_iter"),
    "order": ("degree", "p", "exponent"),
    "power": ("degree", "exponent"),
    "slope": ("gamma",),
    "g": ("gamma",),
    "smoothness": ("nu",),
    "t": ("period", "n_iter"),
    "periodicity": ("period",),
    "weight": ("scale", "gamma"),
    "factor": ("scale",),
    "k": ("p", "size", "g", "kernel", "n_steps"),
    "length": ("p", "degree", "n_steps", "g"),
    "ngram": ("p", "n"),
    "mismatches": ("m",),
    "gaps": ("m",),
    "h": ("n_iter",),
    "height": ("n_iter",),
    "depth": ("n_iter",),
    "iterations": ("n_iter",),
    "t_max": ("n_iter",),
    "w": ("width",),
    "lam": ("decay",),
    "lambd": ("decay",),
    "lambda_": ("decay",),
    "lmbda": ("decay",),
    "steps": ("n_steps",),
    "normalized": ("mode",),
    "lower": ("case",),
    "lowercase": ("case",),
    "matrix": ("A", "scores"),
    "base_kernel": ("base", "kernel"),
    "base_estimator": ("base",),
    "func": ("function", "f", "phi"),
    "kernels": ("terms", "factors"),
}
_DEVIATIONS = ("sigma", "std", "bandwidth")
_LENGTHS = ("length_scale", "lengthscale", "ell", "l")


class InitSignature:
    """Descriptor ``__signature__`` of kernel classes, with the parameters of ``__init__``.

    Documentation tools would otherwise show the parameters of ``Kernel.__new__``. Classes without ``__init__`` and
    instances, which are callable, have no such attribute.

    >>> from mercer.kernels import Linear
    >>> list(Linear.__signature__.parameters)
    ['coef0']
    """

    def __get__(self, kernel: Any, cls: type) -> inspect.Signature:
        if kernel is not None or cls.__init__ is object.__init__:  # type: ignore[misc]
            raise AttributeError("__signature__")
        signature = inspect.signature(cls.__init__)  # type: ignore[misc]
        parameters = list(signature.parameters.values())[1:]
        return signature.replace(parameters=parameters, return_annotation=inspect.Signature.empty)


def check_keywords(cls: type, given: dict[str, Any]) -> None:
    """Raise a TypeError for a keyword that is not a parameter of a kernel class.

    Parameters
    ----------
    cls : type
        Kernel class.
    given : dict
        Keyword arguments of the call.
    """
    fields: dict[str, Any] = getattr(cls, "__dataclass_fields__", {})
    if given.keys() <= fields.keys() or not dataclasses.is_dataclass(cls):
        return
    accepted = inspect.signature(cls).parameters  # the class may define __init__
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in accepted.values()):
        return
    for name in given:
        if name not in accepted:
            known = ", ".join(accepted) or "none"
            what = f"has no parameter {shortened(name)!r}, it has {known}{advice(cls, name, accepted)}"
            raise TypeError(f"{cls.__name__}: {what}")


def advice(cls: type, name: str, known: Iterable[str]) -> str:
    """Suggestion for a parameter that a kernel does not have, after a semicolon; ``""`` if there is none.

    Parameters
    ----------
    cls : type
        Kernel class.
    name : str
        Name that was given.
    known : iterable of str
        Parameters of the class.

    Returns
    -------
    str
        Text to append to an error message.

    Examples
    --------
    >>> from mercer.kernels import RBF, Polynomial
    >>> advice(RBF, "sigma", ["gamma"])
    '; write RBF.from_sigma(sigma), which is gamma = 1/(2*sigma**2)'
    >>> advice(Polynomial, "d", ["degree", "gamma", "coef0"])
    "; did you mean 'degree'?"
    """
    known = list(known)
    word = name.lower()
    proper = proper_name(name, known)
    if proper is not None:
        return f"; {name!r} is called {proper!r} here"
    if "gamma" in known and word in _DEVIATIONS + _LENGTHS:
        return _width(cls, word, name)
    for meant in _OTHER_WORDS.get(word, ()):
        if meant in known:
            return f"; did you mean {meant!r}?"
    return nearest(name, known)


def _width(cls: type, word: str, name: str) -> str:
    """Conversion of a width of another convention to gamma."""
    squared = getattr(cls, "squared", None)  # whether γ multiplies a squared distance; None without a distance
    if squared is None:
        return "; did you mean 'gamma'?"
    if word in _DEVIATIONS and hasattr(cls, "from_sigma"):
        return f"; write {cls.__name__}.from_sigma({name}), which is gamma = 1/(2*{name}**2)"
    return f"; write gamma = 1/(2*{name}**2)" if squared else f"; write gamma = 1/{name}"


def nearest(name: str, known: Iterable[str]) -> str:
    """``; did you mean '...'?`` with the most similar known name, or ``""``.

    >>> nearest("Gausian", ["rbf", "gaussian"])
    "; did you mean 'gaussian'?"
    """
    close = near_misses(name, known)
    return f"; did you mean {close[0]!r}?" if close else ""
