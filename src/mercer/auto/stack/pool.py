"""Weights of the members of a stack, from predictions for samples that did not influence them."""

from collections import Counter
from collections.abc import Hashable, Sequence

import numpy as np
from scipy.optimize import nnls

from mercer._typing import DoubleArray, IndexArray

__all__ = ["pooled_probabilities", "pooled_values"]

EQUAL = 2.0  # samples of each family of members that a uniform prior counts as
SPREAD = 0.3  # standard deviation of weights around equal ones
STEPS = 300


def pooled_probabilities(
    members: Sequence[DoubleArray],
    labels: IndexArray,
    weight: DoubleArray | None = None,
    families: Sequence[Hashable] | None = None,
) -> DoubleArray:
    """Weights ≥ 0 with sum 1 that minimise the log-loss of the weighted mean of probabilities.

    Parameters
    ----------
    members : sequence of ndarray of shape (n_samples, n_classes)
        Probabilities of each member.
    labels : ndarray of int of shape (n_samples,)
        Positions of the classes.
    weight : ndarray of shape (n_samples,), default=None
        Sample weights.
    families : sequence of shape (n_members,), default=None
        Families of the members. The prior gives families equal weights, and equal weights to the members of a family:
        with few samples a family does not get more weight because it has many similar members. None: every member is a
        family.

    Returns
    -------
    ndarray of shape (n_members,)
        Weights, found by expectation maximisation with a Dirichlet prior.

    Examples
    --------
    >>> right, wrong = np.array([[0.9, 0.1]] * 50), np.array([[0.2, 0.8]] * 50)
    >>> pooled_probabilities([right, wrong], np.zeros(50, dtype=int)).round(2)
    array([0.95, 0.05])
    """
    likelihood = np.column_stack([p[np.arange(len(labels)), labels] for p in members]) + 1e-12
    s = np.ones(len(labels)) if weight is None else weight * (len(weight) / weight.sum())
    m = likelihood.shape[1]
    prior = _prior(range(m) if families is None else families)
    w = prior / prior.sum()
    for _ in range(STEPS):
        share = likelihood * w
        new = s @ (share / share.sum(axis=1, keepdims=True)) + prior
        new /= new.sum()
        if np.abs(new - w).max() < 1e-6:
            return np.asarray(new)
        w = new
    return np.asarray(w)


def _prior(families: Sequence[Hashable]) -> DoubleArray:
    """Samples that the prior of each member counts as, equal for all families and within each of them.

    >>> _prior(["a", "a", "b"]).tolist()
    [1.0, 1.0, 2.0]
    """
    sizes = Counter(families)
    return np.array([EQUAL / sizes[family] for family in families])


def pooled_values(
    members: Sequence[DoubleArray], target: DoubleArray, weight: DoubleArray | None = None
) -> DoubleArray:
    """Weights ≥ 0 of predicted values by least squares, with a normal prior around equal weights.

    Parameters
    ----------
    members : sequence of ndarray of shape (n_samples,)
        Predictions of each member.
    target : ndarray of shape (n_samples,)
        True values, centred.
    weight : ndarray of shape (n_samples,), default=None
        Sample weights.

    Returns
    -------
    ndarray of shape (n_members,)
        Weights; their sum is near 1, and not exactly 1.

    Examples
    --------
    >>> truth = np.linspace(-1, 1, 50)
    >>> pooled_values([truth, np.zeros(50)], truth).round(2)
    array([1. , 0.5])
    """
    M, m = np.column_stack(members), len(members)
    root = np.ones(len(target)) if weight is None else np.sqrt(weight * (len(weight) / weight.sum()))
    noise = float(np.square(root[:, None] * (M - target[:, None])).mean(axis=0).min())
    r = np.sqrt(max(noise, 1e-12)) / SPREAD
    A = np.vstack([root[:, None] * M, r * np.eye(m)])
    return np.asarray(nnls(A, np.append(root * target, np.full(m, r / m)))[0])
