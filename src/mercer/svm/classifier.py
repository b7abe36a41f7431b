"""Common base of SVC and NuSVC: labels, class weights, binary machines, decision values."""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, ClassVar, NoReturn, Self

import numpy as np
from sklearn.base import _fit_context
from sklearn.utils import compute_class_weight
from sklearn.utils.multiclass import _ovr_decision_function, check_classification_targets
from sklearn.utils.validation import check_is_fitted

from mercer._estimator import finite_fit, finite_values
from mercer._estimator.class_weight import check_class_weight
from mercer._estimator.progress import fit_progress
from mercer._estimator.score import ScoredClassifier
from mercer._typing import Data, DoubleArray, IndexArray
from mercer.solvers import Solution
from mercer.solvers.crammer_singer import solve_crammer_singer
from mercer.svm import multiclass
from mercer.svm.approximated import dual_matrix
from mercer.svm.base import Source, SupportVectorMachine, Training
from mercer.svm.multiclass import Machine, SolvedMachine, SupportModel
from mercer.svm.single import primal

__all__ = ["Rows", "SupportVectorClassifier"]


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows of a source: the sample of each row, and its weight times the weight of its class."""

    source: Source
    order: IndexArray
    weight: DoubleArray
    training: Training


class SupportVectorClassifier(ScoredClassifier, SupportVectorMachine):
    """Base class of the support vector classifiers."""

    _not_always_finite: ClassVar[tuple[str, ...]] = ("margin_width_",)  # infinite where w = 0

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(self, X: Data, y: Any = None, sample_weight: Any = None) -> Self:
        """Fit the classifier to the training data.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), frame, list of objects or Gram matrix
            Training samples, in a form that the kernel reads. With ``kernel="precomputed"`` the Gram matrix of shape
            (n_samples, n_samples).
            With an approximation also a `mercer.data.BlockSource`, which is read in passes.
            `mercer.data.Checkpointed` around it continues the fit after an interruption.
        y : array-like of shape (n_samples,), default=None
            Class labels. None: those of the blocks of X.
        sample_weight : array-like of shape (n_samples,), default=None
            Sample weights, which multiply C. Integer weights are equivalent to repeating the samples. Samples whose
            weight is zero or negative are ignored. None means 1 for every sample.

        Returns
        -------
        self
            Fitted estimator.
        """
        if self.probability not in (False, "deprecated"):
            name = type(self).__name__
            raise ValueError(
                f"{name}: probability={self.probability!r} is not supported, because its probabilities may "
                "contradict predict; use "
                f"sklearn.calibration.CalibratedClassifierCV({name}(...), ensemble=False)."
            )
        training, y = self._training(X, y, sample_weight)
        with fit_progress(self, None, X=X, y=y, sample_weight=sample_weight) as training.report:
            return self._fit_training(training, y)

    @finite_fit
    def _fit_training(self, training: Training, y: Any) -> Self:
        label = self._labels(y, training)
        by_class = [training.kept[label[training.kept] == c] for c in range(len(self.classes_))]
        if sum(len(members) > 0 for members in by_class) < 2:
            self._refuse_one_class()
        training = self._prepared(training)
        if self._native and len(self.classes_) > 2:
            self._fit_native(training, label)
        else:
            self._fit_machines(training, label, by_class)
        return self

    def _refuse_one_class(self) -> NoReturn:
        raise ValueError("Invalid input - all samples with positive weights belong to the same class.")

    @abstractmethod
    def _solve_machines(self, rows: Rows, machines: Sequence[Machine], label: IndexArray) -> list[SolvedMachine]:
        """Solve the problems of binary machines that have samples of both classes; `members` are rows of the source."""

    def _labels(self, y: Any, training: Training) -> IndexArray:
        """Set `classes_` and `class_weight_`; return the class index of every sample."""
        if y.dtype.kind not in "iubUS":
            check_classification_targets(y)
        self.classes_, label = np.unique(y, return_inverse=True)
        if 2 * len(self.classes_) > len(y):
            check_classification_targets(y)  # warns about targets that look like regression targets
        if len(self.classes_) < 2:
            raise ValueError(f"The number of classes has to be greater than one; got {len(self.classes_)} class")
        check_class_weight(self)
        if self.class_weight is None:
            self.class_weight_ = np.ones(len(self.classes_))
        elif isinstance(self.class_weight, str):
            mass = np.bincount(label, weights=np.maximum(training.weight, 0), minlength=len(self.classes_))
            present = mass > 0
            self.class_weight_ = np.ones(len(mass))
            self.class_weight_[present] = mass.sum() / (present.sum() * mass[present])
        else:
            self.class_weight_ = compute_class_weight(self.class_weight, classes=self.classes_, y=y)
        return np.asarray(label)

    def _fit_machines(self, training: Training, label: IndexArray, by_class: list[IndexArray]) -> None:
        """Fit one binary machine per pair of classes, or per class."""
        machines = (multiclass.one_vs_rest if self._one_vs_rest else multiclass.one_vs_one)(by_class)
        K, place = None, np.arange(len(label))
        if len(machines) > 1 and training.approximation is None:
            K, place = training.K.arranged(np.concatenate(by_class))
        order = np.empty(len(label) if K is None else K.shape[0], dtype=np.int64)  # sample index of each row
        order[place[place >= 0]] = np.flatnonzero(place >= 0)
        weight = training.weight * self.class_weight_[label]
        rows = Rows(self._source(training, K), order, weight[order], training)
        whole = [m for m in machines if 0 < m.n_positive < len(m.members)]
        moved = [Machine(place[m.members], m.n_positive, m.classes) for m in whole]
        solved = iter(self._solve_machines(rows, moved, label))
        parts = [next(solved) if 0 < m.n_positive < len(m.members) else multiclass.one_sided(m) for m in machines]
        with np.errstate(divide="ignore"):
            self.margin_width_ = 2 / np.sqrt([part.expansion.norm2 for part in parts])
        solution = Solution.together([part.solution for part in parts])
        n_iter = np.array([max(1, part.solution.n_iter) for part in parts], dtype=np.int32)
        if training.approximation is None:
            model = multiclass.assemble(machines, parts, label, len(self.classes_))
            self._conclude(training, model, solution, n_iter)
            return
        duals = dual_matrix([m.members for m in machines], [part.beta for part in parts], len(label))
        factor, intercept = (np.array([(part.factor, part.expansion.intercept) for part in parts])).T
        self._conclude_on_features(training, duals, factor, intercept, solution, n_iter, label)

    def _fit_native(self, training: Training, label: IndexArray) -> None:
        """Fit one joint machine with a row of coefficients for each class."""
        kept, n_classes = training.kept, len(self.classes_)
        K = training.K if len(kept) == len(label) else training.K.take(kept)
        bound = self.C * (training.weight * self.class_weight_[label])[kept]
        coef, solution = solve_crammer_singer(
            K.row_source(self.cache_size),
            label[kept],
            bound,
            n_classes,
            tol=self.tol,
            max_iter=self.max_iter,
            cache_size=self.cache_size,
            polish=self.polish,
            n_jobs=self.n_jobs,
            report=training.report,
        )
        n_iter = np.array([max(1, solution.n_iter)], dtype=np.int32)
        if training.approximation is not None:
            duals = dual_matrix([kept] * n_classes, list(coef.T), len(label))
            ones, zeros = np.ones(n_classes), np.zeros(n_classes)
            self._conclude_on_features(training, duals, ones, zeros, solution, n_iter, label)
            return
        used = np.flatnonzero(coef.any(axis=1))
        used = used[np.argsort(label[kept[used]], kind="stable")]
        count = np.bincount(label[kept[used]], minlength=n_classes)
        model = SupportModel(kept[used], count, np.ascontiguousarray(coef[used].T), np.zeros(n_classes))
        self._conclude(training, model, solution, n_iter)

    @property
    def _native(self) -> bool:
        return getattr(self, "multi_class", "ovo") == "crammer_singer"

    @property
    def _visits_samples(self) -> bool:  # type: ignore[override]
        return self._native

    @property
    def _one_vs_rest(self) -> bool:
        """Whether there is one machine, or one row of coefficients, per class."""
        return getattr(self, "multi_class", "ovo") != "ovo"

    @property
    def _paired(self) -> bool:
        """Whether `dual_coef_` has the layout for pairs of classes; otherwise it has a row for every machine."""
        return len(self.classes_) > 2 and not self._one_vs_rest and not self._approximate

    def _named(self, machine: Machine) -> str:
        """The two sides of a machine, for messages."""
        first, *second = (getattr(c, "tolist", lambda c=c: c)() for c in self.classes_[list(machine.classes)])
        return f"the classes {first!r} and {second[0]!r}" if second else f"class {first!r} and the rest"

    # ---- prediction

    def decision_function(self, X: Data) -> DoubleArray:
        """Decision values of samples.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), frame, list of objects or kernel values
            Samples. With ``kernel="precomputed"`` the kernel values between samples and training samples, of shape
            (n_samples, n_samples_fit).

        Returns
        -------
        ndarray of shape (n_samples,), (n_samples, n_classes) or (n_samples, n_pairs)
            For two classes f(x), positive for ``classes_[1]``. For more classes one value per class, or, with
            ``decision_function_shape="ovo"`` and machines for pairs of classes, one value per pair.
        """
        values = self._machine_values(X)
        if len(self.classes_) == 2:
            return values[:, 0]
        if self._one_vs_rest or self.decision_function_shape == "ovo":
            return values
        return self._tallied(values)

    def predict(self, X: Data) -> Any:
        """Predict the classes of samples.

        Two classes are separated by the sign of f. With more classes, pairs of classes vote, and other strategies
        return the class with the largest decision value.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), frame, list of objects or kernel values
            Samples. With ``kernel="precomputed"`` the kernel values between samples and training samples, of shape
            (n_samples, n_samples_fit).

        Returns
        -------
        ndarray of shape (n_samples,)
            Class labels.
        """
        if self.break_ties and self.decision_function_shape == "ovo":
            check_is_fitted(self)
            raise ValueError("break_ties must be False when decision_function_shape is 'ovo'")
        values = self._machine_values(X)
        n_classes = len(self.classes_)
        if n_classes == 2:
            chosen = (values[:, 0] >= 0).astype(np.intp)
        elif self._one_vs_rest:
            chosen = values.argmax(axis=1)
        elif self.break_ties:
            chosen = self._tallied(values).argmax(axis=1)
        else:
            chosen = _votes(values, n_classes).argmax(axis=1)
        return self.classes_.take(np.asarray(chosen, dtype=np.intp))

    def _tallied(self, values: DoubleArray) -> DoubleArray:
        """One value per class from the votes of pairs, with ties broken by the decision values."""
        return np.asarray(_ovr_decision_function(values < 0, -values, len(self.classes_)))

    @finite_values
    def _machine_values(self, X: Data) -> DoubleArray:
        """Decision values of every machine, of shape (n, n_machines)."""
        samples, coef = self._samples(X), self._coef
        if not self._paired:
            return self._expand(samples, coef.T) + self.intercept_
        if coef.shape[1] == 0:
            return np.tile(self.intercept_, (len(samples), 1))
        parts = self._basis.expansions(samples, np.append(0, np.cumsum(self.n_support_)), coef.T, self.n_jobs)
        return multiclass.pair_values(parts, self.intercept_)

    def _groups(self) -> list[slice]:
        """Slices of the support vectors of each class."""
        ends = np.cumsum(self.n_support_).tolist()
        return [slice(first, last) for first, last in zip([0, *ends], ends, strict=False)]

    @property
    def coef_(self) -> Any:
        """Primal coefficients w of every machine, of shape (n_machines, n_features); read-only, linear kernel only."""
        return primal(self, self._machine_coef() if hasattr(self, "classes_") else None)

    def _machine_coef(self) -> DoubleArray:
        if not self._paired:
            return self._coef
        coef, groups, rows = self._coef, self._groups(), []
        for i, j in combinations(range(len(self.classes_)), 2):
            row = np.zeros(coef.shape[1])
            row[groups[i]], row[groups[j]] = coef[j - 1, groups[i]], coef[i, groups[j]]
            rows.append(row)
        return np.array(rows)


def _votes(values: DoubleArray, n_classes: int) -> IndexArray:
    """Votes of the machines for pairs i < j of classes: for i if the decision value is positive, else for j."""
    votes = np.zeros((len(values), n_classes), dtype=np.int64)
    won, first = values > 0, 0
    for i in range(n_classes - 1):
        block = won[:, first : first + n_classes - 1 - i]
        votes[:, i] += block.sum(axis=1)
        votes[:, i + 1 :] += ~block
        first += block.shape[1]
    return votes
