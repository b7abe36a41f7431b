"""Kernel ridge regression with manifold regularisation."""

import numpy as np
import pytest
from sklearn.base import clone

from mercer.kernels import RBF
from mercer.ridge import KernelRidge
from mercer.semi_supervised import LaplacianRidge
from tests.reference.laplacian import graph_laplacian, laplacian_rls
from tests.semi_supervised.test_laplacian import FORMS, KERNEL, NEW, NUMBERS, K, N, X, laplacian

KNOWN = ~np.isnan(NUMBERS)
TWO = np.column_stack([NUMBERS, NUMBERS**2 - 1])


@pytest.mark.parametrize("form", FORMS, ids=str)
def test_the_formula_of_belkin_niyogi_and_sindhwani(form):
    gamma_a, gamma_i, n_labels = 0.02, 0.7, KNOWN.sum()
    L = laplacian(form)
    expected = laplacian_rls(K, L, NUMBERS, gamma_a, gamma_i)
    alpha, manifold = gamma_a * n_labels, gamma_i / (gamma_a * N**2)  # as documented
    model = LaplacianRidge(alpha, manifold=manifold, kernel=KERNEL, fit_intercept=False, **form).fit(X, NUMBERS)
    np.testing.assert_allclose(model.dual_coef_, expected, atol=1e-10)
    assert model.intercept_ == 0.0
    J, c = np.diag(KNOWN.astype(float)), model.dual_coef_
    system = (J @ K + gamma_a * n_labels * np.eye(N) + gamma_i * n_labels / N**2 * L @ K) @ c
    np.testing.assert_allclose(system, np.where(KNOWN, NUMBERS, 0.0), atol=1e-12)


@pytest.mark.parametrize("form", FORMS, ids=str)
@pytest.mark.parametrize("manifold", [0.1, 10.0, 1e3])
def test_the_gradient_vanishes(form, manifold):
    """Of Σ s (y − f)² + α(‖f‖² + μgᵀLg) in c, as Kv = 0 with v = 0, and in b."""
    weight = np.random.default_rng(2).uniform(0.5, 2.0, N)
    model = LaplacianRidge(0.3, manifold=manifold, kernel=KERNEL, **form)
    model.fit(X, NUMBERS, sample_weight=np.where(KNOWN, weight, 1.0))
    unweighted = clone(model).fit(X, NUMBERS)
    L, c = laplacian(form), unweighted.dual_coef_
    residual = np.where(KNOWN, NUMBERS - K @ c - unweighted.intercept_, 0.0)
    np.testing.assert_allclose(0.3 * (c + manifold * L @ K @ c), residual, atol=1e-10)
    assert abs(residual.sum()) < 1e-10
    residual = np.where(KNOWN, weight * (NUMBERS - model.transduction_), 0.0)
    assert abs(residual.sum()) < 1e-10


@pytest.mark.parametrize("fit_intercept", [False, True])
def test_without_a_graph_it_is_kernel_ridge_of_the_labelled_samples(fit_intercept):
    weight = np.random.default_rng(1).uniform(size=N)
    ours = LaplacianRidge(0.2, manifold=0, kernel=KERNEL, fit_intercept=fit_intercept)
    ours.fit(X, TWO, sample_weight=weight)
    plain = KernelRidge(0.2, kernel=KERNEL, fit_intercept=fit_intercept)
    plain.fit(X[KNOWN], TWO[KNOWN], sample_weight=weight[KNOWN])
    np.testing.assert_allclose(ours.predict(NEW), plain.predict(NEW), atol=1e-12)
    np.testing.assert_allclose(ours.dual_coef_[KNOWN], plain.dual_coef_, atol=1e-12)
    assert not ours.dual_coef_[~KNOWN].any()
    assert ours.solution_.objective == pytest.approx(plain.solution_.objective)


def test_without_unlabelled_samples_the_graph_smooths():
    y = X[:, 0] + np.random.default_rng(0).normal(size=N)
    L = graph_laplacian(K, 6)
    rough = []
    for manifold in (0.0, 0.1, 1.0, 10.0, 1e3):
        model = LaplacianRidge(0.1, manifold=manifold, kernel=KERNEL).fit(X, y)
        rough.append(float(model.transduction_ @ L @ model.transduction_))
        expected = np.linalg.solve(K + 0.1 * np.eye(N) + 0.1 * manifold * L @ K, y)
        plain = clone(model).set_params(fit_intercept=False).fit(X, y)
        np.testing.assert_allclose(plain.dual_coef_, expected, atol=1e-9)
    assert rough == sorted(rough, reverse=True)


