"""Transductive support vector machine."""

from collections.abc import Iterator
from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import _fit_context
from sklearn.utils._param_validation import Interval, StrOptions

from mercer._estimator import finite_fit, warn
from mercer._estimator.progress import fit_progress
from mercer._typing import Data, DoubleArray, FloatArray, IndexArray
from mercer.exceptions import NotPositiveDefiniteError
from mercer.operators import GramOperator
from mercer.semi_supervised.fractions import class_fractions
from mercer.semi_supervised.labels import PartialLabels, read_labels
from mercer.semi_supervised.machines import BalancedMachines, FreeMachines, Machines, State
from mercer.semi_supervised.relabel import AnyLabels, FixedCounts, Labelings
from mercer.semi_supervised.search import Search, Transduction
from mercer.semi_supervised.spread import spread_from_some, spread_labels
from mercer.semi_supervised.transport import class_counts
from mercer.solvers import Solution
from mercer.solvers.feature_svm import solve_on_features
from mercer.svm.approximated import ApproximableMachine, dual_matrix
from mercer.svm.base import Training
from mercer.svm.classifier import SupportVectorClassifier
from mercer.svm.multiclass import SupportModel

__all__ = ["TransductiveSVC"]

_SEARCH, _LAST = 0.1, 1e-3  # relative gaps of machines on features, as shares of `tol`: in the search, and at its end


