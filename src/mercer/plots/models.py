"""Last steps, components and Gram matrices of fitted models."""

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from mercer._estimator import KernelEstimator
from mercer._typing import Data
from mercer._validation import as_dense, check_integer, describe
from mercer.kernels import Kernel
from mercer.operators import GramOperator, PrecomputedOperator, gram

__all__ = ["chosen_components", "gram_of", "last_step", "symmetric"]


def last_step(model: Any, X: Data = None) -> tuple[Any, Data]:
    """Estimator at the end of pipelines and searches, and X transformed by the steps before it (None stays None)."""
    check_is_fitted(model)
    while True:
        if hasattr(model, "best_estimator_"):
            model = model.best_estimator_
        elif hasattr(model, "preparer_") and hasattr(model, "model_"):  # models of mercer.auto
            X = None if X is None else model.preparer_.transform(X)
            model = model.model_
        elif isinstance(model, Pipeline):
            X = X if X is None or len(model) == 1 else model[:-1].transform(X)
            model = model[-1]
        else:
            return model, X


def chosen_components(who: str, components: Any, n: int, most: int) -> list[int]:
    """Indices of the requested components among n; None means the first `most`."""
    if components is None:
        return list(range(min(n, most)))
    wanted = [components] if np.ndim(components) == 0 else list(components)
    return [check_integer(who, "components", j, low=0, high=n - 1) for j in wanted]


def gram_of(who: str, model: Any, X: Data) -> tuple[GramOperator, Kernel | None]:
    """Gram matrix of X under the kernel of a fitted model, and the kernel; None if X is the Gram matrix."""
    estimator, X = last_step(model, X)
    kernel = getattr(estimator, "kernel_", False)
    if kernel is None:
        return symmetric(who, X), None
    if not isinstance(kernel, Kernel):
        raise TypeError(
            f"{who}: got {describe(estimator)}, expected a fitted model with a kernel; use from_kernel or from_matrix."
        )
    samples = estimator._check_new(kernel, X) if isinstance(estimator, KernelEstimator) else X
    return gram(kernel, samples), kernel


def symmetric(who: str, K: Any) -> GramOperator:
    """Convert a Gram matrix to an operator; raise ValueError unless it is square and symmetric."""
    if not isinstance(K, GramOperator) and not sp.issparse(K):  # PrecomputedOperator rejects sparse matrices
        K = as_dense(who, K, name="K")
        if K.ndim != 2 or K.shape[0] != K.shape[1]:
            raise ValueError(f"{who}: got {describe(K)}, expected a square Gram matrix of all pairs of samples.")
    operator = K if isinstance(K, GramOperator) else PrecomputedOperator(K)
    if not operator.symmetric:
        raise ValueError(
            f"{who}: K is not symmetric, but a Gram matrix must be; pass (K + K.T)/2 to use its symmetric part."
        )
    return operator
