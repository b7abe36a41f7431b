"""Operators return finite numbers or raise an error that names the kernel, the samples and the parameters."""

import warnings
from dataclasses import dataclass

import numpy as np
import pytest

from mercer.kernels import RBF, Kernel, Linear, Polynomial, Power, Sigmoid
from mercer.operators import GramOperator, LowRankOperator, PrecomputedOperator, gram
from mercer.operators.finite import kernel_remedy

X = np.array([[1.0, 2.0], [3.0, -1.0], [0.5, 0.25], [-2.0, 1.0]])
HUGE = X * [[1.0], [1e149], [1.0], [1.0]]  # ⟨x_1, x_1⟩ = 1e299
OVERFLOWING = Polynomial(degree=2, gamma=1.0, coef0=1.0)


@dataclass(frozen=True)
class Squared(Kernel):
    """OVERFLOWING, as a user may write it."""

    def evaluate(self, A, B):
        with np.errstate(over="ignore"):
            return (np.asarray(A) @ np.asarray(B).T + 1) ** 2

    def pack(self, X):
        return np.asarray(X)


def overflowing() -> dict[str, GramOperator]:
    """Operators whose entry (1, 1), in the numbering of the samples, is infinite."""
    K = gram(OVERFLOWING, HUGE)
    large = gram(Linear(), HUGE)
    return {
        "blocked": K,
        "float32": gram(OVERFLOWING, (X * [[1.0], [1e18], [1.0], [1.0]]).astype(np.float32)),
        "selected": K.take([2, 1]),
        "selected sum": (K + gram(RBF(gamma=1.0), HUGE)).take([0, 1, 2]),
        "sum": K + gram(RBF(gamma=1.0), HUGE),
        "product": large * large,
        "scaled": 1e20 * large,
        "low rank": LowRankOperator(1e10 * HUGE),
        "written in Python": gram(Squared(), HUGE),
    }


ASKED = {
    "diag": lambda K: K.diag(),
    "dense": lambda K: K.dense(),
    "array": lambda K: K.array(),
    "hold": lambda K: K.hold(),
    "rows": lambda K: K.rows(slice(None)),
    "block": lambda K: K.block([0, 1], [1]),
    "matmul": lambda K: K @ np.ones(K.shape[0]),
    "rmatmul": lambda K: np.ones(K.shape[0]) @ K,
    "grouped": lambda K: K.grouped_matmul([0, 1, K.shape[0]], np.ones((K.shape[0], 2))),
    "row_source": lambda K: K.row_source(),
    "callback": lambda K: K.row_source(cache_size=0),
    "centered": lambda K: K.centered(),
    "scipy": lambda K: K.as_linear_operator() @ np.ones(K.shape[0]),
}


@pytest.mark.parametrize("what", ASKED)
@pytest.mark.parametrize("name", overflowing())
def test_nobody_is_given_infinity(name, what):
    K = overflowing()[name]
    K.who = "SVC"
    with pytest.raises(ValueError, match=r"SVC: the kernel .* gives infinity for samples 1 and 1; expected finite"):
        ASKED[what](K)


def test_a_product_of_finite_values_that_overflows_is_told_apart():
    K = gram(1e300 * RBF(gamma=1.0), X)
    assert np.isfinite(K.dense()).all()
    with pytest.raises(ValueError, match=r"product with the kernel matrix of 1e\+300\*rbf.* up to 1e\+300, are finite"):
        K @ np.full(4, 1e10)


def test_rows_and_columns_of_two_data_sets_are_told_apart():
    K = gram(Polynomial(degree=3, gamma=1.0, coef0=1.0), X, HUGE)
    for ask in (K.dense, lambda: K @ np.ones(4), lambda: np.ones(4) @ K):
        with pytest.raises(ValueError, match=r"gives infinity for sample 0 \(row\) and sample 1 \(column\)"):
            ask()


@pytest.mark.parametrize("n", [20, 400], ids=["small", "large"])
@pytest.mark.parametrize(
    ("kernel", "scale"), [(Polynomial(degree=3, gamma=1.0), 1e110), (Power(degree=1e300), 1.0), (Linear(), 1e149)]
)
def test_the_whole_matrix_is_checked_whatever_its_size(kernel, scale, n):
    samples = scale * np.random.default_rng(0).normal(size=(n, 2))
    K = gram(kernel, samples)
    with np.errstate(all="ignore"):
        finite = np.isfinite(kernel(samples)).all()
    assert finite == isinstance(kernel, Linear)
    if finite:
        assert np.isfinite(K.dense()).all()
    else:
        with pytest.raises(ValueError, match="infinity for samples"):
            K.dense()


def test_finite_values_pass_without_a_warning():
    """Sums of finite values may overflow, which is not the fault of the values."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.isfinite(gram(Linear() * 1e8, HUGE).dense()).all()
        assert np.isfinite(PrecomputedOperator(np.full((4, 4), 1e308)).dense()).all()


@pytest.mark.parametrize(
    ("kernel", "remedy"),
    [
        (Polynomial(degree=50, gamma=1e300), "lower gamma=1e+300 or degree=50, or rescale the features"),
        (3.0 * RBF(gamma=0.5) + Sigmoid(gamma=20.0, coef0=1.0), "lower gamma=20 or scale=3, or rescale the features"),
        (RBF(gamma=0.5), "rescale the features"),
    ],
)
def test_remedies_name_the_largest_parameters(kernel: Kernel, remedy: str) -> None:
    assert kernel_remedy(kernel, foreign=False) == remedy


def test_a_function_is_to_be_corrected():
    assert kernel_remedy(Squared(), foreign=True) == "correct the function that computes it, or the samples"
