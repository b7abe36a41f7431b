"""What users pass as ``kernel=``, as a kernel."""

from functools import lru_cache
from typing import Any, Literal

from mercer._validation import describe
from mercer.kernels import RBF, Kernel

__all__ = ["as_kernel"]


def as_kernel(value: Any, *, who: str, default: Kernel | None = None, by: Literal["pair", "block"] = "block") -> Kernel:
    """Find the kernel that a ``kernel=`` parameter means.

    Parameters
    ----------
    value : Kernel, str, callable or None
        A text such as ``"rbf(gamma=0.1) + linear"`` or one of scikit-learn's names; a function of
        the user; None for the default.
    who : str
        The estimator, for messages.
    default : Kernel, optional
        What None means; ``RBF()`` if not given.
    by : {"pair", "block"}
        Whether a function takes two samples or two sets of samples.

    Notes
    -----
    ``"precomputed"`` is no kernel: estimators that take a Gram matrix handle it before.

    Examples
    --------
    >>> as_kernel("poly", who="SVC") == as_kernel("polynomial", who="SVC")
    True
    >>> as_kernel(None, who="SVC")
    RBF(gamma='scale')
    """
    if isinstance(value, Kernel):
        return value
    if value is None:
        return RBF() if default is None else default
    if isinstance(value, str):
        if value == "precomputed":
            raise ValueError(f"{who}: kernel='precomputed' is not supported here; pass a kernel and the data.")
        return _from_text(value)
    if callable(value) and not isinstance(value, type):
        from mercer.kernels.user import user

        return user(pair=value) if by == "pair" else user(block=value)
    raise TypeError(
        f"{who}: parameter kernel must be a kernel, its text form or a function, got "
        f"{describe(value)}; e.g. mercer.kernels.RBF() or 'rbf(gamma=0.1)'."
    )


@lru_cache(maxsize=64)
def _from_text(text: str) -> Kernel:
    """Read a text once: tags ask for its kernel again and again. A kernel is a value, so it may be shared."""
    from mercer.kernels.text import kernel

    return kernel(text)
