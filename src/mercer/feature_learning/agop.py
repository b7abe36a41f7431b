"""Average gradient outer product of a kernel expansion, and the rotation of columns that it gives."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from mercer._runtime.products import inner_products
from mercer._runtime.spectra import eigh
from mercer._typing import DoubleArray
from mercer._validation import as_doubles, check_vector, check_vectors, describe
from mercer.data import n_samples
from mercer.data.convert import unnamed
from mercer.kernels import Kernel
from mercer.kernels.algebra import check_kernel_part

__all__ = ["agop", "gradients", "rotation"]


def agop(
    kernel: Kernel,
    X: Any,
    coef: Any,
    at: Any = None,
    *,
    sample_weight: Any = None,
    n_jobs: int | None = None,
) -> DoubleArray:
    """Average gradient outer product Σ_i s_i Σ_t ∇f_t(x_i) ∇f_t(x_i)ᵀ / Σ_i s_i of functions f_t = Σ_j c_jt k(·, x_j).

    Parameters
    ----------
    kernel : Kernel
        Differentiable kernel without data-dependent parameters.
    X : array-like of shape (n_samples, n_features)
        Samples x_j of the expansion.
    coef : array-like of shape (n_samples,) or (n_samples, n_outputs)
        Coefficients c_jt.
    at : array-like of shape (n_points, n_features), default=None
        Points x_i at which the gradients are computed. None means X.
    sample_weight : array-like of shape (n_points,), default=None
        Weights s_i of the points. None: ones.
    n_jobs : int, default=None
        Number of threads. None: all available cores.

    Returns
    -------
    ndarray of shape (n_features, n_features)
        Symmetric positive semidefinite matrix. Rows and columns of categories are zero.

    Raises
    ------
    NoGradientError
        If the kernel is not differentiable in its first argument.

    See Also
    --------
    rotation : Directions in which the functions vary most.
    RecursiveFeatureMachine : Metric that is learned by repeating this.
    mercer.kernels.Kernel.gradient : The gradients.

    References
    ----------
    * Radhakrishnan, Beaglehole, Pandit and Belkin, Mechanism for feature learning in neural networks and
      backpropagation-free machine learning models, Science 383, 2024.

    Examples
    --------
    The function varies along the first column only:

    >>> import numpy as np
    >>> from mercer.feature_learning import agop
    >>> from mercer.kernels import Linear
    >>> agop(Linear(), [[1.0, 0.0], [2.0, 0.0]], [1.0, 1.0])
    array([[9., 0.],
           [0., 0.]])
    """
    values, weight = gradients("agop", kernel, X, coef, at, sample_weight, n_jobs)
    flat = (np.sqrt(weight)[:, None, None] * values).transpose(0, 2, 1).reshape(-1, values.shape[1])
    with np.errstate(over="ignore", invalid="ignore"):
        found = np.asarray(inner_products(np.ascontiguousarray(flat)))
    if not np.isfinite(found).all():
        raise ValueError(
            f"agop: products of the gradients of {kernel} overflow, as these are as large as {np.abs(flat).max():.2g}; "
            "rescale the features or coef."
        )
    return found


def gradients(
    who: str, kernel: Kernel, X: Any, coef: Any, at: Any, sample_weight: Any, n_jobs: int | None
) -> tuple[DoubleArray, DoubleArray]:
    """Gradients of shape (n_points, n_features, n_outputs), and weights of the points with sum 1."""
    kernel = check_kernel_part(who, "kernel", kernel)
    samples = check_vectors(who, as_doubles(who, X, name="X"))
    points = samples if at is None else check_vectors(who, as_doubles(who, at, name="at"), name="at")
    coef = as_doubles(who, coef, name="coef")
    coef = coef[:, None] if coef.ndim == 1 else coef
    n = n_samples(points)
    weight = np.ones(n) if sample_weight is None else check_vector(who, "sample_weight", sample_weight, n)
    if (weight < 0).any() or not weight.sum() > 0:
        raise ValueError(f"{who}: sample_weight must not be negative, and not all zero, got a sum of {weight.sum():g}.")
    return kernel.gradient(points, samples, coef, n_jobs=n_jobs), weight / weight.sum()


def rotation(
    kernel: Kernel,
    X: Any,
    coef: Any,
    *,
    columns: Sequence[int] | None = None,
    sample_weight: Any = None,
    n_jobs: int | None = None,
) -> DoubleArray:
    """Directions in which a kernel expansion varies, scaled by how much it does.

    The columns of ``X[:, columns] @ rotation(...)`` are new features, in which weights of columns can be learned again.

    Parameters
    ----------
    kernel : Kernel
        Differentiable kernel without data-dependent parameters, such as `kernel_` of `LeaveOneOutWeights`.
    X : array-like of shape (n_samples, n_features)
        Samples of the expansion.
    coef : array-like of shape (n_samples,) or (n_samples, n_outputs)
        Dual coefficients of the expansion.
    columns : sequence of int, default=None
        Numerical columns to rotate. None: all columns.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the samples in the average. None: ones.
    n_jobs : int, default=None
        Number of threads. None: all available cores.

    Returns
    -------
    ndarray of shape (n_columns, n_columns)
        Eigenvectors v of the average gradient outer product as columns, each times √(λ/λ_max), in decreasing order of
        the eigenvalues λ. The entry of largest absolute value of each eigenvector is positive.

    Raises
    ------
    ValueError
        If the gradient is zero everywhere.

    See Also
    --------
    agop : The matrix whose eigenvectors these are.

    Examples
    --------
    A function of x₁ + x₂ has one direction:

    >>> import numpy as np
    >>> from mercer.feature_learning import rotation
    >>> from mercer.kernels import Linear
    >>> rotation(Linear(), [[1.0, 1.0], [2.0, 2.0]], [1.0, 1.0]).round(4) + 0.0
    array([[0.7071, 0.    ],
           [0.7071, 0.    ]])
    """
    M = agop(kernel, X, coef, sample_weight=sample_weight, n_jobs=n_jobs)
    if columns is not None:
        chosen = unnamed("rotation", X, len(M), columns)
        if len(set(chosen)) < len(chosen):
            raise ValueError(f"rotation: columns must be distinct, got {describe(columns)}.")
        M = M[np.ix_(chosen, chosen)]
    values, vectors = eigh(np.array(M, order="F"))
    values = np.maximum(values[::-1], 0.0)
    if not values.size or not values[0] > 0:
        raise ValueError(
            f"rotation: the gradient of the expansion is zero in {describe(M)}; expected a function that varies with "
            "the numerical columns."
        )
    vectors = vectors[:, ::-1]
    largest = np.abs(vectors).argmax(axis=0)
    sign = np.sign(vectors[largest, np.arange(len(M))])
    small = values < np.finfo(float).eps * len(M) * values[0]
    return np.asarray(vectors * (sign * np.sqrt(np.where(small, 0.0, values) / values[0])))
