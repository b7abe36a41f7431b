"""What users pass as ``kernel=``, as a kernel."""

from functools import lru_cache, partial
from typing import Any, Literal

from mercer._validation import describe
from mercer.kernels import RBF, Chi2, Constant, Kernel, Laplacian, NegativeChi2, Polynomial, Sigmoid

__all__ = ["as_kernel", "default_width", "meant_kernel"]


def meant_kernel(estimator: Any, *, by: Literal["pair", "block"]) -> Kernel | None:
    """What `kernel`, `gamma`, `degree`, `coef0` and `kernel_params` of an estimator mean; None: "precomputed".

    Those after `kernel` complete a kernel that is given by one of scikit-learn's names, as far as the estimator has
    them; ``gamma=None`` is scikit-learn's default for the name: 1 for "chi2", else 1/n_features. `kernel_params` are
    keyword arguments of a function. A kernel object and the text form say all themselves.

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
        case "additive_chi2" if hasattr(estimator, "kernel_params"):  # scikit-learn's, where it has the estimator
            return NegativeChi2()
        case function if callable(function) and not isinstance(function, Kernel):
            options = getattr(estimator, "kernel_params", None) or {}
            function = partial(function, **options) if options else function
            return as_kernel(function, who=type(estimator).__name__, by=by)
        case other:
            return as_kernel(other, who=type(estimator).__name__)


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
