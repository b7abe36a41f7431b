"""Base class of estimators with a ``kernel=`` parameter: kernel, training data, prediction."""

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from copy import copy
from typing import Any, ClassVar, Literal, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from mercer._estimator.basis import Basis, FeatureBasis, Kept, KernelBasis, RowBasis, basis_of
from mercer._estimator.blocks.outputs import BlockOutputs
from mercer._estimator.blocks.training import block_training
from mercer._estimator.features import Approximation
from mercer._estimator.kernel import default_width, meant_kernel
from mercer._estimator.params import KernelParams
from mercer._estimator.samples import check_matrix, check_samples, check_training, check_weights, kernel_tags
from mercer._estimator.training import Training
from mercer._estimator.transaction import TransactionalFit
from mercer._typing import Data, DoubleArray, FloatArray, IndexArray
from mercer.approximation import FittedApproximation
from mercer.data import BlockSource
from mercer.kernels import Kernel
from mercer.operators import GramOperator

__all__ = ["KernelEstimator"]


class KernelEstimator(BlockOutputs, TransactionalFit, KernelParams, BaseEstimator):  # type: ignore[misc]
    """Base class of estimators with `kernel` and, optionally, `gamma`, `degree`, `coef0` and `kernel_params`.

    `kernel` is one of scikit-learn's names, completed by the other parameters; the text form or an object of a mercer
    kernel, with parameters of its own; a function; or "precomputed", where X is the Gram matrix (test samples by
    training samples in prediction).

    A subclass fits in two steps::

        def fit(self, X, y, sample_weight=None):
            training, y = self._training(X, y, sample_weight)      # validate and pack
            return self._fit_training(training, y)

        def _fit_training(self, training, y):
            coef = solver(training.K, y, ...)                      # solvers see only the operator
            self.dual_coef_ = training.basis.fold(coef)
            self._remember(training)                               # sets kernel_ and X_fit_
            return self

    and predicts like this::

        return self._against(X) @ self.dual_coef_                  # computed in tiles of k(X, X_fit_)

    Callers that have the training data in another form (parameter paths, searches, approximations) build a `Training`
    and call `_fit_training`.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {}
    _functions: ClassVar[Literal["pair", "block"]] = "block"  # arguments of a function passed as kernel=
    _dtypes: ClassVar[tuple[type, ...]] = (np.float64,)  # accepted for vectors; others are converted to the first
    _gram_dtypes: ClassVar[tuple[type, ...]] = (np.float64,)  # accepted for Gram matrices
    _negative_weights: ClassVar[bool] = False  # whether they count as zero, as in scikit-learn's SVMs
    _fits_blocks: ClassVar[bool] = False  # whether it can be fitted to a `BlockSource`
    _visits_samples: bool = False  # whether its solver visits the features of one sample after the other
    _columns: list[str] | None = None  # names of the columns of X, if known

    # ---- fit

    @abstractmethod
    def _fit_training(self, training: Training, y: Any) -> Self:
        """Fit to training data that have been validated and packed."""

    def _fit_each(self, training: Training, y: Any, grid: Sequence[dict[str, Any]]) -> Iterator[Self]:
        """Yield copies fitted with the parameters of a grid, in its order; subclasses may share work between them."""
        for params in grid:
            yield copy(self).set_params(**params)._fit_training(training, y)

    def _draft(self) -> Self:
        draft = super()._draft()
        if "_kept" in draft.__dict__:  # own holder: the draft must not fill that of the estimator
            draft._kept = Kept.of(draft._kept.basis)
        return draft

    def _kernel(self) -> Kernel | None:
        """Kernel described by the parameters; None for "precomputed"."""
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
        """Validate the data and pack them for the kernel; also return the validated targets, if there are any."""
        if isinstance(X, BlockSource):
            return block_training(
                self, X, y, sample_weight, targets=targets, numeric=numeric, multi_output=multi_output
            )
        kernel = self._kernel()
        given = X
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
        basis: Basis
        if kernel is None:
            basis = RowBasis(X)
        else:
            X = self._own(X, given)
            kernel = default_width(self, kernel, X)
            if weighted:
                kernel = kernel.resolve(X, sample_weight=np.maximum(weight, 0))
            packed = kernel.prepare(X)
            kernel = packed.kernel
            basis = KernelBasis(kernel, X, packed)
        n_jobs = getattr(self, "n_jobs", None)
        return Training(type(self).__name__, X, kernel, basis, weight, kept, weighted, n_jobs), y

    def _own(self, X: Data, given: Data) -> Data:  # noqa: ARG002 - for subclasses
        """X in the form that the model stores; subclasses may copy data that belong to the caller."""
        return X

    def _precomputed(self, X: Data, y: Any, *, targets: bool, **options: Any) -> tuple[Any, Any]:
        """Validated square matrix and targets."""
        self._refuse_sparse_gram(X)
        if targets:
            X, y = check_matrix(self, X, y, dtype=list(self._gram_dtypes), **options)
        else:
            X = check_matrix(self, X, dtype=list(self._gram_dtypes))
        if X.shape[0] != X.shape[1]:
            raise ValueError(
                f"Precomputed matrix must be a square matrix. Input is a {X.shape[0]}x{X.shape[1]} matrix."
            )
        return X, y

    def _refuse_sparse_gram(self, X: Data) -> None:
        if sp.issparse(X):
            raise TypeError("Sparse precomputed kernels are not supported.")

    def _remember(self, training: Training, approximation: Approximation | None = None) -> None:
        """Store the kernel, the training samples or landmarks, and the basis for predictions."""
        self.__dict__.pop("_sums", None)  # of `partial_fit`, which sets them again
        self.kernel_ = training.kernel
        self.X_fit_ = training.X if approximation is None else approximation.X
        self._kept = Kept.of(training.basis if approximation is None else approximation.basis)

    def _approximated(self, training: Training) -> Approximation | None:  # noqa: ARG002 - for `Approximable`
        """Features that replace the Gram matrix; None for an exact fit, as of estimators without `approximation`."""
        return None

    # ---- prediction

    @property
    def _basis(self) -> Basis:
        """Basis of the fitted expansion, rebuilt after the model was copied or loaded."""
        kept = self.__dict__.setdefault("_kept", Kept())
        if kept.basis is None:
            kept.basis = self._rebuilt_basis()
        return kept.basis  # type: ignore[no-any-return]

    def _rebuilt_basis(self) -> Basis:
        return self._basis_over(self.X_fit_)

    def _basis_over(self, X: Data, columns: IndexArray | None = None) -> Basis:
        """Basis over samples that the model stores; `columns` are their indices among the training samples."""
        fitted: FittedApproximation | None = getattr(self, "approximation_", None)
        if fitted is None:
            return basis_of(self.kernel_, X, columns)
        if fitted.map is not None and self.kernel_ is not None:
            return FeatureBasis(self.kernel_, fitted.map.features, fitted.n_components)
        return basis_of(self.kernel_, X, fitted.indices)

    def _check_new(self, kernel: Kernel, X: Data) -> Data:
        """New samples, validated for the kernel."""
        return check_samples(self, kernel, X, reset=False, dtypes=self._dtypes)

    def _check_new_rows(self, X: Data) -> FloatArray:
        """Validated rows of kernel values between new and training samples."""
        self._refuse_sparse_gram(X)
        return np.asarray(check_matrix(self, X, dtype=np.float64, reset=False))

    def _samples(self, X: Data) -> Any:
        """New samples in the form that `_basis` reads."""
        if "_kept" not in self.__dict__:  # scikit-learn's check takes longer than a small prediction
            check_is_fitted(self)
        return self._basis.read(self, X)

    def _rows(self, samples: Any) -> GramOperator:
        return self._attributed(self._basis.rows(samples, getattr(self, "n_jobs", None)))

    def _gram(self) -> GramOperator:
        """Gram matrix of the training samples, after the fit."""
        return self._attributed(self._basis.gram(getattr(self, "n_jobs", None)))

    def _attributed(self, operator: GramOperator) -> GramOperator:
        """The operator, with this estimator as the name in its errors."""
        operator.who = type(self).__name__
        return operator

    def _norms(self, samples: Any) -> DoubleArray | None:
        """Values k(x, x) of new samples; None if they are unknown."""
        return self._basis.norms(samples, type(self).__name__)

    def _against(self, X: Data) -> GramOperator:
        """Operator k(X, X_fit_) of shape (m, n): rows of new samples, columns of training samples."""
        return self._rows(self._samples(X))

    def _compared(self, X: Data) -> tuple[GramOperator, DoubleArray | None]:
        """`_against`, and k(x, x) of the new samples, which is None for rows of a Gram matrix."""
        samples = self._samples(X)
        return self._rows(samples), self._norms(samples)

    @property
    def _column_names(self) -> list[str] | None:
        """Names of the columns of X in `fit`; None if they are those of `X_fit_`, or numbers."""
        names = getattr(self, "feature_names_in_", None)
        return self._columns if names is None else list(names)

    def _expansion(self) -> tuple[Data, DoubleArray, DoubleArray]:
        """Samples x_i, a of shape (n, n_outputs) and b with f(x) = Σ_i a_i k(x_i, x) + b, for explanations.

        The outputs are those of the decision function, or one for each pair of classes.
        """
        check_is_fitted(self)
        if not hasattr(self, "dual_coef_") or getattr(getattr(self, "approximation_", None), "map", None) is not None:
            raise TypeError(
                f"{type(self).__name__}: predictions are not a kernel expansion Σ a_i k(x_i, x) + b over samples; "
                "explanations need one."
            )
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
