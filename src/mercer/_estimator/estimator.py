"""What estimators with a ``kernel=`` share: the kernel they mean, their data, products with the kernel matrix."""

from typing import Any, ClassVar, Literal

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted, validate_data

from mercer._estimator.kernel import default_width, meant_kernel
from mercer._estimator.params import KernelParams
from mercer._estimator.samples import check_samples, check_training, check_weights, kernel_tags
from mercer._estimator.training import Packed, Samples, Training
from mercer._typing import Data, DoubleArray
from mercer.kernels import Kernel
from mercer.kernels.program import Prepared
from mercer.operators import BlockedOperator, GramOperator, PrecomputedOperator

__all__ = ["KernelEstimator"]


class KernelEstimator(KernelParams, BaseEstimator):  # type: ignore[misc]
    """Base of estimators with `kernel` and, as far as they have them, `gamma`, `degree`, `coef0`, `kernel_params`.

    `kernel` is one of scikit-learn's names, which the other parameters complete; the text form or an object of a mercer
    kernel, which needs none of them; a function; or "precomputed", where X is the Gram matrix (test samples by training
    samples in prediction).

    A subclass fits like this::

        training, y = self._training(X, y, sample_weight)      # validated and packed
        K = training.gram(self.n_jobs)                         # or training.operator(), without the matrix
        ...
        self._remember(training)                               # sets kernel_ and X_fit_

    and predicts like this::

        check_is_fitted(self)
        return self._against(X) @ self.dual_coef_              # tiles of k(X, X_fit_) are used up as they are made
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {}
    _functions: ClassVar[Literal["pair", "block"]] = "block"  # what a function as kernel= takes
    _dtypes: ClassVar[tuple[type, ...]] = (np.float64,)  # of vectors; others are converted to the first
    _negative_weights: ClassVar[bool] = False  # whether they mean zero, as in scikit-learn's SVMs

    # ---- fit

    def _kernel(self) -> Kernel | None:
        """What ``kernel=`` means; None for "precomputed"."""
        return meant_kernel(self, by=self._functions)

    def _training(
        self,
        X: Data,
        y: Any = None,
        sample_weight: Any = None,
        *,
        targets: bool = True,
        numeric: bool = False,
        multi_output: bool = False,
    ) -> tuple[Training, Any]:
        """Validated data, packed for the kernel; and targets, if the estimator has any."""
        kernel = self._kernel()
        if kernel is None:
            X, y = self._precomputed(X, y, targets=targets, y_numeric=numeric, multi_output=multi_output)
        elif targets:
            X, y = check_training(self, kernel, X, y, dtypes=self._dtypes, numeric=numeric, multi_output=multi_output)
        else:
            X = check_samples(self, kernel, X, reset=True, dtypes=self._dtypes)
        weight = check_weights(self, sample_weight, X, negative=self._negative_weights)
        weighted = sample_weight is not None
        kept = np.flatnonzero(weight > 0) if weighted else np.arange(len(weight))
        if len(kept) == 0:
            raise ValueError("Invalid input - all samples have zero or negative weights.")
        samples: Samples = X
        if kernel is not None:
            kernel = default_width(self, kernel, X)
            if weighted:
                kernel = kernel.resolve(X, sample_weight=np.maximum(weight, 0))
            samples = kernel.prepare(X)
            kernel = samples.kernel
        return Training(type(self).__name__, X, kernel, samples, weight, kept, weighted), y

    def _precomputed(self, X: Data, y: Any, *, targets: bool, **options: Any) -> tuple[Any, Any]:
        """A square matrix, and targets."""
        self._refuse_sparse_gram(X)
        if targets:
            X, y = validate_data(self, X, y, dtype=list(self._dtypes), **options)
        else:
            X = validate_data(self, X, dtype=list(self._dtypes))
        if X.shape[0] != X.shape[1]:
            raise ValueError(
                f"Precomputed matrix must be a square matrix. Input is a {X.shape[0]}x{X.shape[1]} matrix."
            )
        return X, y

    def _refuse_sparse_gram(self, X: Data) -> None:
        if sp.issparse(X):
            raise TypeError("Sparse precomputed kernels are not supported.")

    def _remember(self, training: Training) -> None:
        """Keep the kernel and the training samples, for `_against`."""
        self.kernel_ = training.kernel
        self.X_fit_ = training.X
        self._packed = Packed()

    # ---- prediction

    def _samples(self, X: Data) -> Samples:
        """X as prediction reads it: packed for `kernel_`, or rows of kernel values."""
        check_is_fitted(self)
        if self.kernel_ is not None:
            return self.kernel_.prepare(check_samples(self, self.kernel_, X, reset=False, dtypes=self._dtypes))
        self._refuse_sparse_gram(X)
        return np.asarray(validate_data(self, X, dtype=np.float64, reset=False))

    def _against(self, X: Data) -> GramOperator:
        """k(X, X_fit_) of shape (m, n): rows of new samples, columns of training samples."""
        return self._rows(self._samples(X))

    def _compared(self, X: Data) -> tuple[GramOperator, DoubleArray | None]:
        """`_against` and k(x, x) of the new samples, which a Gram matrix of the user's does not tell: None."""
        samples = self._samples(X)
        if not isinstance(samples, Prepared):
            return self._rows(samples), None
        return self._rows(samples), np.asarray(samples.kernel.diag(samples), dtype=np.float64)

    def _rows(self, samples: Samples) -> GramOperator:
        if not isinstance(samples, Prepared):
            return PrecomputedOperator(samples, symmetric=False)
        packed = self._packed.of(samples.kernel, self.X_fit_)
        return BlockedOperator(samples, packed, n_jobs=getattr(self, "n_jobs", None))

    def _expansion(self) -> tuple[Data, DoubleArray, DoubleArray]:
        """Samples x_i, a of shape (n, outputs) and b with f(x) = Σ_i a_i k(x_i, x) + b, for explanations.

        Outputs are those of the decision function, or one for each pair of classes.
        """
        check_is_fitted(self)
        if not hasattr(self, "dual_coef_"):
            raise TypeError(f"{type(self).__name__}: its answers are not sums Σ a_i k(x_i, x) + b over samples.")
        coef = np.asarray(self.dual_coef_, dtype=np.float64)
        coef = coef.reshape(len(coef), -1)
        return self.X_fit_, coef, np.broadcast_to(np.asarray(self.intercept_, dtype=np.float64), coef.shape[1:])

    # ---- scikit-learn

    @property
    def _is_precomputed(self) -> bool:
        return isinstance(self.kernel, str) and self.kernel == "precomputed"

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        if self._is_precomputed:
            tags.input_tags.pairwise = True
            tags.input_tags.sparse = False
            return tags
        return kernel_tags(tags, self.kernel)
