"""One call with one odd input, and the judgement of what came of it."""

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from mercer.data import Table
from mercer.data.packed import Packed
from mercer.kernels.prepared import Prepared
from mercer.operators import GramOperator
from tests.border.odd import Must
from tests.border.sentences import ALLOWED, problem

__all__ = ["Case", "Fault", "judge"]


@dataclass(frozen=True)
class Case:
    """A call to be judged.

    Attributes
    ----------
    what : str
        The odd input.
    entry : str
        The entry point.
    call : callable
        Makes the call.
    must : {"answer", "refuse", "either"}
        What the call must do; see `Odd`.
    expected : callable, optional
        The same call with the plain input.
    rtol : float, default=1e-6
        Tolerance, relative to the largest number of the result.
    finite : bool, default=True
        Whether NaN and infinity in a result are faults.
    worded : bool, default=True
        Whether refusals must be sentences; the type of the exception is judged in any case.
    any_error : bool, default=False
        Whether every exception is a refusal.
    given : callable, optional
        The contents of the input, which no call may change.
    """

    what: str
    entry: str
    call: Callable[[], Any]
    must: Must = "either"
    expected: Callable[[], Any] | None = None
    rtol: float = 1e-6
    finite: bool = True
    worded: bool = True
    any_error: bool = False
    given: Callable[[], Any] | None = None


@dataclass(frozen=True)
class Fault:
    """What was wrong: one of "exception", "words", "refused", "accepted", "not finite", "wrong value", "changed"."""

    symptom: str
    detail: str


class Refused(Exception):
    """The plain call is refused, too."""


def judge(case: Case) -> Fault | None:
    """Make the call and compare what comes of it with what must."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("error", RuntimeWarning)  # NumPy's: a number was lost on the way
        before = case.given() if case.given else None
        try:
            result = _leaves(case.call())
        except ALLOWED as error:
            return _judge_refusal(case, error)
        except BaseException as error:
            tolerated = case.any_error and isinstance(error, Exception)
            return None if tolerated else Fault("exception", _shown(error))
        if case.given and case.given() != before:
            return Fault("changed", "the call changed the arrays that it was given")
        if case.must == "refuse":
            return Fault("accepted", f"gave {_short(result)}")
        return _judge_result(case, result)


def _judge_refusal(case: Case, error: BaseException) -> Fault | None:
    wrong = problem(error) if case.worded and not case.any_error else ""
    if wrong:
        return Fault("words", f"{wrong}: {_shown(error)}")
    if case.must == "answer":
        try:
            _reference(case)
        except Refused:
            return None
        return Fault("refused", _shown(error))
    return None


def _judge_result(case: Case, result: list[Any]) -> Fault | None:
    try:
        expected = _reference(case) if case.expected is not None else None
    except Refused as error:
        return Fault("accepted", f"gave {_short(result)}, but the plain input is refused: {error}")
    if expected is not None:
        return _difference(result, expected, case.rtol)
    if case.finite and not all(_is_finite(leaf) for leaf in result):
        return Fault("not finite", _short(result))
    return None


def _reference(case: Case) -> list[Any]:
    assert case.expected is not None
    try:
        return _leaves(case.expected())
    except Exception as error:
        raise Refused(_shown(error)) from None


def _difference(result: list[Any], expected: list[Any], rtol: float) -> Fault | None:
    if [np.shape(leaf) for leaf in result] != [np.shape(leaf) for leaf in expected]:
        return Fault("wrong value", f"shapes of {_short(result)}, expected {_short(expected)}")
    for got, right in zip(result, expected, strict=True):
        numeric = got.dtype.kind in "fiub" and right.dtype.kind in "fiub"
        if not numeric:
            if got.tolist() != right.tolist():
                return Fault("wrong value", f"{_short([got])}, expected {_short([right])}")
        elif not _close(got.astype(np.float64), right.astype(np.float64), rtol):
            return Fault("wrong value", f"{_short([got])}, expected {_short([right])}")
    return None


def _close(got: Any, right: Any, rtol: float) -> bool:
    scale = float(np.abs(right[np.isfinite(right)]).max(initial=1.0))
    return bool(np.allclose(got, right, rtol=rtol, atol=rtol * scale, equal_nan=True))


def _is_finite(leaf: Any) -> bool:
    return leaf.dtype.kind not in "fc" or bool(np.isfinite(leaf).all())


def _leaves(value: Any) -> list[Any]:
    """The arrays of a result of any kind, in order."""
    if isinstance(value, Prepared):
        return _leaves(value.kernel.block(value, value))
    if isinstance(value, GramOperator):
        return [value.dense()]
    if sp.issparse(value):
        value.tocsr().check_format(full_check=True)
        return [value.toarray()]
    if isinstance(value, np.ma.MaskedArray):
        hidden = np.ma.getmaskarray(value)
        return [value.filled(), hidden] if hidden.any() else [value.data]
    if isinstance(value, np.ndarray | np.generic):
        return [np.asarray(value)]
    if hasattr(value, "to_numpy"):  # frames
        return [value.to_numpy()]
    if isinstance(value, Table):
        return [np.asarray(column.values) for column in value.columns]
    if isinstance(value, Packed):
        return _leaves([field for field in value._fields().values() if isinstance(field, np.ndarray)])
    if isinstance(value, Mapping):
        return _leaves(list(value.values()))
    if isinstance(value, list) and value and all(isinstance(row, list | tuple | np.ndarray) for row in value):
        return _stacked(value)
    if isinstance(value, tuple) and value and all(isinstance(row, tuple) for row in value):
        return _stacked(list(value))
    if isinstance(value, list | tuple):
        return [leaf for item in value for leaf in _leaves(item)]
    return [np.asarray(value if isinstance(value, int | float | str | bool) else str(value))]


def _stacked(rows: list[Any]) -> list[Any]:
    """Rows of one length as a matrix: lists of rows and matrices of the same numbers are the same."""
    return [np.array(rows)] if len({np.shape(row) for row in rows}) == 1 else [np.asarray(row) for row in rows]


def _shown(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"[:300].replace("\n", " ")


def _short(result: list[Any]) -> str:
    return ", ".join(f"{leaf.dtype}{list(leaf.shape)} {leaf.ravel()[:4].tolist()}" for leaf in result[:3])[:200]
