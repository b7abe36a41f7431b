"""Base class of the manifold learners: parameters, data and distances of new samples."""

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

_CONSTANT = 1e-12  # relative deviation below which a diagonal counts as constant


class Embedding(ClassNamePrefixFeaturesOutMixin, TransformerMixin, KernelEstimator):  # type: ignore[misc]
    """Base class of estimators whose coordinates are eigenvectors of a matrix built from the data.

    Distances are those of the kernel, √(k(x, x) + k(z, z) − 2k(x, z)), or given. With ``metric="precomputed"``,
    distances d are replaced by the conditionally positive definite kernel −d²/2, whose distances they are.
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
                    f"{type(self).__name__}: metric='precomputed' needs a matrix of distances, with a zero diagonal, "
                    "got nonzero diagonal entries; pass a Gram matrix with kernel='precomputed'."
                )
        return X, y

    def _check_new_rows(self, X: Data) -> FloatArray:
        rows = super()._check_new_rows(X)
        return self._from_distances(rows) if self._takes_distances else rows

    def _from_distances(self, D: Any) -> DoubleArray:
        """Return −d²/2, a kernel whose distances are d."""
        check_non_negative(D, f"{type(self).__name__} with metric='precomputed'")
        K: DoubleArray = np.square(D, dtype=np.float64)
        K *= -0.5
        return K

    def _read(self, X: Data) -> Training:
        """Return the validated training data; there are no targets."""
        training, _ = self._training(X, targets=False)
        return training

    def _check_size(self, training: Training) -> None:
        if self.n_components >= training.n:
            raise ValueError(
                f"{type(self).__name__}: n_components={self.n_components} must be less than n_samples={training.n}, "
                "because n points span at most n - 1 dimensions."
            )

    def _n_neighbors(self, n_samples: int) -> int:
        """Return `n_neighbors`; raise unless it is less than the number of samples."""
        if self.n_neighbors >= n_samples:
            raise ValueError(
                f"{type(self).__name__}: n_neighbors={self.n_neighbors} must be less than n_samples={n_samples}; a "
                "sample is not its own neighbour."
            )
        return int(self.n_neighbors)

    def _keep(self, training: Training) -> None:
        """Store what `transform` needs."""
        self._remember(training)
        self._diag = training.diagonal

    # ---- new samples

    def _distinct(self, X: Data) -> tuple[GramOperator, DoubleArray]:
        """Return k(x, x_i), of shape (m, n), and k(x, x) for new samples x and training samples x_i."""
        operator, norms = self._compared(X)
        if norms is not None:
            return operator, norms
        norm = self._diag.mean()
        if np.abs(self._diag - norm).max() > _CONSTANT * abs(norm):
            raise ValueError(
                f"{type(self).__name__}: distances of new samples need k(x, x), which kernel='precomputed' provides "
                "only if the Gram matrix has a constant diagonal; pass a kernel and the data, or use "
                "metric='precomputed' with distances."
            )
        return operator, np.full(operator.shape[0], norm)

    # ---- eigenvectors

    def _options(self) -> dict[str, Any]:
        """Return the options of the eigenvalue solver."""
        seed = 0 if self.random_state is None else check_random_state(self.random_state).randint(2**31 - 1)
        return {"method": self.eigen_solver, "tol": self.tol, "max_iter": self.max_iter, "random_state": seed}

    def _conclude(self, embedding: DoubleArray, values: DoubleArray, solution: Solution) -> None:
        """Set the fitted attributes that all manifold learners have; warn if the solver did not converge."""
        self.embedding_ = embedding
        self.eigenvalues_ = values
        self.solution_ = solution
        self.n_iter_ = solution.n_iter
        self._n_features_out = embedding.shape[1]
        who = type(self).__name__
        text = (
            f"{who}: the eigenvectors have a relative residual of {solution.violation:.2g} after {solution.n_iter} "
            "iterations. Raise max_iter, loosen tol, or use eigen_solver='dense'."
        )
        warn_unconverged(self, text)

    def fit_transform(self, X: Data, y: Any = None) -> DoubleArray:  # noqa: ARG002
        """Fit the model and return the coordinates of the training samples.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame or list of length n_samples
            Training samples in any form the kernel accepts. For precomputed input, the Gram matrix or the distances, of
            shape (n_samples, n_samples).
        y : None, default=None
            Ignored. Present for compatibility with pipelines.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            The attribute ``embedding_``.
        """
        self.fit(X)
        return self.embedding_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only |= self._takes_distances
        return tags
