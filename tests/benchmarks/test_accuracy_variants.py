"""Comparison of variants of automatic models, on a small table."""

import numpy as np
import pandas as pd
import pytest

from benchmarks import accuracy_variants
from benchmarks.accuracy_page import in_leaves, rotated
from benchmarks.tables.facts import Table


@pytest.fixture
def oblique(rng, monkeypatch):
    """A target that depends on the sum of two columns."""
    monkeypatch.setattr(accuracy_variants, "LANDMARKS", (10, 20))
    monkeypatch.setattr(accuracy_variants, "LEAF", 40)
    X = pd.DataFrame(rng.normal(size=(220, 3)), columns=["a", "b", "c"])
    return Table("oblique", "regression", X, np.sin(2 * (X["a"] + X["b"])).to_numpy())


def test_rotation_finds_the_sum(oblique):
    row = {"table": "oblique", **accuracy_variants.rotation(oblique, 0)}
    assert row["with"] < row["without"]
    assert row["weight"] > 0.5
    assert rotated({"rotation": [row]}).count("\n") == 3


def test_leaves_and_landmarks_are_fitted_to_the_same_rows(oblique):
    row = {"table": "oblique", **accuracy_variants.landmarks(oblique, 0)}
    assert row["n"] == 154
    assert row["landmarks_20"] < row["landmarks_10"] < 1.5
    row |= {f"landmarks_{m}{what}": 1.0 for m in (1000, 2000) for what in ("", "_seconds")}
    assert "| oblique | 154 |" in in_leaves({"landmarks": [row]})
