"""Base class of one-class machines: regions that contain most of the samples."""

from abc import abstractmethod
from dataclasses import replace
from typing import Any, Self

import numpy as np
from sklearn.base import OutlierMixin, _fit_context

from mercer._estimator import finite_fit
from mercer._estimator.progress import fit_progress
from mercer._typing import Data, DoubleArray
from mercer.solvers import DualSolution
from mercer.solvers.svm import Expansion
from mercer.svm.base import Training
from mercer.svm.single import SingleMachine

__all__ = ["Detector", "closed"]


class Detector(OutlierMixin, SingleMachine):  # type: ignore[misc]
    """Base class of `OneClassSVM` and `SVDD`: parameters, validation and prediction."""

    def __init__(
        self,
        *,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: Any = "scale",
        coef0: float = 0.0,
        tol: float = 1e-3,
        nu: float = 0.5,
        shrinking: bool = True,
        cache_size: float = 200,
        verbose: bool = False,
        max_iter: int = -1,
        polish: bool | str = "auto",
        n_jobs: int | None = None,
    ) -> None:
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.tol = tol
        self.nu = nu
        self.shrinking = shrinking
        self.cache_size = cache_size
        self.verbose = verbose
        self.max_iter = max_iter
        self.polish = polish
        self.n_jobs = n_jobs

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(self, X: Data, y: Any = None, sample_weight: Any = None) -> Self:  # noqa: ARG002
        """Find the region of the training samples.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), frame, list of objects or Gram matrix
            Training samples, in a form that the kernel reads. With ``kernel="precomputed"`` the Gram matrix of shape
            (n_samples, n_samples).
            With an approximation also a `mercer.data.BlockSource`, which is read in passes.
            `mercer.data.Checkpointed` around it continues the fit after an interruption.
        y : None, default=None
            Ignored. Present for compatibility with scikit-learn's pipelines.
        sample_weight : array-like of shape (n_samples,), default=None
            Sample weights. Integer weights are equivalent to repeating the samples. Samples whose weight is zero or
            negative are ignored. None means 1 for every sample.

        Returns
        -------
        self
            Fitted estimator.
        """
        training, _ = self._training(X, None, sample_weight, targets=False)
        with fit_progress(self, None, X=X, sample_weight=sample_weight) as training.report:
            return self._fit_training(training, None)

    @finite_fit
    def _fit_training(self, training: Training, y: Any) -> Self:  # noqa: ARG002
        self._fit_single(training, np.empty(0))
        return self

    @abstractmethod
    def decision_function(self, X: Data) -> DoubleArray:
        """Signed distance to the boundary, positive inside the region.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), frame or list of objects
            Samples.

        Returns
        -------
        ndarray of shape (n_samples,)
            Decision values.
        """

    def predict(self, X: Data) -> Any:
        """Predict whether samples are inside the region.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), frame, list of objects or kernel values
            Samples. With ``kernel="precomputed"`` the kernel values between samples and training samples, of shape
            (n_samples, n_samples_fit).

        Returns
        -------
        ndarray of int of shape (n_samples,)
            +1 for samples with a positive decision value, −1 for all others.
        """
        return np.where(self.decision_function(X) > 0, 1, -1).astype(np.int64)


def closed(expansion: Expansion, answer: DualSolution, training: Training) -> Expansion:
    """Lower the threshold by the rounding error of f, so that the region contains its boundary.

    Support vectors on the boundary have f = 0 up to rounding. Without the slack, `predict` would depend on the order of
    summation for them.
    """
    largest = float(np.abs(training.diagonal[training.kept]).max())
    slack = 16 * np.finfo(np.float64).eps * (float(np.abs(expansion.coef).sum()) * largest + abs(expansion.intercept))
    if answer.solution.polished:
        slack += answer.solution.violation
    if training.approximation is not None:  # its features are rounded to float32
        slack += float(np.finfo(np.float32).eps * np.sqrt(expansion.norm2 * largest))
    return replace(expansion, intercept=expansion.intercept + slack)
