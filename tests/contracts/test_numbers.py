"""What counts as a number: every estimator and every vector kernel gives the same answer to the same array."""

from functools import cache

import numpy as np
import pytest

from mercer import kernels as mk
from mercer.kernels.registry import LIBRARY
from mercer.ridge import KernelRidge
from mercer.svm import SVC
from tests.contracts.behaviour import answers, named, target
from tests.contracts.estimators import ESTIMATORS, entry

X = np.random.default_rng(0).integers(1, 9, (36, 3)).astype(np.float64)
GRAM = X @ X.T
TABLES = ("AutoClassifier", "AutoRegressor", "TablePreparer")  # these read the texts of a table, numbers among them
# A bilinear kernel needs a matrix of the right size, a constant one does not look at its samples.
VECTORS = [cls for cls in LIBRARY if cls.reads == "vectors" and cls not in (mk.Bilinear, mk.Constant)]


class Subclass(np.ndarray):
    pass


def data(name):
    return GRAM if name == "KernelRepair" else X


def fitted(name, samples):
    options = entry(name).options
    return ESTIMATORS[name](**options).fit(samples, target(ESTIMATORS[name], len(samples)))


@cache
def plain(name):
    """The model of ordinary numbers, and its answers."""
    model = fitted(name, data(name))
    return model, answers(model, data(name))


def strided(A):
    wide = np.zeros((2 * A.shape[0], 3 * A.shape[1]))
    wide[::2, ::3] = A
    return wide[::2, ::3]


def read_only(A):
    A = A.copy()
    A.flags.writeable = False
    return A


EQUAL = {
    "float16": lambda A: A.astype(np.float16),
    "big-endian": lambda A: A.astype(">f8"),
    "integers": lambda A: A.astype(np.int32),
    "objects": lambda A: A.astype(object),
    "strided": strided,
    "read-only": read_only,
    "subclass": lambda A: A.view(Subclass),
}
REFUSED = {
    "masked": (lambda A: np.ma.masked_less(A, 2), TypeError, "is a masked array"),
    "masked without a mask": (np.ma.asarray, TypeError, "is a masked array"),
    "dates": (lambda A: A.astype("datetime64[D]"), TypeError, "datetime64"),
    "durations": (lambda A: A.astype("timedelta64[s]"), TypeError, "timedelta64"),
    "complex": (lambda A: A.astype(complex), ValueError, "Complex data not supported"),
    "long double": (lambda A: A.astype(np.longdouble), TypeError, "would lose digits"),
    "texts": (lambda A: A.astype(str), TypeError, "has dtype <U"),
    "None": (lambda A: np.where(A[2, 1] == A, None, A), TypeError, "holds None in row"),
    "dicts": (lambda A: np.where(A[2, 1] == A, {}, A), TypeError, "holds {} in row"),
}


def close(first, second):
    """Whether two results agree to single precision, up to the signs of components."""
    assert first.keys() == second.keys()
    for name, value in first.items():
        for one, other in zip(
            value if isinstance(value, tuple) else [value],
            second[name] if isinstance(value, tuple) else [second[name]],
            strict=True,
        ):
            if one.dtype.kind == "f":
                np.testing.assert_allclose(abs(one), abs(other), rtol=1e-3, atol=1e-3)
            else:
                np.testing.assert_array_equal(one, other)
    return True


@pytest.mark.parametrize("kind", EQUAL)
@pytest.mark.parametrize("name", named(ESTIMATORS))
def test_the_same_numbers_give_the_same_model(name, kind):
    alike = EQUAL[kind](data(name))
    assert close(answers(fitted(name, alike), alike), plain(name)[1])


@pytest.mark.parametrize("kind", REFUSED)
@pytest.mark.parametrize("name", named(ESTIMATORS))
def test_estimators_refuse_what_is_no_number(name, kind):
    change, error, words = REFUSED[kind]
    if kind == "texts" and name in TABLES:
        return
    samples = data(name)
    with pytest.raises(error, match=words):
        fitted(name, change(samples))
    model, _ = plain(name)
    for method in ("predict", "transform"):
        if hasattr(model, method):
            with pytest.raises(error, match=words):
                getattr(model, method)(change(samples))


@pytest.mark.parametrize("kind", [*EQUAL, *REFUSED])
@pytest.mark.parametrize("kernel", VECTORS, ids=lambda cls: cls.__name__)
def test_kernels_give_the_same_answer(kernel, kind):
    k = kernel()
    if kind in EQUAL:
        np.testing.assert_allclose(k(EQUAL[kind](X)), k(X), rtol=1e-4, atol=1e-4)
        return
    change, error, words = REFUSED[kind]
    with pytest.raises(error, match=words):
        k(change(X))


@pytest.mark.parametrize("kind", ["masked", "dates"])
def test_targets_and_weights_follow_the_same_rule(kind):
    change, error, words = REFUSED[kind]
    y = X[:, 0]
    with pytest.raises(error, match=words):
        KernelRidge().fit(X, change(y))
    with pytest.raises(error, match=words):
        KernelRidge().fit(X, y, sample_weight=change(y))
    with pytest.raises(TypeError, match="y is a masked array"):
        SVC().fit(X, np.ma.masked_less(y, 2))
