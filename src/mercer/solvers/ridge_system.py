"""Centred and weighted system of kernel ridge regression, and its eigendecomposition."""

from functools import cached_property
from typing import NamedTuple

import numpy as np

from mercer._runtime.products import product
from mercer._runtime.spectra import eigh
from mercer._typing import DoubleArray, IndexArray
from mercer.operators import Centering, GramOperator
from mercer.operators.build import overwritable
from mercer.operators.centering import center_in_place
from mercer.solvers.ridge_inverse import InverseErrors

__all__ = ["FEW_ALPHAS", "RidgeSystem", "members"]

_EPS = float(np.finfo(np.float64).eps)
_PANEL = 256  # rows or columns per block
# Numbers of alphas up to which a Cholesky factor and its inverse for each are cheaper than one eigendecomposition, with
# the number of samples from which they hold. CPU time of `loo`, `coef` and `solution` with factors over that with the
# eigendecomposition, one thread of an AMD EPYC, OpenBLAS:
#     alphas        1     3     5     7     9
#     n = 300    0.32  0.70  1.08  1.45  1.84
#     n = 1000   0.20  0.50  0.80  1.09  1.40
#     n = 3000   0.15  0.31  0.55  0.75  0.98
FEW_ALPHAS = ((3000, 9), (1000, 6), (0, 4))
_SAFE = 1e6  # smallest alpha of a Cholesky factor, in units of ε times a bound on all eigenvalues


class RidgeSystem:
    """The system (M + αI)c = √s y for all α, with M = √s K √s, centred if there is an intercept.

    `RidgePath` has the parameters. M is moved by a multiple of qqᵀ, q = √(s/Σs), so that its eigenvalue 0 of the
    intercept is above all others.
    """

    def __init__(
        self,
        K: GramOperator | DoubleArray,
        Y: DoubleArray,
        weight: DoubleArray | None = None,
        *,
        intercept: bool = False,
        n_alphas: int | None = None,
    ) -> None:
        K = overwritable(K, buffers=2)
        self._n = len(K)
        s = np.ones(self._n) if weight is None else weight
        self._kept = np.flatnonzero(s > 0)
        self._away = np.flatnonzero(s == 0)
        self._across = K[np.ix_(self._away, self._kept)]  # kernel values that predict samples of weight zero
        if len(self._away):
            K, s = _compressed(K, self._kept), s[self._kept]
        self._Y = Y[self._kept]
        self._root = np.sqrt(s)
        self._share = s / s.sum()
        self._peak = float((s * np.abs(K.diagonal())).max())
        self._centering: Centering | None = None
        self._mean = np.zeros(Y.shape[1])
        if intercept:
            self._mean = self._share @ self._Y
            self._centering = center_in_place(K, s)
        if weight is not None:
            K *= self._root[:, None]
            K *= self._root
        self._target = self._root[:, None] * (self._Y - self._mean)
        few = n_alphas is not None and _are_few(n_alphas, len(self._kept), Y.shape[1])
        self._inverse: InverseErrors | None = self._lifted(K, few=few)

    def _lifted(self, M: DoubleArray, *, few: bool) -> InverseErrors | None:
        """Move the eigenvalue 0 of the intercept above all others; return the errors from Cholesky factors if `few`."""
        q, lift = None, 0.0
        size = _row_norm(M) if few or self._centering is not None else 0.0
        if self._centering is not None:
            q = np.sqrt(self._share)
            lift = 2 * size or 1.0
            for first in range(0, len(M), _PANEL):
                part = slice(first, first + _PANEL)
                M[part] += lift * q[part, None] * q
        self._lift, self._F, self._least = lift, M.T, _SAFE * _EPS * size
        self._diagonal = np.diagonal(M).copy()
        return InverseErrors(M, self._target, q, lift) if few else None

    @cached_property
    def _spectrum(self) -> "_Spectrum":
        self._inverse = None  # and its matrix is overwritten
        values, U = eigh(self._F, overwrite=True)  # keeps the upper triangle
        rank = len(values) - (self._lift > 0)
        values, U = values[:rank], U[:, :rank]
        rounding = len(self._F) * _EPS * max(self._peak, float(np.abs(values).max(initial=0.0)))
        values[np.abs(values) <= rounding] = 0.0
        return _Spectrum(values, U, product(U.T, self._target), rounding)

    def _folded(self, c: DoubleArray) -> tuple[DoubleArray, DoubleArray]:
        """Coefficients of the kernel, and part of the intercepts, of solutions c of the (centred) system."""
        scaled = self._root[:, None] * c
        return (scaled, np.zeros(c.shape[1])) if self._centering is None else self._centering.fold(scaled)

    def _require_two(self, codes: IndexArray | None = None) -> None:
        """Raise an error if the samples with one code, by default one sample, have all the weight."""
        share = self._share if codes is None else np.bincount(codes, self._share)
        if self._centering is None or share.max() < 1 - len(share) * _EPS:
            return
        if codes is not None and len(np.unique(codes)) < len(codes):
            raise ValueError(
                "Leave-one-group-out with an intercept needs at least two groups with positive weight, but one group "
                "has all the weight; check the groups and weights, or use fit_intercept=False."
            )
        sample = self._kept[self._share.argmax()]
        raise ValueError(
            "Leave-one-out with an intercept needs at least two samples with positive weight, but sample "
            f"{sample} has all the weight; add samples, or use fit_intercept=False."
        )


class _Spectrum(NamedTuple):
    """Eigenvalues and eigenvectors of M, Uᵀ√s y, and the magnitude up to which eigenvalues are zero."""

    values: DoubleArray
    vectors: DoubleArray
    z: DoubleArray
    rounding: float


def _are_few(n_alphas: int, n: int, n_targets: int) -> bool:
    """Whether Cholesky factors are cheaper, and coefficients and errors of all alphas small compared with K."""
    most = next(few for least, few in FEW_ALPHAS if n >= least)
    return n_alphas <= most and 2 * n_alphas * n_targets <= n


def members(codes: IndexArray) -> list[IndexArray]:
    """Return the positions of each code that occurs."""
    order = np.argsort(codes, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(codes[order])) + 1)


def _compressed(K: DoubleArray, kept: IndexArray) -> DoubleArray:
    """Return the kept rows and columns of K in the memory of K; every entry is read before it is overwritten."""
    m, numbers = len(kept), K.reshape(-1)
    for i, row in enumerate(kept):
        numbers[i * m : (i + 1) * m] = K[row, kept]
    return numbers[: m * m].reshape(m, m)


def _row_norm(M: DoubleArray) -> float:
    """Return max_i Σ_j |M_ij|, an upper bound on all eigenvalues."""
    return max(float(np.abs(M[first : first + _PANEL]).sum(axis=1).max()) for first in range(0, len(M), _PANEL))
