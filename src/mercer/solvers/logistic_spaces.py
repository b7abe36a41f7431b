"""Representations of functions in which Newton's method for the logistic loss is carried out."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, Protocol, TypeAlias, final

import numpy as np
from numpy.linalg import LinAlgError
from scipy.linalg.blas import dsyrk

from mercer._runtime.factors import cholesky, solve_cholesky
from mercer._runtime.spectra import eigh
from mercer._typing import DoubleArray
from mercer.exceptions import NotPositiveDefiniteError
from mercer.operators.tiles import panels

__all__ = ["INDEFINITE", "SINGLE", "Coefficients", "Factor", "Inverse", "Primal", "Space"]

_EPS = float(np.finfo(np.float64).eps)
SINGLE = 1e-5  # relative size of negative eigenvalues that rounding to float32 explains
_PANEL = 256  # number of rows at a time
INDEFINITE = (
    "Logistic regression needs a positive semidefinite kernel matrix, but this one is not; raise alpha if that is due "
    "to rounding, or see mercer.kernels.repair."
)

Inverse: TypeAlias = Callable[[DoubleArray, DoubleArray], DoubleArray]


class Space(Protocol):
    """Representation of functions by vectors v with values Kc = `values`(v) and squared norm v·`metric`(v)."""

    alpha: float
    size: int
    peak: float  # maximum of |k(x_i, x_i)| before centring, to which rounding is relative
    scale: DoubleArray  # ‖φ(x_i)‖

    def values(self, v: DoubleArray) -> DoubleArray: ...

    def metric(self, v: DoubleArray) -> DoubleArray: ...

    def pull(self, g: DoubleArray) -> DoubleArray:
        """Return the gradient in this metric of a function of the values with the gradient g."""

    def inverse(self, w: DoubleArray, *, centred: bool) -> Inverse:
        """Return a function (r, metric r) → z with αz + pull(w̃ values(z)) = r; w̃ = diag(w), minus wwᵀ/Σw if centred."""

    def coefficients(self, v: DoubleArray, g: DoubleArray, rest: DoubleArray) -> DoubleArray:
        """Return the coefficients c for v, the gradient g of the loss and −`rest`, the gradient of the objective."""


@final
class Coefficients:
    """Representation v = c, for which values and metric are Kc."""

    def __init__(self, K: DoubleArray, alpha: float, peak: float) -> None:
        self._K, self.alpha, self.size, self.peak = K, alpha, len(K), peak
        self.scale = np.sqrt(np.maximum(K.diagonal(), 0.0))

    def values(self, v: DoubleArray) -> DoubleArray:
        return self._K @ v

    metric = values

    def pull(self, g: DoubleArray) -> DoubleArray:
        return g

    def inverse(self, w: DoubleArray, *, centred: bool) -> Inverse:
        root, alpha = np.sqrt(w)[:, None], self.alpha
        B = self._K * root
        B *= root.T
        factor = _cholesky(B, alpha)
        u = root * solve_cholesky(factor, root)

        def solve(R: DoubleArray, KR: DoubleArray) -> DoubleArray:
            Z = (R - root * solve_cholesky(factor, root * KR)) / alpha
            if centred and (total := u.sum()) > 0:
                Z += u * ((R.sum(axis=0) / alpha - Z.sum(axis=0)) / total)
            return np.asarray(Z)

        return solve

    def coefficients(self, v: DoubleArray, g: DoubleArray, rest: DoubleArray) -> DoubleArray:  # noqa: ARG002
        return v


class Primal(ABC):
    """Representation by weights v of explicit features L with K = LLᵀ, for which values are Lv and the metric is v."""

    alpha: float
    size: int
    peak: float
    scale: DoubleArray

    @abstractmethod
    def _rows(self, rows: slice) -> DoubleArray:
        """Return features of some samples."""

    @abstractmethod
    def values(self, v: DoubleArray) -> DoubleArray: ...

    @abstractmethod
    def pull(self, g: DoubleArray) -> DoubleArray: ...

    def metric(self, v: DoubleArray) -> DoubleArray:
        return v

    def inverse(self, w: DoubleArray, *, centred: bool) -> Inverse:
        B, root = np.zeros((self.size, self.size)), np.sqrt(w)[:, None]
        for part in panels(len(w), _PANEL):
            dsyrk(1.0, self._rows(part) * root[part], beta=1.0, c=B.T, trans=1, lower=1, overwrite_c=1)
        if centred and (total := w.sum()) > 0:
            mean = self.pull(w[:, None]).T / np.sqrt(total)
            dsyrk(-1.0, mean, beta=1.0, c=B.T, trans=1, lower=1, overwrite_c=1)
        factor = _cholesky(B, self.alpha)
        return lambda R, _: solve_cholesky(factor, R)

    @abstractmethod
    def coefficients(self, v: DoubleArray, g: DoubleArray, rest: DoubleArray) -> DoubleArray: ...


@final
class Factor(Primal):
    """Features L = U√Λ from the eigenvectors of K, which is overwritten; v = Lᵀc."""

    def __init__(self, K: DoubleArray, alpha: float, peak: float) -> None:
        values, U = eigh(K.T, overwrite=True)
        if -values[0] > SINGLE * max(peak, values[-1]):
            raise NotPositiveDefiniteError(INDEFINITE)
        # Rounding errors of K have eigenvalues of both signs.
        null = int(np.count_nonzero(values <= max(-2 * values[0], len(K) * _EPS * max(peak, values[-1]))))
        self._root = np.sqrt(values[null:])
        self._L = U[:, null:]
        self._L *= self._root
        self.alpha, self.size, self.peak = alpha, len(self._root), peak
        self.scale = np.sqrt(np.einsum("ij,ij->i", self._L, self._L))

    def values(self, v: DoubleArray) -> DoubleArray:
        return np.asarray(self._L @ v)

    def pull(self, g: DoubleArray) -> DoubleArray:
        return np.asarray(self._L.T @ g)

    def _rows(self, rows: slice) -> DoubleArray:
        return self._L[rows]

    def coefficients(self, v: DoubleArray, g: DoubleArray, rest: DoubleArray) -> DoubleArray:  # noqa: ARG002
        """Return c = −g/α, corrected by the remaining gradient −rest such that Lᵀc = v."""
        return np.asarray(-(g + self._L @ (rest / np.square(self._root)[:, None])) / self.alpha)


def _cholesky(B: DoubleArray, alpha: float) -> Any:
    """Return the Cholesky factor of B + αI, of which the upper triangle is read, in the memory of B."""
    B[np.diag_indices_from(B)] += alpha
    try:
        return cholesky(B.T)
    except LinAlgError as error:
        raise NotPositiveDefiniteError(INDEFINITE) from error
