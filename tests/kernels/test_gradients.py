"""Derivatives in parameters and in the first argument, against differences of 50-digit values."""

import dataclasses

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import mercer.kernels.gradients.contract as contract
from mercer import kernels as mk
from mercer.data import Table
from mercer.exceptions import MemoryLimitError, NoGradientError
from mercer.kernels.gradients.table import LEAVES as DIFFERENTIATED
from mercer.kernels.gradients.table import NODES as NODE_RULES
from mercer.kernels.gradients.theta import FIELDS
from mercer.kernels.registry import LIBRARY, NODES
from tests.reference.bounds import LEAVES
from tests.reference.gradients import input_gradients, parameter_gradients

# Numbers that are not free, with the reason.
FIXED = {
    ("Matern", "nu"): "closed forms for three values",
    ("WeightedColumns", "p"): "derivatives in the exponent of each coordinate are not implemented",
    ("Interactions", "p"): "derivatives in the exponent of each coordinate are not implemented",
    ("Interactions", "weights"): "a single weight has no effect",
}
WITHOUT_GRADIENT: dict[str, str] = {}  # vector kernels without a gradient, with the reason

RNG = np.random.default_rng(0)
X, Z = RNG.gamma(2.0, size=(4, 4)), RNG.gamma(2.0, size=(3, 4))  # positive and without ties
CODES = [np.hstack([M[:, :2], RNG.integers(0, 3, (len(M), 2))]) for M in (X, Z)]


def samples_for(kernel):
    """X and Z in as many columns as the kernel takes, with codes if it reads them."""
    if getattr(kernel, "categorical", ()):
        return CODES
    widths = [len(v) for name, v in vars(kernel).items() if isinstance(v, tuple) and v and name != "orders"]
    width = widths[0] if widths else 3
    return X[:, :width], Z[:, :width]


def unlike(kernel, gradients):
    """Differences in a column of codes are not derivatives."""
    for c in getattr(kernel, "categorical", ()):
        gradients[:, :, c] = 0.0
    return gradients


def close(found, expected):
    scale = np.abs(expected).max(initial=0.0) + 1e-12
    assert found.shape == expected.shape
    assert np.abs(found - expected).max(initial=0.0) <= 1e-9 * scale


NODE_CASES = [
    mk.RBF(gamma=0.5) + mk.Linear(coef0=2.0) + 3,
    mk.RBF(gamma=0.5) * mk.Polynomial(degree=2) * mk.Linear(),
    0.3 * mk.Matern(gamma=0.5),
    -2 * mk.RBF(gamma=0.5),
    0 * mk.RBF(gamma=0.5),
    mk.ExpOf(0.1 * mk.Linear(coef0=1.0)),
    mk.PowerOf(mk.Linear(coef0=1.0), 3),
    mk.PowerOf(mk.RBF(gamma=0.1), 1),
    mk.PolynomialOf(mk.RBF(gamma=0.3), (1.0, 0.0, 2.0, -0.5)),
    mk.Normalized(mk.Polynomial(degree=2, gamma=0.3)),
    mk.Normalized(mk.Normalized(mk.Linear(coef0=1.0) + 1) + 0.5 * mk.Linear()),
    mk.Normalized(mk.Intersection() + mk.RBF(gamma=0.2)),
    mk.TanimotoOf(mk.Polynomial(degree=2, gamma=0.3)),
    mk.Columns([0, 2], mk.RBF(gamma=(0.5, 2.0))) * mk.Columns(-1, mk.Linear(coef0=1.0)),
    mk.Columns([0, 0, 1], mk.RBF(gamma=(0.5, 2.0, 1.0))),
    mk.Columns([1, 2], mk.WeightedColumns((0.5, 0.2), g=0.6)) + 0.2 * mk.Linear(),
    mk.WeightedColumns(0.4, p=1.5, g=0.8).normalized() * mk.Cosine(),
    mk.LinearMap(mk.WeightedColumns((0.5, 0.2), p=2.0, g=0.6), ((0.5, -1.0), (0.25, 0.5), (1.0, 0.0))) + mk.Linear(),
    mk.LinearMap(mk.Linear(coef0=1.0), ((0.5,), (1.0,))),
]


