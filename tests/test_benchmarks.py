"""Helpers of the benchmarks: verdicts, medians, merged files, and the model of costs."""

import json
import statistics

import numpy as np
import pytest
from sklearn.kernel_approximation import Nystroem as UniformNystroem
from threadpoolctl import threadpool_limits

from benchmarks import cost_model
from benchmarks.cost_model import MEMORY, TIME, Size
from benchmarks.rivals import harness, scale, scale_ridge, scale_svm
from benchmarks.rivals.harness import Case, Goal, as_row, merge, race
from benchmarks.rivals.tables import Problem, smooth_regression
from mercer._estimator import landmark_features, landmarks
from mercer.kernel_approximation import Nystroem
from mercer.ridge import KernelRidge

# ---- harness


@pytest.mark.parametrize(
    ("goal", "verdict"),
    [
        (Goal("error", 2.0, 2.3), "met"),
        (Goal("error", 2.4, 2.3), "MISSED"),
        (Goal("speed", 5.0, 5.0, at_least=True), "met"),
        (Goal("speed", 4.9, 5.0, at_least=True), "MISSED"),
        (Goal("slope", 1.0, None), ""),
    ],
)
def test_goals_know_whether_they_were_met(goal, verdict):
    assert goal.verdict == verdict
    assert as_row(goal)["verdict"] == verdict


def test_runs_alternate_and_slow_ones_run_once(monkeypatch):
    clock, order = [0.0], []

    def run(name, seconds):
        order.append(name)
        clock[0] += seconds.pop(0)
        return f"{name}{order.count(name)}"

    monkeypatch.setattr(harness.time, "perf_counter", lambda: clock[0])
    quick, slow = [9.0, 1.0, 3.0, 2.0], [21.0]
    medians, first = race({"a": lambda: run("a", quick), "b": lambda: run("b", slow)}, 3)
    assert medians == {"a": statistics.median([1.0, 3.0, 2.0]), "b": 21.0}
    assert first == {"a": "a1", "b": "b1"}
    assert order == ["a", "b", "a", "a", "a"]


def test_results_replace_those_of_the_same_name(tmp_path):
    path = tmp_path / "new" / "scale.json"
    for name, rival, goals in (("a", 2.0, []), ("b", 3.0, [{"name": "g", "value": 1}]), ("a", 4.0, [])):
        merge(path, "Title", ["numpy"], {"cases": [as_row(Case(name, 1.0, rival, "other"))], "goals": goals})
    data = json.loads(path.read_text())
    assert [(row["name"], row["ratio"]) for row in data["cases"]] == [("a", 4.0), ("b", 3.0)]
    assert data["goals"] == [{"name": "g", "value": 1}]
    assert data["versions"] == {"numpy": np.__version__}


def test_older_results_keep_their_origin(tmp_path):
    path = tmp_path / "scale.json"
    merge(path, "Title", ["numpy"], {"cases": [{"name": "a"}, {"name": "b"}]})
    data = json.loads(path.read_text())
    path.write_text(json.dumps(data | {"date": "2020-01-01"}))
    merge(path, "Title", ["numpy"], {"cases": [{"name": "b"}]})
    assert json.loads(path.read_text())["cases"] == [{"date": "2020-01-01", "name": "a"}, {"name": "b"}]


def test_one_thread_is_measured_by_processor_time(monkeypatch):
    monkeypatch.setattr(harness.time, "process_time", iter([10.0, 13.0]).__next__)
    with threadpool_limits(1):
        assert harness.clock() == harness.machine()["clock"] == "processor"
        assert harness.timed(lambda: "result") == (3.0, "result")


# ---- scale


def test_only_default_sizes_are_comparable():
    assert scale.comparable(scale.arguments(["--data", "folder", "--huge"]))
    assert not scale.comparable(scale.arguments(["--data", "folder", "--rows", "1000"]))
    assert not scale.comparable(scale.arguments(["--data", "folder", "--sizes", "1000"]))


