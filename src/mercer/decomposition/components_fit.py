"""Fits of kernel PCA, exact and with an approximated kernel."""

from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_random_state

from mercer._estimator import (
    Approximable,
    Approximation,
    KernelEstimator,
    Training,
    finite_fit,
    warn,
    warn_unconverged,
)
from mercer._typing import Data, DoubleArray
from mercer.data import BlockSource
from mercer.decomposition.approximated import Projections, approximate_projections
from mercer.decomposition.inverse_map import fit_landmark_map, fit_ridge_map
from mercer.kernels import Kernel
from mercer.operators.tiles import panels
from mercer.solvers.principal import principal_components
from mercer.solvers.solution import Solution

__all__ = ["ComponentsFit"]

_PANEL = 1024  # rows at a time of kernel values between coordinates


class ComponentsFit(Approximable, KernelEstimator):
    """Base class of `KernelPCA`: everything between the public `fit` and the solvers."""

    n_components: float | None
    gamma: Any
    alpha: float
    fit_inverse_transform: bool
    eigen_solver: str
    tol: float
    max_iter: int | None
    iterated_power: Any
    remove_zero_eig: bool
    random_state: Any
    copy_X: bool  # noqa: N815 - as in scikit-learn
    n_jobs: int | None
    center: bool
    inverse_map: str
    allow_indefinite: bool

    def _prepared(self, X: Data, sample_weight: Any) -> Training:
        if self.fit_inverse_transform and self._is_precomputed and self.inverse_map != "nearest":
            raise ValueError(
                f"KernelPCA: Cannot fit_inverse_transform with a precomputed kernel and "
                f"inverse_map={self.inverse_map!r}; use inverse_map='nearest'."
            )
        return self._training(X, sample_weight=sample_weight, targets=False)[0]

    def _own(self, X: Data, given: Data) -> Data:
        return _copied(X, given) if self.copy_X else X

    def _fit_training(self, training: Training, y: Any) -> Self:  # noqa: ARG002
        self._decompose(training)
        return self

    @finite_fit
    def _decompose(self, training: Training, *, scored: bool = False) -> DoubleArray | None:
        """Set the fitted attributes; return the coordinates of the training samples if `scored`."""
        approximation = self._approximated(training)
        self._remember(training, approximation)
        if approximation is not None:
            return self._approximate_components(approximation, scored=scored)
        self._components(training)
        if self._ridge_mapped and self.kernel_ is not None:
            self.X_transformed_fit_ = self._training_scores(weighted=training.weighted)
            self.dual_coef_ = fit_ridge_map(
                self.kernel_, self.X_transformed_fit_, training.X, self.alpha, n_jobs=self.n_jobs
            )
        self._warn_unconverged()
        return self._training_scores(weighted=training.weighted) if scored else None

    def _warn_unconverged(self) -> None:
        text = (
            f"{type(self).__name__}: the eigenvectors have a relative residual of {self.solution_.violation:.2g} after "
            f"{self.solution_.n_iter} steps. Raise max_iter, loosen tol, or use eigen_solver='dense'."
        )
        warn_unconverged(self, text)

    @property
    def _ridge_mapped(self) -> bool:
        return self.fit_inverse_transform and self.inverse_map == "ridge"

    def _count(self, n: int) -> float:
        """Number of components, at most n, or share of the variance."""
        count = n if self.n_components is None else self.n_components
        return count if isinstance(count, float) else min(int(count), n)

    @property
    def _positive(self) -> bool:
        return self.remove_zero_eig or self.n_components is None

    def _components(self, training: Training) -> None:
        weight = training.optional_weight
        found = principal_components(
            training.K,
            self._count(training.n),
            weight=weight,
            center=self.center,
            indefinite=self.allow_indefinite,
            positive=self._positive,
            single=training.K.dtype == np.float32,
            method=self.eigen_solver,
            tol=self.tol,
            max_iter=self.max_iter,
            iterated_power=self.iterated_power,
            random_state=0 if self.random_state is None else check_random_state(self.random_state).randint(2**31),
            n_jobs=self.n_jobs,
        )
        self.eigenvectors_, self._weight = found.vectors, weight
        self._coef, self._mean = training.basis.fold(found.coef), training.basis.fold(found.mean)
        self._offset = found.offset
        self.negative_mass_ = found.negative_mass
        self.solution_: Solution = found.solution
        self.eigen_solver_ = found.method
        self._explain(float(training.weight.sum()), found.values, found.total, 0.0)

    def _approximate_components(self, approximation: Approximation, *, scored: bool) -> DoubleArray | None:
        """Set the fitted attributes of an approximated fit; return as `_decompose` does."""
        self._check_approximated(approximation)
        training, count = approximation.training, self._count(approximation.n)
        wanted = scored or self._ridge_mapped
        projections = approximate_projections(
            approximation, count, center=self.center, positive=self._positive, scored=wanted
        )
        self._conclude_projections(projections, float(training.weight.sum()), count)
        if self._ridge_mapped and training.kernel is not None:
            self._map_to_samples(approximation, projections, training.kernel)
        return projections.scores if scored else None

    def _remember(self, training: Training, approximation: Approximation | None = None) -> None:
        super()._remember(training, approximation)
        self.gamma_ = getattr(self.kernel_, "gamma", self.gamma)
        if self.gamma_ is None and hasattr(self, "n_features_in_"):
            self.gamma_ = 1 / self.n_features_in_

    def _conclude_projections(self, projections: Projections, mass: float, count: float) -> None:
        """Set the fitted attributes of an approximated fit to samples of a total weight."""
        found = projections.found
        self._coef, self._offset, self._mean = projections.coef, projections.offset, projections.mean
        self.__dict__.pop("eigenvectors_", None)  # of an earlier fit
        self._weight = None
        self.negative_mass_ = float("nan")
        self.solution_ = found.solution
        self.eigen_solver_ = "factor"
        self._explain(mass, found.values, found.total, found.residual)
        self._warn_unconverged()
        if isinstance(count, float) and (reached := float(self.explained_variance_ratio_.sum())) < count * (1 - 1e-9):
            warn(
                f"{type(self).__name__}: n_components={count:g} of the variance is not reached by "
                f"{len(projections.mean)} features, which have {reached:.3g} of it; raise approximation.",
                UserWarning,
            )

    def _check_approximated(self, approximation: Approximation) -> None:
        who, training = type(self).__name__, approximation.training
        if self.fit_inverse_transform and isinstance(training.X, BlockSource):
            raise ValueError(
                f"{who}: fit_inverse_transform=True needs the training samples in memory, got {training.X!r}; fit to a "
                "sample of them, or use fit_inverse_transform=False."
            )
        if self.allow_indefinite:
            raise ValueError(
                f"{who}: allow_indefinite=True needs all eigenvalues of the Gram matrix, which an approximation does "
                "not compute; use approximation=None."
            )
        if self.fit_inverse_transform and approximation.X is None:
            raise ValueError(
                f"{who}: fit_inverse_transform=True needs landmarks, which random features do not have; use "
                "approximation=m, or a Nystroem object."
            )

    def _explain(self, n: float, values: DoubleArray, total: float, residual: float) -> None:
        """Set the eigenvalues of samples of weight n, given the sum of all of them and the trace of the residual."""
        self.eigenvalues_ = values
        self.explained_variance_ = values / (n - 1 if n > 1 else n)
        self.explained_variance_ratio_ = values / total if total > 0 else np.zeros_like(values)
        self.eigenvalue_bound_ = residual
        self.explained_variance_ratio_bound_ = residual / total if total > 0 else 0.0

    def _map_to_samples(self, approximation: Approximation, projections: Projections, kernel: Kernel) -> None:
        scores, X = projections.scores, approximation.training.X
        assert scores is not None  # asked for above
        among = approximation.basis.gram(self.n_jobs)
        self.X_transformed_fit_ = np.asarray(among @ projections.coef + projections.offset)
        blocks = ((rows, scores[rows]) for rows in panels(len(scores), _PANEL))
        self.dual_coef_ = fit_landmark_map(kernel, self.X_transformed_fit_, blocks, X, self.alpha, n_jobs=self.n_jobs)

    def _training_scores(self, *, weighted: bool) -> DoubleArray:
        if weighted:  # eigenvectors are 0 for samples of weight 0
            return np.asarray(self._against(self.X_fit_) @ self._coef + self._offset)
        return np.asarray(self.eigenvectors_ * np.sqrt(self.eigenvalues_))


def _copied(X: Data, given: Data) -> Data:
    """Return X, or a copy if it shares memory with the array that the caller passed."""
    values, others = (getattr(data, "data", data) if sp.issparse(data) else data for data in (X, given))
    shared = isinstance(values, np.ndarray) and isinstance(others, np.ndarray) and np.may_share_memory(values, others)
    return X.copy() if shared else X
