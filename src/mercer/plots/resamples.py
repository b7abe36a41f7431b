"""Kernel weights over bootstrap resamples."""

from typing import Any

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.utils import check_random_state

from mercer._typing import Data, DoubleArray
from mercer._validation import check_integer, describe

__all__ = ["resampled_weights"]


def resampled_weights(
    who: str, model: Any, X: Data, y: Any, *, n_resamples: int = 20, random_state: Any = 0
) -> DoubleArray:
    """Refit a multiple-kernel model to bootstrap resamples of its data, and return the weights of all fits.

    A resample draws n of n samples with replacement, for classifiers within each class. It is passed to the fit as
    sample weights, so that neither samples nor Gram matrices are copied. Kernels keep the parameters that they have in
    `model`.

    Parameters
    ----------
    who : str
        Name of the caller, for error messages.
    model : MKLClassifier or MKLRegressor
        Fitted model, which is not changed.
    X : array, frame, Table, Graphs, Strings or Trees
        Training samples of the model.
    y : array-like of shape (n_samples,) or (n_samples, n_targets)
        Targets.
    n_resamples : int, default=20
        Number of resamples, at least 2.
    random_state : int, RandomState instance or None, default=0
        Seed of the resamples.

    Returns
    -------
    ndarray of shape (n_resamples, n_kernels)
        Weights of each fit.
    """
    if not hasattr(model, "kernel_names_"):
        raise TypeError(
            f"{who}: got {describe(model)}, but resamples need a fitted MKLClassifier or MKLRegressor; omit X and y to "
            "draw the weights of its kernel."
        )
    if y is None:
        raise ValueError(f"{who}: got y=None, but resamples need the targets that the model was fitted to; pass y.")
    draw = check_random_state(random_state)
    target = np.asarray(y)
    groups = np.unique(target, return_inverse=True)[1] if is_classifier(model) else np.zeros(len(target), dtype=int)
    members = [np.flatnonzero(groups == g) for g in range(groups.max() + 1)]
    again = clone(model)
    if model.kernels_ is not None:
        again.set_params(kernels=list(model.kernels_))
    rows = []
    for _ in range(check_integer(who, "n_resamples", n_resamples, low=2)):
        counts = np.zeros(len(target))
        for group in members:
            np.add.at(counts, draw.choice(group, size=len(group)), 1.0)
        rows.append(clone(again).fit(X, y, sample_weight=counts).weights_)
    return np.array(rows)
