"""Base class of the multiple-kernel classifier and regressor."""

import math
from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import replace
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from mercer._estimator import Approximable, Params, Training, TransactionalFit, constraints, warn
from mercer._estimator.basis import KernelBasis, RowBasis
from mercer._estimator.landmark_features import LandmarkFeatures
from mercer._estimator.samples import check_samples, check_weights
from mercer._typing import Data, DoubleArray, FloatArray
from mercer.approximation.residual import shrunken_gap
from mercer.kernels import RBF, Kernel, Sum
from mercer.multiple_kernel import weights
from mercer.multiple_kernel.landmarks import LandmarkExpansion, WeightedFeatures
from mercer.multiple_kernel.reading import has_columns, is_structured, read_kernels, read_matrices, with_names
from mercer.multiple_kernel.views import Approximate, Views, kernel_views, matrix_views
from mercer.operators import GramOperator, PrecomputedOperator
from mercer.operators.base import MEMORY_BUDGET
from mercer.operators.tiles import panels
from mercer.solvers.kernel_weights import InnerSolution, KernelWeights, dual_norm
from mercer.solvers.solution import Solution

__all__ = ["MultipleKernel", "inner_solution"]


class MultipleKernel(Approximable, TransactionalFit, Params, BaseEstimator):  # type: ignore[misc]
    """Base class whose `fit` learns `weights_` and fits `estimator_`, an ordinary estimator, to the weighted sum."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "kernels": [StrOptions({"auto", "precomputed"}), "array-like", Kernel],
        "method": [StrOptions(set(weights.METHODS))],
        "p": [Interval(Real, 1.0, None, closed="both")],
        "normalize": [StrOptions({"trace", "cosine"}), None],
        "reg": [Interval(Real, 0.0, 1.0, closed="both")],
        "tol": [Interval(Real, 0.0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "n_jobs": [Integral, None],
        "approximation": constraints("approximation")["approximation"],
    }
    kernels: Any
    method: str
    p: float
    normalize: Any
    reg: float
    tol: float
    max_iter: int
    n_jobs: int | None

    _dtypes: ClassVar[tuple[type, ...]] = (np.float64,)  # of given landmarks and new samples
    _task: ClassVar[str]  # kind of target for alignment
    _targets: ClassVar[dict[str, bool]] = {}  # options of `_training`

    # ---- implemented by subclasses

    @abstractmethod
    def _machine(self, kernel: Any) -> Any:
        """Return an unfitted estimator with this kernel, or "precomputed"."""

    @abstractmethod
    def _inner(self, views: Views, machine: Any, training: Training, y: Any) -> Any:
        """Return a function (Σ d_m K_m, d) ↦ `InnerSolution`, with warm starts between calls."""

    @abstractmethod
    def _quadratic(self, solution: Solution, form: float) -> float:
        """Return the quadratic terms of the dual objective of a machine, given Σ cᵀKc over its targets or problems."""

    def _easy_weights(self, views: Views, training: Training, y: Any) -> KernelWeights:  # noqa: ARG002
        raise ValueError(
            f"{type(self).__name__}: method='easymkl' is for classification only; use 'lp', 'alignf' or 'align'."
        )

    # ---- fit

    def _fit(self, X: Data, y: Any, sample_weight: Any) -> Self:
        views, machine, training, y = self._read(X, y, sample_weight)
        found = self._weights(views, machine, training, y)
        self.kernel_: Kernel | None = views.combined(found.weights)
        self.kernels_ = views.given
        self.weights_: DoubleArray = found.weights
        self.scale_: DoubleArray = views.scale
        self.kernel_names_ = self._names(views)
        self.X_fit_ = None if views.landmarks is None else views.landmarks.X
        self._terms = None if views.landmarks is None else views.terms(found.weights)
        self.estimator_, features = self._concluded(views, training, y, found.weights)
        solution = found.solution
        self.solution_ = self.estimator_.solution_ if solution is None else self._certified(solution, features)
        self.history_: DoubleArray = found.history
        self.n_iter_ = 1 if solution is None else max(1, solution.n_iter)
        self._copy_fitted()
        if solution is not None and not solution.converged:  # the machine has issued its own warning
            warn(
                f"{type(self).__name__}: the weights have a relative gap of {solution.relative_gap:.2g} after "
                f"{solution.n_iter} iterations, more than tol={self.tol:g}. {solution.status.advice}"
            )
        return self

    def _read(self, X: Data, y: Any, sample_weight: Any) -> tuple[Views, Any, Training, Any]:
        who = type(self).__name__
        if isinstance(self.kernels, str) and self.kernels == "precomputed":
            matrices = read_matrices(who, X)
            machine = self._machine("precomputed")
            training, y = machine._training(matrices[0], y, sample_weight, **self._targets)
            self.n_features_in_ = machine.n_features_in_
            weight = np.maximum(training.weight, 0)
            return (
                matrix_views(who, training, matrices, self.normalize, weight, self._approximate_sum()),
                machine,
                training,
                y,
            )
        if isinstance(self.kernels, str) and self.kernels == "auto" and not (has_columns(X) or is_structured(X)):
            X = check_samples(self, RBF(), X, reset=True)
        weight = None if sample_weight is None else np.maximum(check_weights(self, sample_weight, X, negative=True), 0)
        weight = weight if weight is not None and weight.any() else None  # the machine raises if all weights are zero
        kernels = read_kernels(who, self.kernels, X, weight)
        whole = kernels[0] if len(kernels) == 1 else Sum(kernels)
        machine = self._machine(whole)
        training, y = machine._training(X, y, sample_weight, **self._targets)
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(machine, name):
                setattr(self, name, getattr(machine, name))
        assert training.kernel is not None
        resolved = (training.kernel,) if len(kernels) == 1 else training.kernel.terms
        weight = np.maximum(training.weight, 0)
        views = kernel_views(who, training, resolved, self.normalize, weight, self._approximate_sum())
        return views, machine, training, y

    def _approximate_sum(self) -> Approximate | None:
        """Return the approximation of the uniform sum of the kernels that `approximation` requests."""
        self.approximation_ = None
        if self.approximation is None:
            return None

        def approximate(training: Training) -> LandmarkFeatures | None:
            found = self._approximated(training)
            if found is None or isinstance(found, LandmarkFeatures):
                return found
            raise ValueError(
                f"{training.who}: approximation={self.approximation!r} has no landmarks; expected an int, 'auto' or a "
                "Nystroem object, because the kernels are approximated one by one from common landmarks."
            )

        return approximate

    def _names(self, views: Views) -> list[str]:
        """Return the text forms of the kernels, with the names of columns if they are known."""
        columns = getattr(self, "feature_names_in_", None)
        if views.kernels is None or columns is None:
            return list(views.names)
        return [str(with_names(kernel, list(columns))) for kernel in views.kernels]

    def _weights(self, views: Views, machine: Any, training: Training, y: Any) -> KernelWeights:
        match self.method:
            case "lp":
                solve = self._inner(views, machine, training, y)
                return weights.lp(views.stack, solve, p=float(self.p), tol=self.tol, max_iter=self.max_iter)
            case "easymkl":
                return self._easy_weights(views, training, y)
            case "uniform":
                return weights.uniform(len(views.stack))
            case _:
                weight = np.maximum(training.weight, 0) if training.weighted else None
                return weights.aligned(
                    type(self).__name__, views.stack, y, self._task, jointly=self.method == "alignf", weight=weight
                )

    def _concluded(
        self, views: Views, training: Training, y: Any, d: DoubleArray
    ) -> tuple[Any, LandmarkExpansion | None]:
        """Return the machine fitted to the weighted sum, and its features if the kernels are approximated."""
        if views.landmarks is not None:
            return self._concluded_on_landmarks(views, training, y, d)
        K = views.stack.combined(d)
        kernel = self.kernel_
        machine = self._machine("precomputed" if kernel is None else kernel)
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(self, name):
                setattr(machine, name, getattr(self, name))
        basis = RowBasis(K, trusted=True) if kernel is None else KernelBasis(kernel, training.X)
        final = replace(training, kernel=kernel, basis=basis, operator=K)
        return machine._fit_training(final, y), None

    def _concluded_on_landmarks(
        self, views: Views, training: Training, y: Any, d: DoubleArray
    ) -> tuple[Any, LandmarkExpansion]:
        """Return the machine whose columns are the values of the terms of the sum with the landmarks."""
        final = self._on(views.stack.combined(d), training, views, d, LandmarkExpansion)
        features = final.approximation
        assert isinstance(features, LandmarkExpansion)
        machine = self._machine("precomputed")
        machine.n_features_in_ = features.n_columns
        return machine._fit_training(final, y), features

    def _certified(self, solution: Solution, features: LandmarkExpansion | None) -> Solution:
        """Return the certificate of the weights with a bound for the exact kernels.

        Coefficients of the machine with forms q̂ bound the optimum for the exact kernels from below by
        lin(α) − ½‖q̂ + e‖, where e_m bounds the residual of kernel m and the norm is dual to that of the weights. So do
        multiples of them, of which the best is used.
        """
        if features is None:
            return solution
        if self.method != "lp":
            return replace(solution, exact_gap=math.nan)
        machine = self.estimator_.solution_
        with np.errstate(over="ignore", invalid="ignore"):
            form = float(features.d @ features.forms)
        if not math.isfinite(form):  # coefficients too large for a bound
            return replace(solution, exact_gap=math.nan)
        growth = (dual_norm(features.forms + features.energies, float(self.p)) - form) / 2
        lower = -machine.objective - shrunken_gap(machine.objective, self._quadratic(machine, form), growth)
        rounding = max(0.0, machine.exact_gap - float(features.d @ features.energies) / 2)  # of features to float32
        gap = max(0.0, solution.objective - solution.gap - lower) + rounding
        return replace(solution, exact_gap=gap, confidence=features.confidence)

    def _copy_fitted(self) -> None:
        """Copy attributes of `estimator_` that this estimator must have, too."""

    @staticmethod
    def _on(
        K: GramOperator, training: Training, views: Views, d: DoubleArray, features: type[WeightedFeatures]
    ) -> Training:
        """Return the training data with the weighted sum K, and with its features if the kernels are approximated."""
        plain = replace(training, kernel=None, basis=RowBasis(K, trusted=True), operator=K)
        return plain if views.landmarks is None else replace(plain, approximation=features(plain, views.landmarks, d))

    # ---- new samples

    def _answer(self, method: str, X: Data) -> Any:
        """Call a method of `estimator_` with new samples in the form that it expects."""
        check_is_fitted(self)
        answer = getattr(self.estimator_, method)
        if self.approximation_ is None:
            return answer(self._new(X))
        return np.concatenate([answer(values) for values in self._landmark_values(X)])

    def _landmark_values(self, X: Data) -> Iterator[DoubleArray]:
        """Yield the values of the terms of the learned sum with the landmarks, side by side, for panels of samples."""
        if self._terms is None:
            assert self.approximation_ is not None
            chosen = self.approximation_.indices
            pairs = zip((self.weights_ * self.scale_).tolist(), self._matrices(X), strict=True)
            terms = [w * PrecomputedOperator(K[:, chosen], symmetric=False) for w, K in pairs if w > 0]
        else:
            assert self.kernel_ is not None
            X = check_samples(self, self.kernel_, X, reset=False, dtypes=self._dtypes)
            terms = [KernelBasis(k, self.X_fit_).rows(k.prepare(X), self.n_jobs) for k in self._terms]
        width = sum(K.shape[1] for K in terms)
        for rows in panels(terms[0].shape[0], max(1, MEMORY_BUDGET // (16 * width))):
            yield np.hstack([K.block(rows, slice(None)) for K in terms])

    def _new(self, X: Data) -> Any:
        """Return new samples in the form that `estimator_` expects."""
        if self.kernel_ is not None:
            return X
        scaled = self.weights_ * self.scale_
        return sum(w * K for w, K in zip(scaled, self._matrices(X), strict=True) if w > 0)

    def _matrices(self, X: Data) -> list[FloatArray]:
        """Return the kernel values of new samples, one matrix per kernel."""
        matrices = read_matrices(type(self).__name__, X, n=self.n_features_in_)
        if len(matrices) != len(self.weights_):
            raise ValueError(
                f"{type(self).__name__}: was fitted to {len(self.weights_)} kernels, but X has {len(matrices)} "
                "matrices; pass one matrix per kernel."
            )
        return matrices

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = isinstance(self.kernels, str) and self.kernels == "auto"
        return tags


def inner_solution(
    coef: DoubleArray, value: float, gap: float, bound: DoubleArray, *, ridge: DoubleArray | None = None
) -> InnerSolution:
    """Return an `InnerSolution`, in which coefficients strictly inside their bounds are active."""
    low, high = np.where(np.isfinite(bound), 1e-9 * bound, 0.0), bound * (1 - 1e-9)
    active = [np.flatnonzero((size > low) & (size < high)) for size in np.abs(coef.T)]
    return InnerSolution(coef, value, max(0.0, gap), tuple(active), ridge)
