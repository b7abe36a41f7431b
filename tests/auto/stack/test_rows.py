"""Division of rows: roles do not overlap, rare classes teach, groups stay together."""

import numpy as np
import pytest

from mercer.auto.stack.rows import Rows


def test_rare_classes_teach_weights():
    y = np.repeat([0, 1], [2940, 60])
    rows = Rows.divide(3000, y, None, 0)
    taught = y[rows.taught]
    assert (taught == 1).sum() == 40
    assert 690 <= len(taught) <= 740
    assert rows.share[taught == 1].sum() / rows.share.sum() == pytest.approx(0.02)
    assert Rows.divide(3000, np.tile([0, 1], 1500), None, 0).share is None


def test_judged_rows_of_the_rarest_class():
    labels = np.repeat([0, 1, 2], [100, 40, 3])
    rows = Rows.divide(143, labels, None, 0)
    assert rows.scarcest(labels) == min((labels[rows.judged] == c).sum() for c in range(3)) <= 1
    assert Rows.divide(143, None, None, 0).scarcest(None) == 143 - 95


def test_few_rows_of_a_class_rank_nothing():
    y = np.repeat([0, 1], [2940, 60])
    rows = Rows.divide(3000, y, None, 0)
    assert not len(rows.ranked)
    assert (y[rows.judged] == 1).sum() == 20
    assert len(Rows.divide(3000, np.repeat([0, 1], [2800, 200]), None, 0).ranked) > 0


@pytest.mark.parametrize("n", [3, 40, 1500, 1501, 9000])
def test_roles_do_not_overlap(n):
    rows = Rows.divide(n, None, None, 1)
    roles = np.zeros(n, dtype=int)
    for part in (rows.taught, rows.ranked, np.flatnonzero(rows.judged)):
        roles[part] += 1
    assert (roles == 1).all()
    assert (len(rows.ranked) > 0) == (n > 1500)


def test_groups_stay_together():
    groups = np.repeat(np.arange(50), 4)
    rows = Rows.divide(200, np.tile([0, 1], 100), groups, 2)
    taught = np.isin(np.arange(200), rows.taught)
    assert all(len(set(taught[groups == g])) == 1 for g in range(50))
    assert 100 <= taught.sum() <= 133
