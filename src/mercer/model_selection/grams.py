"""Gram matrices from kernels with samples, text forms, operators and arrays."""

from collections.abc import Sequence
from typing import Any

from mercer._typing import Data, DoubleArray
from mercer._validation import describe
from mercer.kernels import RBF, Kernel
from mercer.operators import GramOperator, OperatorStack, PrecomputedOperator, gram

__all__ = ["check_kernels", "gram_operator", "is_kernel", "kernel_or_default", "stack_of"]


def is_kernel(kernel: Any) -> bool:
    """Whether the argument is a kernel or its text form, which needs samples, and not a Gram matrix."""
    return isinstance(kernel, (Kernel, str))


def kernel_or_default(kernel: Any) -> Any:
    """Return the given kernel; for None the Gaussian kernel whose width is the median of the distances."""
    return RBF(gamma="median") if kernel is None else kernel


def gram_operator(who: str, kernel: Any, X: Data, n_jobs: int | None, *, name: str = "X") -> GramOperator:
    """Return the symmetric Gram matrix of a kernel on samples, or the given Gram matrix.

    Parameters
    ----------
    who : str
        Name in error messages.
    kernel : Kernel, str, GramOperator or array of shape (n, n)
        Kernel, its text form, or a Gram matrix, for which X is not used.
    X : data
        Samples for a kernel.
    n_jobs : int or None
        Number of threads.
    name : str, default="X"
        Name of the samples in error messages.

    Returns
    -------
    GramOperator
        Symmetric operator.
    """
    if isinstance(kernel, GramOperator):
        operator = kernel
    elif is_kernel(kernel):
        if X is None:
            raise TypeError(
                f"{who}: the kernel {kernel} needs the samples {name}, got None; pass samples, or a Gram matrix."
            )
        operator = gram(kernel, X, materialize="auto", n_jobs=n_jobs)
    else:
        operator = PrecomputedOperator(kernel)
    if not operator.symmetric:
        raise ValueError(
            f"{who}: a Gram matrix must be symmetric, got {operator!r}; pass (K + K.T)/2 to symmetrise it."
        )
    return operator


def check_kernels(who: str, kernels: Any) -> Sequence[Any]:
    """Return a list of at least one kernel or matrix."""
    if isinstance(kernels, (str, Kernel, GramOperator)) or len(kernels) == 0:
        raise TypeError(f"{who}: kernels must be a list of at least one kernel or matrix, got {describe(kernels)}.")
    return kernels  # type: ignore[no-any-return]


def stack_of(
    who: str, kernels: Sequence[Any], X: Data, n_jobs: int | None, factor: DoubleArray | None = None
) -> OperatorStack:
    """Return the stack of operators, after checking that they and the target have the same samples."""
    grams = [gram_operator(who, kernel, X, n_jobs) for kernel in kernels]
    n = grams[0].shape[0] if factor is None else len(factor)
    for K in grams:
        if K.shape[0] != n:
            raise ValueError(
                f"{who}: expected Gram matrices of {n} x {n} samples, got {K!r}; kernels and target must have the same "
                "samples."
            )
    return OperatorStack(grams)
