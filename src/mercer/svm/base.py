"""What all support vector machines share: the kernel they mean, their data, their rows, their predictions."""

import warnings
from dataclasses import dataclass
from functools import cached_property
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from mercer._estimator import KernelParams, as_kernel, check_samples, check_training, kernel_tags
from mercer._typing import Data, DoubleArray, FloatArray, IndexArray
from mercer.data import n_samples, take
from mercer.kernels import RBF, Constant, Kernel, Linear, Polynomial, Sigmoid
from mercer.kernels.program import Prepared
from mercer.operators import BlockedOperator, PrecomputedOperator
from mercer.solvers import Dual, DualSolution, RowSource, Solution, Status, row_source, solve_dual
from mercer.solvers.rows import hold

__all__ = ["SupportVectorMachine", "Training"]

Samples = Prepared | FloatArray  # packed for a kernel, or a Gram matrix


@dataclass(eq=False)
class Training:
    """The training data of one fit: a kernel's, or a Gram matrix with ``kernel=None``."""

    X: Data
    kernel: Kernel | None
    samples: Samples
    weight: DoubleArray  # of each sample
    kept: IndexArray  # samples of positive weight

    @cached_property
    def diagonal(self) -> DoubleArray:
        """k(x, x) of every sample."""
        if self.kernel is None:
            return np.asarray(np.diagonal(self.samples), dtype=np.float64)
        return np.asarray(self.kernel.diag(self.samples), dtype=np.float64)


