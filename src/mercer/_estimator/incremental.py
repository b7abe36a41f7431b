"""Fits that continue: moments of features of all samples so far, from which the model is computed anew."""

from abc import abstractmethod
from copy import copy
from dataclasses import replace
from inspect import signature
from typing import Any, NamedTuple, Self

import numpy as np

from mercer._estimator.approximate import Approximable
from mercer._estimator.basis import KernelBasis
from mercer._estimator.blocks.features import BlockLandmarks, random_features
from mercer._estimator.blocks.training import BlockTraining
from mercer._estimator.estimator import KernelEstimator
from mercer._estimator.features import Approximation
from mercer._estimator.finite import finite_fit
from mercer._estimator.landmark_features import LandmarkFeatures
from mercer._estimator.training import Training
from mercer._estimator.warn import warn
from mercer._typing import Data, DoubleArray
from mercer._validation import as_labels
from mercer.approximation import NystroemFactor
from mercer.solvers.moments import Moments

__all__ = ["Incremental", "Sums", "encoded", "is_approximated", "known_classes"]

_KERNEL = ("gamma", "degree", "coef0", "kernel_params")


class Sums(NamedTuple):
    """Sums over all samples that `partial_fit` has seen."""

    rows: int
    moments: Moments
    energy: DoubleArray  # Σwy² of every target
    diagonal: float  # Σw k(x, x)

    def __add__(self, other: "Sums") -> "Sums":  # type: ignore[override]
        return Sums(
            self.rows + other.rows,
            self.moments + other.moments,
            self.energy + other.energy,
            self.diagonal + other.diagonal,
        )


class Incremental(Approximable, KernelEstimator):
    """Base class of estimators with `partial_fit`, whose approximated fit is a function of moments.

    The first call fixes the kernel and the features. Every call adds its samples to the moments, which the model keeps
    in a form that model files store, and computes the model from all of them.
    """

    _sums: dict[str, Any]

    @abstractmethod
    def _batch(self, training: Training, y: Any) -> tuple[Training, DoubleArray | None]:
        """Training data of one call with their final weights, and targets of shape (n, n_targets)."""

    @abstractmethod
    def _from_sums(self, training: Training, approximation: Approximation, sums: Sums, *, single: bool) -> None:
        """Set the fitted attributes; `single` says whether targets were one-dimensional."""

    @finite_fit
    def _partial_fit(self, X: Data, y: Any, sample_weight: Any, **options: Any) -> Self:
        known = self.__dict__.get("_sums")
        if known is None and hasattr(self, "solution_"):
            raise ValueError(
                f"{type(self).__name__}: partial_fit continues a model that partial_fit began, but this one was fitted "
                "by fit, which keeps no sums; call partial_fit on a new estimator, such as sklearn.base.clone(model)."
            )
        if known is None:
            training, y = self._training(X, y, sample_weight, **options)
        else:
            training, y = self._more(X, y, sample_weight, **options)
        training, Y = self._batch(training, y)
        approximation = self._approximated(training) if known is None else self._continued(training, known)
        if approximation is None:
            raise ValueError(
                f"{type(self).__name__}: partial_fit needs features that the first call fixes, but 'auto' "
                f"is exact for {training.n} samples; set approximation=m with a number of landmarks."
            )
        single = np.ndim(y) <= 1
        sums = _summed(approximation, Y)
        if known is not None:
            who = type(self).__name__
            sums = _checked(who, _read(who, known), sums, known["single"] == single) + sums
        self._from_sums(training, approximation, sums, single=single)
        self.approximation_ = replace(approximation.fitted, n_samples=sums.rows)
        self._sums = _stored(sums, approximation, single=single)
        return self

    def _more(self, X: Data, y: Any, sample_weight: Any, **options: Any) -> tuple[Training, Any]:
        """Training data of a further call, with the kernel of the first one."""
        other = copy(self)
        defaults = {name: p.default for name, p in signature(type(self)).parameters.items() if name in _KERNEL}
        other.__dict__.update(defaults, kernel=self.kernel_)
        training, y = other._training(X, y, sample_weight, **options)
        _check_same_columns(self, other)
        return training, y

    def _continued(self, training: Training, known: dict[str, Any]) -> Approximation:
        """The features of the first call for other samples."""
        fitted, kernel = self.approximation_, training.kernel
        assert fitted is not None  # set by the first call
        assert kernel is not None  # `_more` passes one
        if fitted.map is not None:
            return random_features(training, fitted)
        L, r = known["cholesky"], fitted.n_components
        if L.shape != (r, r):
            raise ValueError(
                f"{training.who}: the stored factor has shape {L.shape}, expected {(r, r)}; fit a new model."
            )
        made = BlockLandmarks if isinstance(training, BlockTraining) else LandmarkFeatures
        factor = NystroemFactor(L, np.arange(r), r)
        return made(training, fitted, KernelBasis(kernel, self.X_fit_), self.X_fit_, factor)


