"""Ctrl-C ends a long fit, wherever it is, and leaves an estimator that can be fitted again."""

import signal
import subprocess
import sys
import time

import pytest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT for one process")

# The fit must not be able to end by itself while the signal is on its way: all of these would take minutes.
SCRIPT = """
import sys, time
import numpy as np
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted
from mercer.kernels import user
from mercer.svm import SVC, SVR, NuSVC

def say(word):
    sys.stdout.write(word + "\\n")
    sys.stdout.flush()

rng = np.random.default_rng(0)
X = rng.standard_normal(({n}, {d}))
y = rng.integers(0, {classes}, {n})  # nothing to learn: every sample becomes a support vector
few, labels = rng.standard_normal((40, {d})), np.arange(40) % 2
model = {model}
SVC().fit(few, labels)  # libraries are loaded
before = model.fit(few, labels).predict(few) if {fitted} else None
say("ready")
try:
    model.fit(X, y)
    say("finished")
except KeyboardInterrupt:
    say("interrupted")
try:
    check_is_fitted(model)
    say("as before" if before is not None and (model.predict(few) == before).all() else "half fitted")
except NotFittedError:
    say("not fitted")
model.set_params(**{small}).fit(few, labels)
say("usable" if np.isfinite(model.predict(few)).all() else "broken")
"""
SLOW = "user(lambda a, b: time.sleep(1e-3) or float(a @ b))"
SLOW_BLOCK = "lambda A, B: time.sleep(1e-4 * len(A)) or A @ B.T"


def interrupted(model, *, n, d=30, classes=2, small="{}", fitted=False, after=1.0):
    """What the process says when it is interrupted some time after its fit has begun."""
    code = SCRIPT.format(model=model, n=n, d=d, classes=classes, small=small, fitted=fitted)
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stdout.readline() == "ready\n", process.stderr.read()
        time.sleep(after)
        assert process.poll() is None, process.stderr.read()
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=30)
    finally:
        process.kill()
        process.wait()
    assert process.returncode == 0, errors
    return output.split("\n")[:-1]


DONE = ["interrupted", "not fitted", "usable"]


exhaustive = pytest.mark.exhaustive  # one native kernel and one in Python are enough for every day


@pytest.mark.parametrize(
    "model",
    [
        pytest.param("SVC(C=1e4, gamma=0.01, tol=1e-9)", id="SVC"),
        pytest.param("SVC(C=np.inf, gamma=0.001, tol=1e-9)", id="hard margin", marks=exhaustive),
        pytest.param("NuSVC(nu=0.5, gamma=0.01, tol=1e-9)", id="NuSVC", marks=exhaustive),
        pytest.param("SVR(C=1e4, epsilon=0.01, gamma=0.01, tol=1e-9)", id="SVR", marks=exhaustive),
    ],
)
def test_native_kernels(model):
    assert interrupted(model, n=60_000) == DONE


@pytest.mark.parametrize(
    ("model", "after"),
    [
        pytest.param("SVC(approximation=4000)", 1.0, id="while landmarks are selected"),
        pytest.param("SVC(C=1e6, gamma=0.01, tol=1e-12, approximation=300)", 8.0, id="SVC", marks=exhaustive),
        pytest.param("SVR(C=1e6, gamma=0.01, tol=1e-12, approximation=300)", 8.0, id="SVR", marks=exhaustive),
    ],
)
def test_approximated_machines(model, after):
    assert interrupted(model, n=30_000, small="dict(approximation=None, tol=1e-3)", after=after) == DONE


@exhaustive
def test_at_the_very_beginning():
    assert interrupted("SVC(C=1e4, gamma=0.01, tol=1e-9)", n=60_000, after=0.05) == DONE


@exhaustive
def test_machines_side_by_side():
    assert interrupted("SVC(C=1e4, gamma=0.01, tol=1e-9)", n=60_000, classes=5) == DONE


@exhaustive
def test_an_interrupted_second_fit_leaves_the_first():
    answer = interrupted("SVC(C=1e4, gamma=0.01, tol=1e-9)", n=60_000, classes=3, fitted=True)
    assert answer == ["interrupted", "as before", "usable"]


@pytest.mark.parametrize(
    ("model", "n"),
    [
        pytest.param(f"SVC(kernel={SLOW})", 2_000, id="one block", marks=exhaustive),
        pytest.param(f"SVC(kernel={SLOW}, cache_size=1.0)", 2_000, id="a small cache", marks=exhaustive),
        pytest.param(f"SVC(kernel={SLOW_BLOCK}, cache_size=1.0, tol=1e-12)", 4_000, id="a callable on blocks"),
    ],
)
def test_slow_kernels_in_python(model, n):
    assert interrupted(model, n=n, small="dict(kernel='rbf')") == DONE


@exhaustive
def test_slow_kernels_and_many_machines():
    assert interrupted(f"SVC(kernel={SLOW}, cache_size=1.0)", n=2_000, classes=4, small="dict(kernel='rbf')") == DONE
