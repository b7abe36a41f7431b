"""Tensor sketches: random features of polynomial kernels."""

from dataclasses import dataclass
from typing import Any, final

import numpy as np
import scipy.sparse as sp

from mercer._runtime.limits import require_memory
from mercer._typing import Data, DoubleArray, FloatArray, IndexArray
from mercer._validation import check_integer, check_vectors, describe, generator
from mercer._words import one_word
from mercer.kernels import Polynomial
from mercer.operators.base import MEMORY_BUDGET
from mercer.operators.tiles import panels

__all__ = ["TensorSketch", "tensor_sketch"]


@final
@dataclass(frozen=True, eq=False)
class TensorSketch:
    """Random features φ with E⟨φ(x), φ(z)⟩ = (γ⟨x, z⟩ + c)^d. `tensor_sketch` creates it.

    The features are the circular convolution of d count sketches of the vector (√γ x, √c), computed by Fourier
    transforms.

    Parameters
    ----------
    hashes : ndarray of shape (d, n_features + 1)
        Component to which each sketch adds each entry of (√γ x, √c).
    signs : ndarray of shape (d, n_features + 1)
        Signs with which it is added, 1 or -1.
    gamma : float
        Factor γ.
    coef0 : float
        Constant c.
    n_components : int
        Number of features.

    See Also
    --------
    tensor_sketch : Draw the hashes and signs for a kernel.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.approximation import TensorSketch
    >>> sketch = TensorSketch(np.array([[0, 1], [1, 1]]), np.ones((2, 2)), 1.0, 1.0, 3)
    >>> sketch.features([[2.0]]).round(9)  # (2, 1, 0) convolved with (0, 3, 0)
    array([[0., 6., 3.]])
    """

    hashes: IndexArray
    signs: DoubleArray
    gamma: float
    coef0: float
    n_components: int

    def features(self, X: Data) -> FloatArray:
        """Compute the features of samples in blocks of rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            Features; of type float32 if X is.
        """
        X = check_vectors("TensorSketch", X)
        n, D, m = X.shape[0], self.hashes.shape[1] - 1, self.n_components
        if X.shape[1] != D:
            raise ValueError(f"TensorSketch: X has {X.shape[1]} features, but the sketch was drawn for {D}.")
        require_memory(
            X.dtype.itemsize * n * m,
            what=f"TensorSketch: {n} x {m} features",
            instead="Use fewer features, or transform fewer samples at a time.",
        )
        out = np.empty((n, m), dtype=X.dtype)
        for rows in panels(n, max(1, MEMORY_BUDGET // (32 * m))):
            transform: Any = 1.0
            for matrix, constant in self._sketches(X.dtype):
                sketch = X[rows] @ matrix
                transform = transform * np.fft.rfft((sketch.toarray() if sp.issparse(sketch) else sketch) + constant)
            out[rows] = np.fft.irfft(transform, n=m)
        return out

    def _sketches(self, dtype: Any) -> list[tuple[Any, FloatArray]]:
        """Each count sketch as a matrix for √γ x and a vector for √c."""
        D, m, found = self.hashes.shape[1] - 1, self.n_components, []
        for places, signs in zip(self.hashes, self.signs, strict=True):
            values = (np.sqrt(self.gamma) * signs[:D]).astype(dtype)
            constant = np.zeros(m, dtype=dtype)
            constant[places[D]] = np.sqrt(self.coef0) * signs[D]
            found.append((sp.csr_array((values, (np.arange(D), places[:D])), shape=(D, m)), constant))
        return found


@one_word
def tensor_sketch(kernel: Polynomial, n_features: int, n_components: int, *, random_state: Any = None) -> TensorSketch:
    """Draw a tensor sketch for a polynomial kernel.

    Parameters
    ----------
    kernel : Polynomial
        Kernel (γ⟨x, z⟩ + c)^d with numbers γ ≥ 0 and c ≥ 0.
    n_features : int
        Number of features of the samples.
    n_components : int
        Number of random features.
    random_state : int, Generator, RandomState or None, default=None
        Seed of the hashes and signs.

    Returns
    -------
    TensorSketch
        Map from samples to features.

    Raises
    ------
    ValueError
        If the kernel is not polynomial, or its parameters are negative or not numbers.

    See Also
    --------
    TensorSketch : The result.
    mercer.kernel_approximation.PolynomialSketch : Transformer for pipelines.
    nystroem : Approximation from landmarks, for any kernel.

    Notes
    -----
    The cost is O(d (nnz(x) + m log m)) for a sample x and m features, independent of the number of monomials.

    References
    ----------
    * Pham and Pagh, *Fast and scalable polynomial kernels via explicit feature maps*, KDD 2013.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.approximation import tensor_sketch
    >>> from mercer.kernels import Polynomial
    >>> X = np.random.default_rng(0).random((3, 20))
    >>> F = tensor_sketch(Polynomial(degree=2), 20, 1000, random_state=0).features(X)
    >>> (F @ F.T).round(1)
    array([[69.3, 44.2, 43.7],
           [44.2, 77.5, 34.9],
           [43.7, 34.9, 42.1]])
    >>> Polynomial(degree=2)(X).round(1)
    array([[69.2, 45.1, 43.7],
           [45.1, 77.9, 34.5],
           [43.7, 34.5, 41.7]])
    """
    who = "tensor_sketch"
    if not isinstance(kernel, Polynomial):
        raise ValueError(
            f"{who}: expected a Polynomial kernel, got {describe(kernel)}; use a Nyström approximation "
            "(mercer.kernel_approximation.Nystroem), which takes any kernel."
        )
    gamma = kernel.gamma
    if not isinstance(gamma, float):
        raise ValueError(f"{who}: gamma of {kernel} depends on the data; pass kernel.resolve(X).")
    if gamma < 0 or kernel.coef0 < 0:
        raise ValueError(f"{who}: gamma and coef0 must not be negative, got the kernel {kernel}.")
    shape = kernel.degree, check_integer(who, "n_features", n_features, low=1) + 1
    m = check_integer(who, "n_components", n_components, low=1)
    require_memory(
        24 * shape[0] * shape[1],
        what=f"{who}: hashes of degree {shape[0]} for {shape[1]} features",
        instead="Use a lower degree, or landmarks (mercer.kernel_approximation.Nystroem).",
    )
    rng = generator(who, random_state)
    return TensorSketch(rng.integers(m, size=shape), rng.choice([-1.0, 1.0], size=shape), gamma, kernel.coef0, m)
