"""What all support vector machines share: the kernel they mean, their data, their rows, their predictions."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.utils import check_array
from sklearn.utils.validation import check_is_fitted, validate_data

from mercer._estimator import KernelParams, as_kernel, check_samples, check_training, kernel_tags
from mercer._estimator.progress import CallbackSupport, Report
from mercer._typing import Data, DoubleArray, FloatArray, IndexArray
from mercer.data import n_samples, take
from mercer.kernels import RBF, Constant, Kernel, Linear, Polynomial, Sigmoid
from mercer.kernels.program import Prepared
from mercer.operators import BlockedOperator, PrecomputedOperator
from mercer.solvers import Dual, DualSolution, RowSource, Solution, row_source, solve_dual
from mercer.svm.multiclass import Model
from mercer.svm.parameters import CONSTRAINTS
from mercer.svm.report import report

__all__ = ["SupportVectorMachine", "Training"]

Samples = Prepared | FloatArray  # packed for a kernel, or a Gram matrix
_NUMBERS = (np.float64, np.float32)


@dataclass(eq=False)
class Training:
    """The training data of one fit: a kernel's, or a Gram matrix with ``kernel=None``."""

    X: Data
    kernel: Kernel | None
    samples: Samples
    weight: DoubleArray  # of each sample
    kept: IndexArray  # samples of positive weight
    report: Report | None = None  # to be told how the solution comes along

    @cached_property
    def diagonal(self) -> DoubleArray:
        """k(x, x) of every sample."""
        if not isinstance(self.samples, Prepared):
            return np.asarray(np.diagonal(self.samples), dtype=np.float64)
        return np.asarray(self.samples.kernel.diag(self.samples), dtype=np.float64)


class _Packed:
    """Support vectors packed for the kernel at the first prediction; never copied or pickled along."""

    samples: Prepared | None = None

    def __reduce__(self) -> Any:
        return _Packed, ()


