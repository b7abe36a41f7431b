"""Warnings with the line number of the user's call."""

import sys
import warnings

from sklearn.exceptions import ConvergenceWarning

__all__ = ["warn"]


def warn(text: str, category: type[Warning] = ConvergenceWarning) -> None:
    """Warn at the line of the user's call, at any depth of the stack inside mercer and scikit-learn."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] in ("mercer", "sklearn"):
        level, frame = level + 1, frame.f_back
    warnings.warn(text, category, stacklevel=level)
