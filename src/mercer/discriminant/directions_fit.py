"""Fits of kernel discriminant analysis, exact and with an approximated kernel."""

from dataclasses import replace
from typing import Any, Self

import numpy as np

from mercer._estimator import Approximable, Approximation, KernelEstimator, Training, finite_fit, warn_unconverged
from mercer._typing import DoubleArray, IndexArray
from mercer.discriminant.approximated import (
    ApproximateDiscriminant,
    approximate_coefficient_directions,
)
from mercer.discriminant.classes import checked_priors, numbered
from mercer.solvers.discriminant import Directions, Scatter, class_scatter, ridge_directions
from mercer.solvers.discriminant_eigen import (
    coefficient_directions,
    eigen_directions,
    scatter_spectrum,
    spectral_directions,
)
from mercer.solvers.discriminant_loo import LeaveOneOut, leave_one_out, leave_one_out_path

__all__ = ["DirectionsFit", "difference"]

REGS = np.logspace(-6, 3, 37)  # candidates of reg="auto"


class DirectionsFit(Approximable, KernelEstimator):
    """Base class of `KernelDiscriminantAnalysis`: everything between the public `fit` and the solvers."""

    n_components: int | None
    reg: Any
    mu: float | None
    penalty: str
    solver: str
    priors: Any
    loo: bool

    @finite_fit
    def _fit_training(self, training: Training, y: Any) -> Self:
        who = type(self).__name__
        self.classes_, label = numbered(who, y, training.kept)
        priors = self._set_priors(np.bincount(label, training.weight).astype(np.float64))
        approximation = self._approximated(training)
        found = self._directions(training, label, priors, approximation)
        self._conclude(training, approximation, found)
        if approximation is None:
            self._label, self._weight = label, training.optional_weight  # for scatter_matrices
        return self

    def _set_priors(self, size: DoubleArray) -> DoubleArray | None:
        """Set `priors_` for classes of some weights; return the priors that were given."""
        who, most = type(self).__name__, len(self.classes_) - 1
        if self.n_components is not None and self.n_components > most:
            raise ValueError(
                f"{who}: n_components cannot be larger than n_classes - 1 = {most}, got {self.n_components}."
            )
        priors = checked_priors(who, self.priors, most + 1)
        self.priors_ = size / size.sum() if priors is None else priors
        return priors

    def _conclude(self, training: Training, approximation: Approximation | None, found: Directions) -> None:
        """Set the fitted attributes; warn if the directions are not accurate."""
        who, most = type(self).__name__, len(self.classes_) - 1
        self._n_features_out = min(self.n_components or most, len(found.ratio))
        self.dual_coef_, self.offset_, self.means_ = found.coef, found.offset, found.means
        self.fisher_ratios_ = found.ratio
        self.explained_variance_ratio_ = (found.ratio / found.ratio.sum())[: self._n_features_out]
        self.solution_ = found.solution
        self._remember(training, approximation)
        for name in ("_label", "_weight"):
            self.__dict__.pop(name, None)
        residual = f"the directions have a relative residual of {self.solution_.violation:.2g}"
        text = f"{who}: {residual}, limited by the rounding errors of the kernel values. Raise reg or mu."
        warn_unconverged(self, text)

    def _check_combination(self, who: str) -> None:
        if self.mu is not None and isinstance(self.reg, str):
            raise ValueError(f"{who}: mu={self.mu!r} and reg={self.reg!r} both set the penalty; pass only one of them.")
        if self.penalty == "norm":
            return
        for name, value in (("reg", "auto"), ("solver", "ridge"), ("loo", True)):
            given = getattr(self, name)
            if isinstance(given, type(value)) and given == value:
                raise ValueError(
                    f"{who}: {name}={value!r} needs penalty='norm', got penalty='coefficients', for which the "
                    "directions are not a ridge regression in feature space; change one of them."
                )

    def _directions(
        self, training: Training, label: IndexArray, priors: DoubleArray | None, approximation: Approximation | None
    ) -> Directions:
        """Return the directions over the basis; set the penalty and the leave-one-out attributes."""
        for name in ("cv_results_", "loo_decision_function_", "loo_error_"):
            self.__dict__.pop(name, None)  # of an earlier fit
        if approximation is not None:
            return self._approximate_directions(approximation, label, priors)
        found = self._exact_directions(training, label, priors)
        return replace(found, coef=training.basis.fold(found.coef))

    def _approximate_directions(
        self, approximation: Approximation, label: IndexArray, priors: DoubleArray | None
    ) -> Directions:
        if self.penalty == "coefficients":
            return approximate_coefficient_directions(approximation, label, self._penalty)
        problem = ApproximateDiscriminant(approximation, label)
        if self.reg == "auto":
            mu = self._choose(problem.leave_one_out(REGS * problem.spread, priors), problem.spread)
        else:
            mu = self._penalty(problem.spread)
            if self.loo:
                self._set_loo(problem.leave_one_out(np.array([mu]), priors)[0])
        return problem.directions(mu)

    def _exact_directions(self, training: Training, label: IndexArray, priors: DoubleArray | None) -> Directions:
        if self.reg == "auto":
            return self._chosen(self._scatter(training, label), priors)
        if self.penalty == "coefficients":
            return coefficient_directions(training.K, label, training.weight, self._penalty)
        if self.loo:
            scatter = self._scatter(training, label)  # overwritten; computing K twice is cheaper than copying it
            self._set_loo(leave_one_out(scatter, self._penalty(scatter.spread), priors))
            del scatter
        scatter = self._scatter(training, label)
        mu = self._penalty(scatter.spread)
        if self.solver == "eigen":
            return eigen_directions(scatter, scatter_spectrum(scatter), mu)
        return ridge_directions(scatter, mu)

    def _penalty(self, unit: float) -> float:
        """Return μ for a given mean scatter; set ``mu_`` and ``reg_``."""
        self.mu_ = float(self.reg) * unit if self.mu is None else float(self.mu)
        self.reg_ = float(self.reg) if self.mu is None else self.mu_ / unit
        return self.mu_

    def _chosen(self, scatter: Scatter, priors: DoubleArray | None) -> Directions:
        """Return the directions for the `reg` with the smallest leave-one-out error."""
        spectrum = scatter_spectrum(scatter)
        mu = self._choose(leave_one_out_path(scatter, spectrum, REGS * scatter.spread, priors), scatter.spread)
        solve = eigen_directions if self.solver == "eigen" else spectral_directions
        return solve(scatter, spectrum, mu)

    def _choose(self, path: list[LeaveOneOut], unit: float) -> float:
        """Return μ for the `reg` with the smallest leave-one-out error; set the attributes that report the choice."""
        error, loss = (np.array([getattr(one, name) for one in path]) for name in ("error", "loss"))
        best = int(np.lexsort((loss, error))[0])
        self.reg_ = float(REGS[best])
        self.mu_ = self.reg_ * unit
        self.cv_results_ = {"reg": REGS.copy(), "loo_error": error, "loo_loss": loss}
        self._set_loo(path[best])
        return self.mu_

    def _scatter(self, training: Training, label: IndexArray) -> Scatter:
        return class_scatter(training.K, label, training.weight)

    def _set_loo(self, found: LeaveOneOut) -> None:
        self.loo_decision_function_ = difference(found.decision)
        self.loo_error_ = found.error


def difference(values: DoubleArray) -> DoubleArray:
    """Return the second column minus the first if there are two, else all columns."""
    return values[:, 1] - values[:, 0] if values.shape[1] == 2 else values
