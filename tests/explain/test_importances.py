"""Importances: sorted means of absolute Shapley values."""

import numpy as np
import pytest

from mercer.explain import KernelExpansion, importances, shapley_values


@pytest.mark.parametrize("n_outputs", [1, 3])
def test_importances_are_sorted_means(rng, n_outputs):
    points, X, background = (rng.normal(size=(n, 5)) for n in (30, 12, 6))
    f = KernelExpansion("rbf(gamma=0.2)", points, rng.normal(size=(30, n_outputs)))
    options = {"players": {"both": [0, 1]}, "tol": 1e-8, "n_jobs": 1}
    found, values = importances(f, X, background, **options), shapley_values(f, X, background, **options)
    expected = np.abs(values.values).mean(axis=0)
    at = [values.names.index(name) for name in found.names]
    np.testing.assert_array_equal(found.values, expected[at])
    assert found.values.shape == ((4,) if n_outputs == 1 else (4, 3))
    totals = expected.reshape(4, -1).sum(axis=1)
    np.testing.assert_allclose(found.totals, np.sort(totals)[::-1])
    assert list(found) == list(zip(found.names, found.totals.tolist(), strict=True))
    assert (len(found), found.n_rows, found.outputs) == (4, 12, list(range(n_outputs)))
    assert found.error == values.error == 0
    shares = [int(line.split()[-2]) for line in str(found).splitlines()]
    np.testing.assert_allclose(shares, 100 * found.totals / found.totals.sum(), atol=0.5)


def test_long_tables_end_with_the_sum_of_the_others(rng):
    points = rng.normal(size=(1, 25))
    found = importances(KernelExpansion("linear", points, [1.0]), np.ones((2, 25)), np.zeros((1, 25)))
    lines = str(found).splitlines()
    assert len(lines) == 21
    assert lines[-1].startswith("5 more")
    assert float(lines[-1].split()[2]) == pytest.approx(np.sort(np.abs(points[0]))[:5].sum(), rel=1e-3)
