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
    """Repair of a precomputed Gram matrix: makes it positive semidefinite and maps rows of test samples alike.

    `fit` takes the Gram matrix K (n × n) of the training samples, `transform` takes rows (m × n) of kernel values
    between other samples and the training samples. The map depends on the training samples only.

    Parameters
    ----------
    method : {"clip", "flip", "shift", "square"}, default="clip"
        Change of the eigenvalues λ of K = UΛUᵀ: "clip" max(λ, 0), "flip" ``|λ|``, "square" λ², "shift" λ − λ_min.

    Attributes
    ----------
    eigenvalues_ : ndarray of shape (n_samples,)
        Eigenvalues of K before the repair, ascending.
    negative_mass_ : float
        Σ ``|λ₋|`` / Σ ``|λ|``, the share of the negative eigenvalues of K.
    n_features_in_ : int
        Number n of training samples.
    feature_names_in_ : ndarray of shape (``n_features_in_``,)
        Names of the columns. Only if X was a data frame whose column names are all strings.

    See Also
    --------
    mercer.kernels.repair : The same for a single matrix.
    mercer.kernels.check_gram : Test whether a matrix is positive semidefinite.

    Notes
    -----
    The cost is O(n³) for `fit` and O(mn²) for `transform`. `fit_transform` returns the repaired K. So does
    ``transform(K)`` for "clip", "flip" and "square". "shift" changes self-similarities only: `fit_transform` adds
    −λ_min to the diagonal of the training matrix, and `transform` leaves all rows unchanged, including those of K.
    ``SVC(kernel="precomputed")`` after ``method="flip"`` is the Kreĭn SVM.

    References
    ----------
    * Chen, Garcia, Gupta, Rahimi and Cazzanti, *Similarity-based classification: concepts and algorithms*, Journal of
      Machine Learning Research 10, 2009.
    * Loosli, Canu and Ong, *Learning SVM in Kreĭn spaces*, IEEE Transactions on Pattern Analysis and Machine
      Intelligence 38, 2016, doi:10.1109/TPAMI.2015.2477830.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.kernels import Sigmoid
    >>> from mercer.preprocessing import KernelRepair
    >>> K = Sigmoid()(np.array([[0.1], [1.0], [2.0], [4.0]]))
    >>> np.linalg.eigvalsh(K).round(3)
    array([-0.27 , -0.043,  0.13 ,  2.955])
    >>> np.linalg.eigvalsh(KernelRepair("flip").fit_transform(K)).round(3)
    array([0.043, 0.13 , 0.27 , 2.955])
    """

    def __init__(self, method: str = "clip") -> None:
        self.method = method

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: ARG002
        """Learn the repair from the Gram matrix of the training samples.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_samples)
            Gram matrix of the training samples.
        y : None, default=None
            Ignored. Present for compatibility with pipelines.

        Returns
        -------
        self
            Fitted estimator.
        """
        self._fit(X)
        return self

    def fit_transform(self, X: Any, y: Any = None, **params: Any) -> FloatArray:  # noqa: ARG002
        """Learn the repair and return the repaired Gram matrix.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_samples)
            Gram matrix of the training samples.
        y : None, default=None
            Ignored. Present for compatibility with pipelines.
        **params : dict
            Ignored. Present for compatibility with pipelines.

        Returns
        -------
        ndarray of shape (n_samples, n_samples)
            Positive semidefinite Gram matrix.
        """
        return self._fit(X)

    @finite_values
    def _fit(self, X: Any) -> FloatArray:
        if self.method == "correlation":
            raise ValueError(
                "KernelRepair: method 'correlation' does not extend to rows of test samples; use "
                "'clip', 'flip', 'shift' or 'square', or mercer.kernels.repair for a single matrix."
            )
        K = check_matrix(self, X, dtype=[np.float64, np.float32])
        repaired, self._repair = fit_repair(K, self.method)  # type: ignore[arg-type]
        self.eigenvalues_ = self._repair.eigenvalues
        self.negative_mass_ = self._repair.negative_mass
        return repaired

    @finite_values
    def transform(self, X: Any) -> FloatArray:
        """Map kernel values of other samples like the training matrix.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_samples_fit)
            Kernel values between samples and the training samples.

        Returns
        -------
        ndarray of shape (n_samples, n_samples_fit)
            Repaired kernel values.
        """
        check_is_fitted(self)
        K = check_matrix(self, X, reset=False, dtype=[np.float64, np.float32])
        return self._repair.rows(K)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = True
        return tags
