"""Validation of single parameters: numbers, integers, choices, flags, short vectors."""

import math
import numbers
from collections.abc import Sequence
from typing import Any, get_args

import numpy as np

from mercer._validation.describe import describe

__all__ = [
    "check_choice",
    "check_flag",
    "check_integer",
    "check_real",
    "is_number",
    "is_vector",
    "nonnegative_vector",
    "positive_vector",
]


_NOT_NUMBERS = (bool, np.bool_, np.timedelta64)  # registered as numbers


def is_number(value: object) -> bool:
    """Whether a parameter is a real number and not a boolean or a duration."""
    return isinstance(value, numbers.Real) and not isinstance(value, _NOT_NUMBERS)


def _is_finite(value: Any) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:  # an integer beyond the range of floats
        return False


def check_real(
    who: str, name: str, value: Any, *, low: float = -math.inf, strict: bool = False, high: float = math.inf
) -> float:
    """Return a finite Python float with ``low ≤ value ≤ high`` (``low <`` if `strict`)."""
    bound = f" {'>' if strict else '>='} {low:g}" if low > -math.inf else ""
    bound += f" and <= {high:g}" if high < math.inf else ""
    ok = is_number(value) and _is_finite(value)
    if not ok or value < low or value > high or (strict and value == low):
        raise (ValueError if ok or isinstance(value, numbers.Real) else TypeError)(
            f"{who}: parameter {name} must be a finite number{bound}, got {describe(value)}."
        )
    return float(value)


def check_integer(who: str, name: str, value: Any, *, low: int = 0, high: int | None = None) -> int:
    """Return a Python int with ``low ≤ value ≤ high``; 2.0 is accepted, 2.5 is not."""
    whole = isinstance(value, numbers.Integral) or (
        isinstance(value, numbers.Real) and _is_finite(value) and float(value).is_integer()
    )
    if isinstance(value, _NOT_NUMBERS) or not whole or value < low or (high is not None and value > high):
        bound = f" >= {low}" + ("" if high is None else f" and <= {high}")
        raise (ValueError if isinstance(value, numbers.Real) else TypeError)(
            f"{who}: parameter {name} must be an integer{bound}, got {describe(value)}."
        )
    return int(value)


def check_choice(who: str, name: str, value: Any, options: Any) -> str:
    """Return one of the words of a Literal as a plain str."""
    words = get_args(options)
    if not isinstance(value, str) or value not in words:
        raise ValueError(
            f"{who}: parameter {name} must be one of {', '.join(map(repr, words))}, got {describe(value)}."
        )
    return str(value)


def is_vector(value: Any) -> bool:
    """Whether a parameter is a sequence or an array, and not a number or a string."""
    return (
        bool(value.ndim)
        if isinstance(value, np.ndarray)
        else isinstance(value, Sequence) and not isinstance(value, str)
    )


def positive_vector(who: str, name: str, value: Any) -> tuple[float, ...]:
    """Return a vector parameter as a tuple of positive floats."""
    if not is_vector(value) or len(value) == 0 or not all(np.isscalar(v) for v in value):
        raise TypeError(
            f"{who}: parameter {name} must be a positive number or a non-empty vector of them, got {describe(value)}."
        )
    return tuple(check_real(who, f"{name}[{i}]", v, low=0.0, strict=True) for i, v in enumerate(value))


def nonnegative_vector(who: str, name: str, value: Any) -> tuple[float, ...]:
    """Return a vector parameter as a non-empty tuple of numbers >= 0."""
    if not is_vector(value) or len(value) == 0:
        raise TypeError(f"{who}: parameter {name} must be a sequence of numbers >= 0, got {describe(value)}.")
    return tuple(check_real(who, f"{name}[{i}]", weight, low=0.0) for i, weight in enumerate(value))


def check_flag(who: str, name: str, value: Any) -> bool:
    """Return True or False as a plain bool."""
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{who}: parameter {name} must be True or False, got {describe(value)}.")
    return bool(value)
