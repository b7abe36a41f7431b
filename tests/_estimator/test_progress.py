"""Fits report their progress to callbacks of scikit-learn, and cost nothing without one."""

import importlib
import sys
from typing import ClassVar

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, _fit_context, clone
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

from mercer._estimator import progress
from mercer._estimator.progress import CallbackSupport, fit_progress
from mercer.kernels import RBF
from mercer.operators import row_source
from mercer.solvers import Dual, Status, solve_dual

callback = pytest.importorskip("sklearn.callback", reason="scikit-learn has callbacks since 1.9")

X, y = np.arange(12.0).reshape(6, 2), np.array([0, 1, 0, 1, 0, 1])


class Model(CallbackSupport, ClassifierMixin, BaseEstimator):
    """Solves `n_machines` one after the other; reports of 'inside' come while the first is being solved."""

    _parameter_constraints: ClassVar = {}

    def __init__(self, n_machines=3, inside=0, fail=None):
        self.n_machines = n_machines
        self.inside = inside
        self.fail = fail

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y, sample_weight=None):
        steps = self.n_machines if self.n_machines > 1 else None
        with fit_progress(self, steps, X=X, y=y, sample_weight=sample_weight) as report:
            self.reported_ = report is not None
            self.n_solved_ = self._solve(report)
            self.classes_ = np.unique(y)
        return self

    def _solve(self, report):
        for i in range(self.inside):
            if report is not None and report(0, self.n_machines, 1.0 / (i + 1)):
                return 0
        for m in range(self.n_machines):
            if self.fail is not None:
                raise self.fail
            if report is not None and self.n_machines > 1 and report(m + 1, self.n_machines, 1e-4):
                return m + 1
        return self.n_machines

    def predict(self, X):
        return np.zeros(len(X), dtype=int)


class Fake:
    """Records its calls; asks to stop at the end number `stop_after`."""

    def __init__(self, stop_after=None):
        self.events, self.numbers, self.stop_after = [], [], stop_after

    def setup(self, estimator, context):
        self.events.append("setup")

    def on_fit_task_begin(self, estimator, context, *, X=None):
        self.events.append(f"begin {context.task_name}")

    def on_fit_task_end(self, estimator, context, *, metadata=None, fitted_estimator=None):
        self.events.append(f"end {context.task_name}")
        if context.task_name == "solve":
            self.numbers.append(metadata)
            return self.stop_after is not None and len(self.numbers) >= self.stop_after
        self.fitted = fitted_estimator
        return False

    def teardown(self, estimator, context):
        self.events.append("teardown")


def test_without_callbacks_nobody_is_asked_to_report():
    assert not Model().fit(X, y).reported_


def test_an_estimator_that_takes_no_callbacks():
    with fit_progress(BaseEstimator(), 3) as report:
        assert report is None


def test_a_machine_is_a_subtask():
    fake = Fake()
    model = Model().set_callbacks(fake).fit(X, y)
    assert model.n_solved_ == 3
    solve = ["begin solve", "end solve"]
    assert fake.events == ["setup", "begin fit", *solve * 3, "end fit", "teardown"]
    assert [n["done"] for n in fake.numbers] == [1, 2, 3]
    assert all(n["total"] == 3 and n["violation"] == 1e-4 for n in fake.numbers)
    assert fake.fitted.classes_.tolist() == [0, 1]
    assert fake.fitted is not model


def test_reports_inside_a_machine_end_no_subtask():
    fake = Fake()
    Model(inside=5).set_callbacks(fake).fit(X, y)
    assert [n["done"] for n in fake.numbers] == [1, 2, 3]


def test_one_machine_has_a_subtask_per_report():
    fake = Fake()
    Model(n_machines=1, inside=4).set_callbacks(fake).fit(X, y)
    assert [n and n["violation"] for n in fake.numbers] == [1.0, 1 / 2, 1 / 3, 1 / 4, None]
    assert fake.events.count("begin solve") == fake.events.count("end solve") == 5
    assert fake.events[-2:] == ["end fit", "teardown"]


def test_a_jump_ends_all_machines_it_passes():
    fake, model = Fake(), Model()
    model.set_callbacks(fake)
    with fit_progress(model, 5) as report:
        report(3, 5, 0.1)
        report(3, 5, 0.1)
        assert fake.events.count("end solve") == 3
        report(9, 5, 0.1)
    assert fake.events.count("begin solve") == fake.events.count("end solve") == 5


def test_a_fit_that_never_reports_is_complete():
    fake = Fake()
    with fit_progress(Model().set_callbacks(fake), 2):
        pass
    assert fake.events == ["setup", "begin fit", *["begin solve", "end solve"] * 2, "end fit"]