@pytest.mark.parametrize("cls", [c for c in LIBRARY if issubclass(c, mk.VectorKernel)], ids=lambda c: c.__name__)
def test_every_vector_kernel_has_derivatives(cls):
    assert (cls in DIFFERENTIATED) != (cls.__name__ in WITHOUT_GRADIENT)
    numbers = {
        f.name for f in dataclasses.fields(cls) if str(f.type) in ("float", "Gamma") or "tuple[float" in str(f.type)
    }
    free = set(FIELDS.get(cls, {}))
    assert all(name in free or (cls.__name__, name) in FIXED for name in numbers)


def test_every_node_has_a_rule():
    assert set(NODE_RULES) == set(NODES)


@pytest.mark.parametrize("kernel", dict.fromkeys(k for k, _ in LEAVES), ids=str)
def test_leaves(kernel):
    A, B = samples_for(kernel)
    G, coef = RNG.normal(size=(4, 3)), RNG.normal(size=(3, 2))
    close(kernel.parameter_gradient(A, B, G), np.einsum("ij,ijt->t", G, parameter_gradients(kernel, A, B)))
    if isinstance(kernel, (mk.Delta, mk.Overlap)):
        assert not kernel.gradient(A, B).any()
        return
    expected = unlike(kernel, input_gradients(kernel, A, B))
    close(kernel.gradient(A, B), expected)
    close(kernel.gradient(A, B, coef), np.einsum("ijd,jt->idt", expected, coef))


@pytest.mark.parametrize("kernel", NODE_CASES, ids=str)
def test_nodes(kernel):
    A, B = X[:, :3], Z[:, :3]
    G, coef = RNG.normal(size=(4, 3)), RNG.normal(size=(3, 2))
    close(kernel.parameter_gradient(A, B, G), np.einsum("ij,ijt->t", G, parameter_gradients(kernel, A, B)))
    expected = input_gradients(kernel, A, B)
    close(kernel.gradient(A, B), expected)
    close(kernel.gradient(A, B, coef), np.einsum("ijd,jt->idt", expected, coef))


