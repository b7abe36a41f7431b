"""Kernel ridge regression that continues from sums over earlier samples."""

from mercer._estimator import Approximation, Incremental, Sums, Training
from mercer.ridge.approximated import summed_expansion
from mercer.ridge.base import KernelRidgeBase, penalties

__all__ = ["IncrementalRidge"]


class IncrementalRidge(Incremental, KernelRidgeBase):
    """Base class of the kernel ridge estimators with `approximation` and `partial_fit`."""

    _fits_blocks = True

    def _from_sums(self, training: Training, approximation: Approximation, sums: Sums, *, single: bool) -> None:
        alpha = penalties(type(self).__name__, self.alpha, len(sums.energy))
        expansion = summed_expansion(approximation, sums, alpha, intercept=self.fit_intercept)
        self._conclude(training, expansion, approximation, single=single)
