"""What a kernel= parameter means."""

import numpy as np
import pytest

from mercer._estimator import as_kernel
from mercer.kernels import RBF, Chi2, Cosine, Laplacian, Linear, Polynomial, Sigmoid


def test_kernel_none_and_text():
    assert as_kernel(Linear(), who="A") == Linear()
    assert as_kernel(None, who="A") == RBF()
    assert as_kernel(None, who="A", default=Linear()) == Linear()
    assert as_kernel("rbf(gamma=0.5) + linear", who="A") == RBF(gamma=0.5) + Linear()


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("linear", Linear),
        ("rbf", RBF),
        ("poly", Polynomial),
        ("polynomial", Polynomial),
        ("sigmoid", Sigmoid),
        ("cosine", Cosine),
        ("laplacian", Laplacian),
        ("chi2", Chi2),
    ],
)
def test_names_of_scikit_learn(name, kind):
    assert isinstance(as_kernel(name, who="A"), kind)


def test_functions_by_pair_and_by_block(rng):
    X = rng.normal(size=(4, 2))
    by_pair = as_kernel(lambda a, b: a @ b, who="A", by="pair")
    by_block = as_kernel(lambda A, B: A @ B.T, who="A")
    assert by_pair(X) == pytest.approx(X @ X.T)
    assert by_block(X) == pytest.approx(X @ X.T)


@pytest.mark.parametrize("value", [3, np.eye(2), RBF, ["rbf"]])
def test_other_values(value):
    with pytest.raises(TypeError, match="A: parameter kernel must be a kernel"):
        as_kernel(value, who="A")


def test_precomputed_and_unknown_names():
    with pytest.raises(ValueError, match="A: kernel='precomputed'"):
        as_kernel("precomputed", who="A")
    with pytest.raises(ValueError, match="rbff"):
        as_kernel("rbff", who="A")
