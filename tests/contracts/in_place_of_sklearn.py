"""A pytest plugin that puts mercer's estimators in place of scikit-learn's and writes down how its tests end.

The plugin is loaded before the test modules, which then import mercer's classes from scikit-learn's packages. The
environment variable OUTCOMES names the file to write: JSON, from the id of each test to whether it passed.
"""

import json
import os
from pathlib import Path

import pytest
import sklearn.decomposition
import sklearn.kernel_ridge
import sklearn.svm

from mercer.decomposition import KernelPCA
from mercer.ridge import KernelRidge
from mercer.svm import SVC, SVR, NuSVC, NuSVR, OneClassSVM

for package, classes in (
    (sklearn.svm, (SVC, NuSVC, SVR, NuSVR, OneClassSVM)),
    (sklearn.kernel_ridge, (KernelRidge,)),
    (sklearn.decomposition, (KernelPCA,)),
):
    for cls in classes:
        setattr(package, cls.__name__, cls)

outcomes: dict[str, bool] = {}


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    outcomes[report.nodeid] = outcomes.get(report.nodeid, True) and not report.failed


def pytest_sessionfinish() -> None:
    Path(os.environ["OUTCOMES"]).write_text(json.dumps(outcomes), encoding="utf-8")
