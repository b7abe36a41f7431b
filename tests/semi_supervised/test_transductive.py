"""The transductive SVM: against all labellings of small problems, optimality, known problems, bad input."""

from itertools import combinations

import numpy as np
import pytest
from sklearn.datasets import load_digits, make_moons

from mercer._runtime import limits
from mercer.exceptions import IndefiniteKernelWarning, MemoryLimitError
from mercer.kernels import RBF, Spectrum
from mercer.semi_supervised import TransductiveSVC
from mercer.semi_supervised.machines import label_costs, signs
from mercer.semi_supervised.transport import assign, class_counts
from mercer.svm import SVC

METHODS = ["switch", "cccp"]


def small(seed, n=14):
    """A few samples, four with labels: moons, two clusters, or classes that overlap."""
    rng = np.random.default_rng(seed)
    if seed % 3 == 0:
        X, truth = make_moons(n, noise=0.1, random_state=seed)
    else:
        truth = np.arange(n) % 2
        X = rng.normal(size=(n, 2 if seed % 3 == 1 else 3)) + truth[:, None] * (2.5 if seed % 3 == 1 else 1.0)
    y = np.full(n, -1)
    for k in (0, 1):
        y[np.flatnonzero(truth == k)[:2]] = k
    return X, y, truth


def moons(seed, n=200):
    X, truth = make_moons(n, noise=0.05, random_state=seed)
    y, rng = np.full(n, -1), np.random.default_rng(seed)
    for k in (0, 1):
        y[rng.choice(np.flatnonzero(truth == k))] = k
    return X, y, truth


def g50c(seed, n=550, n_labels=50):
    """Two Gaussians in 50 dimensions whose Bayes error is 5 % (Chapelle and Zien 2005)."""
    rng = np.random.default_rng(seed)
    mean = rng.normal(size=50)
    mean *= 3.29 / 2 / np.linalg.norm(mean)
    truth = (rng.random(n) < 0.5).astype(int)
    X = rng.normal(size=(n, 50)) + np.where(truth[:, None], mean, -mean)
    return X, np.where(np.arange(n) < n_labels, truth, -1), truth


def least_objective(X, y, kernel, C, D, n_positive):
    """The optimum over all labellings with `n_positive` positive samples, one SVM each."""
    unlabeled, best = np.flatnonzero(y < 0), np.inf
    K = kernel(X)
    for positive in combinations(unlabeled, n_positive):
        label = y.copy()
        label[unlabeled] = 0
        label[list(positive)] = 1
        machine = SVC(C=1.0, kernel="precomputed", tol=1e-6).fit(K, label, np.where(y < 0, D, C))
        best = min(best, -machine.solution_.objective)
    return best


def compared(seeds, n=14):
    """Objectives divided by the least of all labellings."""
    ratios = []
    for seed in seeds:
        X, y, _ = small(seed, n)
        model = TransductiveSVC(C=1.0, kernel=RBF(gamma=1.0), tol=1e-6).fit(X, y)
        n_positive = class_counts(model.class_fractions_, int((y < 0).sum()))[1]
        ratios.append(model.objective_ / least_objective(X, y, RBF(gamma=1.0), 1.0, 1.0, n_positive))
    return np.array(ratios)


def test_objective_against_all_labellings():
    ratios = compared(range(20), n=10)
    assert ratios.min() > 1 - 1e-6
    assert (ratios < 1 + 1e-5).mean() >= 0.8


@pytest.mark.exhaustive
def test_objective_against_all_labellings_of_fifty_problems():
    ratios = compared(range(50), n=14)
    assert ratios.min() > 1 - 1e-6
    assert (ratios < 1 + 1e-5).mean() >= 0.8