@pytest.mark.parametrize("kernel", [k for k, _ in LEAVES[::3]] + NODE_CASES, ids=str)
@pytest.mark.parametrize("budget", [1, 64_000_000])
def test_one_set_of_samples_in_any_number_of_panels(kernel, budget, monkeypatch):
    samples = np.vstack(samples_for(kernel) if type(kernel) in DIFFERENTIATED else (X[:, :3], Z[:, :3]))
    samples = np.tile(samples, (20, 1)) * RNG.choice([1.0, 1.5], size=(140, 1))  # repeated samples, too
    G, coef = RNG.normal(size=(140, 140)), RNG.normal(size=(140, 2))
    whole = kernel.parameter_gradient(samples, samples.copy(), G), kernel.gradient(samples, samples.copy(), coef)
    monkeypatch.setattr(contract, "PANEL_BYTES", budget)
    monkeypatch.setattr(contract, "LEAST", 1 if budget == 1 else 64)
    np.testing.assert_allclose(kernel.parameter_gradient(samples, None, G), whole[0], rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(kernel.gradient(samples, None, coef), whole[1], rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize(
    "kernel",
    [
        mk.RBF(0.2),
        mk.RBF((0.1, 0.2, 0.3)),
        mk.Laplacian(0.3),
        mk.Laplacian((0.1, 0.2, 0.3)),
        mk.Linear(1.0),
        mk.Cosine(),
        mk.Chi2(),
        mk.AdditiveChi2(),
        mk.Intersection(),
        mk.Tanimoto(),
        mk.MinMax(),
        mk.Power(),
        mk.Linear(1.0).normalized(),
    ],
    ids=str,
)
def test_sparse_matrices(kernel):
    A, B = (np.where(M[:, :3] > 1.5, M[:, :3], 0.0) for M in (X, Z))
    G, coef = RNG.normal(size=(4, 3)), RNG.normal(size=(3, 2))
    for left, right in ((sp.csr_matrix(A), sp.csr_matrix(B)), (sp.csr_array(A), B), (A, sp.coo_matrix(B))):
        np.testing.assert_allclose(
            kernel.parameter_gradient(left, right, G), kernel.parameter_gradient(A, B, G), rtol=1e-9
        )
        np.testing.assert_allclose(kernel.gradient(left, right), kernel.gradient(A, B), rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(
            kernel.gradient(left, right, coef), kernel.gradient(A, B, coef), rtol=1e-9, atol=1e-12
        )


@pytest.mark.parametrize(
    "kernel",
    [
        mk.Exponential(1.0),
        mk.Laplacian(1.0),
        mk.Matern(0.5, 1.0),
        mk.Power(0.5),
        mk.Log(1.0),
        mk.WeightedColumns(1.0),
        mk.WeightedColumns(1.0, p=2.0, g=0.5),
        mk.WeightedColumns(1.0, p=0.5),
    ],
    ids=str,
)
def test_kinks_contribute_nothing(kernel):
    A = np.array([[1.0, 2.0], [1.0, 2.0], [1.0, 3.0]])
    assert not kernel.gradient(A[:1], A[:2]).any()
    found = kernel.gradient(A[:1], A)
    assert np.isfinite(found).all()
    assert found[0, 2, 0] == 0
    assert found[0, 2, 1] != 0
    assert np.isfinite(kernel.parameter_gradient(A, None, np.ones((3, 3)))).all()


def test_minima_have_the_mean_slope_where_they_are_equal():
    A = np.array([[1.0, 2.0]])
    assert mk.Intersection().gradient(A).tolist() == [[[0.5, 0.5]]]  # the derivative of k(x, x) = Σx is 1
    assert abs(mk.Intersection().normalized().gradient(A)).max() < 1e-15


def test_frames_of_numbers_and_categories():
    data = {"age": [1.0, 2.5, 4.0], "weight": [3.0, 1.0, 2.0], "word": ["ox", "cow", "ox"]}
    kernel = mk.Columns(["weight", "age"], mk.RBF(gamma=(0.5, 0.1))) * (mk.Columns("word", mk.Delta()) + 0.5)
    plain = mk.RBF(gamma=(0.1, 0.5))
    numbers = np.column_stack([data["age"], data["weight"]])
    factor = np.equal.outer(data["word"], data["word"]) + 0.5
    for make in (pd.DataFrame, Table.from_frame):
        frame = make(data)
        found = kernel.gradient(frame)
        np.testing.assert_allclose(found[:, :, :2], plain.gradient(numbers) * factor[:, :, None], atol=1e-14)
        assert found.shape == (3, 3, 3)
        assert not found[:, :, 2].any()
        G = RNG.normal(size=(3, 3))
        np.testing.assert_allclose(
            kernel.parameter_gradient(frame, None, G)[:2], plain.parameter_gradient(numbers, None, G * factor)[::-1]
        )


def test_kernels_without_derivatives_are_constants_in_theta():
    words = ["ox", "cow", "crow"]
    kernel = 2.0 * mk.Spectrum(1) + mk.user(lambda a, b: float(len(a) * len(b)))
    assert kernel.theta_names == ("0__scale",)
    G = RNG.normal(size=(3, 3))
    np.testing.assert_allclose(kernel.parameter_gradient(words, None, G), [2 * (G * mk.Spectrum(1)(words)).sum()])
    assert mk.Spectrum(1).parameter_gradient(words, None, G).shape == (0,)
    with pytest.raises(
        NoGradientError, match=r"Spectrum has no gradient in its first argument; kernels that have.* RBF"
    ):
        kernel.gradient(words)
    for node in (mk.Weighted(_first, mk.RBF(1.0)), mk.Map(np.square, mk.RBF(1.0))):
        close(node.parameter_gradient(X, Z, G4 := RNG.normal(size=(4, 3))), _by_theta(node, G4))
        with pytest.raises(NoGradientError, match=type(node).__name__):
            node.gradient(X)


def _first(X):
    return X[:, 0]


def _by_theta(kernel, G):
    return np.einsum("ij,ijt->t", G, parameter_gradients(kernel, X, Z))


def test_theta():
    kernel = 2 * mk.WeightedColumns((1.0, 0.0, 3.0), (1,), g=0.5) + mk.Linear(coef0=-1.0) * mk.Power(degree=3.0)
    assert kernel.theta_names == (
        "0__scale",
        "0__kernel__weights[0]",
        "0__kernel__weights[2]",
        "0__kernel__g",
        "1__1__degree",
    )
    np.testing.assert_allclose(np.exp(kernel.theta), [2.0, 1.0, 3.0, 0.5, 3.0])
    assert kernel.with_theta(kernel.theta).theta_names == kernel.theta_names
    changed = kernel.with_theta(np.log([4.0, 5.0, 6.0, 0.25, 1.0]))
    assert changed.terms[0].kernel.weights == pytest.approx((5.0, 0.0, 6.0))
    assert changed.terms[0].kernel.g == pytest.approx(0.25)
    assert changed.terms[1].factors[0] == mk.Linear(coef0=-1.0)
    low, high = np.exp(kernel.theta_bounds).T
    np.testing.assert_allclose(low, [1e-6, 1e-6, 1e-6, 0.05, 0.05])
    np.testing.assert_allclose(high, [1e6, 1e6, 1e6, 1.0, 3.0])
    assert mk.Cosine().theta.shape == (0,)
    assert mk.Cosine().theta_bounds.shape == (0, 2)
    assert mk.Cosine().with_theta([]) == mk.Cosine()
    assert mk.ANOVA(base="linear").theta_names == ()


@pytest.mark.parametrize("kernel", dict.fromkeys(k for k, _ in LEAVES), ids=str)
def test_bounds_preserve_the_certificate(kernel):
    bounds = [kernel.with_theta(bound).definiteness for bound in kernel.theta_bounds.T]
    assert all(verdict is kernel.definiteness for verdict in bounds) or not kernel.definiteness.conditional


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: mk.RBF().theta, ValueError, r"RBF: theta needs numbers.*gamma='scale'.*resolve"),
        (lambda: (mk.RBF("median") + 1).with_theta([0.0]), ValueError, r"Sum: with_theta needs.*gamma='median'"),
        (lambda: mk.RBF().gradient(X), ValueError, "RBF: gradient needs numbers"),
        (lambda: mk.RBF().parameter_gradient(X, None, np.ones((4, 4))), ValueError, "parameter_gradient needs numbers"),
        (lambda: mk.RBF(1.0).with_theta([0.0, 1.0]), ValueError, r"RBF: theta must have shape \(1,\), got \(2,\)"),
        (lambda: mk.RBF(1.0).with_theta([800.0]), ValueError, r"theta\[0\] = 800 is the logarithm of gamma.*inf"),
        (lambda: mk.RBF(1.0).with_theta([np.nan]), ValueError, "theta contains NaN"),
        (lambda: mk.RBF(1.0).parameter_gradient(X, Z, np.ones((3, 4))), ValueError, r"G must have shape \(4, 3\)"),
        (lambda: mk.RBF(1.0).gradient(X, Z, np.ones(3)), ValueError, r"coef must have shape \(3, n_outputs\)"),
        (lambda: mk.RBF(1.0).gradient(X, Z[:, :2]), ValueError, "X has 4 features but Z has 2"),
        (lambda: mk.RBF(1.0).gradient(X[:0], Z), ValueError, "X has 0 samples"),
        (lambda: mk.RBF(1.0).parameter_gradient(X, Z, sp.eye(4, 3)), TypeError, "G must be a dense array"),
        (lambda: mk.WeightedColumns(1.0).gradient(sp.eye(3)), TypeError, "takes dense arrays"),
    ],
)
def test_errors(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_memory_guard():
    samples = np.zeros((10**6, 2))
    with pytest.raises(
        MemoryLimitError, match=r"RBF: the gradients of 1000000 x 1000000 values in 2 features.*Pass coef"
    ):
        mk.RBF(1.0).gradient(samples)