class SupportVectorMachine(KernelParams, CallbackSupport, BaseEstimator):  # type: ignore[misc]
    """Base of the family: parameters of the kernel and the solver, `support_` and its relatives, `decision values`."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {}

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        cls._parameter_constraints = {name: CONSTRAINTS[name] for name in cls._get_param_names()}

    # ---- the kernel

    def _kernel(self) -> Kernel | None:
        """What ``kernel=`` means; None for "precomputed"."""
        match self.kernel:
            case "precomputed":
                return None
            case "linear":
                return Linear()
            case "rbf":
                return RBF(gamma=self.gamma) if self.gamma != 0 else Constant(1.0)
            case "poly" if self.degree == 0:
                return Constant(1.0)
            case "poly":
                return Polynomial(degree=self.degree, gamma=self.gamma, coef0=self.coef0)
            case "sigmoid":
                return Sigmoid(gamma=self.gamma, coef0=self.coef0)
            case _:
                return as_kernel(self.kernel, who=type(self).__name__, by="block")

    # ---- data

    def _training(
        self, X: Data, y: Any, sample_weight: Any, *, targets: bool = True, numeric: bool = False
    ) -> tuple[Training, Any]:
        """Validated data, and targets if the estimator has any."""
        kernel = self._kernel()
        if kernel is None:
            X, y = self._gram(X, y, targets=targets, numeric=numeric)
        elif targets:
            X, y = check_training(self, kernel, X, y, numeric=numeric)
        else:
            X = check_samples(self, kernel, X, reset=True)
        weight = self._weights(sample_weight, X)
        kept = np.arange(len(weight)) if sample_weight is None else np.flatnonzero(weight > 0)
        if len(kept) == 0:
            raise ValueError("Invalid input - all samples have zero or negative weights.")
        if kernel is None:
            return Training(X, None, X, weight, kept), y
        if sample_weight is not None:
            kernel = kernel.resolve(X, sample_weight=np.maximum(weight, 0))
        samples = kernel.prepare(X)
        return Training(X, samples.kernel, samples, weight, kept), y

    def _gram(self, X: Data, y: Any, *, targets: bool, numeric: bool) -> tuple[Any, Any]:
        if sp.issparse(X):
            raise TypeError("Sparse precomputed kernels are not supported.")
        if targets:
            X, y = validate_data(self, X, y, dtype=_NUMBERS, y_numeric=numeric)
        else:
            X = validate_data(self, X, dtype=_NUMBERS)
        if X.shape[0] != X.shape[1]:
            raise ValueError(
                f"Precomputed matrix must be a square matrix. Input is a {X.shape[0]}x{X.shape[1]} matrix."
            )
        return X, y

    def _weights(self, sample_weight: Any, X: Data) -> DoubleArray:
        n = n_samples(X)
        if sample_weight is None:
            return np.ones(n)
        weight = check_array(
            sample_weight, ensure_2d=False, ensure_min_samples=0, dtype=np.float64, input_name="sample_weight"
        )
        if weight.ndim == 0:
            return np.full(n, float(weight))
        if weight.shape != (n,):
            raise ValueError(
                f"sample_weight and X have incompatible shapes: {weight.shape} vs {getattr(X, 'shape', (n,))}; "
                "give one weight per sample."
            )
        return np.asarray(weight)

    # ---- solving

    def _hold(self, training: Training) -> None:
        """Compute the Gram matrix of a kernel in Python by one call, if it fits."""
        samples = training.samples
        if isinstance(samples, Prepared) and samples.foreign and 8 * samples.n**2 <= self.cache_size * 2**20:
            training.samples = samples.kernel.block(samples, samples, n_jobs=self.n_jobs)

    def _source(self, samples: Samples) -> RowSource:
        if isinstance(self.kernel, str) and self.kernel == "precomputed":
            operator = PrecomputedOperator(samples)
            if not operator.symmetric:
                raise ValueError(
                    f"{type(self).__name__}: kernel='precomputed' needs a symmetric matrix, but K and its transpose "
                    "differ by more than rounding; pass (K + K.T)/2 if that is meant."
                )
            samples = operator.dense()
        return row_source(samples, cache_size=self.cache_size, n_jobs=self.n_jobs)

    def _solve(
        self, source: RowSource, problems: list[Dual], training: Training, *, tol: float | None = None
    ) -> list[DualSolution]:
        return solve_dual(
            source,
            problems,
            tol=self.tol if tol is None else tol,
            max_iter=self.max_iter,
            cache_size=self.cache_size,
            polish=self.polish,
            shrinking=self.shrinking,
            n_jobs=self.n_jobs,
            report=training.report,
        )

    def _conclude(self, training: Training, model: Model, solution: Solution, n_iter: Any) -> None:
        """Set what every machine has after the fit, then say how it went."""
        self.solution_ = solution
        self.kernel_ = training.kernel
        self.fit_status_ = int(not solution.converged)
        self.shape_fit_ = getattr(training.X, "shape", (len(training.weight),))
        self.support_ = model.support.astype(np.int32)
        self.support_vectors_ = self._vectors(training, model.support)
        self.n_support_ = model.n_support.astype(np.int32)
        # scikit-learn's layout for sparse vectors; functions of the user may return what they like.
        alike = sp.issparse(training.X) and training.kernel is not None and training.kernel.reads == "vectors"
        self.dual_coef_: Any = sp.csr_matrix(model.dual_coef) if alike else model.dual_coef
        self.intercept_ = model.intercept
        self.n_iter_ = n_iter
        self._packed = _Packed()
        report(self)

    def _vectors(self, training: Training, support: IndexArray) -> Any:
        if training.kernel is None:
            return np.empty((0, 0))
        vectors = take(training.X, support)
        wide = isinstance(vectors, np.ndarray) or sp.issparse(vectors)
        return vectors.astype(np.float64) if wide and vectors.dtype == np.float32 else vectors

    # ---- prediction

    def _samples(self, X: Data) -> Samples:
        """X as prediction reads it."""
        check_is_fitted(self)
        if self.kernel_ is not None:
            return self.kernel_.prepare(check_samples(self, self.kernel_, X, reset=False))
        if sp.issparse(X):
            raise TypeError("Sparse precomputed kernels are not supported.")
        return np.asarray(validate_data(self, X, dtype=np.float64, reset=False))

    @property
    def _coef(self) -> DoubleArray:
        """`dual_coef_` as an array, whatever the layout of the data was."""
        return self.dual_coef_.toarray() if sp.issparse(self.dual_coef_) else self.dual_coef_  # type: ignore[no-any-return]

    def _expand(self, samples: Samples, coef: DoubleArray, part: slice = slice(None)) -> DoubleArray:
        """Σ_s k(x, s) coef_s over (a part of) the support vectors, for coef of shape (n_SV, columns)."""
        if len(coef) == 0:
            return np.zeros((len(samples), coef.shape[1]))
        if not isinstance(samples, Prepared):
            return np.asarray(samples[:, self.support_[part]] @ coef)
        if self._packed.samples is None:
            self._packed.samples = samples.kernel.prepare(self.support_vectors_)
        support = self._packed.samples
        if len(coef) < support.n:
            support = support.take(part)
        return np.asarray(BlockedOperator(samples, support, n_jobs=self.n_jobs).matmul(coef), dtype=np.float64)

    @contextmanager
    def _whole(self) -> Iterator[None]:
        """A fit that fails or is interrupted leaves no machine, rather than parts of the last one and of the new."""
        try:
            yield
        except BaseException:
            self.__dict__.pop("dual_coef_", None)
            raise

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "dual_coef_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        if isinstance(self.kernel, str) and self.kernel == "precomputed":
            tags.input_tags.pairwise = True
            tags.input_tags.sparse = False
            return tags
        return kernel_tags(tags, self.kernel)
