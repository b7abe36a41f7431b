"""Fits and predictions stay within cache_size, the data and the support vectors."""

import json
import subprocess
import sys

import pytest

pytestmark = [
    pytest.mark.memory,
    pytest.mark.skipif(sys.platform != "linux", reason="reads the peak of memory from /proc"),
]

SCRIPT = """
import ctypes, json, warnings
import numpy as np
from sklearn.exceptions import ConvergenceWarning
from mercer.kernels import user
from mercer.svm import SVC, SVR

def megabytes(mark):
    lines = open("/proc/self/status").read().splitlines()
    return next(int(line.split()[1]) * 1024 / 2**20 for line in lines if line.startswith(mark))

def hold_libraries():
    # Pages of libraries that the system drops and reads again during the work would count as its memory. Without the
    # right to lock pages, those that are there at the end are subtracted.
    libc = ctypes.CDLL(None)
    for line in open("/proc/self/maps").read().splitlines():
        span, mode, _, _, inode, *_ = line.split()
        if inode != "0" and mode[0] == "r":
            start, end = (int(number, 16) for number in span.split("-"))
            libc.mlock(ctypes.c_void_p(start), ctypes.c_size_t(end - start))

rng = np.random.default_rng(0)
def samples(n, d=20):
    X = rng.standard_normal((n, d))
    score = np.sin(X[:, 0]) + X[:, 1] * X[:, 2] + 0.5 * rng.standard_normal(n)
    return X, (score > 0).astype(int), score

warnings.simplefilter("ignore", ConvergenceWarning)
X, y, score = samples(400)
for make in (SVC, SVR):
    make().fit(X, y).predict(X)  # libraries are loaded, threads are up
{setup}
hold_libraries()
open("/proc/self/clear_refs", "w").write("5")  # the peak from here on
before, libraries = megabytes("VmRSS"), megabytes("RssFile")
{work}
again = max(0.0, megabytes("RssFile") - libraries)
print(json.dumps([megabytes("VmHWM") - before - again, {result}]))
"""


def measured(setup, work, result="None"):
    """Megabytes above what the process held before the work, and the result."""
    code = SCRIPT.format(setup=setup, work=work, result=result)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


CACHE = 50
N = 20_000
DATA = 8 * N * 20 / 2**20  # X; the copies that validation and packing make are as large
VECTORS = 40 * 8 * N / 2**20  # gradients, bounds, orders: some dozens of numbers per sample
SLACK = 15  # panels of kernel values, buffers of threads, the allocator


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("model", "target"),
    [
        ("SVC(C=10.0, cache_size=50, max_iter=20_000)", "y"),
        ("SVR(C=10.0, cache_size=50, max_iter=20_000)", "score"),
        ("SVC(cache_size=50, max_iter=5_000)", "np.digitize(score, [-1, 0, 1])"),
    ],
    ids=["SVC", "SVR", "multiclass"],
)
def test_a_fit_stays_within_its_cache(model, target):
    """The matrix itself would take 1526 megabytes in float32."""
    peak, n_iter = measured(
        f"X, y, score = samples({N})", f"model = {model}.fit(X, {target})", "model.solution_.n_iter"
    )
    assert n_iter >= 5000
    assert peak < CACHE + 4 * DATA + VECTORS + SLACK


def test_a_converged_fit_stays_within_its_cache():
    peak, converged = measured(
        "X, y, score = samples(6_000)", "model = SVC(cache_size=20).fit(X, y)", "model.solution_.converged"
    )  # the matrix would take 137 megabytes in float32
    assert converged
    assert peak < 20 + 40 * 8 * 6_000 / 2**20 + SLACK


@pytest.mark.exhaustive
def test_a_kernel_in_python_stays_within_its_cache():
    kernel = "user(block=lambda A, B: np.asarray(A) @ np.asarray(B).T)"
    peak, _ = measured(
        "X, y, score = samples(6_000)", f"model = SVC(kernel={kernel}, cache_size=50, max_iter=5_000).fit(X, y)"
    )  # the matrix would take 275 megabytes
    panels = 3 * 64_000_000 / 2**20  # what a kernel in Python may return at a time, and copies of it
    assert peak < 50 + panels + SLACK


def test_prediction_never_holds_all_values():
    peak, n_support = measured(
        """
X, y, score = samples(4_000)
model = SVC(gamma=0.5, max_iter=20_000).fit(X, y)
Z = rng.standard_normal((100_000, 20))
model.predict(Z[:10])
""",
        "model.predict(Z)",
        "len(model.support_)",
    )
    whole = 100_000 * n_support * 8 / 2**20
    assert whole > 1000
    assert peak < 3 * 8 * 100_000 * 20 / 2**20 + SLACK


@pytest.mark.exhaustive
def test_prediction_of_many_classes_never_holds_all_values():
    peak, n_support = measured(
        """
X, y, score = samples(2_000)
model = SVC(gamma=0.5).fit(X, np.digitize(score, [-1, 0, 1]))
Z = rng.standard_normal((100_000, 20))
model.predict(Z[:10])
""",
        "model.predict(Z)",
        "len(model.support_)",
    )
    assert 100_000 * n_support * 8 / 2**20 > 1000
    values = 100_000 * 8 * (6 + 4 * 3 + 4) / 2**20  # of pairs, of parts, votes
    assert peak < 3 * 8 * 100_000 * 20 / 2**20 + 2 * values + SLACK
