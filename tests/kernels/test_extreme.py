"""Absurd integers as parameters: kernels end within seconds, with a value or a refusal that states the cost."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from mercer._runtime import limits
from mercer.exceptions import CostLimitError, MemoryLimitError
from mercer.kernels import Gapped, Graphlet, Mismatch, Subsequence, WeightedDegree, WeisfeilerLehman
from tests.kernels.extreme import CLASSES

REFUSALS = {"ValueError", "CostLimitError", "MemoryLimitError", "NoFeatureMapError"}
# Seconds for all requests to a kernel. The slowest counts the 490 000 sets of 8 nodes of twelve graphs in seconds, as
# it was asked to; without their refusals some would take hours or all memory.
LIMIT = 300
WORDS = ["GATTACAGATTACA", "CATCATCATCAT"]


@pytest.mark.parametrize("name", CLASSES)
def test_requests_end(name):
    command = [sys.executable, "-m", "tests.kernels.extreme", name]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=LIMIT, cwd=Path(__file__).parents[2], check=False
    )
    assert done.returncode == 0, done.stderr
    requests = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(requests) >= 2
    for parameters, size, what, _, outcome, message in requests:
        where = f"{name}({parameters}), {what} of {size} data: {outcome} {message}"
        assert outcome == "value" or outcome in REFUSALS, where
        if outcome not in ("value", "NoFeatureMapError"):
            assert message.startswith(f"{name}: "), where


def test_refusals_state_what_cost_limit_and_a_way_out(monkeypatch):
    monkeypatch.setattr(limits, "available_memory", lambda: 4 * 10**9)
    with pytest.raises(MemoryLimitError) as raised:
        WeightedDegree(degree=10**9)(WORDS)
    assert "k-mers of 1 to 1000000000 symbols needs 32.0 GB, but only 4.0 GB are available" in str(raised.value)
    assert "Lower degree" in str(raised.value)
    with pytest.raises(
        MemoryLimitError, match=r"Gapped: \d+ sets of 27 of 30 positions|Gapped: \d+ sets of 15 of 30 pos"
    ):
        Gapped(30, 15, method="features")(["GATTACA" * 10])
    with pytest.raises(MemoryLimitError, match=r"in 10001 rounds needs .* Lower n_iter"):
        WeisfeilerLehman(n_iter=10_000).colors(_Many()).levels  # noqa: B018
    with pytest.raises(
        CostLimitError, match=r"Graphlet: 1000000000000 samples .* would take about 41.7 hours .* 100 s"
    ):
        Graphlet(3, n_samples=10**12)([[(i, i + 1) for i in range(30_000)]])
    with pytest.raises(
        CostLimitError, match=r"Subsequence: 5000 passes over strings of 7000 and 7000 symbols .* 245 s"
    ):
        Subsequence(p=5000)(["A" * 7000])
    assert issubclass(CostLimitError, ValueError)


class _Many:
    """Graphs with more nodes than can be packed here."""

    offsets = (0, 10**9)


def test_features_of_blocks_do_not_grow_beyond_the_strings():
    long, short = WeightedDegree(degree=10**6), WeightedDegree(degree=14)
    F = long.feature_map(WORDS)
    assert F.shape == short.feature_map(WORDS).shape
    assert (F @ F.T).toarray() == pytest.approx(long(WORDS), rel=1e-12)


def test_windows_longer_than_the_strings_need_no_sets():
    assert Gapped(1000, 3)(WORDS).tolist() == [[0.0, 0.0], [0.0, 0.0]]
    assert Gapped(40, 20).feature_map(WORDS).nnz == 0


def test_weights_of_many_mismatches_are_exact():
    def near(p, m, size, d):
        """Words near both of two words at distance d, one by one."""
        from itertools import product

        a, b = (0,) * p, (1,) * d + (0,) * (p - d)
        words = product(range(size), repeat=p)
        return sum(all(sum(x != y for x, y in zip(w, v, strict=True)) <= m for v in (a, b)) for w in words)

    for p, m, size in ((3, 1, 4), (4, 2, 3), (5, 4, 2), (4, 3, 4)):
        kernel = Mismatch(p, m, alphabet="ACGT"[:size])
        assert kernel.weights() == tuple(near(p, m, size, d) for d in range(min(p, 2 * m) + 1))


def test_the_limit_of_the_address_space_counts():
    code = """
import resource
from mercer._runtime.limits import available_memory
resource.setrlimit(resource.RLIMIT_AS, (3 * 2**30,) * 2)
print(available_memory() < 3 * 2**30)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "True"
