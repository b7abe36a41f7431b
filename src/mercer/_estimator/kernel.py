"""Conversion of the ``kernel=`` parameter to a kernel object."""

from functools import cache, lru_cache, partial
from inspect import signature
from typing import Any, Literal

from mercer._estimator.warn import warn
from mercer._validation import describe
from mercer.exceptions import UnusedParameterWarning
from mercer.kernels import RBF, Chi2, Constant, Kernel, Laplacian, NegativeChi2, Polynomial, Sigmoid, User

__all__ = ["as_kernel", "default_width", "meant_kernel"]


_COMPLETING = ("gamma", "degree", "coef0", "kernel_params")  # parameters that complete a kernel name
_NAMES = ("linear", "cosine", "precomputed")  # names that need none of them


def meant_kernel(estimator: Any, *, by: Literal["pair", "block"]) -> Kernel | None:
    """Kernel described by `kernel`, `gamma`, `degree`, `coef0` and `kernel_params` of an estimator.

    A string that is one of scikit-learn's names means scikit-learn's function, completed by the other parameters that
    the estimator has; ``gamma=None`` is scikit-learn's default for the name: 1 for "chi2", otherwise 1/n_features.
    ``degree=None`` is 3 and ``coef0=None`` is 1. Any other string is the text form. `kernel_params` are keyword
    arguments of a function. The page :ref:`kernel-names` has a table of all names.

    Parameters
    ----------
    estimator : estimator
        Estimator with a parameter `kernel`.
    by : {"pair", "block"}
        Whether the estimator calls a function with two samples or with two sets of samples.

    Returns
    -------
    Kernel or None
        None for "precomputed".

    Warns
    -----
    UnusedParameterWarning
        If one of the other parameters is set but not used: kernel objects, the text form and functions have their own.

    Examples
    --------
    >>> from mercer.svm import SVC
    >>> meant_kernel(SVC(kernel="poly", degree=2, coef0=1.0), by="block")
    Polynomial(degree=2, gamma='scale', coef0=1.0)
    """
    gamma, coef0 = getattr(estimator, "gamma", "scale"), getattr(estimator, "coef0", 0.0)
    coef0 = 1.0 if coef0 is None else coef0
    width: Any = "auto" if gamma is None else gamma
    match estimator.kernel:
        case "precomputed":
            return None
        case "rbf":
            return RBF(gamma=width) if width != 0 else Constant(1.0)
        case "poly" | "polynomial":
            degree = 3 if (given := getattr(estimator, "degree", None)) is None else given
            return Polynomial(degree=degree, gamma=width, coef0=coef0) if degree != 0 else Constant(1.0)
        case "sigmoid":
            return Sigmoid(gamma=width, coef0=coef0)
        case "laplacian":
            return Laplacian(gamma=width)
        case "chi2":
            return Chi2(gamma=gamma if isinstance(gamma, float | int) else 1.0)
        case "additive_chi2":  # scikit-learn's kernel; the text form "additive_chi2()" is AdditiveChi2()
            return NegativeChi2()
        case function if callable(function) and not isinstance(function, Kernel):
            _warn_unused(estimator, _COMPLETING[:-1], "a function")
            options = getattr(estimator, "kernel_params", None) or {}
            function = partial(function, **options) if options else function
            return as_kernel(function, who=type(estimator).__name__, by=by)
        case other:
            kernel = as_kernel(other, who=type(estimator).__name__)
            if not isinstance(other, str) or other not in _NAMES:
                given = f"the text form {other!r}" if isinstance(other, str) else f"the kernel {kernel}"
                _warn_unused(estimator, _COMPLETING, given)
            return kernel


def _warn_unused(estimator: Any, names: tuple[str, ...], given: str) -> None:
    """Warn about parameters that differ from their default and have no effect with the given kernel."""
    cls: Any = type(estimator)
    defaults = _defaults(cls)
    values = {name: getattr(estimator, name, None) for name in names if name in defaults}
    unused = [name for name, value in values.items() if value is not None and not _equal(value, defaults[name])]
    if unused:
        who = type(estimator).__name__
        listed = " and ".join(f"{name}={values[name]!r}" for name in unused)
        instead = "bind arguments with functools.partial" if given == "a function" else "write them into the kernel"
        warn(
            f"{who}: {listed} {'is' if len(unused) == 1 else 'are'} not used with {given}, which has its own "
            f"parameters; {instead}, or leave {', '.join(unused)} at the default.",
            UnusedParameterWarning,
        )


@cache
def _defaults(cls: type) -> dict[str, Any]:
    return {name: parameter.default for name, parameter in signature(cls).parameters.items() if name in _COMPLETING}


def _equal(value: Any, default: Any) -> bool:
    """Whether a parameter is at its default; arrays never are."""
    return type(value) in (int, float, str, dict) and bool(value == default)


def as_kernel(value: Any, *, who: str, default: Kernel | None = None, by: Literal["pair", "block"] = "block") -> Kernel:
    """Convert the value of a ``kernel=`` parameter to a kernel.

    Parameters
    ----------
    value : Kernel, str, callable or None
        A kernel; its text form, such as ``"rbf(gamma=0.1) + linear"``; a function; or None for the default.
    who : str
        Name of the estimator, for messages.
    default : Kernel, default=None
        Kernel that a `value` of None means; None stands for ``RBF()``.
    by : {"pair", "block"}, default="block"
        Whether a function takes two samples or two sets of samples.

    Returns
    -------
    Kernel
        The kernel.

    Notes
    -----
    ``"precomputed"`` is not a kernel: estimators that take a Gram matrix handle it before.

    Examples
    --------
    >>> as_kernel("poly", who="SVC")
    Polynomial(degree=3, gamma=1.0, coef0=1.0)
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
        return User(value, by, caller=who)
    raise TypeError(
        f"{who}: parameter kernel must be a kernel, its text form or a function, got "
        f"{describe(value)}; e.g. mercer.kernels.RBF() or 'rbf(gamma=0.1)'."
    )


def default_width(estimator: Any, kernel: Kernel, X: Any) -> Kernel:
    """Kernel with scikit-learn's gamma = 1/n_features if "laplacian" was given without gamma; others unchanged.

    Other kernels of an unsquared distance, and the Laplacian kernel as an object or in text form, use the square root
    of it.
    """
    unset = isinstance(kernel, Laplacian) and estimator.kernel == "laplacian" and getattr(estimator, "gamma", 0) is None
    return kernel.with_params(gamma=1 / X.shape[1]) if unset else kernel


@lru_cache(maxsize=64)
def _from_text(text: str) -> Kernel:
    """Parse a text once, since tags need its kernel often. Kernels are immutable, so the result can be shared."""
    from mercer.kernels.text import kernel

    return kernel(text)