def values(model, X):
    return model._machine_values(X)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_result_is_a_fixed_point_of_both_steps(n_classes, method):
    rng = np.random.default_rng(n_classes)
    truth = np.arange(60) % n_classes
    X = rng.normal(size=(60, 2)) + 2 * np.column_stack([np.cos(2 * truth), np.sin(2 * truth)])
    y = np.where(np.arange(60) < 12, truth, -1)
    C, D = 2.0, 0.7
    kernel = RBF(gamma=0.5)
    model = TransductiveSVC(C=C, D=D, kernel=kernel, method=method, tol=1e-7, unlabeled=-1).fit(X, y)
    f, unlabeled, label = values(model, X), y < 0, model.transduction_
    # Relabelling changes nothing.
    cost = label_costs(f[unlabeled])
    counts = class_counts(model.class_fractions_, unlabeled.sum())
    again = assign(cost, counts) if method == "switch" else cost.argmin(axis=1)
    assert cost[np.arange(len(cost)), again].sum() == pytest.approx(cost[np.arange(len(cost)), label[unlabeled]].sum())
    # The objective is what the definition says.
    coef = np.zeros((len(model.intercept_), 60))
    coef[:, model.support_] = model.dual_coef_
    norms = np.einsum("ki,ij,kj->k", coef, kernel(X), coef)
    bound = np.where(unlabeled, D, C)
    loss = np.maximum(0, 1 - signs(label, n_classes) * f).sum(axis=1)
    assert model.objective_ == pytest.approx(norms.sum() / 2 + bound @ loss, rel=1e-9)
    # The machines are optimal for the labels.
    assert model.solution_.converged
    assert model.solution_.gap <= 1e-5 * abs(model.solution_.objective)
    if method == "switch":
        machine = SVC(C=1.0, kernel=kernel, multi_class="ovr", tol=1e-7).fit(X, label, bound)
        assert -machine.solution_.objective == pytest.approx(model.objective_, rel=1e-6)
    else:
        means = 2 * model.class_fractions_ - 1
        assert f[unlabeled].mean(axis=0) == pytest.approx(means[1:] if n_classes == 2 else means, abs=1e-6)


@pytest.mark.parametrize("method", METHODS)
def test_objective_never_rises_while_the_price_stays(method):
    X, y, _ = g50c(0, n=150, n_labels=20)
    for C in (0.01, 1.0):
        model = TransductiveSVC(C=C, kernel="linear", method=method).fit(X, y)
        price, objective = model.objective_path_.T
        assert (np.diff(price) >= 0).all()
        assert price[-1] == C
        assert (np.diff(objective)[np.diff(price) == 0] < 0).all()
        assert objective[-1] == model.objective_


@pytest.mark.parametrize("method", METHODS)
def test_two_moons_with_two_labels(method):
    solved = [TransductiveSVC(gamma=5.0, method=method).fit(X, y).transduction_ for X, y, _ in map(moons, range(20))]
    errors = [np.mean(label != moons(seed)[2]) for seed, label in enumerate(solved)]
    assert np.mean(np.array(errors) < 0.01) >= 0.9


def test_gaussians_in_fifty_dimensions():
    errors, inductive = [], []
    for seed in range(20):
        X, y, truth = g50c(seed)
        model = TransductiveSVC(C=0.001, kernel="linear", method="cccp").fit(X, y)
        errors.append(1 - model.score(X[50:], truth[50:]))
        inductive.append(1 - SVC(C=0.01, kernel="linear").fit(X[:50], y[:50]).score(X[50:], truth[50:]))
    assert np.mean(errors) <= 0.07
    assert np.mean(inductive) >= 0.09


def test_class_counts_are_kept():
    X, y, _ = g50c(1, n=200, n_labels=30)
    model = TransductiveSVC(class_fractions=[0.3, 0.7]).fit(X, y)
    assert np.bincount(model.transduction_[30:]).tolist() == [51, 119]
    named = TransductiveSVC(class_fractions={1: 0.7, 0: 0.3}).fit(X, y)
    assert named.transduction_.tolist() == model.transduction_.tolist()
    assert model.transduction_[:30].tolist() == y[:30].tolist()


def test_many_classes_gain_from_unlabelled_samples():
    X, truth = load_digits(n_class=5, return_X_y=True)
    X, truth, rng = X[:400] / 16, truth[:400], np.random.default_rng(0)
    y = np.full(400, -1)
    for k in range(5):
        y[rng.choice(np.flatnonzero(truth == k), 3, replace=False)] = k
    model = TransductiveSVC().fit(X, y)
    unlabeled = y < 0
    transductive = np.mean(model.transduction_[unlabeled] == truth[unlabeled])
    inductive = SVC().fit(X[~unlabeled], y[~unlabeled]).score(X[unlabeled], truth[unlabeled])
    assert transductive > inductive + 0.05


def test_strings_and_labels_of_text():
    X = ["GATTACA", "GATTAGA", "CCCTCC", "CCCCTT", "GATAACA", "CCTTCC", "GATTTCA", "CTCTCC"]
    model = TransductiveSVC(kernel=Spectrum(p=2)).fit(X, ["g", None, "c", None, None, None, None, None])
    assert model.transduction_.tolist() == ["g", "g", "c", "c", "g", "c", "g", "c"]
    assert model.predict(["GATTACC", "CCCTTC"]).tolist() == ["g", "c"]


