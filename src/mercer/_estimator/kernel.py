"""What users pass as ``kernel=``, as a kernel."""

from functools import cache, lru_cache, partial
from inspect import signature
from typing import Any, Literal

from mercer._estimator.warn import warn
from mercer._validation import describe
from mercer.exceptions import UnusedParameterWarning
from mercer.kernels import RBF, Chi2, Constant, Kernel, Laplacian, NegativeChi2, Polynomial, Sigmoid, User

__all__ = ["as_kernel", "default_width", "meant_kernel"]


_COMPLETING = ("gamma", "degree", "coef0", "kernel_params")  # parameters of estimators that complete a name
_NAMES = ("linear", "cosine", "precomputed")  # scikit-learn's names that need none of them


def meant_kernel(estimator: Any, *, by: Literal["pair", "block"]) -> Kernel | None:
    """The kernel that `kernel`, `gamma`, `degree`, `coef0` and `kernel_params` of an estimator describe.

    A string that is one of scikit-learn's names means scikit-learn's function, completed by the other parameters as far
    as the estimator has them; ``gamma=None`` is scikit-learn's default for the name: 1 for "chi2", else 1/n_features.
    Any other string is the text form. `kernel_params` are keyword arguments of a function. The page
    docs/kernel-names.md has a table of all names.

    Parameters
    ----------
    estimator : estimator
        With a parameter `kernel`.
    by : {"pair", "block"}
        Whether the estimator calls a function with two samples or with two sets of samples.

    Returns
    -------
    Kernel or None
        None for "precomputed".

    Warns
    -----
    UnusedParameterWarning
        If one of the other parameters is set but not read: kernel objects, the text form and functions have their own.

    Examples
    --------
    >>> from mercer.svm import SVC
    >>> meant_kernel(SVC(kernel="poly", degree=2, coef0=1.0), by="block")
    Polynomial(degree=2, gamma='scale', coef0=1.0)
    """
    gamma, coef0 = getattr(estimator, "gamma", "scale"), getattr(estimator, "coef0", 0.0)
    width: Any = "auto" if gamma is None else gamma
    match estimator.kernel:
        case "precomputed":
            return None
        case "rbf":
            return RBF(gamma=width) if width != 0 else Constant(1.0)
        case "poly" | "polynomial":
            degree = getattr(estimator, "degree", 3)
            return Polynomial(degree=degree, gamma=width, coef0=coef0) if degree != 0 else Constant(1.0)
        case "sigmoid":
            return Sigmoid(gamma=width, coef0=coef0)
        case "laplacian":
            return Laplacian(gamma=width)
        case "chi2":
            return Chi2(gamma=gamma if isinstance(gamma, float | int) else 1.0)
        case "additive_chi2":  # scikit-learn's; AdditiveChi2() is the text "additive_chi2()"
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
    """Warn about parameters that differ from their default and are not read with what was given as kernel."""
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
    """Find the kernel that a ``kernel=`` parameter means.

    Parameters
    ----------
    value : Kernel, str, callable or None
        A text such as ``"rbf(gamma=0.1) + linear"``; a function of the user; None for the default.
    who : str
        The estimator, for messages.
    default : Kernel, optional
        What None means; ``RBF()`` if not given.
    by : {"pair", "block"}
        Whether a function takes two samples or two sets of samples.

    Notes
    -----
    ``"precomputed"`` is not a kernel: estimators that take a Gram matrix handle it before.

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
        return User(value, by, caller=who)
    raise TypeError(
        f"{who}: parameter kernel must be a kernel, its text form or a function, got "
        f"{describe(value)}; e.g. mercer.kernels.RBF() or 'rbf(gamma=0.1)'."
    )


def default_width(estimator: Any, kernel: Kernel, X: Any) -> Kernel:
    """The kernel with scikit-learn's 1/n_features where "laplacian" came without a gamma; else as it is.

    Other kernels of an unsquared distance, and this one by mercer's own names, take the root of that.
    """
    unset = isinstance(kernel, Laplacian) and estimator.kernel == "laplacian" and getattr(estimator, "gamma", 0) is None
    return kernel.with_params(gamma=1 / X.shape[1]) if unset else kernel


@lru_cache(maxsize=64)
def _from_text(text: str) -> Kernel:
    """Read a text once: tags ask for its kernel again and again. A kernel is a value, so it may be shared."""
    from mercer.kernels.text import kernel

    return kernel(text)
