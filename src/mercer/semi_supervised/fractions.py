"""Fractions of the classes among unlabelled samples."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from mercer._typing import DoubleArray, IndexArray
from mercer._validation import as_numbers

__all__ = ["class_fractions"]


def class_fractions(who: str, given: Any, classes: Any, label: IndexArray, weight: DoubleArray) -> DoubleArray:
    """Return the fractions of the classes, as given or as among the labelled samples.

    Parameters
    ----------
    who : str
        Name in error messages.
    given : None, dict or array-like of shape (n_classes,)
        Fractions by label, or in the order of `classes`. None: fractions of the labelled samples.
    classes : ndarray of shape (n_classes,)
        Class labels.
    label : ndarray of int of shape (n,)
        Class index of each sample, -1 for unlabelled samples.
    weight : ndarray of shape (n,)
        Sample weights.

    Returns
    -------
    ndarray of shape (n_classes,)
        Fractions, which sum to 1.

    Examples
    --------
    >>> label, weight = np.array([0, 1, 1, -1]), np.ones(4)
    >>> class_fractions("TransductiveSVC", None, np.array(["a", "b"]), label, weight)
    array([0.33333333, 0.66666667])
    >>> class_fractions("TransductiveSVC", {"a": 0.75, "b": 0.25}, np.array(["a", "b"]), label, weight)
    array([0.75, 0.25])
    """
    mass = np.bincount(label[label >= 0], weights=weight[label >= 0], minlength=len(classes))
    if not mass.all():
        absent = classes[mass == 0].tolist()[0]
        raise ValueError(
            f"{who}: no labelled sample of class {absent!r} has a positive weight; expected one of each class."
        )
    if given is None:
        return np.asarray(mass / mass.sum())
    if isinstance(given, Mapping):
        if set(given) != set(classes.tolist()):
            raise ValueError(
                f"{who}: class_fractions has the classes {sorted(map(str, given))}, but the labelled samples have "
                f"{sorted(map(str, classes.tolist()))}; expected a fraction for each class that has a label."
            )
        given = [given[name] for name in classes.tolist()]
    fractions = as_numbers(who, given, name="class_fractions")
    fractions = np.asarray(fractions, dtype=np.float64)
    if fractions.shape != (len(classes),):
        raise ValueError(
            f"{who}: expected class_fractions of shape ({len(classes)},), one for each of the classes "
            f"{classes.tolist()}, got shape {fractions.shape}."
        )
    if not (fractions >= 0).all() or not abs(fractions.sum() - 1) <= 1e-6:
        raise ValueError(
            f"{who}: class_fractions={fractions.tolist()} are not fractions; expected non-negative numbers that sum to "
            "1."
        )
    return fractions