def test_a_gram_matrix_gives_the_same():
    X, y, _ = moons(3, n=80)
    kernel = RBF(gamma=5.0)
    by_kernel = TransductiveSVC(kernel=kernel).fit(X, y)
    by_matrix = TransductiveSVC(kernel="precomputed").fit(kernel(X), y)
    assert by_matrix.transduction_.tolist() == by_kernel.transduction_.tolist()
    assert by_matrix.decision_function(kernel(X[:5], X)) == pytest.approx(by_kernel.decision_function(X[:5]), abs=1e-6)


@pytest.mark.parametrize("method", METHODS)
def test_rows_on_demand_give_the_same(method):
    X, y, _ = moons(4, n=80)
    held, rows = (TransductiveSVC(gamma=5.0, cache_size=size, method=method).fit(X, y) for size in (100, 0.01))
    assert rows.transduction_.tolist() == held.transduction_.tolist()
    assert rows.objective_ == pytest.approx(held.objective_, rel=1e-4)


def test_weights():
    X, y, _ = moons(5, n=60)
    weight = np.ones(60)
    left_out = np.flatnonzero(y < 0)[:10]
    weight[left_out] = 0
    kept = np.flatnonzero(weight)
    weighted, fewer = (
        TransductiveSVC(kernel=RBF(gamma=5.0), tol=1e-8).fit(X, y, weight),
        TransductiveSVC(kernel=RBF(gamma=5.0), tol=1e-8).fit(X[kept], y[kept]),
    )
    assert weighted.objective_ == pytest.approx(fewer.objective_, rel=1e-9)
    assert weighted.transduction_[kept].tolist() == fewer.transduction_.tolist()
    assert weighted.transduction_[left_out].tolist() == weighted.predict(X[left_out]).tolist()
    with pytest.raises(ValueError, match="all samples have zero or negative weights"):
        TransductiveSVC().fit(X, y, np.zeros(60))
    with pytest.raises(ValueError, match="no labelled sample of class 1 has a positive weight"):
        TransductiveSVC().fit(X, y, np.where(y == 1, 0.0, 1.0))


def test_without_unlabelled_samples_it_is_the_svm():
    X, _, truth = moons(6, n=60)
    with pytest.warns(UserWarning, match=r"no sample is unlabelled, so the result is that of SVC"):
        model = TransductiveSVC().fit(X, truth)
    machine = SVC().fit(X, truth)
    assert model.decision_function(X) == pytest.approx(machine.decision_function(X), abs=1e-9)
    assert model.objective_ == pytest.approx(-machine.solution_.objective, rel=1e-6)
    assert model.transduction_.tolist() == truth.tolist()


@pytest.mark.parametrize(
    ("fractions", "message"),
    [
        ([0.5, 0.6], r"class_fractions=\[0.5, 0.6\] are not fractions; expected non-negative numbers that sum to 1"),
        ([1.5, -0.5], "class_fractions=.* are not fractions"),
        ([0.2, 0.3, 0.5], r"expected class_fractions of shape \(2,\)"),
        ({0: 0.5, 2: 0.5}, r"class_fractions has the classes \['0', '2'\], but the labelled samples have \['0', '1'\]"),
        ([np.nan, 1.0], "class_fractions"),
    ],
)
def test_fractions_that_no_labelling_has(fractions, message):
    X, y, _ = moons(0, n=40)
    with pytest.raises(ValueError, match=message):
        TransductiveSVC(class_fractions=fractions).fit(X, y)


def test_an_indefinite_kernel_is_said_to_be_one():
    X, y, _ = moons(0, n=40)
    with pytest.warns(IndefiniteKernelWarning):
        model = TransductiveSVC(kernel="sigmoid", gamma=1.0, coef0=-1.0).fit(X, y)
    assert np.isfinite(model.objective_)


def test_a_matrix_without_room_is_refused(monkeypatch):
    X, y, _ = moons(0, n=400)
    monkeypatch.setattr(limits, "available_memory", lambda: 3_000_000)
    with pytest.raises(MemoryLimitError, match=r"TransductiveSVC: method='cccp' for 400 samples .* method='switch'"):
        TransductiveSVC(method="cccp").fit(X, y)
