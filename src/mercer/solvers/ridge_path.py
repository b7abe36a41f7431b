"""Kernel ridge regression for many values of alpha from one eigendecomposition."""

from collections.abc import Callable
from typing import Any

import numpy as np

from mercer._runtime.products import product, symmetric_product
from mercer._typing import DoubleArray, IndexArray
from mercer.solvers.ridge_inverse import InverseErrors, solve_block
from mercer.solvers.ridge_system import RidgeSystem, members
from mercer.solvers.solution import Solution, Status

__all__ = ["RidgePath"]

_EPS = float(np.finfo(np.float64).eps)
_PANEL = 256  # rows or columns per block
_ENOUGH = 1e-6  # relative residual above which the status is PRECISION


class RidgePath(RidgeSystem):
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
    n_alphas : int, default=None
        Number of different values of α that will be used. Few values are computed by one Cholesky factor each, which is
        faster than the eigendecomposition: up to 4 values, 6 from n = 1000 on, 9 from n = 3000 on. None: any number.

    Attributes
    ----------
    values : ndarray of shape (r,)
        Eigenvalues λ of √s K √s (centred if there is an intercept), ascending. Eigenvalues of magnitude up to
        ``n·ε·max(|λ|, s_i |K_ii|)`` are set to zero. They are computed when they are first needed.

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

    If several samples B are left out together, e_B = √s⁻¹ (R_BB)⁻¹ √s (y − f)_B with R = U diag(t) Uᵀ.

    Cost: O(n³) once, then O(n²) per α and target, by matrix products over all of them. Leaving out groups takes
    O(n Σ|B|²) per α. Memory: two n × n matrices.

    For few values of α (see `n_alphas`), C = (M + αI)⁻¹ is computed for each of them instead, from a Cholesky factor:
    R = αC, without the part of √s if there is an intercept. The eigendecomposition is still used if M + αI is not
    positive definite, or α is so small that digits would be lost.

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

    @property
    def values(self) -> DoubleArray:
        """Eigenvalues of √s K √s, centred if there is an intercept, ascending.

        Returns
        -------
        ndarray of shape (r,)
            Eigenvalues; those of magnitude up to rounding are zero.
        """
        return self._spectrum.values

    def _inverted(self, alphas: DoubleArray, find: "Callable[[InverseErrors, float], Any]") -> list[Any] | None:
        """Results for each α from Cholesky factors; None if they are not used for all of them."""
        if self._inverse is not None and alphas.min(initial=np.inf) >= self._least:
            found = []
            for alpha in alphas.tolist():
                one = find(self._inverse, alpha)
                if one is None:  # not positive definite
                    break
                found.append(one)
            else:
                return found
        self._inverse = None
        return None

    def _denominator(self, alpha: DoubleArray) -> DoubleArray:
        """Return λ_k + α_j of shape (r, n_alphas), kept away from zero, which can occur only for an indefinite K."""
        values, rounding = self.values, self._spectrum.rounding
        total = values[:, None] + alpha
        near = (np.abs(total) < rounding) & (values < 0)[:, None]
        total[near] = np.copysign(rounding, total[near])
        return total

    # ---- every alpha

    def loo(self, alphas: Any, groups: Any = None) -> DoubleArray:
        """Compute the exact leave-one-out prediction of every sample.

        Parameters
        ----------
        alphas : array-like of shape (n_alphas,)
            Positive regularisation strengths.
        groups : array-like of shape (n,), default=None
            Labels of groups that are left out together. None: every sample is left out alone.

        Returns
        -------
        ndarray of shape (n, n_targets, n_alphas)
            Prediction of each sample by the model fitted to all others, or to all other groups. A sample is left out
            with its whole weight, which is equivalent to leaving out all its copies.
        """
        alphas = np.asarray(alphas, dtype=np.float64)
        codes = np.arange(self._n) if groups is None else np.unique(groups, return_inverse=True)[1]
        self._require_two(codes[self._kept])
        blocks = None if groups is None else members(codes[self._kept])
        inverted = self._inverted(alphas, lambda inverse, alpha: inverse.errors(alpha, blocks))
        errors = self._errors(alphas, blocks) if inverted is None else np.stack(inverted, axis=2)
        found = np.empty((self._n, *errors.shape[1:]))
        found[self._kept] = self._Y[:, :, None] - errors / self._root[:, None, None]
        if len(self._away):
            self._predict_away(found, errors, alphas, codes)
        return found

    def _errors(self, alphas: DoubleArray, blocks: list[IndexArray] | None) -> DoubleArray:
        """Leave-one-out errors times √s, of shape (n_kept, n_targets, n_alphas)."""
        n_targets, n_alphas, U = self._Y.shape[1], len(alphas), self._spectrum.vectors
        left = alphas / self._denominator(alphas)
        waves = (self._spectrum.z[:, :, None] * left[:, None, :]).reshape(len(left), n_targets * n_alphas)
        errors = product(U, waves).reshape(-1, n_targets, n_alphas)
        if blocks is None:
            slack = np.zeros((len(errors), n_alphas))  # 1 − h_i
            for first in range(0, len(left), _PANEL):
                part = slice(first, first + _PANEL)
                slack += np.square(U[:, part]) @ left[part]
            slack[slack == 0] = _EPS  # can occur for an indefinite K
            errors /= slack[:, None, :]
            return np.asarray(errors)
        for block in blocks:
            rows = U[block]
            for j in range(n_alphas):
                errors[block, :, j] = solve_block(product(rows * left[:, j], rows.T), errors[block, :, j])
        return np.asarray(errors)

    def _predict_away(self, found: DoubleArray, errors: DoubleArray, alphas: DoubleArray, codes: IndexArray) -> None:
        """Fill in predictions of samples of weight zero, by fits without the other samples of their group.

        A fit without samples is the fit to all, with the targets of these samples replaced by its predictions of them.
        """
        kept, away = codes[self._kept], codes[self._away]
        shared = np.isin(away, kept)
        coef, intercept = self.coefs(alphas)
        found[self._away] = np.tensordot(self._across, coef[self._kept], axes=1) + intercept
        for code in np.unique(away[shared]):
            rows, same = away == code, kept == code
            change = np.tensordot(self._spectrum.vectors[same].T, errors[same], axes=1)
            waves = (self._spectrum.z[:, :, None] - change) / self._denominator(alphas)[:, None, :]
            scaled, offset = self._folded(product(self._spectrum.vectors, waves.reshape(len(waves), -1)))
            values = (self._across[rows] @ scaled + offset).reshape(-1, *errors.shape[1:])
            if self._centering is not None:
                share = self._share[same] / self._root[same]
                values += self._mean[:, None] - np.tensordot(share, errors[same], axes=1)
            found[self._away[rows]] = values

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
        squares = np.square(self._spectrum.z).T @ np.square(left)
        return np.asarray(squares / np.square(self._root).sum() / np.square(left.sum(axis=0) / len(self._kept)))

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
        scaled, offset = self._folded(self._dual(alpha, target))
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
        if singular.any():
            null = self._spectrum.vectors[:, self.values == 0]
            residual[:, singular] -= null @ (null.T @ residual[:, singular])
        norms, scale = np.linalg.norm(residual, axis=0), np.linalg.norm(self._target, axis=0)
        violation = float((norms / np.where(scale > 0, scale, 1.0)).max())
        definite = self._inverse is not None or bool((self.values >= 0).all())
        gap = float((np.square(norms) / (2 * alpha)).sum()) if definite and not singular.any() else float("nan")
        return Solution(objective, gap, violation, self._status(alpha, violation, definite=definite), n_iter=1)

    def _status(self, alpha: DoubleArray, violation: float, *, definite: bool) -> Status:
        if violation > _ENOUGH:
            return Status.PRECISION
        if self._singular(alpha).any():
            return Status.SINGULAR
        return Status.CONVERGED if definite else Status.NOT_PSD

    def _singular(self, alpha: DoubleArray) -> Any:
        if self._inverse is not None:
            return np.zeros(len(alpha), dtype=bool)
        return (alpha <= self._spectrum.rounding) & bool((self.values == 0).any())

    def _alphas(self, alpha: Any) -> DoubleArray:
        return np.broadcast_to(np.asarray(alpha, dtype=np.float64), (self._Y.shape[1],))

    def _dual(self, alpha: DoubleArray, target: Any = slice(None)) -> DoubleArray:
        """Return (M + αI)⁻¹ √s y for pairs of α and target."""
        inverted = self._inverted(alpha, lambda inverse, one: inverse.dual(one))
        if inverted is not None:
            columns = np.arange(self._Y.shape[1])[target]
            return np.stack([c[:, column] for c, column in zip(inverted, columns, strict=True)], axis=1)
        waves = self._spectrum.z[:, target] / self._denominator(alpha)
        waves[np.ix_(self.values == 0, self._singular(alpha))] = 0.0
        return np.asarray(product(self._spectrum.vectors, waves))
