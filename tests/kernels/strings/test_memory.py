"""Gram matrices of strings and trees take the memory of the data and the result, nothing of their size beside it."""

import subprocess
import sys

import pytest

CODE = """
import resource
import numpy as np
from mercer.data import Strings, Trees
from mercer.kernels.strings import Gapped, Spectrum, Subsequence
from mercer.kernels.trees import SubsetTree

rng = np.random.default_rng(0)
peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
letters = np.array(list("ACGT"))
words = Strings(["".join(row) for row in letters[rng.integers(0, 4, (4000, 20))]])
trees = Trees([f"(S (NP {a}) (VP {b}))" for a, b in rng.choice(list("abcdefgh"), (4000, 2))])
kernel, X = CASE
kernel(X[:200])  # libraries are loaded, threads are up
before = peak()
K = kernel(X)
print((peak() - before) / K.nbytes)
"""
CASES = [
    "Spectrum(4), words",
    "Spectrum(4).normalized(), words",
    'Gapped(6, 2, method="pairs").normalized(), words',
    "0.5 * Subsequence(2).normalized() + 1, words",
    "SubsetTree().normalized(), trees",
]


@pytest.mark.exhaustive
@pytest.mark.memory
@pytest.mark.skipif(sys.platform != "linux", reason="ru_maxrss is in kilobytes on Linux only")
@pytest.mark.parametrize("case", CASES)
def test_a_gram_matrix_of_4000_samples(case):
    done = subprocess.run(
        [sys.executable, "-c", CODE.replace("CASE", case)], capture_output=True, text=True, check=True
    )
    assert float(done.stdout) < 1.25  # the matrix is 128 MB; a second one of any kind would show
