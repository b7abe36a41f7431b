"""What parameters that many estimators have may be."""

from numbers import Integral, Real
from typing import Any

from sklearn.utils._param_validation import Interval, StrOptions

from mercer.kernels import Kernel

__all__ = ["constraints"]

_SHARED: dict[str, list[Any]] = {
    "kernel": [str, callable, Kernel],
    "gamma": [StrOptions({"scale", "auto"}), Interval(Real, 0.0, None, closed="left"), None],
    "degree": [Interval(Real, 0, None, closed="left")],
    "coef0": [Interval(Real, None, None, closed="neither")],
    "kernel_params": [dict, None],
    "fit_intercept": ["boolean"],
    "tol": [Interval(Real, 0.0, None, closed="left")],
    "max_iter": [Interval(Integral, 1, None, closed="left")],
    "random_state": ["random_state"],
    "n_jobs": [Integral, None],
}


def constraints(*shared: str, **own: list[Any]) -> dict[str, list[Any]]:
    """``_parameter_constraints`` of an estimator: kernel, gamma, degree, coef0, n_jobs, those named, and its own.

    >>> sorted(constraints("tol", alpha=["no_validation"]))
    ['alpha', 'coef0', 'degree', 'gamma', 'kernel', 'n_jobs', 'tol']
    """
    names = ("kernel", "gamma", "degree", "coef0", "n_jobs", *shared)
    return {**{name: _SHARED[name] for name in names}, **own}
