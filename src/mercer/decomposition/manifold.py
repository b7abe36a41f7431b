"""What the estimators of non-linear dimension reduction share: parameters, data, distances of new samples."""

from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_non_negative

from mercer._estimator import KernelEstimator, Training, constraints, warn_unconverged
from mercer._typing import Data, DoubleArray, FloatArray
from mercer.kernels import Kernel
from mercer.operators import GramOperator
from mercer.solvers.solution import Solution

__all__ = ["Embedding"]

_CONSTANT = 1e-12  # relative differences of a diagonal that is the same for all samples


class Embedding(ClassNamePrefixFeaturesOutMixin, TransformerMixin, KernelEstimator):  # type: ignore[misc]
    """Base of estimators that build a matrix from the data and take coordinates from its eigenvectors.

    Distances are those of the kernel, √(k(x,x) + k(z,z) − 2k(x,z)), or given: with ``metric="precomputed"`` they are
    the ones of the conditionally positive kernel −d²/2.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = constraints(
        "tol",
        "random_state",
        n_components=[Interval(Integral, 1, None, closed="left")],
        metric=[StrOptions({"kernel", "precomputed"})],
        eigen_solver=[StrOptions({"auto", "dense", "arpack"})],
        max_iter=[Interval(Integral, 1, None, closed="left"), None],
    )

    # ---- data

    @property
    def _takes_distances(self) -> bool:
        return isinstance(self.metric, str) and self.metric == "precomputed"

    @property
    def _is_precomputed(self) -> bool:
        return self._takes_distances or super()._is_precomputed

    def _kernel(self) -> Kernel | None:
        return None if self._takes_distances else super()._kernel()

    def _precomputed(self, X: Data, y: Any, **options: Any) -> tuple[Any, Any]:
        X, y = super()._precomputed(X, y, **options)
        if self._takes_distances:
            X = self._from_distances(X)
            if np.diagonal(X).any():
                raise ValueError(
                    f"{type(self).__name__}: metric='precomputed' needs distances, which are 0 on the diagonal; a Gram "
                    "matrix is kernel='precomputed'."
                )
        return X, y

    def _check_new_rows(self, X: Data) -> FloatArray:
        rows = super()._check_new_rows(X)
        return self._from_distances(rows) if self._takes_distances else rows

    def _from_distances(self, D: Any) -> DoubleArray:
        """−d²/2, a kernel whose distances are d."""
        check_non_negative(D, f"{type(self).__name__} with metric='precomputed'")
        K: DoubleArray = np.square(D, dtype=np.float64)
        K *= -0.5
        return K

    def _read(self, X: Data) -> Training:
        """The training data; there are no targets."""
        training, _ = self._training(X, targets=False)
        return training

    def _check_size(self, training: Training) -> None:
        if self.n_components >= training.n:
            raise ValueError(
                f"{type(self).__name__}: n_components={self.n_components} must be less than n_samples={training.n}: "
                "n points span at most n - 1 axes."
            )

    def _n_neighbors(self, n_samples: int) -> int:
        """`n_neighbors`, if each sample has that many others."""
        if self.n_neighbors >= n_samples:
            raise ValueError(
                f"{type(self).__name__}: n_neighbors={self.n_neighbors} must be less than n_samples={n_samples}: a "
                "sample is not a neighbour of itself."
            )
        return int(self.n_neighbors)

    def _keep(self, training: Training) -> None:
        """Remember what projections of new samples need."""
        self._remember(training)
        self._diag = training.diagonal

    # ---- new samples

    def _distinct(self, X: Data) -> tuple[GramOperator, DoubleArray]:
        """New samples x against the training samples: k(x, x_i) of shape (m, n), and k(x, x)."""
        operator, norms = self._compared(X)
        if norms is not None:
            return operator, norms
        norm = self._diag.mean()
        if np.abs(self._diag - norm).max() > _CONSTANT * abs(norm):
            raise ValueError(
                f"{type(self).__name__}: distances of new samples need k(x, x), which kernel='precomputed' does not "
                "tell unless it is the same for all training samples; pass a kernel and the data, or distances."
            )
        return operator, np.full(operator.shape[0], norm)

    # ---- eigenvectors

    def _options(self) -> dict[str, Any]:
        """How eigenvectors are to be found."""
        seed = 0 if self.random_state is None else check_random_state(self.random_state).randint(2**31 - 1)
        return {"method": self.eigen_solver, "tol": self.tol, "max_iter": self.max_iter, "random_state": seed}

    def _conclude(self, embedding: DoubleArray, values: DoubleArray, solution: Solution) -> None:
        """Set what every estimator of the kind has; warn if the eigenvectors are not what was asked for."""
        self.embedding_ = embedding
        self.eigenvalues_ = values
        self.solution_ = solution
        self.n_iter_ = solution.n_iter
        self._n_features_out = embedding.shape[1]
        who = type(self).__name__
        text = (
            f"{who}: eigenvectors with a relative residual of {solution.violation:.2g} after {solution.n_iter} "
            "iterations. Raise max_iter, loosen tol, or take eigen_solver='dense'."
        )
        warn_unconverged(self, text)

    def fit_transform(self, X: Data, y: Any = None) -> DoubleArray:  # noqa: ARG002
        """Fit, and return `embedding_`, of shape (n_samples, n_components); y is ignored."""
        self.fit(X)
        return self.embedding_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only |= self._takes_distances
        return tags
