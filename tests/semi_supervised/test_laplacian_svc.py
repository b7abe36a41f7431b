"""Support vector classification with manifold regularisation."""

import numpy as np
import pytest
from sklearn.datasets import make_moons

from mercer.kernels import RBF
from mercer.semi_supervised import LaplacianSVC
from mercer.svm import SVC
from tests.reference.laplacian import dual_optimum, graph_laplacian, laplacian_svm_matrix
from tests.semi_supervised.test_laplacian import CLASSES, FORMS, KERNEL, NEW, K, N, X, laplacian

THREE = np.full(N, -1)
THREE[[0, 1, 2, 20, 21, 30, 31, 35]] = 0, 0, 2, 1, 1, 2, 2, 0


@pytest.mark.parametrize("form", FORMS, ids=str)
@pytest.mark.parametrize("gamma_a", [0.5, 0.01])
def test_the_formula_of_belkin_niyogi_and_sindhwani(gamma_a, form):
    gamma_i = 2.0
    labeled = np.flatnonzero(CLASSES >= 0)
    y, l = 2.0 * CLASSES[labeled] - 1, len(labeled)
    Q, back = laplacian_svm_matrix(K, laplacian(form), labeled, gamma_a, gamma_i)
    beta = dual_optimum(Q, y, 1 / l)
    C, manifold = 1 / (2 * gamma_a * l), gamma_i / (gamma_a * N**2)  # as documented
    model = LaplacianSVC(C, manifold=manifold, kernel=KERNEL, tol=1e-9, **form).fit(X, CLASSES)
    np.testing.assert_allclose(model.dual_coef_, back @ (y * beta), atol=1e-5)
    objective = 0.5 * (y * beta) @ Q @ (y * beta) - beta.sum()
    assert model.solution_.objective * 2 * gamma_a == pytest.approx(objective, abs=1e-9)


@pytest.mark.parametrize("form", FORMS, ids=str)
@pytest.mark.parametrize("C", [0.1, 1.0, 100.0])
def test_the_conditions_of_optimality_hold(C, form):
    """From the expansion alone: c = Jᵀ(yβ) − μLKc, 0 ≤ β ≤ C, yᵀβ = 0, β > 0 only within the margin."""
    model = LaplacianSVC(C, manifold=3.0, kernel=KERNEL, tol=1e-8, **form).fit(X, CLASSES)
    c, g = model.dual_coef_, K @ model.dual_coef_
    signed = c + 3.0 * laplacian(form) @ g
    known = CLASSES >= 0
    np.testing.assert_allclose(signed[~known], 0, atol=1e-9)
    y = 2.0 * CLASSES[known] - 1
    beta, margin = y * signed[known], y * (g[known] + model.intercept_)
    assert beta.min() > -1e-9
    assert beta.max() < C + 1e-9
    assert abs(y @ beta) < 1e-9
    assert (margin[beta < 1e-7] > 1 - 1e-6).all()
    assert (margin[beta > C - 1e-7] < 1 + 1e-6).all()
    inside = (beta > 1e-7) & (beta < C - 1e-7)
    np.testing.assert_allclose(margin[inside], 1, atol=1e-6)
    assert model.solution_.converged
    assert model.solution_.relative_gap < 1e-6
    primal = C * np.maximum(0, 1 - margin).sum() + 0.5 * (g @ c + 3.0 * g @ laplacian(form) @ g)
    assert primal == pytest.approx(-model.solution_.objective, rel=1e-6)


@pytest.mark.parametrize("y", [CLASSES, THREE], ids=["two classes", "three classes"])
def test_without_a_graph_it_is_the_machine_of_the_labelled_samples(y):
    weight = np.random.default_rng(1).uniform(0.5, 2.0, N)
    known = y >= 0
    ours = LaplacianSVC(2.0, manifold=0, kernel=KERNEL, tol=1e-8).fit(X, y, sample_weight=weight)
    plain = SVC(C=2.0, kernel=KERNEL, multi_class="ovr", tol=1e-8).fit(X[known], y[known], weight[known])
    np.testing.assert_allclose(ours.decision_function(NEW), plain.decision_function(NEW), atol=1e-7)
    np.testing.assert_array_equal(ours.predict(NEW), plain.predict(NEW))
    assert ours.solution_.objective == pytest.approx(plain.solution_.objective)
    assert len(ours.solution_.machines) == len(plain.solution_.machines)


def test_several_classes_are_each_against_the_rest():
    model = LaplacianSVC(kernel=KERNEL, tol=1e-8).fit(X, THREE)
    assert model.classes_.tolist() == [0, 1, 2]
    assert model.dual_coef_.shape == (N, 3)
    assert model.n_iter_.shape == (3,)
    values = model.decision_function(NEW)
    np.testing.assert_array_equal(model.predict(NEW), values.argmax(axis=1))
    for c in range(3):
        y = np.where(THREE < 0, -1, c == THREE)
        alone = LaplacianSVC(kernel=KERNEL, tol=1e-8).fit(X, y)
        np.testing.assert_allclose(values[:, c], alone.decision_function(NEW), atol=1e-7)


