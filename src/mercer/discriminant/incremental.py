"""Kernel discriminant analysis that continues from sums over earlier samples."""

from typing import Any, Self

from sklearn.base import _fit_context
from sklearn.utils.metaestimators import available_if

from mercer._estimator import Approximation, Incremental, Sums, Training
from mercer._estimator.incremental import encoded, is_approximated, known_classes
from mercer._estimator.transaction import transaction
from mercer._typing import Data, DoubleArray
from mercer.discriminant.approximated import summed_directions
from mercer.discriminant.directions_fit import DirectionsFit
from mercer.solvers.discriminant import indicators

__all__ = ["DirectionSums"]


class DirectionSums(Incremental, DirectionsFit):
    """Base class of `KernelDiscriminantAnalysis`: directions from sums, and `partial_fit`."""

    @available_if(is_approximated)  # type: ignore[untyped-decorator]
    @transaction
    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def partial_fit(self, X: Data, y: Any = None, classes: Any = None, sample_weight: Any = None) -> Self:
        """Add samples and compute the directions of all samples so far.

        The first call resolves the kernel and fixes the classes and landmarks or random features; it needs samples of
        every class. After any number of calls, the model equals that of one fit to all samples with these features, up
        to the signs of directions. The sums that later calls add to are stored with the model. Exists only with an
        approximation.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), frame or BlockSource
            Further training samples, with the columns of the first call.
        y : array-like of shape (n_samples,), default=None
            Class labels. None: those of the blocks of X.
        classes : array-like of shape (n_classes,), default=None
            All class labels. Required in the first call; later calls need not repeat it.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the samples. None means 1 for every sample.

        Returns
        -------
        self
            Estimator fitted to all samples so far.

        Raises
        ------
        ValueError
            If ``reg="auto"``, ``loo=True`` or ``penalty="coefficients"``, which need passes over all samples, or if y
            contains labels that are not among the classes.

        Notes
        -----
        A call takes O(n_samples · m²) for m features, and O(m³) for the directions. Their certificate does not bound
        the error of the approximation: ``solution_.exact_gap`` is NaN.
        """
        who = type(self).__name__
        self._check_combination(who)
        for name, value in (("reg", "auto"), ("loo", True), ("penalty", "coefficients")):
            given = getattr(self, name)
            if isinstance(given, type(value)) and given == value:
                raise ValueError(
                    f"{who}: {name}={value!r} needs passes over all samples, which partial_fit does not have; use fit, "
                    "or another value."
                )
        self.classes_ = known_classes(self, classes)
        return self._partial_fit(X, y, sample_weight)

    def _batch(self, training: Training, y: Any) -> tuple[Training, DoubleArray]:
        return training, indicators(encoded(type(self).__name__, self.classes_, y), len(self.classes_))

    def _from_sums(self, training: Training, approximation: Approximation, sums: Sums, *, single: bool) -> None:  # noqa: ARG002
        size = sums.moments.targets
        if not (size > 0).all():
            raise ValueError(
                f"{type(self).__name__}: no sample of positive weight so far is of class "
                f"{self.classes_[size <= 0].tolist()[0]!r}; the first call of partial_fit needs samples of all classes."
            )
        self._set_priors(size)
        found = summed_directions(approximation, sums, self._penalty)
        self._conclude(training, approximation, found)
