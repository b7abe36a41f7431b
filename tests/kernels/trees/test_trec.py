"""Questions of TREC: values that KeLP computed, and its accuracies."""

import os
import pathlib

import numpy as np
import pytest

from benchmarks.accuracy_trec import CASES, accuracy, questions
from mercer.data import read_kelp
from mercer.kernels.trees import PartialTree, SubsetTree


@pytest.fixture(scope="module")
def folder():
    """Folder of the questions, below the one that the environment variable MERCER_DATA names."""
    path = os.environ.get("MERCER_DATA")
    if not path:
        pytest.skip("MERCER_DATA names no folder of data sets")
    return pathlib.Path(path) / "trees" / "trec_qc"


# Normalised values of neighbouring test questions, computed by KeLP 2.1 in single precision.
GOLDENS = [(SubsetTree(0.4, leaves=True), "sstk"), (PartialTree(0.4, 0.4, terminal_factor=5.0), "ptk")]


@pytest.mark.parametrize(("kernel", "name"), GOLDENS, ids=["subset_tree", "partial_tree"])
def test_values_of_kelp(folder, kernel, name):
    _, parts = read_kelp(folder / "TREC_10.coarse.klp.gz", ["grct"])
    K = kernel.normalized()(parts["grct"])
    golden = np.loadtxt(folder / "kelp_reference" / f"{name}_scores.txt")
    assert golden.shape == (499,)
    np.testing.assert_allclose(np.diagonal(K, 1), golden, rtol=0, atol=1e-6)


@pytest.fixture(scope="module")
def data(folder):
    return questions(folder)


@pytest.mark.parametrize(("kernel", "part", "published"), [case for case in CASES if case[2]], ids=str)
def test_accuracy(data, kernel, part, published):
    (y_train, train), (y_test, test) = data["train"], data["test"]
    assert accuracy(kernel.normalized(), train[part], y_train, test[part], y_test) == pytest.approx(published, abs=0.6)
