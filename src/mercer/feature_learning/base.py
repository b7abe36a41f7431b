"""Base class of transformers that learn a kernel from the leave-one-out error of kernel ridge regression."""

from numbers import Integral
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from mercer._estimator import (
    KernelParams,
    TransactionalFit,
    as_kernel,
    check_samples,
    check_training,
    constraints,
    kernel_tags,
)
from mercer._estimator.class_weight import check_class_weight
from mercer._typing import Data
from mercer._validation import describe
from mercer.feature_learning.columns import weighted_part
from mercer.feature_learning.problem import Problem, problem_of
from mercer.kernels import Kernel
from mercer.kernels.sharing import as_vectors

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
    _any_data: bool = False  # whether samples may be other than matrices
    kernel_: Kernel
    kernel: Any
    task: Any
    max_samples: int | None
    class_weight: Any
    random_state: Any

    @property
    def _default(self) -> Kernel:
        """Kernel that ``kernel=None`` means, for the validation of samples."""
        raise NotImplementedError

    def _given(self) -> Kernel:
        return as_kernel(self.kernel, who=type(self).__name__, default=self._default)

    def _problem(self, X: Data, y: Any, sample_weight: Any, groups: Any) -> Problem:
        """Validated problem; sets `classes_` of a classification."""
        kernel = self._given()
        check_class_weight(self)
        self._refuse_sparse(kernel, X)
        X, y = check_training(self, kernel, X, y, dtypes=(np.float64,), multi_output=True)
        X = self._matrix(kernel, X)
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

    def _new(self, X: Data) -> Any:
        """New samples as a matrix, dense or sparse."""
        check_is_fitted(self)
        self._refuse_sparse(self.kernel_, X)
        X = check_samples(self, self.kernel_, X, reset=False, dtypes=(np.float64,))
        return self._matrix(self.kernel_, X)

    def _refuse_sparse(self, kernel: Kernel, X: Data) -> None:
        if sp.issparse(X) and not (self._takes_sparse and kernel.takes_sparse):
            raise ValueError(
                f"{type(self).__name__}: got a sparse matrix, but dense data is required with the kernel {kernel}; use "
                "X.toarray(), or LeaveOneOutWeights with a kernel of sparse matrices such as RBF."
            )

    def _matrix(self, kernel: Kernel, X: Data) -> Any:
        """Validated samples as a matrix, where the kernel weighs all columns; frames of truth values become numbers."""
        if isinstance(X, np.ndarray) or sp.issparse(X) or (self._any_data and weighted_part(kernel) is not kernel):
            return X
        try:
            return np.asarray(as_vectors(X, type(self).__name__), dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise ValueError(
                f"{type(self).__name__}: got {describe(X)}, expected a matrix of numbers ({error}); encode categories "
                "as codes, or use LeaveOneOutWeights with a kernel of such data."
            ) from error

    def __sklearn_tags__(self) -> Any:
        tags = kernel_tags(super().__sklearn_tags__(), self._default if self.kernel is None else self.kernel)
        tags.input_tags.sparse &= self._takes_sparse
        tags.target_tags.required = True
        return tags