class SupportVectorMachine(KernelParams, BaseEstimator):  # type: ignore[misc]
    """Base of the family: parameters of the kernel and the solver, `support_` and its relatives, `decision values`."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "kernel": [str, callable, Kernel],
        "degree": [Interval(Integral, 0, None, closed="left")],
        "gamma": [StrOptions({"scale", "auto"}), Interval(Real, 0.0, None, closed="left")],
        "coef0": [Interval(Real, None, None, closed="neither")],
        "tol": [Interval(Real, 0.0, None, closed="neither")],
        "C": [Interval(Real, 0.0, None, closed="right")],
        "nu": [Interval(Real, 0.0, 1.0, closed="right")],
        "epsilon": [Interval(Real, 0.0, None, closed="left")],
        "shrinking": ["boolean"],
        "probability": ["boolean", StrOptions({"deprecated"})],
        "cache_size": [Interval(Real, 0, None, closed="neither")],
        "class_weight": [StrOptions({"balanced"}), dict, None],
        "verbose": ["verbose"],
        "max_iter": [Interval(Integral, -1, None, closed="left")],
        "polish": ["boolean", StrOptions({"auto"})],
        "warm_start": ["boolean"],
        "n_jobs": [Integral, None],
    }

    # ---- the kernel

    def _kernel(self) -> Kernel | None:
        """What ``kernel=`` means; None for "precomputed"."""
        who = type(self).__name__
        match self.kernel:
            case "precomputed":
                return None
            case "linear":
                return Linear()
            case "rbf":
                return RBF(gamma=self.gamma) if self.gamma != 0 else Constant(1.0)
            case "poly":
                return self._polynomial()
            case "sigmoid":
                return Sigmoid(gamma=self.gamma, coef0=self.coef0)
            case _:
                return as_kernel(self.kernel, who=who, by="block")

    def _polynomial(self) -> Kernel:
        if self.degree == 0:
            return Constant(1.0)
        return Polynomial(degree=self.degree, gamma=self.gamma, coef0=self.coef0)

    # ---- data

    def _training(self, X: Data, y: Any, sample_weight: Any, *, numeric: bool = False) -> tuple[Training, Any]:
        """Validated data and targets (None stays None for estimators without any)."""
        kernel = self._kernel()
        y_given = y is not None or self.__sklearn_tags__().target_tags.required
        if kernel is None:
            if sp.issparse(X):
                raise TypeError("Sparse precomputed kernels are not supported.")
            dtype = [np.float64, np.float32]
            if y_given:
                X, y = validate_data(self, X, y, dtype=dtype, y_numeric=numeric)
            else:
                X = validate_data(self, X, dtype=dtype)
            if X.shape[0] != X.shape[1]:
                raise ValueError(
                    f"Precomputed matrix must be a square matrix. Input is a {X.shape[0]}x{X.shape[1]} matrix."
                )
        elif y_given:
            X, y = check_training(self, kernel, X, y, numeric=numeric)
        else:
            X = check_samples(self, kernel, X, reset=True)
        n = n_samples(X)
        weight = self._weights(sample_weight, n, X)
        kept = np.flatnonzero(weight > 0) if sample_weight is not None else np.arange(n)
        if len(kept) == 0:
            raise ValueError("Invalid input - all samples have zero or negative weights.")
        if kernel is None:
            return Training(X, None, PrecomputedOperator(X, symmetric=True).dense(), weight, kept), y
        if sample_weight is not None:
            kernel = kernel.resolve(X, sample_weight=np.maximum(weight, 0))
        samples = kernel.prepare(X)
        return Training(X, samples.kernel, samples, weight, kept), y

    def _weights(self, sample_weight: Any, n: int, X: Data) -> DoubleArray:
        if sample_weight is None:
            return np.ones(n)
        if np.ndim(sample_weight) == 1 and len(sample_weight) != n:
            raise ValueError(
                f"sample_weight and X have incompatible shapes: {np.shape(sample_weight)} vs {np.shape(X)}; "
                "give one weight per sample."
            )
        return np.asarray(_check_sample_weight(sample_weight, np.empty(n), dtype=np.float64))

    # ---- solving

    def _source(self, samples: Samples, *, shared: bool = False) -> RowSource:
        source = row_source(samples, cache_size=self.cache_size, n_jobs=self.n_jobs)
        return hold(source, cache_size=self.cache_size, n_jobs=self.n_jobs) if shared else source

    def _solve(self, source: RowSource, problems: list[Dual], *, tol: float | None = None) -> list[DualSolution]:
        return solve_dual(
            source,
            problems,
            tol=self.tol if tol is None else tol,
            max_iter=self.max_iter,
            cache_size=self.cache_size,
            polish=self.polish,
            shrinking=self.shrinking,
            n_jobs=self.n_jobs,
        )

    def _conclude(self, solution: Solution, training: Training, support: IndexArray) -> None:
        """Set what every machine has after the fit, and warn if it is not what was asked for."""
        self.solution_ = solution
        self.kernel_ = training.kernel
        self.fit_status_ = int(not solution.converged)
        self.support_ = support.astype(np.int32)
        n = n_samples(training.X)
        self.shape_fit_ = getattr(training.X, "shape", (n,))
        if training.kernel is None:
            self.support_vectors_: Any = np.empty((0, 0))
        else:
            vectors = take(training.X, support)
            wide = isinstance(vectors, np.ndarray) or sp.issparse(vectors)
            self.support_vectors_ = vectors.astype(np.float64) if wide and vectors.dtype == np.float32 else vectors
        if solution.status is Status.MAX_ITER:
            warnings.warn(
                f"Solver terminated early (max_iter={self.max_iter}).  Consider pre-processing your data with "
                "StandardScaler or MinMaxScaler.",
                ConvergenceWarning,
                stacklevel=3,
            )
        elif not solution.converged:
            warnings.warn(
                f"{type(self).__name__}: the optimality conditions are violated by {solution.violation:.2g}, more than "
                f"tol={self.tol}. {solution.status.advice}",
                ConvergenceWarning,
                stacklevel=3,
            )

    # ---- prediction

    def _samples(self, X: Data) -> Samples:
        """X as prediction reads it."""
        check_is_fitted(self)
        if self.kernel_ is not None:
            return self.kernel_.prepare(check_samples(self, self.kernel_, X, reset=False))
        if sp.issparse(X):
            raise TypeError("Sparse precomputed kernels are not supported.")
        X = validate_data(self, X, dtype=np.float64, reset=False)
        if X.shape[1] != self.shape_fit_[0]:
            raise ValueError(
                f"X.shape[1] = {X.shape[1]} should be equal to {self.shape_fit_[0]}, the number of samples at training time"
            )
        return X

    def _expand(self, samples: Samples, coef: DoubleArray, part: slice = slice(None)) -> DoubleArray:
        """Σ_s k(x, s) coef_s over (a part of) the support vectors, for coef of shape (n_SV, columns)."""
        n = len(samples)
        if len(coef) == 0:
            return np.zeros((n, coef.shape[1]))
        if self.kernel_ is None:
            return np.asarray(samples[:, self.support_[part]] @ coef)
        return BlockedOperator(samples, self._support().take(part), n_jobs=self.n_jobs).matmul(coef)

    def _support(self) -> Prepared:
        """The support vectors packed for the kernel; made at the first prediction and not part of a pickle."""
        if getattr(self, "_packed", None) is None:
            self._packed = self.kernel_.prepare(self.support_vectors_)
        return self._packed

    def __getstate__(self) -> dict[str, Any]:
        state = super().__getstate__()
        return {name: value for name, value in state.items() if name != "_packed"}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        if isinstance(self.kernel, str) and self.kernel == "precomputed":
            tags.input_tags.pairwise = True
            tags.input_tags.sparse = False
            return tags
        return kernel_tags(tags, self.kernel)
