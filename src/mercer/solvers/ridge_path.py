"""Kernel ridge regression for many values of alpha from one eigendecomposition."""

from typing import Any

import numpy as np

from mercer._runtime.products import product, symmetric_product
from mercer._runtime.spectra import eigh
from mercer._typing import DoubleArray, IndexArray
from mercer.operators import Centering, GramOperator
from mercer.operators.build import overwritable
from mercer.operators.centering import center_in_place
from mercer.solvers.solution import Solution, Status

__all__ = ["RidgePath"]

_EPS = float(np.finfo(np.float64).eps)
_PANEL = 256  # rows or columns per block
_ENOUGH = 1e-6  # relative residual above which the status is PRECISION


class RidgePath:
    r"""Kernel ridge regression for many regularisation strengths from one eigendecomposition.

    Minimises Σ_i s_i (y_i − f(x_i))² + α‖f‖² over f = Σ_j a_j k(x_j, ·) + b, and provides exact leave-one-out
    predictions and generalised cross-validation for every α.

    Parameters
    ----------
    K : GramOperator or ndarray of shape (n, n)
        Symmetric Gram matrix. An ndarray must be C-contiguous float64 and is overwritten.
    Y : ndarray of shape (n, n_targets)
        Targets.
    weight : ndarray of shape (n,), default=None
        Non-negative sample weights s. Samples of weight zero are not used for fitting. None: ones.
    intercept : bool, default=False
        Whether an intercept b is fitted.

    Attributes
    ----------
    values : ndarray of shape (r,)
        Eigenvalues λ of √s K √s (centred if there is an intercept), ascending. Eigenvalues of magnitude up to
        ``n·ε·max(|λ|, s_i |K_ii|)`` are set to zero.

    See Also
    --------
    mercer.ridge.KernelRidge : Estimator for one value of α.
    mercer.ridge.KernelRidgeCV : Estimator that chooses α by leave-one-out.

    Notes
    -----
    Let M = √s K √s = UΛUᵀ and z = Uᵀ√s y. The residuals are √s (y − f) = U (t∘z) with t_k = α/(λ_k + α), and the
    coefficients are a = √s (√s (y − f))/α. The leave-one-out residual of sample i is

        e_i = (y_i − f(x_i)) / (1 − h_i),    1 − h_i = Σ_k U_ik² t_k.

    With an intercept, K is replaced by HKHᵀ with H = I − 1wᵀ and w = s/Σs, and y by y − wᵀy. The vector √s is then an
    eigenvector of M with eigenvalue 0. It is left out of U, so that 1 − h_i is a sum of positive terms and no digits
    are lost for small α.

    Cost: O(n³) once, then O(n²) per α and target, by matrix products over all of them. Memory: two n × n matrices.

    References
    ----------
    * Golub, Heath and Wahba, Generalized cross-validation as a method for choosing a good ridge parameter,
      Technometrics, 1979.

    Examples
    --------
    >>> import numpy as np
    >>> X, Y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([[0.0], [1.0], [2.0], [5.0]])
    >>> path = RidgePath(X @ X.T, Y, intercept=True)
    >>> path.loo([0.1, 1.0])[:, 0, :].round(3)
    array([[-1.143,  0.   ],
           [ 1.308,  1.471],
           [ 3.119,  2.941],
           [ 2.905,  2.333]])

    The leave-one-out prediction of the last sample equals the prediction of the model fitted to the others:

    >>> a, b = RidgePath(X[:3] @ X[:3].T, Y[:3], intercept=True).coef(0.1)
    >>> (X[3] @ X[:3].T @ a + b).round(3)
    array([2.905])
    """

    def __init__(
        self,
        K: GramOperator | DoubleArray,
        Y: DoubleArray,
        weight: DoubleArray | None = None,
        *,
        intercept: bool = False,
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
        self._decompose(K)

    def _decompose(self, M: DoubleArray) -> None:
        lift = 0.0
        if self._centering is not None:
            q = np.sqrt(self._share)
            lift = 2 * _row_norm(M) or 1.0  # larger than all eigenvalues
            for first in range(0, len(M), _PANEL):
                part = slice(first, first + _PANEL)
                M[part] += lift * q[part, None] * q
        self._lift, self._F = lift, M.T
        self._diagonal = np.diagonal(M).copy()
        values, U = eigh(self._F, overwrite=True)  # keeps the upper triangle
        rank = len(values) - (lift > 0)
        self.values: DoubleArray = values[:rank]
        self._U: DoubleArray = U[:, :rank]
        self._rounding = len(M) * _EPS * max(self._peak, float(np.abs(self.values).max(initial=0.0)))
        self.values[np.abs(self.values) <= self._rounding] = 0.0
        self._z = product(self._U.T, self._target)

    def _denominator(self, alpha: DoubleArray) -> DoubleArray:
        """Return λ_k + α_j of shape (r, n_alphas), kept away from zero, which can occur only for an indefinite K."""
        total = self.values[:, None] + alpha
        near = (np.abs(total) < self._rounding) & (self.values < 0)[:, None]
        total[near] = np.copysign(self._rounding, total[near])
        return total

    # ---- every alpha

    def loo(self, alphas: Any) -> DoubleArray:
        """Compute the exact leave-one-out prediction of every sample.

        Parameters
        ----------
        alphas : array-like of shape (n_alphas,)
            Positive regularisation strengths.

        Returns
        -------
        ndarray of shape (n, n_targets, n_alphas)
            Prediction of each sample by the model fitted to all others. A sample is left out with its whole weight,
            which is equivalent to leaving out all its copies.
        """
        alphas = np.asarray(alphas, dtype=np.float64)
        n_targets, n_alphas = self._Y.shape[1], len(alphas)
        self._require_two()
        left = alphas / self._denominator(alphas)
        waves = (self._z[:, :, None] * left[:, None, :]).reshape(len(left), n_targets * n_alphas)
        errors = product(self._U, waves).reshape(-1, n_targets, n_alphas)
        errors /= self._root[:, None, None]
        slack = np.zeros((len(errors), n_alphas))  # 1 − h_i
        for first in range(0, len(left), _PANEL):
            part = slice(first, first + _PANEL)
            slack += np.square(self._U[:, part]) @ left[part]
        slack[slack == 0] = _EPS  # can occur for an indefinite K
        errors /= slack[:, None, :]
        found = np.empty((self._n, n_targets, n_alphas))
        found[self._kept] = self._Y[:, :, None] - errors
        if len(self._away):
            coef, intercept = self.coefs(alphas)
            found[self._away] = np.tensordot(self._across, coef[self._kept], axes=1) + intercept
        return found

    def coefs(self, alphas: Any) -> tuple[DoubleArray, DoubleArray]:
        """Compute coefficients and intercepts for every α.

        Parameters
        ----------
        alphas : array-like of shape (n_alphas,)
            Positive regularisation strengths.

        Returns
        -------
        coef : ndarray of shape (n, n_targets, n_alphas)
            Dual coefficients a.
        intercept : ndarray of shape (n_targets, n_alphas)
            Intercepts b.
        """
        n_targets, n_alphas = self._Y.shape[1], len(alphas)
        target = np.repeat(np.arange(n_targets), n_alphas)
        coef, intercept = self._expand(np.tile(np.asarray(alphas, dtype=np.float64), n_targets), target)
        return coef.reshape(-1, n_targets, n_alphas), intercept.reshape(n_targets, n_alphas)

    def gcv(self, alphas: Any) -> DoubleArray:
        """Compute the generalised cross-validation score Σ s_i (y_i − f(x_i))² / Σs / (1 − tr S/n)².

        S is the matrix that maps y to the fitted values, and n is the number of samples with positive weight. Compared
        with leave-one-out, every 1 − h_i is replaced by their mean.

        Parameters
        ----------
        alphas : array-like of shape (n_alphas,)
            Positive regularisation strengths.

        Returns
        -------
        ndarray of shape (n_targets, n_alphas)
            Scores; lower is better.
        """
        alphas = np.asarray(alphas, dtype=np.float64)
        self._require_two()
        left = alphas / self._denominator(alphas)
        squares = np.square(self._z).T @ np.square(left)
        return np.asarray(squares / np.square(self._root).sum() / np.square(left.sum(axis=0) / len(self._kept)))

    def _require_two(self) -> None:
        if self._centering is not None and self._share.max() >= 1 - len(self._share) * _EPS:
            sample = self._kept[self._share.argmax()]
            raise ValueError(
                "Leave-one-out with an intercept needs at least two samples with positive weight, but sample "
                f"{sample} has all the weight; add samples, or use fit_intercept=False."
            )

    # ---- one alpha

    def coef(self, alpha: Any) -> tuple[DoubleArray, DoubleArray]:
        """Compute coefficients and intercepts for one α, or one α per target.

        If K is singular to working precision and α is below that precision, the component of the coefficients in the
        null space of K is set to zero, because it would be rounding divided by α. The predictions do not change.

        Parameters
        ----------
        alpha : float or array-like of shape (n_targets,)
            Regularisation strength.

        Returns
        -------
        coef : ndarray of shape (n, n_targets)
            Dual coefficients a.
        intercept : ndarray of shape (n_targets,)
            Intercepts b.
        """
        return self._expand(self._alphas(alpha))

    def _expand(self, alpha: DoubleArray, target: Any = slice(None)) -> tuple[DoubleArray, DoubleArray]:
        """Return coefficients and intercepts for pairs of α and target."""
        scaled = self._root[:, None] * self._dual(alpha, target)
        offset = np.zeros(len(alpha))
        if self._centering is not None:
            scaled, offset = self._centering.fold(scaled)
        coef = np.zeros((self._n, len(alpha)))
        coef[self._kept] = scaled
        return coef, self._mean[target] + offset

    def solution(self, alpha: Any) -> Solution:
        """Compute the certificate of `coef`, whose linear system is (M + αI)c = √s y with a = √s c.

        Parameters
        ----------
        alpha : float or array-like of shape (n_targets,)
            Regularisation strength.

        Returns
        -------
        Solution
            Certificate. `objective` is Σ ½cᵀ(M + αI)c − cᵀ√s y over the targets, which c minimises. `violation` is the
            largest relative residual ‖√s y − (M + αI)c‖ / ‖√s y‖ of a target, computed from c and M. `gap` is
            Σ ‖√s y − (M + αI)c‖² / (2α). For a singular system the residuals leave out the null space, and `gap` is
            NaN.
        """
        alpha = self._alphas(alpha)
        c, singular = self._dual(alpha), self._singular(alpha)
        np.fill_diagonal(self._F, self._diagonal)
        q = np.sqrt(self._share)[:, None]
        product = symmetric_product(self._F, c) - self._lift * q * (q.T @ c) + alpha * c
        objective = float((c * (product / 2 - self._target)).sum())
        residual = self._target - product
        null = self._U[:, self.values == 0]
        residual[:, singular] -= null @ (null.T @ residual[:, singular])
        norms, scale = np.linalg.norm(residual, axis=0), np.linalg.norm(self._target, axis=0)
        violation = float((norms / np.where(scale > 0, scale, 1.0)).max())
        definite = bool((self.values >= 0).all())
        gap = float((np.square(norms) / (2 * alpha)).sum()) if definite and not singular.any() else float("nan")
        return Solution(objective, gap, violation, self._status(alpha, violation, definite=definite), n_iter=1)

    def _status(self, alpha: DoubleArray, violation: float, *, definite: bool) -> Status:
        if violation > _ENOUGH:
            return Status.PRECISION
        if self._singular(alpha).any():
            return Status.SINGULAR
        return Status.CONVERGED if definite else Status.NOT_PSD

    def _singular(self, alpha: DoubleArray) -> Any:
        return (alpha <= self._rounding) & bool((self.values == 0).any())

    def _alphas(self, alpha: Any) -> DoubleArray:
        return np.broadcast_to(np.asarray(alpha, dtype=np.float64), (self._Y.shape[1],))

    def _dual(self, alpha: DoubleArray, target: Any = slice(None)) -> DoubleArray:
        """Return (M + αI)⁻¹ √s y for pairs of α and target."""
        waves = self._z[:, target] / self._denominator(alpha)
        waves[np.ix_(self.values == 0, self._singular(alpha))] = 0.0
        return np.asarray(product(self._U, waves))


def _compressed(K: DoubleArray, kept: IndexArray) -> DoubleArray:
    """Return the kept rows and columns of K in the memory of K; every entry is read before it is overwritten."""
    m, numbers = len(kept), K.reshape(-1)
    for i, row in enumerate(kept):
        numbers[i * m : (i + 1) * m] = K[row, kept]
    return numbers[: m * m].reshape(m, m)


def _row_norm(M: DoubleArray) -> float:
    """Return max_i Σ_j |M_ij|, an upper bound on all eigenvalues."""
    return max(float(np.abs(M[first : first + _PANEL]).sum(axis=1).max()) for first in range(0, len(M), _PANEL))