def test_without_unlabelled_samples_it_is_the_machine_of_the_deformed_kernel():
    y = (X[:, 0] > 1).astype(int)
    model = LaplacianSVC(1.0, manifold=0.5, kernel=KERNEL, tol=1e-8).fit(X, y)
    deformed = K @ np.linalg.inv(np.eye(N) + 0.5 * graph_laplacian(K, 6) @ K)
    plain = SVC(kernel="precomputed", tol=1e-8).fit((deformed + deformed.T) / 2, y)
    values = K @ model.dual_coef_ + model.intercept_
    np.testing.assert_allclose(values, plain.decision_function((deformed + deformed.T) / 2), atol=1e-6)


def test_two_moons_with_two_labels():
    """Solved where the labelled samples alone are not enough: of 20 draws with other labels, 19."""
    ours, plain = [], []
    for seed in range(20):
        points, truth = make_moons(200, noise=0.05, random_state=seed)
        rng = np.random.default_rng(seed)
        labeled = [int(rng.choice(np.flatnonzero(truth == c))) for c in (0, 1)]
        y = np.full(200, -1)
        y[labeled] = truth[labeled]
        kernel = RBF(gamma=10.0)
        model = LaplacianSVC(manifold=100.0, kernel=kernel, n_neighbors=8).fit(points, y)
        ours.append(np.mean(model.transduction_ == truth))
        plain.append(SVC(kernel=kernel).fit(points[labeled], truth[labeled]).score(points, truth))
    fails = np.array(plain) < 0.95
    assert fails.sum() >= 18
    assert (np.array(ours)[fails] > 0.98).mean() >= 0.9


# ---- labels


def test_labels_of_any_kind():
    names = np.array(["left", "right"], dtype=object)
    y = np.array([None if c < 0 else names[c] for c in CLASSES], dtype=object)
    by_name, by_number = LaplacianSVC(kernel=KERNEL).fit(X, y), LaplacianSVC(kernel=KERNEL).fit(X, CLASSES)
    assert by_name.classes_.tolist() == ["left", "right"]
    np.testing.assert_array_equal(by_name.dual_coef_, by_number.dual_coef_)
    np.testing.assert_array_equal(by_name.transduction_, names[by_number.transduction_].astype(str))
    signs = np.where(CLASSES < 0, 0, np.where(CLASSES == 0, -1, 1))
    by_sign = LaplacianSVC(kernel=KERNEL, unlabeled=0).fit(X, signs)
    assert by_sign.classes_.tolist() == [-1, 1]
    np.testing.assert_array_equal(by_sign.dual_coef_, by_number.dual_coef_)


def test_minus_one_and_one_count_as_classes_with_one_warning():
    y = np.where(X[:, 0] > 1, 1, -1)
    with pytest.warns(UserWarning, match="LaplacianSVC: the label -1 counts as a class") as caught:
        model = LaplacianSVC(kernel=KERNEL).fit(X, y)
    assert len(caught) == 1
    assert model.classes_.tolist() == [-1, 1]


# ---- verdicts


def test_a_class_whose_samples_have_no_weight_is_never_predicted():
    weight = np.where(THREE == 2, 0.0, 1.0)
    model = LaplacianSVC(kernel=KERNEL).fit(X, THREE, sample_weight=weight)
    assert model.classes_.tolist() == [0, 1, 2]
    assert set(model.predict(X)) == {0, 1}
    np.testing.assert_array_equal(model.decision_function(NEW)[:, 2], -1.0)


def test_one_class_with_weight_is_refused():
    with pytest.raises(ValueError, match="at least two classes with positive weights, got 1 class of 2"):
        LaplacianSVC(kernel=KERNEL).fit(X, CLASSES, sample_weight=np.where(CLASSES == 1, 0.0, 1.0))
    with pytest.raises(ValueError, match="at least two classes with positive weights, got 0 class"):
        LaplacianSVC(kernel=KERNEL).fit(X, CLASSES, sample_weight=np.where(CLASSES >= 0, 0.0, 1.0))


@pytest.mark.parametrize(
    ("y", "words"),
    [
        (np.full(N, None), "LaplacianSVC: none of the 40 samples has a label"),
        (np.where(np.arange(N) == 0, 1.0, np.nan), "got 1 class, 1.0, among the 1 samples with a label"),
        (CLASSES[:-1], "inconsistent numbers of samples"),
        (None, "requires y to be passed"),
    ],
)
def test_labels_that_are_refused(y, words):
    with pytest.raises(ValueError, match=words):
        LaplacianSVC(kernel=KERNEL).fit(X, y)


def test_too_few_steps_are_a_warning():
    with pytest.warns(Warning, match="LaplacianSVC: the optimality conditions are violated by .* more than tol=1e-12"):
        model = LaplacianSVC(100.0, kernel=KERNEL, max_iter=1, tol=1e-12).fit(X, (X[:, 1] > 0).astype(int))
    assert not model.solution_.converged


@pytest.mark.parametrize("C", [0.0, np.inf, -1.0])
def test_the_penalty_is_positive_and_finite(C):
    with pytest.raises(ValueError, match="The 'C' parameter of LaplacianSVC must be"):
        LaplacianSVC(C).fit(X, CLASSES)
