"""Machines on learned kernels: parameters are compared on the Gram matrix, or on features of landmarks."""

from dataclasses import replace

import numpy as np
import pytest

from mercer.auto.stack.machines import LOGISTIC, SVM, class_scores
from mercer.kernels import RBF
from mercer.ridge import KernelLogisticRegression

RNG = np.random.default_rng(0)
X = RNG.normal(size=(90, 3))
LABELS = (X[:, 0] + 0.5 * RNG.normal(size=90) > 0).astype(int) + (X[:, 1] > 0.8)
FOLDS = [(np.flatnonzero(np.arange(90) % 3 != k), np.flatnonzero(np.arange(90) % 3 == k)) for k in range(3)]
KERNEL = RBF(gamma=0.3)


@pytest.mark.parametrize("weight", [None, RNG.uniform(0.5, 2, 90)], ids=["no weights", "weights"])
def test_all_rows_as_landmarks_give_the_scores_of_the_gram_matrix(weight):
    everyone = np.ones(90, dtype=bool)
    exact = replace(LOGISTIC, most=90).compared(KERNEL, X, LABELS, FOLDS, everyone, weight, 3, 0.1)
    approximated = replace(LOGISTIC, most=0, landmarks=90).compared(KERNEL, X, LABELS, FOLDS, everyone, weight, 3, 0.1)
    assert approximated[0] == exact[0]
    np.testing.assert_allclose(approximated[1], exact[1], atol=1e-2)


def test_out_of_fold_scores_with_landmarks_are_those_of_separate_fits():
    machine = replace(LOGISTIC, most=0, landmarks=20, fixed=())  # to full accuracy
    params, scores = machine.compared(KERNEL, X, LABELS, FOLDS, np.ones(90, dtype=bool), None, 3, 0.1)
    for train, test in FOLDS:
        alone = KernelLogisticRegression(kernel=KERNEL, approximation=20, **params).fit(X[train], LABELS[train])
        expected = class_scores(alone.decision_function(X[test]), alone.classes_, 3)
        np.testing.assert_allclose(scores[test], expected, atol=1e-6)


def test_penalties_are_multiples_of_the_learned_one():
    assert [params["alpha"] for params in LOGISTIC.choices(2.0)] == pytest.approx([0.006, 0.06, 0.6])
    assert [params["C"] for params in SVM.choices(2.0)] == [1.0, 10.0, 100.0]


def test_fits_to_many_rows_and_classes_are_left_out():
    assert LOGISTIC.takes(2500, 26)
    assert LOGISTIC.takes(100_000, 2)
    assert not LOGISTIC.takes(100_001, 2)
    assert not LOGISTIC.takes(2501, 3)  # many steps of Newton's method for small gains
    assert not SVM.takes(25_001, 2)


def test_the_final_machine_of_many_rows_has_landmarks():
    exact = replace(LOGISTIC, most=90).final(KERNEL, X, LABELS, {"alpha": 0.1}, None)
    assert exact.approximation_ is None
    approximated = replace(LOGISTIC, most=50, landmarks=30).final(KERNEL, X, LABELS, {"alpha": 0.1}, None)
    assert approximated.approximation_.n_components == 30
