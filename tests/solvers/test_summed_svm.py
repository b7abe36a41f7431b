"""Support vector machines from passes over samples have the optimum of the solvers that hold all features."""

import numpy as np
import pytest

from mercer.operators import LowRankOperator
from mercer.solvers import Status, solve_dual
from mercer.solvers.feature_nu import solve_nu_on_features
from mercer.solvers.summed_svm import solve_on_sums
from mercer.solvers.svm import classification, nu_classification, one_class, regression
from mercer.solvers.svm_certificate import Losses
from mercer.solvers.svm_sample import sampled
from tests.solvers.test_feature_svm import blobs, check


class Held:
    """Passes over features in memory, in blocks of given sizes."""

    def __init__(self, F, cuts=()):
        self.F, self.cuts, self.count, self.sizes = F, cuts, 0, []
        self.n, self.n_components = F.shape

    def summed(self, task, T, weight):
        self.count += 1
        self.sizes.append(int(np.count_nonzero(weight)))
        used = [part[weight[part] != 0] for part in np.split(np.arange(self.n), self.cuts)]
        parts = [task.of(self.F[rows], T[rows], weight[rows]) for rows in used]
        return sum(parts[1:], parts[0])

    def coefficients(self, weights):
        return weights

    def values(self, coef):
        self.count += 1
        return self.F @ coef

    def rows(self, rows):
        self.count += 1
        return self.F[rows]


def problems(F, y, rng):
    n = len(y)
    members = np.flatnonzero(rng.uniform(size=n) < 0.9)
    bound = rng.uniform(0.5, 2.0, size=len(members))
    return {
        "classes": classification(members, y[members], bound),
        "weak penalty": classification(members, y[members], 100 * bound),
        "strong penalty": classification(members, y[members], 1e-3 * bound),
        "regression": regression(members, (F[:, 0] + np.sin(F[:, 1]))[members], bound, 0.1),
        "one class": one_class(members, bound, 0.2),
    }


@pytest.mark.parametrize("name", ["classes", "weak penalty", "strong penalty", "regression", "one class"])
@pytest.mark.parametrize("tol", [1e-3, 1e-8])
def test_the_optimum_is_that_of_the_exact_solver(rng, name, tol):
    F, y = blobs()
    dual = problems(F, y, rng)[name]
    passes = Held(F, [10, 10, 200])
    (answer,) = solve_on_sums(passes, [dual], tol=tol)
    check(F, dual, answer, tol)
    exact = solve_dual(LowRankOperator(F), [dual], tol=1e-8)[0].solution
    assert answer.solution.objective - exact.objective + exact.gap >= 0
    assert answer.solution.objective - exact.objective <= answer.solution.gap + exact.gap
    assert answer.solution.n_iter == passes.count


@pytest.mark.parametrize("name", ["classes", "weak penalty", "strong penalty", "regression", "one class", "rare"])
def test_a_sample_gives_the_first_point(rng, name, monkeypatch):
    F, y = blobs(n=1500, r=6, balance=0.01 if name == "rare" else 0.5)
    dual = problems(F, y, rng)["classes" if name == "rare" else name]
    (plain,) = solve_on_sums(Held(F), [dual], tol=1e-6) if name != "rare" else (None,)
    monkeypatch.setattr("mercer.solvers.summed_svm._SAMPLE", 30)
    passes = Held(F, [400])
    (answer,) = solve_on_sums(passes, [dual], tol=1e-6)
    check(F, dual, answer, 1e-6)
    assert answer.solution.n_iter == passes.count
    if plain is not None:
        slack = plain.solution.gap + answer.solution.gap
        assert abs(answer.solution.objective - plain.solution.objective) <= slack


def test_sampled_problems_have_the_sums_of_all(rng):
    F, y = blobs(n=500, balance=0.03)
    for name, dual in problems(F, y, rng).items():
        small, chosen = sampled(dual, 100)
        assert 100 <= len(chosen) <= 110, name
        assert np.array_equal(small.linear, dual.linear[chosen])
        assert (small.lower <= small.start).all()
        assert (small.start <= small.upper).all()
        for part in ("lower", "upper", "start"):
            assert getattr(small, part).sum() == pytest.approx(getattr(dual, part).sum(), rel=1e-12, abs=1e-12)
        assert (y[dual.members[chosen]] > 0).sum() >= 10 or "regression" in name or "one" in name
    order = np.argsort(-y, kind="stable")
    dual = nu_classification(order, int((y > 0).sum()), rng.uniform(0.5, 1.5, len(y)), 0.02)
    small, chosen = sampled(dual, 100)
    assert (chosen[: small.split] < dual.split).all()
    assert (chosen[small.split :] >= dual.split).all()
    for group in (slice(None, dual.split), slice(dual.split, None)):
        mine = slice(*(None if at is None else small.split for at in (group.start, group.stop)))
        assert small.start[mine].sum() == pytest.approx(dual.start[group].sum(), rel=1e-12)