def _check_same_columns(first: Any, other: Any) -> None:
    """Raise ValueError if a further call has other columns than the first one, by scikit-learn's rules.

    Columns without names are compared with named ones by their number, with a warning, as in predictions.
    """
    who, advice = type(first).__name__, "pass the columns of the first call"
    d, new = (getattr(model, "n_features_in_", None) for model in (first, other))
    if d != new:
        raise ValueError(f"X has {new} features, but {who} is expecting {d} features as input; {advice}.")
    names, given = (getattr(model, "feature_names_in_", None) for model in (first, other))
    if names is None and given is not None:
        warn(f"X has feature names, but {who} was fitted without feature names", UserWarning)
    elif names is not None and given is None:
        warn(f"X does not have valid feature names, but {who} was fitted with feature names", UserWarning)
    elif names is not None and given is not None and not np.array_equal(names, given):
        raise ValueError(
            f"X has the columns {given.tolist()}, but {who} is expecting the columns {names.tolist()}; {advice}."
        )


def is_approximated(estimator: Any) -> bool:
    """Whether an estimator has `partial_fit`: exact fits need all samples."""
    if estimator.approximation is None:
        raise AttributeError(
            f"{type(estimator).__name__}: partial_fit needs approximation=, because an exact fit needs all samples; "
            "set approximation=m with a number of landmarks."
        )
    return True


def known_classes(estimator: Any, classes: Any) -> Any:
    """Sorted class labels of the first call of `partial_fit`; raises ValueError if they are missing or differ."""
    who, known = type(estimator).__name__, np.asarray(getattr(estimator, "classes_", ()))
    begun = "_sums" in estimator.__dict__
    if classes is None:
        if not begun:
            raise ValueError(f"{who}: classes must be passed in the first call of partial_fit: all class labels.")
        return known
    given = np.unique(as_labels(who, classes, name="classes"))
    if begun and not np.array_equal(given, known):
        raise ValueError(f"{who}: classes={given.tolist()} differ from those of the first call, {known.tolist()}.")
    if len(given) < 2:
        raise ValueError(f"{who}: classes must contain at least two labels, got {given.tolist()}.")
    return given


def encoded(who: str, classes: Any, y: Any) -> Any:
    """Number of the class of every label; unknown labels raise ValueError."""
    label = np.searchsorted(classes, y)
    label[label == len(classes)] = 0
    if (unknown := classes[label] != y).any():
        raise ValueError(
            f"{who}: y contains the label {y[unknown][:1].tolist()[0]!r}, which is not among the classes "
            f"{classes.tolist()} of the first call of partial_fit; pass all classes there, as classes=."
        )
    return label


def _summed(approximation: Approximation, Y: DoubleArray | None) -> Sums:
    training = approximation.training
    weight = training.optional_weight
    energy = np.zeros(0) if Y is None else np.einsum("ij,ij->j", Y, training.weight[:, None] * Y)
    moments = approximation.feature_moments(Y, weight)
    return Sums(training.n, moments, energy, float(training.weight @ training.diagonal))


def _checked(who: str, before: Sums, sums: Sums, alike: bool) -> Sums:
    """The sums before a call; targets of another shape raise ValueError."""
    if not alike or before.energy.shape != sums.energy.shape:
        raise ValueError(
            f"{who}: y has {len(sums.energy)} targets, expected {len(before.energy)} as in the first call of "
            "partial_fit."
        )
    return before


def _stored(sums: Sums, approximation: Approximation, *, single: bool) -> dict[str, Any]:
    """Sums as numbers and arrays."""
    factor = getattr(approximation, "factor", None)
    return {
        "rows": sums.rows,
        "energy": sums.energy,
        "diagonal": sums.diagonal,
        "single": bool(single),
        "cholesky": None if factor is None else factor.cholesky,
        "mass": sums.moments.n,
        **{name: getattr(sums.moments, name) for name in ("features", "outer", "targets", "cross")},
    }


def _read(who: str, known: dict[str, Any]) -> Sums:
    r, t = len(known["features"]), len(known["targets"])
    if known["outer"].shape != (r, r) or known["cross"].shape != (r, t):
        raise ValueError(f"{who}: the stored sums of {r} features and {t} targets do not fit; fit a new model.")
    arrays = (known[name] for name in ("features", "outer", "targets", "cross"))
    return Sums(known["rows"], Moments(known["mass"], *arrays), known["energy"], known["diagonal"])
