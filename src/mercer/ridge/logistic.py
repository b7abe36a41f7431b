"""Kernel logistic regression."""

from collections.abc import Mapping
from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
from scipy.special import expit, log_expit, log_softmax, softmax
from sklearn.base import ClassifierMixin, _fit_context
from sklearn.utils import compute_class_weight
from sklearn.utils._param_validation import Interval
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from mercer._estimator import KernelEstimator, Training, constraints, finite_fit, finite_values, warn_unconverged
from mercer._typing import Data, DoubleArray
from mercer.solvers.logistic import solve_logistic

__all__ = ["KernelLogisticRegression"]


class KernelLogisticRegression(ClassifierMixin, KernelEstimator):  # type: ignore[misc]
    r"""Classes with probabilities: logistic regression in the feature space of a kernel.

    f = Σ_i a_i k(x_i, ·) + b minimises −Σ_i s_i log p(y_i | x_i) + ½α‖f − b‖², where p is the sigmoid of f for two
    classes and the softmax of one f per class for more. With ``kernel="linear"`` this is scikit-learn's
    `LogisticRegression` with C = 1/α.

    Parameters
    ----------
    alpha : float
        Strength of the penalty, α > 0: larger values pull probabilities towards those of the classes.
    kernel : str, callable or Kernel
        As in `KernelRidge`. It must be positive semidefinite.
        Names: docs/kernel-names.md. A function is called with two samples.
    gamma, degree, coef0, kernel_params
        Complete a kernel that is given by name.
    fit_intercept : bool
        Whether there is an unpenalised b. Then Σ_i s_i p(class | x_i) is the weight of every class in the training
        data.
    class_weight : dict, "balanced" or None
        Factors of the weights of the samples, by class.
    tol : float
        How small the gradient must be, relative to Σ s_i‖φ(x_i)‖.
    max_iter : int
        Most Newton steps.
    n_jobs : int, optional
        Threads for kernel values.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
        Labels of samples that have a weight.
    dual_coef_ : array of shape (n,), or (n, n_classes) for more than two classes
        a.
    intercept_ : float, or array of shape (n_classes,)
        b; 0.0 without intercept.
    X_fit_, kernel_
        Training samples; the kernel with all its parameters, None for a Gram matrix.
    solution_ : Solution
        The certificate: objective, norm of the gradient, duality gap.
    n_iter_ : int
        Newton steps.

    Notes
    -----
    O(n³/3) per Newton step for two classes; O(n³) once and O(n r²) per step for more, if K has rank r. About ten steps,
    two n × n matrices.
    The penalty keeps f finite where classes are separable. The gap bounds how far f is from the optimum f*:
    ½α‖f − f*‖² ≤ gap.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.ridge import KernelLogisticRegression
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(80, 2))
    >>> y = np.where((X**2).sum(axis=1) < 1, "inside", "outside")
    >>> model = KernelLogisticRegression(kernel="rbf", gamma=1.0, alpha=0.1).fit(X, y)
    >>> model.predict([[0.0, 0.0], [2.0, 0.0]]).tolist()
    ['inside', 'outside']
    >>> bool(np.isclose(model.predict_proba(X)[:, 0].sum(), (y == "inside").sum()))
    True
    >>> model.solution_.gap < 1e-12
    True
    """

    _functions = "pair"
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = constraints(
        "kernel_params",
        "fit_intercept",
        "max_iter",
        "class_weight",
        alpha=[Interval(Real, 0, None, closed="neither")],
        tol=[Interval(Real, 0, None, closed="neither")],
    )

    def __init__(
        self,
        alpha: float = 1.0,
        *,
        kernel: Any = "linear",
        gamma: float | str | None = None,
        degree: float = 3,
        coef0: float = 1,
        kernel_params: Mapping[str, Any] | None = None,
        fit_intercept: bool = True,
        class_weight: Any = None,
        tol: float = 1e-8,
        max_iter: int = 100,
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
        self.tol = tol
        self.max_iter = max_iter
        self.n_jobs = n_jobs

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(self, X: Data, y: Any, sample_weight: Any = None) -> Self:
        """Fit to labelled samples.

        Parameters
        ----------
        X : data of n samples, or the (n, n) Gram matrix with ``kernel="precomputed"``
            Vectors, frames or objects, as the kernel reads them.
        y : array-like of shape (n,)
            Class labels.
        sample_weight : array-like of shape (n,) or float, optional
            Factors of the losses: an integer equals so many repetitions of the sample, zero its absence.
        """
        training, y = self._training(X, y, sample_weight)
        check_classification_targets(y)
        return self._fit_training(training, y)

    @finite_fit
    def _fit_training(self, training: Training, y: Any) -> Self:
        T, weight = self._targets(y, training)
        two = len(self.classes_) == 2
        answer = solve_logistic(
            training.K,
            T[:, 1:] if two else T,
            self.alpha,
            weight=weight,
            intercept=self.fit_intercept,
            tol=self.tol,
            max_iter=self.max_iter,
        )
        coef = training.basis.fold(answer.coef)
        self.dual_coef_ = coef[:, 0] if two else coef
        self.intercept_: Any = 0.0
        if self.fit_intercept:
            self.intercept_ = float(answer.intercept[0]) if two else answer.intercept
        self.solution_ = answer.solution
        self.n_iter_ = max(1, answer.solution.n_iter)
        self._remember(training)
        who = type(self).__name__
        text = (
            f"{who}: the gradient is {self.solution_.violation:.2g} after {self.n_iter_} of max_iter={self.max_iter} "
            f"steps, more than tol={self.tol:g}; raise max_iter, alpha or tol, or scale the features."
        )
        warn_unconverged(self, text)
        return self

    def _targets(self, y: Any, training: Training) -> tuple[DoubleArray, DoubleArray]:
        """One column per class with a sample that counts, and weights times those of the classes."""
        self.classes_ = np.unique(y[training.kept])
        if len(self.classes_) < 2:
            raise ValueError(
                "This solver needs samples of at least 2 classes in the data, but the data contains only one class: "
                f"{self.classes_[0]!r}"
            )
        T = (y[:, None] == self.classes_).astype(np.float64)
        mass = training.weight @ T
        if self.class_weight is None:
            factor = np.ones(len(mass))
        elif isinstance(self.class_weight, str):
            factor = mass.sum() / (len(mass) * mass)
        else:
            factor = compute_class_weight(self.class_weight, classes=self.classes_, y=y[training.kept])
        if not (np.isfinite(factor) & (factor > 0)).all():
            raise ValueError(
                f"{type(self).__name__}: class_weight must be positive for every class, got {self.class_weight!r}; "
                "leave out the samples of a class that is not to count."
            )
        return T, training.weight * (T @ factor)

    # ---- prediction

    @finite_values
    def decision_function(self, X: Data) -> DoubleArray:
        """f: log p(classes_[1])/p(classes_[0]) of shape (m,), or the input of the softmax, (m, n_classes)."""
        check_is_fitted(self)
        return np.asarray(self._against(X) @ self.dual_coef_ + self.intercept_)

    def predict(self, X: Data) -> Any:
        """The most probable class of samples."""
        f = self.decision_function(X)
        return self.classes_[(f > 0).astype(np.intp) if f.ndim == 1 else f.argmax(axis=1)]

    def predict_proba(self, X: Data) -> DoubleArray:
        """Probabilities of the classes, of shape (m, n_classes)."""
        f = self.decision_function(X)
        return np.asarray(np.column_stack([expit(-f), expit(f)]) if f.ndim == 1 else softmax(f, axis=1))

    def predict_log_proba(self, X: Data) -> DoubleArray:
        """Logarithms of the probabilities, which do not underflow."""
        f = self.decision_function(X)
        return np.asarray(np.column_stack([log_expit(-f), log_expit(f)]) if f.ndim == 1 else log_softmax(f, axis=1))