def test_passes_read_changed_and_free_coefficients_only(rng):
    F, y = blobs(n=4000)
    passes = Held(F)
    (answer,) = solve_on_sums(passes, [classification(np.arange(4000), y, np.ones(4000))])
    used = np.count_nonzero(answer.beta)
    assert passes.sizes[-1] == used  # the certificate reads all of them once more
    assert min(passes.sizes[-3:-1]) < 0.1 * used


@pytest.mark.parametrize("nu", [0.2, 0.6])
def test_hulls_that_are_apart(rng, nu):
    F, y = blobs(balance=0.4)
    F += y[:, None]
    order = np.argsort(-y, kind="stable")
    dual = nu_classification(order, int((y > 0).sum()), rng.uniform(0.5, 1.5, len(y)), nu)
    (answer,) = solve_on_sums(Held(F), [dual], tol=1e-8)
    (known,) = solve_nu_on_features(F, [dual], tol=1e-8)
    assert answer.solution.status is Status.CONVERGED
    assert answer.solution.objective == pytest.approx(known.solution.objective, rel=3e-8)
    np.testing.assert_allclose(answer.bias, known.bias, rtol=1e-3)
    for group, total in ((slice(None, dual.split), 1), (slice(dual.split, None), -1)):
        assert answer.beta[group].sum() == pytest.approx(total * np.abs(dual.start).sum() / 2, rel=1e-12)


def test_hulls_that_intersect_have_no_margin(rng):
    F, y = rng.normal(size=(200, 3)), np.repeat([1.0, -1.0], 100)
    dual = nu_classification(np.argsort(-y, kind="stable"), 100, np.ones(200), 0.2)
    (answer,) = solve_on_sums(Held(F), [dual])
    assert answer.solution.status is Status.CONVERGED
    assert answer.solution.objective <= answer.solution.gap < 1e-2


def test_blocks_change_rounding_only(rng):
    F, y = blobs()
    dual = problems(F, y, rng)["classes"]
    one, many = (solve_on_sums(Held(F, cuts), [dual], tol=1e-8)[0] for cuts in ([], range(7, 300, 7)))
    np.testing.assert_allclose(many.weights, one.weights, atol=1e-10)
    np.testing.assert_allclose(many.beta, one.beta, atol=1e-8)


def test_features_of_support_vectors_only_are_asked_for(rng):
    F, y = blobs(n=2000)
    F += y[:, None]
    passes = Held(F)
    (answer,) = solve_on_sums(passes, [classification(np.arange(2000), y, np.ones(2000))])
    assert passes.sizes[-1] == np.count_nonzero(answer.beta) < 1000


def test_limits_and_reports_end_the_run(rng):
    F, y = blobs()
    dual = problems(F, y, rng)["classes"]
    (answer,) = solve_on_sums(Held(F), [dual], tol=1e-10, max_iter=25)
    assert answer.solution.status is Status.MAX_ITER
    assert answer.solution.n_iter <= 29
    assert answer.solution.objective < 0
    with pytest.raises(ValueError, match="solve_on_sums: problem 0 has no feasible point besides its start"):
        solve_on_sums(Held(F), [classification(np.arange(5), np.ones(5), np.ones(5))])
    seen = []
    found = solve_on_sums(Held(F), [dual, dual], report=lambda *told: seen.append(told) or True)
    assert [part.solution.status for part in found] == [Status.MAX_ITER] * 2
    assert seen[0][:2] == (0, 2)


def test_coefficients_at_zero_stay_there_in_repairs():
    dual = regression(np.arange(4), np.zeros(4), np.ones(4), 0.1)
    beta = Losses(dual).repaired(np.array([0.0, 0.5, -0.2, 1.0]))
    assert beta[[0, 3]].tolist() == [0.0, 1.0]
    assert beta.sum() == pytest.approx(0, abs=1e-15)
