"""Random Fourier features of shift-invariant kernels."""

from dataclasses import dataclass
from typing import Any, final

import numpy as np

from mercer._runtime.limits import require_memory
from mercer._typing import Data, DoubleArray, FloatArray, IndexArray
from mercer._validation import check_flag, check_integer, check_vectors, generator
from mercer._words import one_word
from mercer.approximation.spectral import Draw, spectral_terms
from mercer.kernels import Kernel
from mercer.kernels.algebra import check_kernel_part
from mercer.operators.base import MEMORY_BUDGET
from mercer.operators.tiles import panels

__all__ = ["FourierMap", "random_fourier"]


@final
@dataclass(frozen=True, eq=False)
class FourierMap:
    """Features a_j cos(⟨ω_j, x⟩ + b_j) and a_j sin(⟨ω_j, x⟩ + b_j) of random frequencies. `random_fourier` creates it.

    Parameters
    ----------
    frequencies : ndarray of shape (n_features, p)
        Frequencies ω_j.
    amplitudes : ndarray of shape (p,)
        Amplitudes a_j.
    offsets : ndarray of shape (p,)
        Offsets b_j.
    n_components : int
        Number of features: p cosines, then the sines of the first n_components − p frequencies.

    See Also
    --------
    random_fourier : Draw the frequencies of a kernel.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.approximation import FourierMap
    >>> FourierMap(np.array([[np.pi]]), np.ones(1), np.zeros(1), 2).features([[0.0], [0.5], [1.0]]).round(3)
    array([[ 1.,  0.],
           [ 0.,  1.],
           [-1.,  0.]])
    """

    frequencies: DoubleArray
    amplitudes: DoubleArray
    offsets: DoubleArray
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
            Cosines, then sines; of type float32 if X is.
        """
        X = check_vectors("FourierMap", X)
        (D, p), m = self.frequencies.shape, self.n_components
        if X.shape[1] != D:
            raise ValueError(f"FourierMap: X has {X.shape[1]} features, but the frequencies have {D}.")
        require_memory(
            X.dtype.itemsize * X.shape[0] * m,
            what=f"FourierMap: {X.shape[0]} x {m} features",
            instead="Use fewer features, or transform fewer samples at a time.",
        )
        W, a, b = (values.astype(X.dtype) for values in (self.frequencies, self.amplitudes, self.offsets))
        out = np.empty((X.shape[0], m), dtype=X.dtype)
        for rows in panels(X.shape[0], max(1, MEMORY_BUDGET // (16 * p))):
            phase = X[rows] @ W + b
            np.multiply(np.cos(phase), a, out=out[rows, :p])
            np.multiply(np.sin(phase[:, : m - p]), a[: m - p], out=out[rows, p:])
        return out


@one_word
def random_fourier(
    kernel: Kernel, n_features: int, n_components: int, *, orthogonal: bool = True, random_state: Any = None
) -> FourierMap:
    """Draw random Fourier features φ with E⟨φ(x), φ(z)⟩ = k(x, z) for a shift-invariant kernel.

    Parameters
    ----------
    kernel : Kernel
        `RBF`, `Laplacian`, `Exponential`, `Matern` or `RationalQuadratic` with a number or a vector as gamma, or sums,
        products and positive multiples of them and of positive constants.
    n_features : int
        Number D of features of the samples.
    n_components : int
        Number of random features: a cosine and a sine for each frequency. If it is odd, the last frequency has only a
        cosine, with a random offset.
    orthogonal : bool, default=True
        Whether the frequencies are orthogonal in groups of D, with the lengths of independent ones. This lowers the
        variance. The Laplacian kernel is not rotation-invariant, and its frequencies are always independent.
    random_state : int, Generator, RandomState or None, default=None
        Seed of the frequencies.

    Returns
    -------
    FourierMap
        Map from samples to features.

    Raises
    ------
    ValueError
        If the kernel is not shift-invariant, its parameters are not numbers, or there are fewer frequencies than
        terms of the kernel.

    See Also
    --------
    FourierMap : The result.
    mercer.kernel_approximation.RandomFourierFeatures : Transformer for pipelines.
    nystroem : Approximation from landmarks, for any kernel.

    Notes
    -----
    The error of a kernel value is O(1/√n_components), for any data and dimension. The terms of a sum share the
    frequencies in proportion to their weights.

    References
    ----------
    * Rahimi and Recht, *Random features for large-scale kernel machines*, NIPS 2007.
    * Yu, Suresh, Choromanski, Holtmann-Rice and Kumar, *Orthogonal random features*, NIPS 2016.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.approximation import random_fourier
    >>> from mercer.kernels import Matern
    >>> X = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0]])
    >>> F = random_fourier(Matern(gamma=1.0), 2, 2000, random_state=0).features(X)
    >>> (F @ F.T).round(2)
    array([[1.  , 0.46, 0.3 ],
           [0.46, 1.  , 0.47],
           [0.3 , 0.47, 1.  ]])
    >>> Matern(gamma=1.0)(X).round(2)
    array([[1.  , 0.48, 0.3 ],
           [0.48, 1.  , 0.48],
           [0.3 , 0.48, 1.  ]])
    """
    who = "random_fourier"
    kernel = check_kernel_part(who, "kernel", kernel)
    if not kernel.is_resolved:
        raise ValueError(f"{who}: the parameters of {kernel} depend on the data; pass kernel.resolve(X).")
    terms = spectral_terms(who, kernel)
    draw = Draw(
        generator(who, random_state),
        check_integer(who, "n_features", n_features, low=1),
        check_flag(who, "orthogonal", orthogonal),
    )
    m = check_integer(who, "n_components", n_components, low=1)
    p = (m + 1) // 2
    if p < len(terms):
        raise ValueError(
            f"{who}: n_components={m} must be at least {2 * len(terms) - 1}, one frequency for each of the "
            f"{len(terms)} terms of the kernel {kernel}."
        )
    # Directions, their lengths and the products of blocks are drawn before the frequencies are stacked.
    require_memory(
        24 * draw.n_features * p,
        what=f"{who}: drawing {p} frequencies of {draw.n_features} features",
        instead="Use fewer features, or landmarks (mercer.kernel_approximation.Nystroem).",
    )
    weights = np.array([term.weight for term in terms])
    shares = _shares(weights, p)
    frequencies = np.hstack([term.sample(draw, int(share)) for term, share in zip(terms, shares, strict=True)])
    amplitudes, offsets = np.repeat(np.sqrt(weights / shares), shares), np.zeros(p)
    if m % 2:  # E[2 cos(⟨ω, x⟩ + b) cos(⟨ω, z⟩ + b)] = cos ⟨ω, x − z⟩ for a uniform offset b
        amplitudes[-1] *= np.sqrt(2)
        offsets[-1] = draw.rng.uniform(0, 2 * np.pi)
    return FourierMap(frequencies, amplitudes, offsets, m)


def _shares(weights: DoubleArray, p: int) -> IndexArray:
    """Split p into positive integers in proportion to weights, by largest remainders."""
    exact = (p - len(weights)) * weights / weights.sum()
    shares: IndexArray = np.floor(exact).astype(np.int64) + 1
    rest = np.argsort(np.floor(exact) - exact, kind="stable")[: p - shares.sum()]
    shares[rest] += 1
    return shares
