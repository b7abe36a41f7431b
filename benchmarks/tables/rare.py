"""Rare classes: tables of two classes thinned to one positive sample in a hundred."""

from dataclasses import replace

import numpy as np

from benchmarks.tables.facts import HELD_OUT, Table

SHARE = 0.01  # of positive samples
FEWEST = 5  # positive samples in the training part
SEEDS = 5  # of tables of every size: the few positive test samples make a single split uncertain


def positives(table: Table) -> int:
    """Number of positive samples that are kept."""
    rare = int(np.bincount(table.y).min())
    return min(rare, round(SHARE / (1 - SHARE) * (len(table.y) - rare)))


def refused(table: Table) -> str:
    """Why a table cannot be thinned; empty if it can."""
    if table.classes != 2:
        return "not a table of two classes"
    if (training := round((1 - HELD_OUT) * positives(table))) < FEWEST:
        return f"{training} positive training samples at {SHARE:.0%}, fewer than {FEWEST}"
    return ""


def thinned(table: Table, seed: int) -> Table:
    """All samples of the frequent class, as class 0, and a random part of the other, as class 1."""
    if reason := refused(table):
        raise ValueError(f"{table.name}: {reason}.")
    y = (table.y == np.bincount(table.y).argmin()).astype(int)
    kept = np.random.default_rng(seed).choice(np.flatnonzero(y), positives(table), replace=False)
    rows = np.sort(np.concatenate([np.flatnonzero(y == 0), kept]))
    return replace(table, X=table.X.iloc[rows].reset_index(drop=True), y=y[rows])
