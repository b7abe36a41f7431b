"""Base class of transformers that learn a kernel from the leave-one-out error of kernel ridge regression."""

from numbers import Integral
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions

from mercer._estimator import KernelParams, TransactionalFit, as_kernel, check_training, constraints, kernel_tags
from mercer._typing import Data
from mercer._validation import describe
from mercer.feature_learning.problem import Problem, problem_of
from mercer.kernels import Kernel

__all__ = ["KernelLearner"]

_SHARED = constraints("class_weight", "max_iter", "random_state")


class KernelLearner(TransformerMixin, TransactionalFit, KernelParams, BaseEstimator):  # type: ignore[misc]
    """Base class: a kernel with numbers to learn, targets, sample weights and groups."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "kernel": [*_SHARED["kernel"], None],
        "task": [StrOptions({"auto", "regression", "classification"})],
        "max_samples": [Interval(Integral, 2, None, closed="left"), None],
        **{name: _SHARED[name] for name in ("class_weight", "max_iter", "random_state", "n_jobs")},
    }
    _takes_sparse: ClassVar[bool] = True
    kernel: Any
    task: Any
    max_samples: int | None
    class_weight: Any
    random_state: Any

    @property
    def _default(self) -> Kernel:
        """Kernel that ``kernel=None`` means, for the validation of samples."""
        raise NotImplementedError

    @property
    def _needs_matrix(self) -> bool:
        """Whether X must be a dense matrix of numbers."""
        return self.kernel is None

    def _given(self) -> Kernel:
        return as_kernel(self.kernel, who=type(self).__name__, default=self._default)

    def _problem(self, X: Data, y: Any, sample_weight: Any, groups: Any) -> Problem:
        """Validated problem; sets `classes_` of a classification."""
        kernel = self._given()
        if sp.issparse(X) and not (self._takes_sparse and kernel.takes_sparse):
            raise ValueError(
                f"{type(self).__name__}: got a sparse matrix, but dense data is required with the kernel {kernel}; use "
                "X.toarray(), or LeaveOneOutWeights with a kernel of sparse matrices such as RBF."
            )
        X, y = check_training(self, kernel, X, y, dtypes=(np.float64,), multi_output=True)
        if self._needs_matrix and not isinstance(X, np.ndarray):
            raise ValueError(
                f"{type(self).__name__}: got {describe(X)}, expected a matrix of numbers; encode categories as codes, "
                "or use LeaveOneOutWeights with a kernel of such data."
            )
        problem = problem_of(
            self,
            X,
            y,
            sample_weight,
            groups,
            task=self.task,
            class_weight=self.class_weight,
            max_samples=self.max_samples,
            rng=check_random_state(self.random_state),
        )
        self.classes_ = problem.classes
        self.rows_ = problem.rows
        return problem

    def __sklearn_tags__(self) -> Any:
        tags = kernel_tags(super().__sklearn_tags__(), self._default if self.kernel is None else self.kernel)
        tags.input_tags.sparse &= self._takes_sparse
        tags.target_tags.required = True
        return tags
