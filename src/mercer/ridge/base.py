"""Base class of the kernel ridge estimators: parameters, linear system, predictions."""

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from copy import copy
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from mercer._estimator import (
    Approximation,
    KernelEstimator,
    Training,
    constraints,
    finite_fit,
    finite_values,
    warn_unconverged,
)
from mercer._estimator.finite import check_fitted_numbers
from mercer._runtime.limits import require_memory, usable_memory
from mercer._typing import Data, DoubleArray
from mercer._validation import as_doubles
from mercer.operators import Centering, GramOperator
from mercer.operators.centering import center_in_place
from mercer.operators.finite import quiet
from mercer.ridge.approximated import RidgeExpansion, approximate_expansion
from mercer.solvers.ridge import METHODS, choose_method, solve_ridge
from mercer.solvers.solution import Status

__all__ = ["CONSTRAINTS", "KernelRidgeBase", "penalties", "warn_of"]

CONSTRAINTS = constraints(
    "kernel_params",
    "fit_intercept",
    "tol",
    alpha=[Interval(Real, 0, None, closed="left"), "array-like"],
    solver=[StrOptions(set(METHODS))],
    max_iter=[Interval(Integral, 1, None, closed="left"), None],
)


class KernelRidgeBase(KernelEstimator):
    """Base class of the estimators that solve (K + α/s) c = y."""

    _functions = "pair"
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = CONSTRAINTS

    @abstractmethod
    def _targets(self, training: Training, y: Any) -> tuple[Training, DoubleArray, bool]:
        """Training data with the final weights, targets of shape (n, n_targets), and whether y is one-dimensional."""

    @finite_fit
    def _fit_training(self, training: Training, y: Any) -> Self:
        training, Y, single = self._targets(training, y)
        alpha = penalties(type(self).__name__, self.alpha, Y.shape[1])
        approximation = self._approximated(training)
        expansion = self._solve(training, Y, alpha, approximation)
        self._conclude(training, expansion, approximation, single=single)
        return self

    def _fit_each(self, training: Training, y: Any, grid: Sequence[dict[str, Any]]) -> Iterator[Self]:
        """Fit as the base class does; for ascending values of alpha the matrix, or the features, are computed once."""
        alphas = [params["alpha"] for params in grid if params.keys() == {"alpha"}]
        if len(alphas) < len(grid) or alphas != sorted(set(alphas)):
            yield from super()._fit_each(training, y, grid)
            return
        training, Y, single = self._targets(training, y)
        n_targets, approximation = Y.shape[1], self._approximated(training)
        repeated = np.repeat(np.array(alphas, float), n_targets)
        together = self._solve(training, np.tile(Y, len(alphas)), repeated, approximation)
        solutions = together.solution.machines or (together.solution,)
        for i, (alpha, solution) in enumerate(zip(alphas, solutions, strict=True)):
            columns = slice(i * n_targets, (i + 1) * n_targets)
            fitted = copy(self).set_params(alpha=alpha)
            part = RidgeExpansion(together.coef[:, columns], together.intercept[columns], solution)
            fitted._conclude(training, part, approximation, single=single)
            with quiet():
                check_fitted_numbers(fitted)
            yield fitted

    @finite_fit
    def _solve(
        self, training: Training, Y: DoubleArray, alpha: DoubleArray, approximation: Approximation | None
    ) -> RidgeExpansion:
        """Coefficients of the basis for every column of Y, exact or with approximated features."""
        if approximation is not None:
            return approximate_expansion(approximation, Y, alpha, intercept=self.fit_intercept)
        return self._exact(training, Y, alpha)

    def _exact(self, training: Training, Y: DoubleArray, alpha: DoubleArray) -> RidgeExpansion:
        """Coefficients of every column of Y; with an intercept, those of the centred kernel in terms of the kernel.

        After features and targets are centred to weighted mean zero, the unpenalised intercept is the weighted mean of
        y.
        """
        weight = training.optional_weight
        K, method = self._matrix(training, alpha)
        mean = np.zeros(Y.shape[1])
        if self.fit_intercept:
            mean = np.average(Y, axis=0, weights=weight)
            K, centering = _centered(K, weight)
        answer = solve_ridge(
            K,
            Y - mean,
            alpha,
            weight=weight,
            method=method,
            tol=self.tol,
            max_iter=self.max_iter,
            overwrite=True,
            report=training.report,
        )
        if not self.fit_intercept:
            return RidgeExpansion(training.basis.fold(answer.coef), mean, answer.solution)
        coef, offset = centering.fold(answer.coef)
        return RidgeExpansion(training.basis.fold(coef), mean + offset, answer.solution)

    def _matrix(self, training: Training, alpha: DoubleArray) -> tuple[DoubleArray | GramOperator, str]:
        """Gram matrix for the chosen method, as an array or an operator, and the name of the method."""
        method, n = self.solver, training.n
        if method == "auto":
            F = training.K.factor()
            rank = None if F is None else F.shape[1]
            diagonal = float(np.mean(training.weight * training.diagonal))
            memory = usable_memory(8 * n**2)
            method = choose_method(n, alpha, diagonal=diagonal, rank=rank, memory=memory)
        if method == "cg":
            return training.K, method
        matrices = 2 if method == "mixed" else 1
        require_memory(
            8 * n**2 * matrices,
            what=f"{training.who}: solver={method!r} with {n} samples",
            instead='Use solver="cg", which stores no matrix, or approximation= for a model of low rank.',
        )
        return training.K.array(buffers=matrices), method

    @finite_values
    def _values(self, X: Data) -> DoubleArray:
        """Values f(x) of samples, of shape (m,) or (m, n_targets)."""
        return np.asarray(self._against(X) @ self.dual_coef_ + self.intercept_)

    def _conclude(
        self, training: Training, expansion: RidgeExpansion, approximation: Approximation | None, *, single: bool
    ) -> None:
        """Set the fitted attributes; warn if the system was not solved to the tolerance."""
        self.dual_coef_: DoubleArray = expansion.coef[:, 0] if single else expansion.coef
        self.intercept_: Any = float(expansion.intercept[0]) if single else expansion.intercept
        self._remember(training, approximation)
        self.solution_ = expansion.solution
        self.n_iter_ = max(1, expansion.solution.n_iter)
        warn_of(self, self.tol)