def test_several_targets_are_those_of_each_alone():
    together = LaplacianRidge([0.1, 3.0], kernel=KERNEL).fit(X, TWO)
    assert together.dual_coef_.shape == together.transduction_.shape == (N, 2)
    for column, alpha in enumerate([0.1, 3.0]):
        alone = LaplacianRidge(alpha, kernel=KERNEL).fit(X, TWO[:, column])
        np.testing.assert_allclose(together.predict(NEW)[:, column], alone.predict(NEW), atol=1e-11)
        assert together.intercept_[column] == pytest.approx(alone.intercept_)


def test_penalties_share_one_deformed_kernel(monkeypatch):
    from mercer.semi_supervised import laplacian_base

    made, make = [], laplacian_base.deformed_kernel
    monkeypatch.setattr(laplacian_base, "deformed_kernel", lambda *a, **k: made.append(1) or make(*a, **k))
    model = LaplacianRidge(kernel=KERNEL)
    training, _ = clone(model)._training(X, np.zeros(N), numeric=True)
    grid = [{"alpha": 0.01}, {"alpha": 1.0}]
    fits = list(model._fit_each(training, NUMBERS, grid))
    assert len(made) == 1
    for params, fitted in zip(grid, fits, strict=True):
        alone = clone(model).set_params(**params).fit(X, NUMBERS)
        np.testing.assert_allclose(fitted.dual_coef_, alone.dual_coef_, atol=1e-9)
        np.testing.assert_allclose(fitted.transduction_, alone.transduction_, atol=1e-10)
        assert fitted.solution_.converged


@pytest.mark.parametrize("solver", ["cholesky", "mixed", "cg"])
def test_solvers_agree(solver):
    expected = LaplacianRidge(0.1, kernel=KERNEL).fit(X, NUMBERS)
    found = LaplacianRidge(0.1, kernel=KERNEL, solver=solver).fit(X, NUMBERS)
    np.testing.assert_allclose(found.predict(NEW), expected.predict(NEW), atol=1e-8)
    assert found.solution_.converged


def test_integer_targets_and_lists():
    y = [0, 3] + [float("nan")] * 38
    listed, array = (LaplacianRidge(kernel=KERNEL).fit(X, values) for values in (y, np.array(y)))
    np.testing.assert_array_equal(listed.dual_coef_, array.dual_coef_)
    integers, floats = (LaplacianRidge(kernel=KERNEL).fit(X, values) for values in (np.arange(N), np.arange(float(N))))
    np.testing.assert_array_equal(integers.dual_coef_, floats.dual_coef_)


def test_a_line_through_two_targets_along_a_curve():
    """The graph carries values along a spiral whose turns the kernel alone mixes up."""
    height = np.linspace(0, 1, 100)
    angle = 1 + 9 * height
    spiral = np.column_stack([angle * np.cos(angle), angle * np.sin(angle)])
    y = np.where(np.isin(np.arange(100), [0, 50, 99]), height, np.nan)
    plain = LaplacianRidge(1e-3, manifold=0, kernel=RBF(gamma=0.1)).fit(spiral, y)
    model = LaplacianRidge(1e-3, manifold=100.0, kernel=RBF(gamma=0.1), n_neighbors=2).fit(spiral, y)
    assert np.abs(model.transduction_ - height).max() < 0.05
    assert np.abs(plain.transduction_ - height).max() > 0.2


# ---- verdicts


@pytest.mark.parametrize(
    ("y", "words"),
    [
        (np.full(N, np.nan), "LaplacianRidge: none of the 40 samples with positive weights has a target"),
        (np.where(np.arange(N) < 3, np.inf, 0.0), "Input y contains infinity"),
        (np.column_stack([NUMBERS, np.zeros(N)]), "sample 1 has NaN in some of its 2 targets only"),
        (NUMBERS[:-1], "inconsistent numbers of samples"),
        (None, "requires y to be passed"),
    ],
)
def test_targets_that_are_refused(y, words):
    with pytest.raises(ValueError, match=words):
        LaplacianRidge(kernel=KERNEL).fit(X, y)


def test_targets_without_weight_are_refused():
    with pytest.raises(ValueError, match="none of the 34 samples with positive weights has a target"):
        LaplacianRidge(kernel=KERNEL).fit(X, NUMBERS, sample_weight=np.where(KNOWN, 0.0, 1.0))


def test_texts_and_masks_are_refused():
    with pytest.raises(TypeError, match="y is a masked array"):
        LaplacianRidge(kernel=KERNEL).fit(X, np.ma.masked_invalid(NUMBERS))
    with pytest.raises(TypeError, match="y has dtype <U"):
        LaplacianRidge(kernel=KERNEL).fit(X, np.full(N, "a"))
