"""Products stay within their budget."""

import subprocess
import sys
import tracemalloc

import numpy as np
import pytest

from mercer.kernels import RBF, Linear
from mercer.operators import LowRankOperator, PrecomputedOperator, gram

PEAK = """
import resource
import numpy as np
from mercer.kernels import RBF
from mercer.operators import gram

rng = np.random.default_rng(0)
peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
small = gram(RBF(gamma=0.1), rng.standard_normal((500, 16)))
small @ np.ones((500, 8))  # libraries are loaded, threads are up
X, V = rng.standard_normal((20_000, 16)), rng.standard_normal((20_000, 8))
before = peak()
K = gram(RBF(gamma=0.1), X)
{product}
print((peak() - before) / 1e6)
"""


@pytest.mark.exhaustive
@pytest.mark.memory
@pytest.mark.skipif(sys.platform != "linux", reason="ru_maxrss is in kilobytes on Linux only")
@pytest.mark.parametrize("product", ["K @ V", "K.centered() @ V"])
def test_a_product_of_20_000_points(product):
    code = PEAK.format(product=product)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert float(done.stdout) < 200  # the matrix itself would take 3200


N, BUDGET = 800, 1_600_000  # the matrix takes 5 MB
rng = np.random.default_rng(0)
X = rng.standard_normal((N, 3)).astype(np.float32)
K = gram(RBF(gamma=0.1), X, memory_budget=BUDGET)
L = gram(Linear(), X.astype(np.float64), memory_budget=BUDGET)
F = rng.standard_normal((N, 200)).astype(np.float32)
OPERATORS = {
    "product": K * L,
    "product-of-sums": (K + L) * (K * L + K),
    "product-of-centered": K.centered() * L,
    "scaled": 2 * (K * L),
    "dense": gram(RBF(gamma=0.1), X, materialize=True, memory_budget=BUDGET),
    "precomputed": PrecomputedOperator(K.dense(), memory_budget=BUDGET),
    "low-rank": LowRankOperator(F, memory_budget=BUDGET),
}


@pytest.mark.parametrize("name", OPERATORS)
def test_tiles_fit_in_the_budget(name):
    operator, V = OPERATORS[name], np.ones((N, 4))
    expected = operator.dense() @ V
    tracemalloc.start()
    try:
        result = operator @ V
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    np.testing.assert_allclose(result, expected, rtol=0, atol=1e-4 * np.abs(expected).max())
    assert peak < BUDGET + 6 * V.nbytes
