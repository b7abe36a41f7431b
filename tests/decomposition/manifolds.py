"""Data and comparisons for the estimators of non-linear dimension reduction."""

import numpy as np
from sklearn.datasets import load_digits, make_s_curve, make_swiss_roll

from mercer.kernels import user

WORDS = ["oak", "alder", "maple", "poplar", "lime", "cod", "tuna", "pike", "trout", "bass", "palm", "scad"]
shared_letters = user(lambda a, b: float(len(set(a) & set(b))), definiteness="psd", name="shared")


def swiss_roll(n=200, seed=0):
    return make_swiss_roll(n, random_state=seed)[0]


def s_curve(n=200, seed=0):
    return make_s_curve(n, random_state=seed)[0]


def digits(n=150):
    """Integers have equal distances, of which everybody takes others first: a little noise tells them apart."""
    X = load_digits().data[:n]
    return X + 1e-3 * np.random.default_rng(0).normal(size=X.shape)


def up_to_sign(A, B):
    """A with the signs of B's columns."""
    return A * np.where((A * B).sum(axis=0) < 0, -1.0, 1.0)


def assert_same(A, B, tol=1e-8):
    """Equal up to signs of columns, relative to the largest entry of each column."""
    assert A.shape == B.shape
    assert np.all(np.abs(up_to_sign(A, B) - B).max(axis=0) <= tol * np.abs(B).max(axis=0))


def distances(X, Z=None):
    Z = X if Z is None else Z
    return np.linalg.norm(X[:, None] - Z, axis=2)
