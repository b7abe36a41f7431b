"""Repair of indefinite Gram matrices as a transformer."""

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from mercer._estimator import Params, TransactionalFit, finite_values
from mercer._estimator.samples import check_matrix
from mercer._typing import FloatArray
from mercer.kernels.repair import fit_repair

__all__ = ["KernelRepair"]


class KernelRepair(OneToOneFeatureMixin, TransformerMixin, TransactionalFit, Params, BaseEstimator):  # type: ignore[misc]
    """Make a precomputed Gram matrix PSD, and map rows of test samples alike.

    `fit` takes the Gram matrix K (n × n) of the training samples, `transform` rows (m × n) of
    kernel values between other samples and the training samples. Only the training samples decide
    the map: nothing leaks from the test samples.

    Parameters
    ----------
    method : {"clip", "flip", "shift", "square"}
        With K = UΛUᵀ: ``"clip"`` max(λ, 0), ``"flip"`` |λ|, ``"square"`` λ², ``"shift"`` λ − λ_min.

    Attributes
    ----------
    eigenvalues_ : (n,) array
        Of K before the repair, ascending.
    negative_mass_ : float
        Σ|λ₋| / Σ|λ|: how indefinite K was.
    n_features_in_ : int
        n.

    See Also
    --------
    mercer.kernels.repair : The same for one matrix.

    Notes
    -----
    O(n³) to fit, O(mn²) to transform. `fit_transform` gives the repaired K. For clip, flip and
    square, so does ``transform(K)``. A shift changes self-similarities only: `fit_transform` adds
    −λ_min to the diagonal of the training matrix, and `transform` leaves every row as it is, the
    rows of K too. ``SVC(kernel="precomputed")`` after ``method="flip"`` is the Kreĭn SVM.

    References
    ----------
    Chen, Garcia, Gupta, Rahimi, Cazzanti 2009, JMLR 10:747-776.
    Loosli, Canu, Ong 2016, doi:10.1109/TPAMI.2015.2477830.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.kernels import Sigmoid, check_gram
    >>> X = np.array([[0.1], [1.0], [2.0], [4.0]])
    >>> K = Sigmoid()(X)
    >>> check_gram(K).is_psd, check_gram(KernelRepair().fit_transform(K)).is_psd
    (False, True)
    """

    def __init__(self, method: str = "clip") -> None:
        self.method = method

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: ARG002
        """Fit on the Gram matrix X of the training samples; y is ignored."""
        self._fit(X)
        return self

    def fit_transform(self, X: Any, y: Any = None, **params: Any) -> FloatArray:  # noqa: ARG002
        """Fit on the Gram matrix X of the training samples and return it repaired."""
        return self._fit(X)

    @finite_values
    def _fit(self, X: Any) -> FloatArray:
        if self.method == "correlation":
            raise ValueError(
                "KernelRepair: method 'correlation' has no map for rows of test samples; use "
                "'clip', 'flip', 'shift' or 'square' here, or mercer.kernels.repair for one matrix."
            )
        K = check_matrix(self, X, dtype=[np.float64, np.float32])
        repaired, self._repair = fit_repair(K, self.method)  # type: ignore[arg-type]
        self.eigenvalues_ = self._repair.eigenvalues
        self.negative_mass_ = self._repair.negative_mass
        return repaired

    @finite_values
    def transform(self, X: Any) -> FloatArray:
        """Rows of kernel values with the training samples, of shape (m, n), mapped as K was."""
        check_is_fitted(self)
        K = check_matrix(self, X, reset=False, dtype=[np.float64, np.float32])
        return self._repair.rows(K)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = True
        return tags
