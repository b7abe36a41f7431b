"""Classification by kernel ridge regression on the sides of the classes."""

from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import ClassifierMixin, _fit_context
from sklearn.utils import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets

from mercer._estimator import Training, constraints
from mercer._typing import Data, DoubleArray, IndexArray
from mercer.ridge.base import CONSTRAINTS, KernelRidgeBase

__all__ = ["KernelRidgeClassifier"]


class KernelRidgeClassifier(ClassifierMixin, KernelRidgeBase):  # type: ignore[misc]
    """Kernel ridge regression on targets ±1; the largest value wins. Also known as least-squares SVM.

    For every class one target, +1 for its samples and −1 for all others; two classes share one. All targets have the
    same matrix, which is factored once.

    Parameters
    ----------
    alpha : float
        α ≥ 0, as in `KernelRidge`.
    kernel : Kernel, str or callable
        A kernel of `mercer.kernels`, its text form, one of scikit-learn's names (then `gamma`, `degree`, `coef0`
        count), "precomputed", or a function.
        Names: docs/kernel-names.md. A function is called with two samples.
    gamma, degree, coef0, kernel_params
        Parameters of the named kernels, and keyword arguments of a function.
    fit_intercept, solver, tol, max_iter, n_jobs
        As in `KernelRidge`.
    class_weight : dict, "balanced" or None
        Factors of the sample weights; "balanced": n / (n_classes · weight of the class).

    Attributes
    ----------
    classes_ : array
        The labels, sorted.
    dual_coef_ : array, shape (n,) for two classes, else (n, n_classes)
        c.
    intercept_ : float for two classes, else array of shape (n_classes,)
        b.
    X_fit_, kernel_, solution_, n_iter_, n_features_in_
        As in `KernelRidge`.

    Notes
    -----
    As in `KernelRidge`, with O(n²) for every class. Values are no probabilities: they estimate 2P(class|x) − 1 without
    being kept between −1 and 1.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from mercer.ridge import KernelRidgeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = KernelRidgeClassifier(alpha=0.1).fit(X, y)
    >>> f = model.decision_function(X)
    >>> bool((f.argmax(axis=1) == model.predict(X)).all()), bool(abs(f.sum(axis=1) + 1).max() < 1e-9)
    (True, True)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **CONSTRAINTS,
        "alpha": CONSTRAINTS["alpha"][:1],
        **constraints("class_weight"),
    }

    def __init__(
        self,
        alpha: float = 1.0,
        *,
        kernel: Any = "rbf",
        gamma: Any = "scale",
        degree: float = 3,
        coef0: float = 0.0,
        kernel_params: dict[str, Any] | None = None,
        fit_intercept: bool = True,
        class_weight: Any = None,
        solver: str = "auto",
        tol: float = 1e-10,
        max_iter: int | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.alpha = alpha
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.n_jobs = n_jobs

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(self, X: Data, y: Any, sample_weight: Any = None) -> Self:
        """Fit the values of all classes.

        Parameters
        ----------
        X : data of n samples, or the (n, n) Gram matrix with ``kernel="precomputed"``
            Vectors, frames or objects, as the kernel reads them.
        y : array-like of shape (n,)
            Class labels.
        sample_weight : float or array-like of shape (n,), optional
            Weights of the squared errors. An integer weight equals so many repetitions of the sample.
        """
        training, y = self._training(X, y, sample_weight)
        check_classification_targets(y)
        return self._fit_training(training, y)

    def _targets(self, training: Training, y: Any) -> tuple[Training, DoubleArray, bool]:
        """±1 for the side of each class; two classes share one target."""
        self.classes_, label = np.unique(y, return_inverse=True)
        training = self._weigh_classes(training, y, label)
        present = self.classes_[np.unique(label[training.weight > 0])]
        if len(present) < 2:
            raise ValueError(
                "KernelRidgeClassifier: y needs samples of at least two classes with positive weights, got "
                f"{len(present)} class: {present.tolist()}."
            )
        single = len(self.classes_) == 2
        sides = label[:, None] == (np.array([1]) if single else np.arange(len(self.classes_)))
        return training, np.where(sides, 1.0, -1.0), single

    def _weigh_classes(self, training: Training, y: Any, label: IndexArray) -> Training:
        """Weights of samples times those of their classes; "balanced" counts weights, not samples."""
        if self.class_weight is None:
            return training
        if isinstance(self.class_weight, str):
            mass = np.bincount(label, weights=training.weight, minlength=len(self.classes_))
            factor = mass.sum() / ((mass > 0).sum() * np.where(mass > 0, mass, 1.0))
        else:
            factor = compute_class_weight(self.class_weight, classes=self.classes_, y=y)
        return replace(training, weight=training.weight * factor[label], weighted=True)

    def decision_function(self, X: Data) -> DoubleArray:
        """f of samples: shape (m,) for two classes, positive for ``classes_[1]``; else (m, n_classes)."""
        return self._values(X)

    def predict(self, X: Data) -> Any:
        """The class with the largest value."""
        values = self._values(X)
        chosen = values.argmax(axis=1) if values.ndim == 2 else (values > 0).astype(np.intp)
        return self.classes_[chosen]
