"""What SVC and NuSVC share: labels, weights of classes, machines, decision values."""

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import ClassifierMixin, _fit_context
from sklearn.utils import compute_class_weight
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.multiclass import _ovr_decision_function, check_classification_targets
from sklearn.utils.validation import check_is_fitted

from mercer._typing import Data, DoubleArray, IndexArray
from mercer.kernels.program import Prepared
from mercer.solvers import RowSource, Solution
from mercer.solvers.svm import Expansion
from mercer.svm import multiclass
from mercer.svm.base import SupportVectorMachine, Training
from mercer.svm.multiclass import Machine
from mercer.svm.single import primal

__all__ = ["SupportVectorClassifier"]


class SupportVectorClassifier(ClassifierMixin, SupportVectorMachine):  # type: ignore[misc]
    """Base of the classifiers."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **SupportVectorMachine._parameter_constraints,
        "decision_function_shape": [StrOptions({"ovr", "ovo"})],
        "break_ties": ["boolean"],
        "random_state": ["random_state"],
        "multi_class": [StrOptions({"ovo", "ovr", "crammer_singer"})],
    }

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Data, y: Any, sample_weight: Any = None) -> Self:
        """Fit the machines of all classes.

        Parameters
        ----------
        X : data of n samples, or the (n, n) Gram matrix with ``kernel="precomputed"``
            Vectors, frames or objects, as the kernel reads them.
        y : array-like of shape (n,)
            Class labels.
        sample_weight : array-like of shape (n,), optional
            Factors of C. An integer weight equals so many repetitions of the sample.
        """
        if self.probability not in (False, "deprecated"):
            name = type(self).__name__
            raise ValueError(
                f"{name}: probability={self.probability!r} is not supported, because Platt's estimates inside cross-"
                f"validation may contradict predict; use sklearn.calibration.CalibratedClassifierCV({name}(...), ensemble=False)."
            )
        training, y = self._training(X, y, sample_weight)
        label = self._labels(y, training)
        by_class = [training.kept[label[training.kept] == c] for c in range(len(self.classes_))]
        if len(self.classes_) > 2 and sum(len(members) > 0 for members in by_class) < 2:
            raise ValueError("Invalid input - all samples with positive weights belong to the same class.")
        if len(self.classes_) == 2 and not all(len(members) for members in by_class):
            raise ValueError("Invalid input - all samples with positive weights belong to the same class.")
        self._fit_machines(training, label, by_class)
        return self

    @abstractmethod
    def _solve_machines(
        self, source: RowSource, machines: Sequence[Machine], training: Training, label: IndexArray
    ) -> tuple[list[Expansion], list[Solution]]:
        """Solve the machines; members are rows of the source."""

    def _labels(self, y: Any, training: Training) -> IndexArray:
        check_classification_targets(y)
        self.classes_, label = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(f"The number of classes has to be greater than one; got {len(self.classes_)} class")
        if isinstance(self.class_weight, str):
            mass = np.bincount(label, weights=np.maximum(training.weight, 0), minlength=len(self.classes_))
            present = mass > 0
            self.class_weight_ = np.ones(len(mass))
            self.class_weight_[present] = mass.sum() / (len(mass) * mass[present])
        else:
            self.class_weight_ = compute_class_weight(self.class_weight, classes=self.classes_, y=y)
        return np.asarray(label)

    def _fit_machines(self, training: Training, label: IndexArray, by_class: list[IndexArray]) -> None:
        list_machines = multiclass.one_vs_rest if self._one_vs_rest else multiclass.one_vs_one
        machines = list_machines(by_class)
        several = len(machines) > 1
        # Samples sorted by class make the rows and columns of a pair of classes contiguous.
        order = np.concatenate(by_class)
        samples: Any = training.samples
        if several and isinstance(samples, Prepared):
            samples = samples.take(order)
            place = np.empty(len(label), dtype=np.int64)
            place[order] = np.arange(len(order))
        else:
            place = np.arange(len(label))
        source = self._source(samples)
        moved = [Machine(place[m.members], m.n_positive, m.classes) for m in machines]
        back = order if several and isinstance(training.samples, Prepared) else place
        weights = training.weight * self.class_weight_[label]
        answers, solutions = self._solve_machines(source, moved, _reordered(training, weights, back), label)
        model = multiclass.assemble(machines, answers, label, len(self.classes_))
        self._conclude(Solution.together(solutions), training, model.support)
        self.dual_coef_, self.intercept_ = model.dual_coef, model.intercept
        self.n_support_ = model.n_support
        self.n_iter_ = np.array([max(1, s.n_iter) for s in solutions], dtype=np.int32)
        norms = np.array([a.norm2 for a in answers])
        with np.errstate(divide="ignore"):
            self.margin_width_ = 2 / np.sqrt(norms)

    @property
    def _one_vs_rest(self) -> bool:
        return getattr(self, "multi_class", "ovo") == "ovr"

    # ---- prediction

    def decision_function(self, X: Data) -> DoubleArray:
        """Decision values of samples.

        Two classes: f(x) of shape (n,), positive for ``classes_[1]``. More: shape (n, n_classes) with
        ``decision_function_shape="ovr"``, (n, n_pairs) with "ovo" for machines of pairs.
        """
        values = self._machine_values(X)
        if len(self.classes_) == 2:
            return values[:, 0]
        if self._one_vs_rest or self.decision_function_shape == "ovo":
            return values
        return np.asarray(_ovr_decision_function(values < 0, -values, len(self.classes_)))

    def predict(self, X: Data) -> Any:
        """Classes of samples: the side of f, the largest value (one against rest), or the most votes of pairs."""
        check_is_fitted(self)
        if self.break_ties and self.decision_function_shape == "ovo":
            raise ValueError("break_ties must be False when decision_function_shape is 'ovo'")
        values = self._machine_values(X)
        n_classes = len(self.classes_)
        if n_classes == 2:
            chosen = (values[:, 0] >= 0).astype(np.intp)
        elif self._one_vs_rest:
            chosen = values.argmax(axis=1)
        elif self.break_ties:
            chosen = _ovr_decision_function(values < 0, -values, n_classes).argmax(axis=1)
        else:
            chosen = _votes(values, n_classes).argmax(axis=1)
        return self.classes_.take(np.asarray(chosen, dtype=np.intp))

    def _machine_values(self, X: Data) -> DoubleArray:
        """Values of every machine, of shape (n, n_machines)."""
        samples = self._samples(X)
        n_classes = len(self.classes_)
        if n_classes == 2 or self._one_vs_rest:
            return self._expand(samples, self.dual_coef_.T) + self.intercept_
        ends = np.cumsum(self.n_support_)
        parts = []
        for first, last in zip(ends - self.n_support_, ends, strict=True):
            part = slice(int(first), int(last))
            parts.append(self._expand(samples, self.dual_coef_[:, part].T, part))
        return multiclass.pair_values(parts, self.intercept_)

    @property
    def coef_(self) -> Any:
        """w of every machine of a linear kernel, of shape (n_machines, n_features); read-only."""
        n_classes = len(getattr(self, "classes_", ()))
        if n_classes <= 2 or self._one_vs_rest:
            return primal(self, getattr(self, "dual_coef_", np.empty((0, 0))))
        ends = np.cumsum(self.n_support_)
        rows = []
        for i in range(n_classes):
            for j in range(i + 1, n_classes):
                coef = np.zeros(self.dual_coef_.shape[1])
                coef[ends[i] - self.n_support_[i] : ends[i]] = self.dual_coef_[
                    j - 1, ends[i] - self.n_support_[i] : ends[i]
                ]
                coef[ends[j] - self.n_support_[j] : ends[j]] = self.dual_coef_[
                    i, ends[j] - self.n_support_[j] : ends[j]
                ]
                rows.append(coef)
        return primal(self, np.array(rows))


def _votes(values: DoubleArray, n_classes: int) -> IndexArray:
    """Votes of the machines of pairs: i if the value is positive, else j."""
    votes = np.zeros((len(values), n_classes), dtype=np.int64)
    column = 0
    for i in range(n_classes):
        for j in range(i + 1, n_classes):
            won = values[:, column] > 0
            votes[won, i] += 1
            votes[~won, j] += 1
            column += 1
    return votes


def _reordered(training: Training, weight: DoubleArray, order: IndexArray) -> Training:
    """The same data with weights of classes applied, numbered as the rows of the source."""
    return Training(training.X, training.kernel, training.samples, weight[order], order)
