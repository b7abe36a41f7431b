"""Support vector classification with manifold regularisation."""

from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import _fit_context
from sklearn.utils._param_validation import Interval

from mercer._estimator import Training, finite_fit, finite_values, warn_unconverged
from mercer._estimator.score import ScoredClassifier
from mercer._typing import Data, DoubleArray, IndexArray
from mercer.semi_supervised.labels import PartialLabels, read_labels
from mercer.semi_supervised.laplacian_base import MANIFOLD, ManifoldEstimator, restated
from mercer.solvers import Solution, solve_dual
from mercer.solvers import svm as formulation
from mercer.svm import multiclass

__all__ = ["LaplacianSVC"]


class LaplacianSVC(ScoredClassifier, ManifoldEstimator):
    r"""Support vector classification with manifold regularisation (Laplacian SVM, LapSVM).

    It learns from few labelled and many unlabelled samples. f(x) = Σ_i c_i k(x_i, x) + b over all samples minimises

        C Σ_labelled s_i max(0, 1 − y_i f(x_i)) + ½ (‖f‖² + μ gᵀLᵖg),    g = (f(x_1) − b, …, f(x_n) − b),

    where L = D − W is the Laplacian of the graph that joins each sample to its nearest neighbours in feature space, so
    that gᵀLg = ½ Σ_ij W_ij (g_i − g_j)². The penalty keeps the decision boundary away from dense regions. μ = 0 gives
    `mercer.svm.SVC` of the labelled samples. For more than two classes there is one machine per class (one-vs-rest);
    all share one graph.

    Parameters
    ----------
    C : float, default=1e4
        Penalty of errors, positive and finite. In the notation of Belkin, Niyogi and Sindhwani, C = 1/(2 γ_A l) for l
        labelled samples. The default is large because the graph regularises, too: it shrinks the kernel, and with the
        default C of `mercer.svm.SVC` all labelled samples would be at their bounds, so that b alone would decide.
    manifold : float, default=10.0
        Weight μ ≥ 0 of the graph penalty relative to ‖f‖². In the notation above, μ = γ_I / (γ_A n²) for n samples.
    n_neighbors : int, default=6
        Number of neighbours of each sample in the graph, not counting the sample itself.
    weights : {"binary", "heat"}, default="binary"
        Weights of the edges. "binary": W_ij = ½([j near i] + [i near j]). "heat": the same times exp(−d²/(2s²)) with
        the mean square s² of the distances d between neighbours.
    normalize : bool, default=False
        Whether the normalised Laplacian I − D^(−½)WD^(−½) is used.
    power : int, default=1
        Power p of the Laplacian, from 1 to 1000. Powers above 1 penalise spikes at labelled samples. Use them with
        ``normalize=True``, because the scale of Lᵖ grows with the degrees. See Notes.
    unlabeled : label, "auto" or None, default="auto"
        Label that marks unlabelled samples, in addition to None and NaN. "auto": -1 if at least two other labels occur.
        None: no further label.
    kernel : Kernel, str or callable, default="rbf"
        Kernel of `mercer.kernels`, its text form, one of scikit-learn's names (with `gamma`, `degree` and `coef0`),
        "precomputed", or a function. Names: :ref:`kernel-names`. A function is called with two sets of samples.
    gamma : {"scale", "auto"}, float or None, default="scale"
        Coefficient of the named kernels. "scale" uses the variance of all samples, including unlabelled ones.
    degree : float, default=3
        Degree of the kernel "poly".
    coef0 : float, default=0.0
        Constant term of the kernels "poly" and "sigmoid".
    tol : float, default=1e-3
        Tolerance: largest violation of the optimality conditions.
    max_iter : int, default=-1
        Maximal number of pair updates of each machine. -1: max(10⁷, 1000 l), a safety limit.
    n_jobs : int, default=None
        Number of threads. None: all available cores.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels, without the label of unlabelled samples.
    dual_coef_ : ndarray of shape (n_samples,) or (n_samples, n_classes)
        Dual coefficients c of labelled and unlabelled samples; one column per class for more than two classes.
    intercept_ : float or ndarray of shape (n_classes,)
        Intercept b; one per class for more than two classes.
    transduction_ : ndarray of shape (n_samples,)
        Predicted labels of the training samples, labelled ones included.
    n_neighbors_ : int
        Number of neighbours in the graph: `n_neighbors`, or fewer if there are not enough distinct samples; 0 if
        ``manifold=0``.
    X_fit_ : data of n_samples samples
        Training samples; the Gram matrix for "precomputed".
    kernel_ : Kernel or None
        Kernel with all parameters resolved; None for "precomputed".
    solution_ : Solution
        Certificate of the dual problem of the labelled samples in the kernel K̃ of the norm ‖f‖² + μgᵀLᵖg, with the
        certificates of the machines in ``machines``. Its `violation` includes the rounding of the step to c.
    n_iter_ : ndarray of shape (n_machines,)
        Number of pair updates of each machine.
    n_features_in_ : int
        Number of features seen during fit; number of training samples for Gram matrices.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the features seen during fit, if all of them are strings.

    See Also
    --------
    LaplacianRidge : The same penalty for regression.
    TransductiveSVC : Uses unlabelled samples by labelling them.
    mercer.svm.SVC : Support vector machine of labelled samples.

    Notes
    -----
    The kernel K̃ between the labelled samples takes O(n_samples³) time and four n_samples × n_samples matrices. All
    machines share it. Samples at distance zero are one vertex of the graph, so that integer weights are equivalent to
    repeating samples. A warning is issued if a connected component of the graph has no labelled sample.

    With p = 1, functions with spikes at the labelled samples have small penalties if the data have two or more
    dimensions and there are many unlabelled samples (Nadler, Srebro and Zhou, 2009). Powers of L penalise spikes.

    References
    ----------
    * Belkin, Niyogi and Sindhwani, Manifold regularization: a geometric framework for learning from labeled and
      unlabeled examples, JMLR 7, 2399–2434, 2006.
    * Sindhwani, Niyogi and Belkin, Beyond the point cloud: from transductive to semi-supervised learning, ICML, 2005,
      doi:10.1145/1102351.1102455.
    * Nadler, Srebro and Zhou, Statistical analysis of semi-supervised learning: the limit of infinite unlabelled data,
      NIPS, 2009.

    Examples
    --------
    Two moons with one label each:

    >>> import numpy as np
    >>> from sklearn.datasets import make_moons
    >>> from mercer.semi_supervised import LaplacianSVC
    >>> from mercer.svm import SVC
    >>> X, truth = make_moons(200, noise=0.05, random_state=0)
    >>> labeled = [int(np.flatnonzero(truth == c)[0]) for c in (0, 1)]
    >>> y = np.full(200, -1)
    >>> y[labeled] = truth[labeled]
    >>> model = LaplacianSVC(gamma=10.0, manifold=100.0).fit(X, y)
    >>> float(np.mean(model.transduction_ == truth)), SVC(gamma=10.0).fit(X[labeled], y[labeled]).score(X, truth)
    (1.0, 0.81)
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **MANIFOLD,
        "C": [Interval(Real, 0, None, closed="neither")],
        "tol": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, -1, None, closed="left")],
        "unlabeled": "no_validation",
    }

    def __init__(
        self,
        C: float = 1e4,
        *,
        manifold: float = 10.0,
        n_neighbors: int = 6,
        weights: str = "binary",
        normalize: bool = False,
        power: int = 1,
        unlabeled: Any = "auto",
        kernel: Any = "rbf",
        gamma: Any = "scale",
        degree: float = 3,
        coef0: float = 0.0,
        tol: float = 1e-3,
        max_iter: int = -1,
        n_jobs: int | None = None,
    ) -> None:
        self.C = C
        self.manifold = manifold
        self.n_neighbors = n_neighbors
        self.weights = weights
        self.normalize = normalize
        self.power = power
        self.unlabeled = unlabeled
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.tol = tol
        self.max_iter = max_iter
        self.n_jobs = n_jobs

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(self, X: Data, y: Any, sample_weight: Any = None) -> Self:
        """Fit the classifier to labelled and unlabelled samples.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features) or other data
            Labelled and unlabelled samples. With ``kernel="precomputed"``: Gram matrix of shape (n_samples, n_samples).
        y : array-like of shape (n_samples,)
            Class labels. Unlabelled samples have the label None, NaN or the value of `unlabeled`.
        sample_weight : float or array-like of shape (n_samples,), default=None
            Factors of C for labelled samples, and weights of vertices of the graph. Integer weights are equivalent to
            repeating the sample.

        Returns
        -------
        self
            Fitted estimator.
        """
        labels = None if y is None else read_labels(type(self).__name__, y, self.unlabeled)
        training, _ = self._training(X, None if labels is None else labels.label, sample_weight)
        return self._fit_training(training, labels)

    @finite_fit
    def _fit_training(self, training: Training, y: Any) -> Self:
        labels = y if isinstance(y, PartialLabels) else read_labels(type(self).__name__, y, self.unlabeled)
        labeled = training.kept[labels.label[training.kept] >= 0]
        label, n_classes = labels.label[labeled], len(labels.classes)
        if len(np.unique(label)) < 2:
            raise ValueError(
                "LaplacianSVC: expected labelled samples of at least two classes with positive weights, got "
                f"{len(np.unique(label))} class of {n_classes}."
            )
        training = self._held(training)
        deformed, small = self._deform(training, labeled)
        coef, intercept, solutions = self._solve_machines(small, label, n_classes)
        coef, mismatch = deformed.expand(coef)
        values = np.asarray(training.K @ coef) + intercept
        single, self.classes_ = n_classes == 2, labels.classes
        folded = training.basis.fold(coef)
        self.dual_coef_: DoubleArray = folded[:, 0] if single else folded
        self.intercept_: Any = float(intercept[0]) if single else intercept
        self.transduction_ = self._chosen(values[:, 0] if single else values)
        self.solution_ = restated(Solution.together(solutions), float(np.abs(mismatch).max()), self.tol)
        self.n_iter_ = np.array([max(1, solution.n_iter) for solution in solutions], dtype=np.int32)
        self._remember(training)
        violation, advice = self.solution_.violation, self.solution_.status.advice
        warn_unconverged(
            self,
            f"LaplacianSVC: the optimality conditions are violated by {violation:.2g}, more than tol={self.tol:g}. "
            f"{advice}",
        )
        return self

    def _solve_machines(
        self, small: Training, label: IndexArray, n_classes: int
    ) -> tuple[DoubleArray, DoubleArray, list[Solution]]:
        """Return the coefficients in k̃ of shape (l, machines), intercepts and certificates."""
        by_class = [np.flatnonzero(label == c) for c in range(n_classes)]
        machines = multiclass.one_vs_rest(by_class)
        whole = [m for m in machines if 0 < m.n_positive < len(m.members)]
        problems = [formulation.classification(m.members, m.sign, self.C * small.weight[m.members]) for m in whole]
        answers = solve_dual(small.K, problems, tol=self.tol, max_iter=self.max_iter, n_jobs=self.n_jobs)
        pairs = zip(problems, answers, strict=True)
        solved = iter([multiclass.SolvedMachine(formulation.expansion(p, a), a.solution, a.beta) for p, a in pairs])
        parts = [next(solved) if m in whole else multiclass.one_sided(m) for m in machines]
        coef = np.zeros((len(label), len(machines)))
        for column, (machine, part) in enumerate(zip(machines, parts, strict=True)):
            coef[machine.members, column] = part.expansion.coef
        return coef, np.array([part.expansion.intercept for part in parts]), [part.solution for part in parts]

    def _chosen(self, values: DoubleArray) -> Any:
        chosen = values.argmax(axis=1) if values.ndim == 2 else (values >= 0).astype(np.intp)
        return self.classes_[chosen]

    @finite_values
    def decision_function(self, X: Data) -> DoubleArray:
        """Compute the decision function.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features) or other data
            Samples. With ``kernel="precomputed"``: kernel values of shape (n_samples, n_training_samples).

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            Decision values; for two classes, positive values mean ``classes_[1]``.
        """
        return np.asarray(self._against(X) @ self.dual_coef_ + self.intercept_)

    def predict(self, X: Data) -> Any:
        """Predict class labels.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features) or other data
            Samples. With ``kernel="precomputed"``: kernel values of shape (n_samples, n_training_samples).

        Returns
        -------
        ndarray of shape (n_samples,)
            Predicted labels, by the sign of the decision function or its largest value.
        """
        return self._chosen(self.decision_function(X))
