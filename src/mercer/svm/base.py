"""Base class of the support vector machines: solver calls, support vectors, kernel expansions."""

from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import replace
from numbers import Integral, Real
from typing import Any, ClassVar, Self, TypeAlias

import numpy as np
import scipy.sparse as sp
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from mercer._estimator import Approximation, KernelEstimator, Training, constraints, warn
from mercer._estimator.basis import Basis, Kept
from mercer._estimator.progress import CallbackSupport
from mercer._typing import Data, DoubleArray, FloatArray, IndexArray
from mercer._validation import as_dense
from mercer.approximation.residual import shrunken_gap
from mercer.data import take
from mercer.exceptions import IndefiniteKernelWarning
from mercer.kernels import Definiteness
from mercer.operators import GramOperator, LowRankOperator, RowSource
from mercer.solvers import Dual, DualSolution, Solution, solve_dual
from mercer.solvers.feature_nu import solve_nu_on_features
from mercer.solvers.feature_svm import solve_on_features
from mercer.solvers.summed_svm import solve_on_sums
from mercer.svm.approximated import folded
from mercer.svm.follow import follow
from mercer.svm.multiclass import SupportModel
from mercer.svm.report import report

__all__ = ["Source", "SupportVectorMachine", "Training"]

Source: TypeAlias = "RowSource | FloatArray | Approximation"  # rows of a Gram matrix, features, or passes over them
_LOOSEST = 0.1  # largest relative gap of the solvers on features; smaller ones are `tol`

_CONSTRAINTS: dict[str, list[Any]] = {  # as in scikit-learn's SVMs
    "degree": [Interval(Integral, 0, None, closed="left")],
    "gamma": [StrOptions({"scale", "auto"}), Interval(Real, 0.0, None, closed="left")],
    "max_iter": [Interval(Integral, -1, None, closed="left")],
    "tol": [Interval(Real, 0.0, None, closed="neither")],
}