def test_cases_are_chosen_by_name(capsys):
    assert scale.arguments(["pca-1e6", "ridge-1e5"]).cases == ["ridge-1e5", "pca-1e6"]
    of_ridge = ["ridge-kin40k", "ridge-1e5", "ridge-linear"]
    assert scale.arguments(["--only", "ridge", "--data", "folder"]).cases == of_ridge
    with pytest.raises(SystemExit):
        scale.arguments(["svc-a9a"])
    assert "--data" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        scale.arguments(["ridge-2e5"])


def test_both_sides_have_the_same_penalty():
    problem = scale_ridge.generated(400, 3)
    theirs = scale_ridge.fit("sklearn", problem, 30)
    assert isinstance(theirs[0], UniformNystroem)
    same = Nystroem(landmarks=theirs[0].components_)
    gamma, alpha = problem.params["gamma"], problem.params["alpha"]
    ours = KernelRidge(alpha, kernel="rbf", gamma=gamma, approximation=same).fit(problem.X, problem.y)
    np.testing.assert_allclose(ours.predict(problem.X_test), theirs.predict(problem.X_test), atol=1e-4)


def test_errors_are_per_cent_of_the_test_samples():
    X = np.array([[0.0], [1.0], [2.0], [3.0]])
    problem = Problem("four", X, X[:, 0], X, np.array([0, 1, 2, 9]), {})

    class Rounded:
        def predict(self, X):
            return X[:, 0].astype(int)

    assert scale_svm.error(Rounded(), problem) == 25.0
    assert scale_ridge.rmse(Rounded(), problem) == 3.0


def test_slope_of_powers():
    sizes = [1000, 3000, 10_000]
    assert scale_ridge.slope(sizes, [2e-6 * n for n in sizes]) == pytest.approx(1)
    assert scale_ridge.slope(sizes, [1e-9 * n**3 for n in sizes]) == pytest.approx(3)


def test_generated_samples_do_not_depend_on_the_noise():
    X, y = smooth_regression(50, 4, noise=0.0)
    noisy = smooth_regression(50, 4)
    np.testing.assert_array_equal(noisy[0], X)
    assert 0 < np.abs(noisy[1] - y).mean() < 0.2


# ---- cost model

SIZES = [Size(n, d, m) for n in (5000, 20_000, 80_000) for d in (4, 64) for m in (100, 400, 1600)]


def test_the_model_counts_as_the_estimators_do():
    for size in SIZES:
        most = min(landmarks._CANDIDATES, landmarks._WORK / size.m**2)
        limit = max(landmarks._PER_LANDMARK * size.m, int(most))
        assert size.candidates == min(size.n, limit)
        rows = max(landmark_features._ROWS, landmark_features._VALUES // size.n)
        assert size.certificate == size.n * min(size.n, rows)


@pytest.mark.parametrize("terms", [TIME, MEMORY], ids=["time", "memory"])
def test_known_coefficients_are_found(terms):
    coefficients = {name: 10.0 ** -(3 + i) for i, name in enumerate(terms)}
    exact = [cost_model.predicted(terms, coefficients, size) for size in SIZES]
    found = cost_model.fitted(terms, SIZES, exact)
    assert [cost_model.predicted(terms, found, size) for size in SIZES] == pytest.approx(exact, rel=1e-6)
    model = cost_model.modelled(terms, SIZES, exact)
    assert model["points"] + model["held out"] == len(SIZES)
    assert model["largest relative error"] < 1e-3


def test_coefficients_are_not_negative():
    rng = np.random.default_rng(0)
    noisy = [TIME["vd"](size) * rng.uniform(0.5, 2) for size in SIZES]
    assert min(cost_model.fitted(TIME, SIZES, noisy).values()) >= 0
    assert cost_model.modelled(TIME, SIZES, noisy)["median relative error"] > 0.01
