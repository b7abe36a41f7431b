"""Ridge regression for every alpha from one eigendecomposition: coefficients, exact leave-one-out, GCV."""

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
_PANEL = 256  # rows or columns at a time
_ENOUGH = 1e-6  # relative residual above which the coefficients are not those that were asked for


class RidgePath:
    r"""min_f Σ_i s_i (y_i − f(x_i))² + α‖f‖², f = Σ_j a_j k(x_j, ·) + b, for as many α as wanted.

    With M = √s K √s = UΛUᵀ and z = Uᵀ√s y, the residuals are √s (y − f) = U (t∘z), where t_k = α/(λ_k + α) is what
    shrinkage leaves of component k; a = √s (√s (y − f))/α. Without sample i, the prediction at x_i errs by

        e_i = (y_i − f(x_i)) / (1 − h_i),    1 − h_i = Σ_k U_ik² t_k.

    An intercept b, which costs nothing, centres: K → HKHᵀ with H = I − 1wᵀ, w = s/Σs, and y → y − wᵀy. The direction
    √s is then an eigenvector of M to the eigenvalue 0; it is left out of U, so that 1 − h_i, to which it must not
    contribute, is a sum of positive terms, and no digit is lost for small α.

    Parameters
    ----------
    K : GramOperator, or ndarray of shape (n, n)
        Symmetric. An ndarray must be C-contiguous float64, and it is overwritten.
    Y : array, shape (n, n_targets)
        Targets.
    weight : array, shape (n,), optional
        Nonnegative weights s. A sample of weight zero takes no part; its prediction is one without it anyway.
    intercept : bool
        Whether there is a b.

    Attributes
    ----------
    values : array, shape (r,)
        λ, ascending; those that are zero up to rounding, n·ε·max(|λ|, s_i|K_ii|), are zero.

    Notes
    -----
    O(n³) once; then O(n²) per α and target, by matrix products over all of them. Two n × n matrices.

    Examples
    --------
    Leaving out the last sample and fitting the others, or asking for its leave-one-out prediction, is the same:

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X, Y = rng.normal(size=(6, 2)), rng.normal(size=(6, 1))
    >>> loo = RidgePath(X @ X.T, Y, intercept=True).loo([0.5])[-1, 0, 0]
    >>> a, b = RidgePath(X[:5] @ X[:5].T, Y[:5], intercept=True).coef(0.5)
    >>> bool(np.isclose(loo, (X[5] @ X[:5].T @ a + b)[0]))
    True
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
        self._across = K[np.ix_(self._away, self._kept)]  # of samples without weight: to predict them
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
            lift = 2 * _row_norm(M) or 1.0  # above all eigenvalues
            for first in range(0, len(M), _PANEL):
                part = slice(first, first + _PANEL)
                M[part] += lift * q[part, None] * q
        self._lift, self._F = lift, M.T
        self._diagonal = np.diagonal(M).copy()
        values, U = eigh(self._F, overwrite=True)  # leaves the upper triangle as it is
        rank = len(values) - (lift > 0)
        self.values: DoubleArray = values[:rank]
        self._U: DoubleArray = U[:, :rank]
        self._rounding = len(M) * _EPS * max(self._peak, float(np.abs(self.values).max(initial=0.0)))
        self.values[np.abs(self.values) <= self._rounding] = 0.0
        self._z = product(self._U.T, self._target)

    def _denominator(self, alpha: DoubleArray) -> DoubleArray:
        """λ_k + α_j, of shape (r, n_alphas); kept away from zero, which only an indefinite K can bring it to."""
        total = self.values[:, None] + alpha
        near = (np.abs(total) < self._rounding) & (self.values < 0)[:, None]
        total[near] = np.copysign(self._rounding, total[near])
        return total

    # ---- every alpha

    def loo(self, alphas: Any) -> DoubleArray:
        """Predictions of every sample by the fit to all others, of shape (n, n_targets, n_alphas).

        A weighted sample is left out with its whole weight, as all its copies would be.
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
        slack[slack == 0] = _EPS  # by chance, of an indefinite K
        errors /= slack[:, None, :]
        found = np.empty((self._n, n_targets, n_alphas))
        found[self._kept] = self._Y[:, :, None] - errors
        if len(self._away):
            coef, intercept = self.coefs(alphas)
            found[self._away] = np.tensordot(self._across, coef[self._kept], axes=1) + intercept
        return found

    def coefs(self, alphas: Any) -> tuple[DoubleArray, DoubleArray]:
        """`coef` of every α: coefficients of shape (n, n_targets, n_alphas), intercepts (n_targets, n_alphas)."""
        n_targets, n_alphas = self._Y.shape[1], len(alphas)
        target = np.repeat(np.arange(n_targets), n_alphas)
        coef, intercept = self._expand(np.tile(np.asarray(alphas, dtype=np.float64), n_targets), target)
        return coef.reshape(-1, n_targets, n_alphas), intercept.reshape(n_targets, n_alphas)

    def gcv(self, alphas: Any) -> DoubleArray:
        """Generalized cross-validation, of shape (n_targets, n_alphas): Σ s_i (y_i − f(x_i))² / Σs / (1 − tr S/n)².

        S maps y to the fitted values; n counts the samples that have a weight. Every 1 − h_i is replaced by their mean.
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
                "Leave-one-out with an intercept needs at least two samples that count, but one sample, number "
                f"{sample}, has all the weight; add samples, or take fit_intercept=False."
            )

    # ---- one alpha

    def coef(self, alpha: Any) -> tuple[DoubleArray, DoubleArray]:
        """Coefficients a of shape (n, n_targets) and intercepts b, for one α or one per target.

        Where K is singular to working precision and α no larger than that, a has no part in the null space of K, where
        it would be mere rounding that is divided by α; f is the same.
        """
        return self._expand(self._alphas(alpha))

    def _expand(self, alpha: DoubleArray, target: Any = slice(None)) -> tuple[DoubleArray, DoubleArray]:
        """Coefficients and intercepts for pairs of α and target."""
        scaled = self._root[:, None] * self._dual(alpha, target)
        offset = np.zeros(len(alpha))
        if self._centering is not None:
            scaled, offset = self._centering.fold(scaled)
        coef = np.zeros((self._n, len(alpha)))
        coef[self._kept] = scaled
        return coef, self._mean[target] + offset

    def solution(self, alpha: Any) -> Solution:
        """The certificate of `coef`, whose linear system is (M + αI)c = √s y with a = √s c.

        `objective` is Σ ½cᵀ(M + αI)c − cᵀ√s y over the targets, of which c is the minimum; `violation` the largest
        relative residual ‖√s y − (M + αI)c‖ / ‖√s y‖ of a target, computed from c and M; `gap` the bound
        Σ ‖√s y − (M + αI)c‖² / (2α) on how far the objective is above its minimum. For a singular system both leave out
        the null space, and there is no bound.
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
        """(M + αI)⁻¹ √s y, for pairs of α and target."""
        waves = self._z[:, target] / self._denominator(alpha)
        waves[np.ix_(self.values == 0, self._singular(alpha))] = 0.0
        return np.asarray(product(self._U, waves))


def _compressed(K: DoubleArray, kept: IndexArray) -> DoubleArray:
    """Kept rows and columns of K, in ascending order, in the memory of K: none is written before it is read."""
    m, numbers = len(kept), K.reshape(-1)
    for i, row in enumerate(kept):
        numbers[i * m : (i + 1) * m] = K[row, kept]
    return numbers[: m * m].reshape(m, m)


def _row_norm(M: DoubleArray) -> float:
    """max_i Σ_j |M_ij|, which bounds all eigenvalues."""
    return max(float(np.abs(M[first : first + _PANEL]).sum(axis=1).max()) for first in range(0, len(M), _PANEL))