class SupportVectorMachine(KernelEstimator, CallbackSupport):  # type: ignore[misc]
    """Base class: parameters of kernel and solver, fitted attributes of the support vectors, kernel expansions."""

    _dtypes = _gram_dtypes = (np.float64, np.float32)
    _negative_weights = True
    _own_constraints: ClassVar[dict[str, list[Any]]] = {}  # for parameters of the subclass only
    _shrinkable: ClassVar[bool] = True  # whether coefficients may shrink to zero: not if their sum of moduli is fixed
    _duals: Any  # of approximated machines: dual coefficients of all samples for `warm_start`, or None

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        names = cls._get_param_names()
        own = {name: entry for name, entry in (_CONSTRAINTS | cls._own_constraints).items() if name in names}
        cls._parameter_constraints = constraints(*(name for name in names if name not in own), **own)

    # ---- solving

    def _training(self, X: Data, y: Any = None, sample_weight: Any = None, **options: Any) -> tuple[Training, Any]:
        """Validate the data as the base class does; warn if the kernel is proved not to be positive semidefinite."""
        training, y = super()._training(X, y, sample_weight, **options)
        kernel = training.kernel
        if kernel is not None and kernel.definiteness is Definiteness.NOT_PSD:
            who, rule = type(self).__name__, kernel.certificate().rule
            warn(
                f"{who}: the kernel {kernel} is not positive semidefinite: {rule}. "
                "The solution may be a local optimum; solution_.status is NOT_PSD if the solver found negative "
                "curvature. Use a positive semidefinite kernel such as RBF(), or repair the Gram matrix with "
                "mercer.preprocessing.KernelRepair and pass kernel='precomputed'.",
                IndefiniteKernelWarning,
            )
        return training, y

    def _fit_each(self, training: Training, y: Any, grid: Sequence[dict[str, Any]]) -> Iterator[Self]:
        """Fit as the base class does; with ascending values of C each fit starts from the previous solution."""
        if not any("approximation" in params for params in grid):
            training = copy(self)._shared(training)
        costs = [params["C"] for params in grid if params.keys() == {"C"}]
        if len(costs) < len(grid) or costs != sorted(set(costs)) or not np.isfinite(costs).all() or not self._follows:
            return super()._fit_each(training, y, grid)
        return follow(copy(self), training, y, costs)

    def _held(self, training: Training) -> Training:
        """Training data with the Gram matrix in memory, if the kernel is in Python and the matrix fits the cache.

        Every kernel value is then computed only once.
        """
        if not training.K.costly:
            return training
        return replace(training, operator=training.K.hold(self.cache_size * 2**20))

    def _shared(self, training: Training) -> Training:
        """Training data with the features of `approximation`, for several fits."""
        approximation = self._approximated(training)
        return training if approximation is None else replace(training, approximation=approximation)

    def _prepared(self, training: Training) -> Training:
        """Training data for one fit: with the features of `approximation`, or with a matrix that is held."""
        training = self._shared(training)
        if training.approximation is None:
            return self._held(training)
        if np.isinf(getattr(self, "C", 1.0)):
            raise ValueError(
                f"{training.who}: C must be finite with an approximation, got inf; use a large value such as C=1e6, or "
                "approximation=None."
            )
        if self._on_features:
            return training
        return replace(training, operator=LowRankOperator(self._feature_array(training.approximation)))

    def _feature_array(self, approximation: Approximation) -> FloatArray:
        """Features that the machines are solved on; half the memory traffic is half the time of the solver on them."""
        return approximation.array(np.float32 if self._on_features else np.float64)

    @property
    def _on_features(self) -> bool:
        """Whether approximated fits use the solver on features F; otherwise they use the one on rows of K = FFᵀ."""
        return False

    @property
    def _follows(self) -> bool:
        """Whether the solver can start from given coefficients."""
        return hasattr(self, "warm_start") and getattr(self, "multi_class", "ovo") != "crammer_singer"

    def _source(self, training: Training, K: GramOperator | None = None) -> Source:
        """Rows of the Gram matrix K, by default that of the training data, or the features of an approximation."""
        if training.approximation is not None and self._on_features:
            held = not training.approximation.on_sums
            return self._feature_array(training.approximation) if held else training.approximation
        return (training.K if K is None else K).row_source(self.cache_size)

    def _solve(
        self,
        source: Source,
        problems: list[Dual],
        training: Training,
        *,
        tol: float | None = None,
        polish: bool | str | None = None,
    ) -> list[DualSolution]:
        """Solve dual problems over one Gram matrix, or on features, with the parameters of the estimator."""
        if isinstance(source, Approximation):
            goal = min(self.tol, _LOOSEST)
            return [*solve_on_sums(source, problems, tol=goal, max_iter=self.max_iter, report=training.report)]
        if isinstance(source, np.ndarray):
            solve = solve_on_features if problems[0].split is None else solve_nu_on_features
            return [
                *solve(
                    source,
                    problems,
                    tol=min(self.tol, _LOOSEST),
                    max_iter=self.max_iter,
                    n_jobs=self.n_jobs,
                    report=training.report,
                )
            ]
        return solve_dual(
            source,
            problems,
            tol=self.tol if tol is None else tol,
            max_iter=self.max_iter,
            cache_size=self.cache_size,
            polish=self.polish if polish is None else polish,
            shrinking=self.shrinking,
            n_jobs=self.n_jobs,
            report=training.report,
        )

    def _conclude(self, training: Training, model: SupportModel, solution: Solution, n_iter: Any) -> None:
        """Set the fitted attributes, then print the certificate or warn, as needed."""
        self.solution_ = solution
        self.kernel_ = training.kernel
        self.fit_status_ = int(not solution.converged)
        self.shape_fit_ = getattr(training.X, "shape", (len(training.weight),))
        self.support_ = model.support.astype(np.int32)
        self.support_vectors_ = self._vectors(training, model.support)
        self.n_support_ = model.n_support.astype(np.int32)
        # scikit-learn's layout for sparse vectors. It does not apply to kernels that read other data.
        alike = sp.issparse(training.X) and training.kernel is not None and training.kernel.reads == "vectors"
        self.dual_coef_: Any = sp.csr_matrix(model.dual_coef) if alike else model.dual_coef
        self.intercept_ = model.intercept
        self.n_iter_ = n_iter
        self._kept = Kept.of(self._support_basis(training, model.support))
        if training.approximation is None:
            self.__dict__.pop("_duals", None)
        report(self)

    def _conclude_on_features(
        self,
        training: Training,
        duals: Any,
        factor: DoubleArray,
        intercept: DoubleArray,
        solution: Solution,
        n_iter: Any,
        label: IndexArray | None = None,
    ) -> None:
        """Fold the dual coefficients of approximated machines into coefficients over landmarks, then conclude.

        Parameters
        ----------
        training : Training
            Training data with an approximation.
        duals : CSR matrix of shape (n_machines, n)
            Dual coefficients of every machine.
        factor : ndarray of shape (n_machines,)
            Factors between dual coefficients and coefficients of decision functions.
        intercept : ndarray of shape (n_machines,)
            Intercepts of the decision functions.
        solution : Solution
            Certificate of the machines on the features.
        n_iter : int or ndarray
            Value of `n_iter_`.
        label : ndarray of int of shape (n,), default=None
            Class of every sample; None for regression and one-class machines.
        """
        approximation = training.approximation
        assert approximation is not None
        F = None if approximation.on_sums else self._feature_array(approximation)
        found = folded(approximation, F, duals, factor)
        gap, confidence = found.exact
        if self._shrinkable:
            gap = shrunken_gap(solution.objective, found.norm2, gap)
        used = np.unique(duals.indices)
        count = np.array([len(used)]) if label is None else np.bincount(label[used], minlength=len(self.classes_))
        indices = approximation.fitted.indices
        support = np.empty(0, dtype=np.int64) if indices is None else indices
        self._duals = duals if getattr(self, "warm_start", False) else None
        parts = tuple(replace(part, exact_gap=float("nan")) for part in solution.machines)
        solution = replace(solution, exact_gap=gap, confidence=confidence, machines=parts)
        self._conclude(training, SupportModel(support, count, found.coef, intercept), solution, n_iter)

    def _support_basis(self, training: Training, support: IndexArray) -> Basis:
        """Basis over the support vectors; samples that were packed for the fit are not packed again."""
        approximation = training.approximation
        X = training.X if approximation is None else approximation.X
        if getattr(X, "dtype", None) == np.float32:  # `support_vectors_` are stored in float64
            return self._rebuilt_basis()
        return training.basis.select(support) if approximation is None else approximation.basis

    def _rebuilt_basis(self) -> Basis:
        return self._basis_over(self.support_vectors_, self.support_.astype(np.int64))

    def _vectors(self, training: Training, support: IndexArray) -> Any:
        if training.kernel is None:
            return np.empty((0, 0))
        vectors = take(training.X, support) if training.approximation is None else training.approximation.X
        wide = isinstance(vectors, np.ndarray) or sp.issparse(vectors)
        return vectors.astype(np.float64) if wide and vectors.dtype == np.float32 else vectors

    # ---- prediction

    @property
    def _approximate(self) -> bool:
        """Whether the fitted machine is approximated, so that `dual_coef_` has a row for every machine."""
        return getattr(self, "approximation_", None) is not None

    @property
    def _coef(self) -> DoubleArray:
        """`dual_coef_` as a dense array, also if it is stored as a sparse matrix."""
        return as_dense(type(self).__name__, self.dual_coef_, name="dual_coef_")  # type: ignore[no-any-return]

    def _expand(self, samples: Any, coef: DoubleArray) -> DoubleArray:
        """Σ_s k(x, s) coef_s over the support vectors s, for coef of shape (n_SV, n_columns)."""
        if len(coef) == 0:
            return np.zeros((len(samples), coef.shape[1]))
        folded = coef if self._approximate else self._basis.fold(coef)
        return np.asarray(self._rows(samples).matmul(folded), dtype=np.float64)

    def _expansion(self) -> tuple[Any, DoubleArray, DoubleArray]:
        check_is_fitted(self)
        if self.support_vectors_ is None:
            return super()._expansion()  # raises
        return self.support_vectors_, self._machine_coef().T, np.atleast_1d(self.intercept_)

    def _machine_coef(self) -> DoubleArray:
        """Coefficients of every machine, of shape (n_machines, n_SV)."""
        return self._coef

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "dual_coef_")
