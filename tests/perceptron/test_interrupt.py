"""Ctrl-C ends a long fit and leaves what was there before."""

import signal
import subprocess
import sys
import time

import pytest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT for one process")

# The fit must not be able to end by itself while the signal is on its way: it would take hours.
SCRIPT = """
import sys
import numpy as np
from mercer.perceptron import KernelPerceptron, Perceptron

rng = np.random.default_rng(0)
X, y = rng.standard_normal(({n}, 20)), rng.integers(0, 2, {n})
few = X[:40]
labels = few[:, 0] > 0  # a plane separates them
model = {model}
model.set_params(max_iter=10**6).fit(few, labels)
before = model.decision_function(few)
print("ready", flush=True)
try:
    model.fit(X, y)
    print("finished")
except KeyboardInterrupt:
    print("interrupted")
print("as before" if (model.decision_function(few) == before).all() else "changed")
"""


@pytest.mark.parametrize(
    ("model", "n"),
    [
        pytest.param("KernelPerceptron(gamma=0.01)", 30_000, id="kernel"),
        pytest.param(
            "KernelPerceptron(gamma=0.01, budget=2000, removal='projectron')",
            30_000,
            id="budget",
            marks=pytest.mark.exhaustive,
        ),
        pytest.param("Perceptron()", 100_000, id="primal", marks=pytest.mark.exhaustive),
    ],
)
def test_ctrl_c(model, n):
    code = SCRIPT.format(model=model, n=n)
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stdout.readline() == "ready\n", process.stderr.read()
        time.sleep(0.5)
        assert process.poll() is None, process.stderr.read()
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=60)
    finally:
        process.kill()
        process.wait()
    assert process.returncode == 0, errors
    assert output.split("\n")[:-1] == ["interrupted", "as before"]
