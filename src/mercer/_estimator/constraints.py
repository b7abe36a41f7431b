"""Shared parameter constraints."""

from numbers import Integral, Real
from typing import Any

from sklearn.utils._param_validation import Interval, StrOptions

from mercer._estimator.approximate import APPROXIMATION
from mercer.kernels import Kernel

__all__ = ["constraints"]

_AT_LEAST_ONE = Interval(Integral, 1, None, closed="left")
_NONNEGATIVE = Interval(Real, 0.0, None, closed="left")
_POSITIVE = Interval(Real, 0.0, None, closed="neither")

_TABLE: dict[str, list[Any]] = {
    "approximation": APPROXIMATION,
    "C": [Interval(Real, 0.0, None, closed="right")],
    "break_ties": ["boolean"],
    "cache_size": [_POSITIVE],
    "class_weight": [StrOptions({"balanced"}), dict, None],
    "coef0": [Interval(Real, None, None, closed="neither")],
    "decision_function_shape": [StrOptions({"ovr", "ovo"})],
    "degree": [_NONNEGATIVE],
    "epsilon": [_NONNEGATIVE],
    "fit_intercept": ["boolean"],
    "gamma": [StrOptions({"scale", "auto"}), _NONNEGATIVE, None],
    "kernel": [str, callable, Kernel],
    "kernel_params": [dict, None],
    "max_iter": [_AT_LEAST_ONE],
    "multi_class": [StrOptions({"ovo", "ovr", "crammer_singer"})],
    "n_clusters": [_AT_LEAST_ONE],
    "n_components": [_AT_LEAST_ONE, None],
    "n_jobs": [Integral, None],
    "n_neighbors": [_AT_LEAST_ONE],
    "nu": [Interval(Real, 0.0, 1.0, closed="right")],
    "polish": ["boolean", StrOptions({"auto"})],
    "probability": ["boolean", StrOptions({"deprecated"})],
    "random_state": ["random_state"],
    "shrinking": ["boolean"],
    "shuffle": ["boolean"],
    "tol": [_NONNEGATIVE],
    "verbose": ["verbose"],
    "warm_start": ["boolean"],
}
_EVERYWHERE = ("kernel", "gamma", "degree", "coef0", "n_jobs")


def constraints(*shared: str, **own: list[Any]) -> dict[str, list[Any]]:
    """``_parameter_constraints`` of an estimator.

    Parameters
    ----------
    *shared : str
        Names of parameters with constraints in the shared table. "kernel", "gamma", "degree", "coef0" and "n_jobs" are
        always included.
    **own : list
        Constraints of other parameters, and those that differ from the table.

    Returns
    -------
    dict
        Constraints by parameter name.

    Examples
    --------
    >>> sorted(constraints("tol", alpha=["no_validation"]))
    ['alpha', 'coef0', 'degree', 'gamma', 'kernel', 'n_jobs', 'tol']
    """
    return {name: _TABLE[name] for name in (*_EVERYWHERE, *shared) if name not in own} | own
