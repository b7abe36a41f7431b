"""Draws and folds: the same for the same seed, no class lost, groups together."""

import numpy as np
import pytest

from mercer.auto.sampling import check_groups, fold_count, make_folds, sample_rows

Y = np.repeat(["a", "b", "c"], [900, 97, 3])


def test_draws_keep_shares_and_small_classes():
    rows = sample_rows(Y, 100, stratify=True, random_state=0)
    assert (np.diff(rows) > 0).all()
    assert dict(zip(*np.unique(Y[rows], return_counts=True), strict=True)) == {"a": 90, "b": 9, "c": 3}


def test_draws_depend_on_the_seed_only():
    for stratify in (True, False):
        once, again, other = (sample_rows(Y, 100, stratify=stratify, random_state=seed) for seed in (3, 3, 4))
        np.testing.assert_array_equal(once, again)
        assert not np.array_equal(once, other)


def test_nothing_is_drawn_where_all_fit():
    assert sample_rows(Y, 1000, stratify=True, random_state=0).tolist() == list(range(1000))
    assert len(sample_rows(Y, 999, stratify=False, random_state=0)) == 999


def test_folds_are_stratified():
    y = np.repeat([0, 1], [40, 10])
    for train, test in make_folds(y, 5, classes=True):
        assert y[test].sum() == 2
        assert len(np.intersect1d(train, test)) == 0


@pytest.mark.parametrize("classes", [True, False])
def test_groups_stay_together(classes):
    rng = np.random.default_rng(0)
    groups = rng.integers(0, 12, 120)
    y = rng.integers(0, 2, 120) if classes else rng.normal(size=120)
    seen = []
    for train, test in make_folds(y, 4, classes=classes, groups=groups, random_state=0):
        assert not set(groups[train]) & set(groups[test])
        seen += test.tolist()
    assert sorted(seen) == list(range(120))


def test_classes_of_one_sample_are_trained_on_and_never_tested():
    y = np.array(["a", "b", "a", "c", "a", "a"])
    folds = make_folds(y, 2, classes=True)
    assert sorted(row for _, test in folds for row in test) == [0, 2, 4, 5]
    for train, test in folds:
        assert {1, 3} <= set(train.tolist())
        assert sorted([*train, *test]) == list(range(6))


@pytest.mark.parametrize("groups", [None, np.arange(20) % 10])
def test_classes_with_fewer_samples_than_folds_are_tested_once(groups):
    y = np.repeat(["a", "b", "c"], [9, 8, 3])
    folds = make_folds(y, 5, classes=True, groups=groups)
    assert len(folds) == 5
    assert sorted(row for _, test in folds for row in test) == list(range(20))
    assert all(set(y[train]) == {"a", "b", "c"} for train, _ in folds)


def test_groups_come_before_classes_of_one_sample():
    y, groups = np.array(["a", "b", "a", "a", "a"]), np.array([0, 0, 0, 1, 1])
    for train, test in make_folds(y, 2, classes=True, groups=groups):
        assert not set(groups[train]) & set(groups[test])
        assert (1 in train) == (0 not in groups[test])
        assert 1 not in test


def test_fewer_folds_are_told():
    assert fold_count("test", np.repeat([0, 1], [9, 9]), 5, classes=True) == (5, "")
    count, note = fold_count("test", np.repeat(["x", "y"], [9, 3]), 5, classes=True)
    assert (count, note) == (3, "3 folds instead of 5, since class 'y' has only 3 samples.")
    assert fold_count("test", np.repeat(["x", "y"], [9, 1]), 5, classes=True) == (5, "")
    three = np.repeat(["x", "y", "z"], [9, 8, 3])
    assert fold_count("test", three, 5, classes=True) == (5, "")  # a rare class among others limits nothing
    count, note = fold_count("test", np.repeat(["x", "y", "z"], [9, 4, 3]), 5, classes=True)
    assert (count, note) == (
        4,
        "4 folds instead of 5, since class 'y' has only 4 samples, and only one class has more.",
    )
    assert fold_count("test", np.arange(6.0), 5, classes=False)[0] == 3
    assert fold_count("test", np.arange(20.0), 5, classes=False, groups=np.arange(20) % 3)[0] == 3


def test_too_few_for_folds():
    with pytest.raises(ValueError, match="class 'y' has 2 samples, expected at least 3"):
        fold_count("test", np.repeat(["x", "y"], [9, 2]), 5, classes=True, least=3)
    with pytest.raises(ValueError, match="class 'y' has 1 sample, expected at least 2"):
        fold_count("test", np.repeat(["x", "y"], [9, 1]), 5, classes=True, least=2)
    with pytest.raises(ValueError, match="only 1 groups"):
        fold_count("test", np.arange(20.0), 5, classes=False, groups=np.zeros(20))


def test_groups_of_any_type():
    assert check_groups("test", None, 3) is None
    assert check_groups("test", ["b", "a", "b"], 3).tolist() == [1, 0, 1]
    with pytest.raises(ValueError, match="one group for each of 3 samples"):
        check_groups("test", ["b", "a"], 3)