def penalties(who: str, alpha: Any, targets: int) -> DoubleArray:
    """Validate `alpha` and return one nonnegative number per target.

    >>> penalties("KernelRidge", 2.0, 3)
    array([2., 2., 2.])
    """
    values = as_doubles(who, alpha, name="alpha")
    if values.ndim > 1 or values.size not in (1, targets):
        raise ValueError(
            f"{who}: alpha must be a number or one number for each of {targets} targets, got shape {values.shape}."
        )
    if not (np.isfinite(values).all() and (values >= 0).all()):
        raise ValueError(f"{who}: alpha must be finite and not negative, got {alpha!r}.")
    return np.array(np.broadcast_to(values.ravel(), (targets,)))


def warn_of(estimator: Any, tol: float) -> None:
    """Warn if the system was not solved to the tolerance, with scikit-learn's text for singular systems."""
    solution = estimator.solution_
    text = "Singular matrix in solving dual problem. Using least-squares solution instead."
    if solution.status is not Status.SINGULAR:
        residual = f"the relative residual is {solution.violation:.2g}, more than tol={tol}"
        text = f"{type(estimator).__name__}: {residual}. {_ADVICE.get(solution.status, '')}"
    warn_unconverged(estimator, text)


_ADVICE = {
    Status.MAX_ITER: "Increase max_iter, tol or alpha.",
    Status.PRECISION: "Rounding, or a kernel that is not positive semidefinite, does not allow this tolerance: "
    "increase alpha or tol, or scale the data.",
}


def _centered(
    K: DoubleArray | GramOperator, weight: DoubleArray | None
) -> tuple[DoubleArray | GramOperator, Centering]:
    """HKHᵀ with H = I − 1wᵀ, and the centring for new samples; a matrix is overwritten."""
    if not isinstance(K, GramOperator):
        return K, center_in_place(K, weight)
    centered = K.centered(weight)
    return centered, centered.centering