class TransductiveSVC(ApproximableMachine, SupportVectorClassifier):
    r"""Transductive support vector machine, which also learns from unlabelled samples.

    It chooses labels of the unlabelled samples such that the margin is wide, by minimising

        Σ_k ½‖w_k‖² + C Σ_{labelled i} Σ_k h(y_ik f_k(x_i)) + D Σ_{unlabelled u} Σ_k h(y_uk f_k(x_u))

    with h(z) = max(0, 1 − z) over the decision functions f_k(x) = ⟨w_k, φ(x)⟩ + b_k and the unknown labels y_uk = ±1.
    There is one decision function for two classes, and one per class (one-vs-rest) for more than two. All of them share
    one labelling.

    Parameters
    ----------
    C : float, default=1.0
        Penalty of errors on labelled samples.
    D : float, default=None
        Penalty of errors on unlabelled samples. None: C.
    kernel : Kernel, str or callable, default="rbf"
        Kernel, as in `mercer.svm.SVC`; "precomputed" for a Gram matrix of all samples. Names:
        :ref:`kernel-names`. A function is called with two sets of samples.
    degree : int, default=3
        Degree of the kernel "poly".
    gamma : {"scale", "auto"} or float, default="scale"
        Coefficient of the kernels "rbf", "poly" and "sigmoid".
    coef0 : float, default=0.0
        Constant term of the kernels "poly" and "sigmoid".
    method : {"switch", "cccp"}, default="switch"
        Method that keeps the classes in balance. "switch": the number of unlabelled samples of each class is fixed by
        `class_fractions`, and labels are switched between samples. "cccp": the mean of f_k over the unlabelled samples
        is fixed to 2·fraction_k − 1, and every sample receives its cheapest label (concave-convex procedure); the Gram
        matrix is held in memory.
    class_fractions : array-like of shape (n_classes,) or dict, default=None
        Fractions of the classes among the unlabelled samples, in the order of `classes_` or by label. None: fractions
        of the labelled samples.
    unlabeled : label, "auto" or None, default="auto"
        Label that marks unlabelled samples, in addition to None and NaN. "auto": -1 if at least two other labels occur.
        None: no further label.
    tol : float, default=1e-3
        Tolerance: largest violation of the optimality conditions.
    cache_size : float, default=1000
        Size of the kernel cache in megabytes. If the Gram matrix does not fit (above about 11 000 samples for the
        default), rows are recomputed for every labelling, which is slower.
    verbose : bool, default=False
        Whether the certificate is printed to standard output after the fit.
    max_iter : int, default=-1
        Maximal number of pair updates of each SVM. -1: a safety limit.
    n_jobs : int, default=None
        Number of threads. None: all available cores.
    approximation : None, "auto", int or transformer, default=None
        Approximation of the kernel by explicit features. None: no approximation. An int m: Nyström features of m
        landmarks. A `mercer.kernel_approximation.Nystroem` or `RandomFourierFeatures` object: its features, with the
        kernel of this estimator. "auto": exact up to 30 000 samples, otherwise landmarks until the relative residual is
        at most 0.001 or their number reaches a limit, see :ref:`scaling`.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    transduction_ : ndarray of shape (n_samples,)
        Labels of all training samples; for unlabelled samples the labels that were found.
    class_fractions_ : ndarray of shape (n_classes,)
        Fractions of the classes among the unlabelled samples that were used.
    objective_ : float
        Value of the minimised objective.
    objective_path_ : ndarray of shape (n_steps, 2)
        D and the objective after each fit of the search that found the result. The objective never rises for fixed D.
    support_ : ndarray of shape (n_SV,)
        Indices of the support vectors among the training samples. With an approximation, those of its landmarks; empty
        if they were given, and for random features.
    support_vectors_ : ndarray of shape (n_SV, n_features)
        Support vectors; empty for Gram matrices. With an approximation, its landmarks; None for random features.
    n_support_ : ndarray of shape (n_classes,)
        Number of support vectors of each class, by `transduction_`, also with an approximation.
    dual_coef_ : ndarray of shape (1, n_SV) or (n_classes, n_SV)
        Dual coefficients of the support vectors in the decision functions; with an approximation, coefficients of the
        landmarks or of the random features.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        Intercepts of the decision functions.
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        Coefficients of the features; for the linear kernel only.
    margin_width_ : ndarray of shape (1,) or (n_classes,)
        Width 2/‖w_k‖ of the margins.
    kernel_ : Kernel or None
        Kernel with all parameters resolved; None for "precomputed".
    approximation_ : mercer.approximation.FittedApproximation or None
        Approximation that was used; None if the fit is exact.
    solution_ : Solution
        Certificate of the SVMs for the labels that were found, and so is its bound for the exact kernel. The labels are
        a local optimum, for which there is no certificate.
    n_iter_ : int
        Number of fits of the SVMs.
    fit_status_ : int
        0 if the optimality conditions hold to the tolerance, 1 otherwise.
    shape_fit_ : tuple of int
        Shape of the training data.
    n_features_in_ : int
        Number of features seen during fit; number of training samples for Gram matrices.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the features seen during fit, if all of them are strings.

    See Also
    --------
    LaplacianSVC : Uses unlabelled samples through a graph of nearest neighbours.
    mercer.svm.SVC : Support vector machine of the labelled samples.

    Notes
    -----
    Two steps alternate: fitting the SVMs for fixed labels, and relabelling for fixed decision functions. Both decrease
    the same objective. Relabelling is a transportation problem, which is solved exactly. One search starts from the SVM
    of the labelled samples and doubles D ten times. Another one starts from labels propagated along a graph of nearest
    neighbours. The result with the lower objective is kept. Each fit starts from the previous one, so that the total
    cost is that of a few SVM fits.

    With an approximation, the SVMs are solved on the features, which are held in float32, to a tenth of `tol` in
    relative duality gap and at the end to a thousandth. Above 20 000 samples the graph has as many samples, drawn at
    random, and the others start with the labels of the nearest of them.

    Unlabelled samples help if the classes form clusters with few samples between them. Otherwise, or if
    `class_fractions` is far from the truth, predictions can be worse than those of `mercer.svm.SVC`. Compare both by
    cross-validation.

    References
    ----------
    * Joachims, Transductive inference for text classification using support vector machines, ICML, 200–209, 1999.
    * Collobert, Sinz, Weston and Bottou, Large scale transductive SVMs, JMLR 7, 1687–1712, 2006.

    Examples
    --------
    Two moons with one label each:

    >>> import numpy as np
    >>> from sklearn.datasets import make_moons
    >>> from mercer.semi_supervised import TransductiveSVC
    >>> X, truth = make_moons(200, noise=0.05, random_state=0)
    >>> y = np.full(200, -1)
    >>> y[:2] = truth[:2]
    >>> truth[:2]
    array([0, 1])
    >>> TransductiveSVC(gamma=5.0).fit(X, y).score(X, truth)
    1.0
    """

    _fits_blocks = False
    _own_constraints: ClassVar[dict[str, list[Any]]] = {
        "C": [Interval(Real, 0.0, None, closed="neither")],
        "D": [Interval(Real, 0.0, None, closed="neither"), None],
        "method": [StrOptions({"switch", "cccp"})],
        "class_fractions": ["array-like", dict, None],
        "unlabeled": [object],
    }
    # Parameters of other support vector machines that have one value here.
    shrinking, polish, break_ties = True, "auto", False
    multi_class = decision_function_shape = "ovr"

    def __init__(
        self,
        *,
        C: float = 1.0,
        D: float | None = None,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: Any = "scale",
        coef0: float = 0.0,
        method: str = "switch",
        class_fractions: Any = None,
        unlabeled: Any = "auto",
        tol: float = 1e-3,
        cache_size: float = 1000,
        verbose: bool = False,
        max_iter: int = -1,
        n_jobs: int | None = None,
        approximation: Any = None,
    ) -> None:
        self.C = C
        self.D = D
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.method = method
        self.class_fractions = class_fractions
        self.unlabeled = unlabeled
        self.tol = tol
        self.cache_size = cache_size
        self.verbose = verbose
        self.max_iter = max_iter
        self.n_jobs = n_jobs
        self.approximation = approximation

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(self, X: Data, y: Any, sample_weight: Any = None) -> Self:
        """Label the unlabelled samples and fit the support vector machines to all samples.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features) or other data
            Labelled and unlabelled samples. With ``kernel="precomputed"``: Gram matrix of shape (n_samples, n_samples).
        y : array-like of shape (n_samples,)
            Class labels. Unlabelled samples have the label None, NaN or the value of `unlabeled`.
        sample_weight : array-like of shape (n_samples,), default=None
            Factors of C and D. Samples without a positive weight are ignored.

        Returns
        -------
        self
            Fitted estimator.
        """
        labels = None if y is None else read_labels(type(self).__name__, y, self.unlabeled)
        training, _ = self._training(X, None if labels is None else labels.label, sample_weight)
        with fit_progress(self, None, X=X, y=y, sample_weight=sample_weight) as training.report:
            return self._fit_training(training, labels)

    @finite_fit
    def _fit_training(self, training: Training, y: Any) -> Self:
        labels = y if isinstance(y, PartialLabels) else read_labels(training.who, y, self.unlabeled)
        self.classes_, n_classes = labels.classes, len(labels.classes)
        kept, label = training.kept, labels.label[training.kept]
        weight = training.weight[kept]
        self.class_fractions_ = class_fractions(training.who, self.class_fractions, labels.classes, label, weight)
        training = self._prepared(training)
        K = self._matrix(training)
        unlabeled = label < 0
        machines, allowed = self._machines(K, np.flatnonzero(unlabeled), training)
        labeled_bound = np.where(unlabeled, 0.0, self.C * weight)
        price = self.C if self.D is None else self.D
        if unlabeled.any():
            search = Search(machines, allowed, label, labeled_bound, np.where(unlabeled, price * weight, 0.0))
            found = search.run(self._starts(training, label, allowed))
        else:
            warn(
                f"{training.who}: no sample is unlabelled, so the result is that of SVC(multi_class='ovr'). Unlabelled "
                "samples have the label None, NaN or -1 (see the parameter unlabeled).",
                UserWarning,
            )
            state = machines.solve(label, labeled_bound, polish=self.polish)
            found = Transduction(state, [(1.0, state.objective)])
        self.objective_, self.objective_path_ = found.objective, np.array(found.path) * [price, 1.0]
        self._finish(training, found.state, n_classes, machines.n_fits)
        full = labels.label.copy()
        full[kept] = found.state.label
        if (rest := np.flatnonzero(full < 0)).size:  # unlabelled samples without a positive weight
            values = self._training_values(training, rest)
            full[rest] = (values[:, 0] >= 0) if n_classes == 2 else values.argmax(axis=1)
        self.transduction_ = self.classes_[full]
        return self

    def _matrix(self, training: Training) -> GramOperator | FloatArray:
        """Return the Gram matrix of the samples of positive weight, or the features that replace it."""
        whole = len(training.kept) == training.n
        if training.approximation is None:
            return training.K if whole else training.K.take(training.kept)
        F = self._feature_array(training.approximation)
        return F if whole else F[training.kept]

    @property
    def _needs_matrix(self) -> bool:  # type: ignore[override]
        return self.method == "cccp"

    def _training_values(self, training: Training, rows: IndexArray) -> DoubleArray:
        """Return the decision values of some training samples after the fit."""
        if training.approximation is None:
            return np.asarray(training.K.rows(rows)[:, self.support_] @ self._coef.T + self.intercept_)
        return np.asarray(training.approximation.values(self._coef.T)[rows] + self.intercept_)

    def _machines(
        self, K: GramOperator | FloatArray, unlabeled: IndexArray, training: Training
    ) -> tuple[Machines, Labelings]:
        """Return the solver of a labelling and the set of allowed labellings."""
        n_classes = len(self.classes_)

        def solve(source: Any, problems: Any, *, polish: Any) -> Any:
            if training.approximation is None:
                return self._solve(source, problems, training, polish=polish)
            tol = self.tol * (_LAST if polish else _SEARCH)
            return solve_on_features(
                source, problems, tol=tol, max_iter=self.max_iter, n_jobs=self.n_jobs, report=training.report
            )

        if self.method == "switch" or not len(unlabeled):
            counts = class_counts(self.class_fractions_, len(unlabeled))
            return FreeMachines(K, n_classes, solve, self.cache_size), FixedCounts(counts)
        mean = 2 * self.class_fractions_ - 1
        balanced = BalancedMachines(
            K, n_classes, solve, self.cache_size, unlabeled=unlabeled, mean=mean[1:] if n_classes == 2 else mean
        )
        return balanced, AnyLabels()

    def _starts(self, training: Training, label: IndexArray, allowed: Labelings) -> Iterator[IndexArray]:
        K = training.K if len(training.kept) == training.n else training.K.take(training.kept)
        spread = spread_labels if training.approximation is None else spread_from_some
        try:
            shares = spread(K, label, len(self.classes_))
        except NotPositiveDefiniteError:  # distances in feature space do not exist
            return
        yield allowed.best(-shares[label < 0])

    def _finish(self, training: Training, state: State, n_classes: int, n_fits: int) -> None:
        """Set the fitted attributes of a support vector machine."""
        coef = np.array([part.coef for part in state.parts])
        intercept = np.array([part.intercept for part in state.parts])
        with np.errstate(divide="ignore"):
            self.margin_width_: DoubleArray = 2 / np.sqrt([part.norm2 for part in state.parts])
        solution = Solution.together(state.solutions)
        if training.approximation is not None:
            label = np.zeros(training.n, dtype=np.int64)
            label[training.kept] = state.label
            duals = dual_matrix([training.kept] * len(coef), list(coef), training.n)
            self._conclude_on_features(training, duals, np.ones(len(coef)), intercept, solution, n_fits, label)
            return
        used = np.flatnonzero(coef.any(axis=0))
        used = used[np.argsort(state.label[used], kind="stable")]
        count = np.bincount(state.label[used], minlength=n_classes)
        model = SupportModel(training.kept[used], count, np.ascontiguousarray(coef[:, used]), intercept)
        self._conclude(training, model, solution, n_fits)
