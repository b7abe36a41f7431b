"""Kernel PCA that continues from sums over earlier samples."""

from typing import Any, Self

from sklearn.base import _fit_context
from sklearn.utils.metaestimators import available_if

from mercer._estimator import Approximation, Incremental, Sums, Training
from mercer._estimator.incremental import is_approximated
from mercer._estimator.transaction import transaction
from mercer._typing import Data
from mercer.decomposition.approximated import summed_projections
from mercer.decomposition.components_fit import ComponentsFit

__all__ = ["IncrementalComponents"]


class IncrementalComponents(Incremental, ComponentsFit):
    """Base class of `KernelPCA`: `partial_fit`."""

    @available_if(is_approximated)  # type: ignore[untyped-decorator]
    @transaction
    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def partial_fit(self, X: Data, y: Any = None, sample_weight: Any = None) -> Self:  # noqa: ARG002
        """Add samples and compute the principal components of all samples so far.

        The first call resolves the kernel and fixes landmarks or random features. After any number of calls, the
        components equal those of one fit to all samples with these features, up to their signs. The sums that later
        calls add to are stored with the model. Exists only with an approximation.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), frame or BlockSource
            Further training samples, with the columns of the first call.
        y : None, default=None
            Ignored. Present for compatibility with pipelines.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the samples. None means 1 for every sample.

        Returns
        -------
        self
            Estimator fitted to all samples so far.

        Notes
        -----
        A call takes O(n_samples · m²) for m features, and O(m³) for the components. The coordinate of largest modulus
        of a landmark is positive; `fit` looks at all samples.
        """
        return self._partial_fit(X, None, sample_weight, targets=False)

    def _batch(self, training: Training, y: Any) -> tuple[Training, None]:  # noqa: ARG002
        if self.fit_inverse_transform:
            raise ValueError(
                f"{type(self).__name__}: fit_inverse_transform=True needs all training samples at once, which "
                "partial_fit does not have; use fit, or fit_inverse_transform=False."
            )
        return training, None

    def _from_sums(self, training: Training, approximation: Approximation, sums: Sums, *, single: bool) -> None:  # noqa: ARG002
        self._check_approximated(approximation)
        count = self._count(sums.rows)
        projections = summed_projections(approximation, sums, count, center=self.center, positive=self._positive)
        self._remember(training, approximation)
        self._conclude_projections(projections, sums.moments.n, count)