@pytest.mark.parametrize("stop_after", [1, 2])
def test_a_callback_may_stop_the_fit(stop_after):
    fake = Fake(stop_after)
    model = Model(n_machines=4).set_callbacks(fake).fit(X, y)
    assert model.n_solved_ == stop_after
    assert fake.events.count("begin solve") == fake.events.count("end solve") == stop_after + 1  # not all four


def test_a_wish_to_stop_is_not_forgotten():
    with fit_progress(Model().set_callbacks(Fake(1)), 3) as report:
        assert [report(done, 3, 0.1) for done in (0, 1, 1)] == [False, True, True]


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError("no")])
def test_callbacks_are_torn_down_after_an_error(error):
    fake = Fake()
    with pytest.raises(error if isinstance(error, type) else type(error)):
        Model(fail=error).set_callbacks(fake).fit(X, y)
    assert fake.events == ["setup", "begin fit", "begin solve", "teardown"]


def test_an_error_of_a_callback_reaches_the_user():
    class Broken(Fake):
        def on_fit_task_end(self, estimator, context):
            raise RuntimeError("broken callback")

    with pytest.raises(RuntimeError, match="broken callback"):
        Model().set_callbacks(Broken()).fit(X, y)


def test_scikit_learns_own_callbacks():
    pytest.importorskip("rich")
    monitor = callback.ScoringMonitor(scoring="accuracy")
    model = Model(inside=2).set_callbacks(monitor, callback.ProgressBar()).fit(X, y, sample_weight=np.ones(6))
    (row,) = monitor.get_logs().data  # the fit itself: unfinished machines cannot be scored
    assert (row["task_name"], row["accuracy"]) == ("fit", 0.5)
    assert set(vars(clone(model))) == {"n_machines", "inside", "fail", "_skl_callbacks"}


def test_under_searches_and_pipelines():
    pytest.importorskip("rich")
    bar = callback.ProgressBar(max_propagation_depth=None)
    search = GridSearchCV(make_pipeline(Model()), {"model__n_machines": [1, 3]}, cv=2).set_callbacks(bar)
    assert search.fit(X, y).best_score_ == 0.5


# ---- the compiled solver


def hard_problems(n_problems):
    """Problems that cannot be solved before somebody has been told about them."""
    rng = np.random.default_rng(0)
    points, sign = rng.standard_normal((3000, 20)), rng.choice([-1.0, 1.0], 3000)
    source = row_source(RBF(gamma=0.02).prepare(points), cache_size=20.0)
    bound = 1e4 * sign
    zero = np.zeros(3000)
    problem = Dual(np.arange(3000), -sign, np.minimum(bound, 0), np.maximum(bound, 0), zero)
    return source, [problem] * n_problems


@pytest.mark.parametrize(("n_problems", "n_jobs"), [(1, None), (6, 1), (6, 2)])
def test_the_solver_reports_and_a_callback_stops_it(n_problems, n_jobs):
    source, problems = hard_problems(n_problems)
    fake = Fake(stop_after=1)
    seen = []
    with fit_progress(Model().set_callbacks(fake), None) as report:

        def heard(done, total, violation):
            seen.append((done, total, violation))
            return report(done, total, violation)

        answers = solve_dual(source, problems, tol=1e-9, cache_size=20.0, n_jobs=n_jobs, report=heard)
    assert seen
    assert all(0 <= done <= total == n_problems and violation > 0 for done, total, violation in seen)
    assert len(answers) == n_problems
    assert Status.MAX_ITER in {answer.solution.status for answer in answers}
    assert fake.numbers[0] == dict(zip(("done", "total", "violation"), seen[0], strict=True))


@pytest.mark.parametrize(("n_problems", "n_jobs"), [(1, None), (6, 1), (6, 2)])
@pytest.mark.parametrize("error", [KeyboardInterrupt, RuntimeError])
def test_an_error_of_a_callback_passes_through_the_solver(n_problems, n_jobs, error):
    source, problems = hard_problems(n_problems)

    def broken(done, total, violation):
        raise error("enough")

    with pytest.raises(error, match="enough"):
        solve_dual(source, problems, tol=1e-9, cache_size=20.0, n_jobs=n_jobs, report=broken)


def test_nothing_happens_in_versions_without_callbacks(monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn.callback", None)
    try:
        old = importlib.reload(progress)

        class Old(old.CallbackSupport, BaseEstimator):
            pass

        with old.fit_progress(Old(), 3, X=X, y=y) as report:
            assert report is None
        assert not hasattr(Old(), "set_callbacks")
    finally:
        monkeypatch.undo()
        importlib.reload(progress)
