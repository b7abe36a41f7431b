"""What the parameters of the family may be: one table, from which every machine takes its own."""

from numbers import Integral, Real
from typing import Any

from sklearn.utils._param_validation import Interval, StrOptions

from mercer.kernels import Kernel

__all__ = ["CONSTRAINTS"]

CONSTRAINTS: dict[str, list[Any]] = {
    "C": [Interval(Real, 0.0, None, closed="right")],
    "break_ties": ["boolean"],
    "cache_size": [Interval(Real, 0, None, closed="neither")],
    "class_weight": [StrOptions({"balanced"}), dict, None],
    "coef0": [Interval(Real, None, None, closed="neither")],
    "decision_function_shape": [StrOptions({"ovr", "ovo"})],
    "degree": [Interval(Integral, 0, None, closed="left")],
    "epsilon": [Interval(Real, 0.0, None, closed="left")],
    "gamma": [StrOptions({"scale", "auto"}), Interval(Real, 0.0, None, closed="left")],
    "kernel": [str, callable, Kernel],
    "max_iter": [Interval(Integral, -1, None, closed="left")],
    "multi_class": [StrOptions({"ovo", "ovr", "crammer_singer"})],
    "n_jobs": [Integral, None],
    "nu": [Interval(Real, 0.0, 1.0, closed="right")],
    "polish": ["boolean", StrOptions({"auto"})],
    "probability": ["boolean", StrOptions({"deprecated"})],
    "random_state": ["random_state"],
    "shrinking": ["boolean"],
    "tol": [Interval(Real, 0.0, None, closed="neither")],
    "verbose": ["verbose"],
    "warm_start": ["boolean"],
}
