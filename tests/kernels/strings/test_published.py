"""Machines with the gapped kernel reach the published accuracies on real sequences."""

import os
import pathlib

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from mercer.data import Strings
from mercer.kernels.strings.gapped import Gapped
from mercer.svm import SVC


@pytest.fixture
def folder():
    """Folder of the data sets, named by the environment variable MERCER_DATA."""
    path = os.environ.get("MERCER_DATA")
    if not path:
        pytest.skip("MERCER_DATA names no folder of data sets")
    return pathlib.Path(path) / "strings"


# Blakely et al. 2020 (FastSK): exact kernel, area under the ROC curve on the test part, with their g, m and C. Their
# machine is linear in the rows of the normalised Gram matrix, this one in the features of the kernel.
@pytest.mark.parametrize(
    ("name", "g", "m", "C", "published"),
    [
        ("EP300", 10, 4, 1.0, 0.9907),
        ("CTCF", 13, 7, 1.0, 0.9696),
        ("scop_1.34", 6, 2, 0.001, 1.0),
        ("scop_2.31", 15, 10, 0.01, 0.9998),
    ],
)
def test_area_under_the_curve(folder, name, g, m, C, published):
    train, test = (Strings.read_fasta(folder / name / f"{part}.fasta.gz") for part in ("train", "test"))
    model = SVC(kernel=Gapped(g, m, case="upper").normalized(), C=C).fit(train, np.array(train.names))
    area = roc_auc_score(np.array(test.names) == "1", model.decision_function(test))
    assert abs(area - published) <= 0.005
