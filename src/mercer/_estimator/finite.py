"""Finiteness checks of fitted attributes and predictions: overflow raises ValueError.

Operators reject kernel values that are not finite. Arithmetic on finite values can still overflow, for example the
square of an eigenvalue of 1e200. Solvers do not test for it at every step: NumPy's warnings are silenced, and the
results of a fit or a prediction are checked here, in one pass over each array.
"""

from collections.abc import Callable, Iterator
from functools import wraps
from typing import Any, TypeVar, cast

import numpy as np
import scipy.sparse as sp

from mercer._estimator.warn import warn
from mercer._validation import is_number
from mercer.operators.finite import all_finite, quiet
from mercer.solvers.solution import Status

__all__ = ["check_fitted_numbers", "finite_fit", "finite_values", "warn_unconverged"]

Method = TypeVar("Method", bound=Callable[..., Any])

_DATA = ("X_fit_", "support_vectors_")  # training samples, validated already
_EXTREME = 1e12  # parameters above it, or below its inverse, are named in errors
_ARITHMETIC = (OverflowError, ZeroDivisionError, np.linalg.LinAlgError)


def finite_fit(fit: Method) -> Method:
    """Decorate a method that fits: overflow raises ValueError, and fitted attributes are finite.

    Attributes that are documented to be infinite or NaN in some cases are listed in ``_not_always_finite`` of the
    class.
    """

    @wraps(fit)
    def guarded(self: Any, *args: Any, **options: Any) -> Any:
        try:
            with quiet():
                result = fit(self, *args, **options)
                check_fitted_numbers(self)
        except _ARITHMETIC as error:
            raise ValueError(f"{type(self).__name__}: the fit overflows ({error}). {_remedy(self)}") from error
        return result

    return cast("Method", guarded)


def check_fitted_numbers(estimator: Any) -> None:
    """Raise ValueError if a fitted attribute contains NaN or infinity. Call it inside `quiet`."""
    for name, values in _fitted(estimator):
        if not all_finite(values):
            kind = "NaN" if np.isnan(values).any() else "infinity"
            raise ValueError(
                f"{type(estimator).__name__}: the fit overflows, {name} would contain {kind}. {_remedy(estimator)}"
            )


def warn_unconverged(estimator: Any, text: str) -> None:
    """Warn with `text` if the solver of a fit did not converge; if the certificate overflowed, warn about that instead.

    Raises ValueError, before any warning, if a fitted attribute is not finite.
    """
    solution = estimator.solution_
    if solution.converged:
        return
    with quiet():
        check_fitted_numbers(estimator)
    warn(f"{type(estimator).__name__}: {solution.status.advice}" if solution.status is Status.OVERFLOW else text)


def finite_values(answer: Method) -> Method:
    """Decorate a method that returns numbers for samples: values that are not finite raise ValueError."""

    @wraps(answer)
    def guarded(self: Any, *args: Any, **options: Any) -> Any:
        with quiet():
            result = answer(self, *args, **options)
            values = _numbers(result)
            finite = values is None or all_finite(values)
        if not finite:
            dense = result.toarray() if sp.issparse(result) else np.asarray(result)
            sample = int(np.argwhere(~np.isfinite(dense))[0][0])
            raise ValueError(
                f"{type(self).__name__}: {answer.__name__.lstrip('_')} overflows for sample {sample}. {_remedy(self)}"
            )
        return result

    return cast("Method", guarded)


def _fitted(estimator: Any) -> Iterator[tuple[str, Any]]:
    skipped = (*_DATA, *getattr(estimator, "_not_always_finite", ()))
    for name, value in vars(estimator).items():
        if "_" in (name[-1], name[0]) and name not in skipped:
            values = _numbers(value)
            if values is not None:
                yield name, values


def _numbers(value: Any) -> Any:
    """Floating point numbers of a value; None if it has none."""
    if isinstance(value, np.ndarray):
        return value if value.dtype.kind == "f" else None
    if isinstance(value, float):
        return np.asarray(value)
    return _numbers(value.data) if sp.issparse(value) else None


def _remedy(estimator: Any) -> str:
    """Advice for overflow: the extreme parameters by name, and the kernel."""
    kernel = getattr(estimator, "kernel_", None)
    params = {name: value for name, value in estimator.get_params(deep=False).items() if is_number(value)}
    extreme = [f"{name}={value:g}" for name, value in params.items() if value and not _moderate(abs(value))]
    with_kernel = "" if kernel is None else f" with the kernel {kernel}"
    what = f"use less extreme parameters than {', '.join(extreme)}, or " if extreme else ""
    return f"Values exceed the range of float64{with_kernel}; {what}rescale the data."


def _moderate(size: float) -> bool:
    return 1 / _EXTREME <= size <= _EXTREME
