"""The application: forms of bodies, refusals in a sentence, limits."""

import io
import json
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import polars as pl
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin

from mercer._runtime.interrupt import pieces
from mercer.auto import AutoRegressor
from mercer.serving import Service
from mercer.serving.log import print_event
from mercer.svm import SVC

ROWS = [{"age": 2.5, "city": "Oslo"}, {"age": -0.5, "city": "Rome"}]
CSV = b"age,city\n2.5,Oslo\n-0.5,Rome\n"


@pytest.mark.parametrize(
    "body",
    [
        ROWS,
        {"records": ROWS},
        {"columns": {"age": [2.5, -0.5], "city": ["Oslo", "Rome"]}},
        [dict(reversed(row.items())) | {"id": 7} for row in ROWS],  # another order, and an unknown column
    ],
)
def test_forms_of_json(ask, classifier, body):
    status, headers, answer = ask(body=body)
    found = json.loads(answer)
    assert (status, headers["Content-Type"]) == (200, "application/json")
    expected = classifier.predict_proba(pl.DataFrame(ROWS))
    assert [row["prediction"] for row in found["predictions"]] == classifier.predict(pl.DataFrame(ROWS)).tolist()
    got = [[row["probabilities"][name] for name in ("no", "yes")] for row in found["predictions"]]
    np.testing.assert_array_equal(got, expected)
    assert any("'id'" in note for note in found["notes"]) == ("id" in str(body))


def test_csv_in_and_out(ask):
    status, _, answer = ask(body=CSV, kind="text/csv; charset=utf-8")
    assert status == 200
    rows = json.loads(answer)["predictions"]
    status, headers, answer = ask(body=CSV, kind="text/csv", HTTP_ACCEPT="text/csv")
    table = pl.read_csv(io.BytesIO(answer))
    assert (status, headers["Content-Type"]) == (200, "text/csv; charset=utf-8")
    assert table.columns == ["prediction", "probability of no", "probability of yes"]
    assert table["prediction"].to_list() == [row["prediction"] for row in rows]
    assert table["probability of yes"].to_list() == [row["probabilities"]["yes"] for row in rows]


@pytest.mark.filterwarnings("ignore:TablePreparer")  # the notes of the answer say it
def test_missing_values_are_those_of_the_model(ask):
    status, _, answer = ask(body=[{"age": None, "city": "Oslo"}, {"age": 1}])
    assert status == 200
    assert len(json.loads(answer)["predictions"]) == 2
    assert "Missing values: 1 in 'age', 1 in 'city'." in json.loads(answer)["notes"]


def test_health_and_schema(ask):
    assert ask("/health", method="GET")[2] == b'{"status": "ok"}'
    found = json.loads(ask("/schema", method="GET")[2])
    assert found["columns"] == [{"name": "age", "kind": "number"}, {"name": "city", "kind": "category"}]
    assert (found["task"], found["classes"]) == ("classification", ["no", "yes"])
    assert found["answers"] == ["prediction", "probabilities"]


@pytest.mark.parametrize(
    ("options", "status", "sentence"),
    [
        ({"path": "/"}, 404, "There are POST /predict, GET /schema and GET /health."),
        ({"method": "GET"}, 405, "/predict expects the method POST."),
        ({"path": "/health"}, 405, "/health expects the method GET."),
        ({"body": b"{}", "kind": "text/plain"}, 415, "must be application/json or text/csv"),
        ({"body": b""}, 400, "The body is empty"),
        ({"body": b"{"}, 400, "is not JSON"),
        ({"body": b"[" * 90_000}, 400, "is not JSON"),
        ({"body": b"[NaN]"}, 400, "NaN is not a JSON value"),
        ({"body": b"\xff\xfe\xfd"}, 400, "is not JSON"),
        ({"body": b'[{"age": ' + b"1" * 5000 + b"}]"}, 400, "is not JSON"),
        ({"body": "text"}, 400, "expected a list of objects"),
        ({"body": {"age": 1}}, 400, "expected a list of objects"),
        ({"body": {"records": [1]}}, 400, "'records' must be a list of objects"),
        ({"body": {"columns": {"age": [1], "city": []}}}, 400, "must have equal lengths"),
        ({"body": [{"age": [1], "city": "Oslo"}]}, 400, "is nested (list)"),
        ({"body": []}, 400, "is empty, expected at least one sample"),
        ({"body": [{}]}, 400, "only empty objects"),
        ({"body": [{"age": 1}]}, 400, "The samples have no column 'city'; GET /schema lists the columns."),
        ({"body": b"a,b\n1,2\n", "kind": "text/csv"}, 400, "The samples have no column 'age'; GET /schema"),
        ({"body": [{"agee": 1, "city": "Oslo"}]}, 400, "no column 'age'; they have 'agee', rename it."),
        ({"body": [{"age": "old", "city": "Oslo"}]}, 400, "age"),
        ({"body": b"age,city\n1\n", "kind": "text/csv"}, 400, "line 2: expected 2 fields"),
        ({"body": b"\x00\x01", "kind": "text/csv"}, 400, "request body: is"),
        ({"body": b"x" * 100_001, "kind": "text/csv"}, 413, "at most 100000 bytes"),
        ({"body": b"1", "CONTENT_LENGTH": "50000000"}, 413, "at most 100000 bytes"),
        ({"body": b"1", "CONTENT_LENGTH": "9" * 5000}, 413, "at most 100000 bytes"),
        ({"body": b"1", "CONTENT_LENGTH": "-1"}, 400, "must be a number of bytes"),
        ({"body": b"1", "CONTENT_LENGTH": "7"}, 400, "shorter than the header Content-Length"),
        ({"body": ROWS, "HTTP_HOST": "attacker.example:80"}, 403, "another host"),
    ],
)
def test_refusals_are_sentences(ask, options, status, sentence):
    got, headers, answer = ask(**options)
    error = json.loads(answer)["error"]
    assert got == status
    assert headers["Content-Type"] == "application/json"
    assert sentence in error
    assert error.endswith(".")
    assert "Traceback" not in error
    assert "TablePreparer" not in error
    assert ask.events[-1]["status"] == status


def test_hosts(ask):
    for host in ("localhost", "localhost:8000"):
        assert ask("/health", method="GET", HTTP_HOST=host)[0] == 200


def test_models_without_columns():
    service = Service(SVC().fit(np.eye(4), [0, 0, 1, 1]), log=lambda event: None)
    got = []
    body = json.dumps({"samples": np.eye(4).tolist()}).encode()
    environ = {
        "REQUEST_METHOD": "POST",
        "PATH_INFO": "/predict",
        "CONTENT_TYPE": "application/json",
        "CONTENT_LENGTH": str(len(body)),
        "wsgi.input": io.BytesIO(body),
    }
    answer = json.loads(b"".join(service(environ, lambda status, headers: got.append(status))))
    assert got == ["200 OK"]
    np.testing.assert_array_equal(
        [row["score"] for row in answer["predictions"]], service.model.decision_function(np.eye(4))
    )


def test_intervals(ask):
    rng = np.random.default_rng(0)
    X = pl.DataFrame({"a": rng.normal(size=120), "b": rng.normal(size=120)})
    model = AutoRegressor(model="stack", random_state=0).fit(X, (X["a"] * 2 + rng.normal(size=120) * 0.1).to_numpy())
    service = Service(model, log=lambda event: None)
    _, _, answer = ask(body={"columns": X[:5].to_dict(as_series=False)}, service=service)
    found = json.loads(answer)
    np.testing.assert_array_equal([row["interval"] for row in found["predictions"]], model.predict_interval(X[:5]))
    assert "Intervals contain 90% of the targets on average." in found["notes"]
    _, _, answer = ask(body=X[:5].write_csv().encode(), kind="text/csv", service=service, HTTP_ACCEPT="text/csv")
    assert pl.read_csv(io.BytesIO(answer)).columns == ["prediction", "low", "high"]


class Slow(ClassifierMixin, BaseEstimator):
    """Computes in pieces, between which long computations ask whether to go on."""

    classes_ = np.array([0, 1])

    def predict(self, X):
        for _ in pieces(0, 10**9, 1e12):
            threading.Event().wait(0.01)
        return np.zeros(len(X))


class Failing(Slow):
    def predict(self, X):
        raise KeyError("internal")


def test_time_limit_and_stop(ask):
    service = Service(Slow(), time_limit=0.05, log=ask.events.append)
    status, _, answer = ask(body={"samples": [[1]]}, service=service)
    assert status == 503
    assert "took longer than 0.05 s" in json.loads(answer)["error"]
    service.stop()
    assert "shutting down" in json.loads(ask(body={"samples": [[1]]}, service=service)[2])["error"]
    assert service.active == 0


def test_a_fault_of_the_model_is_logged_and_not_shown(ask):
    service = Service(Failing(), log=ask.events.append)
    status, _, answer = ask(body={"samples": [[1]]}, service=service)
    assert status == 500
    assert b"internal" not in answer
    assert any("KeyError" in event.get("traceback", "") for event in ask.events)


def test_threads_get_the_answers_that_one_thread_gets(classifier, table):
    """Eight threads predict different samples with one model."""
    X = table[0].drop("id")
    parts = [X[i : i + 10] for i in range(0, 50)]
    expected = [classifier.predict_proba(part) for part in parts]
    with ThreadPoolExecutor(8) as pool:
        for found, right in zip(pool.map(classifier.predict_proba, parts), expected, strict=True):
            np.testing.assert_array_equal(found, right)


def test_a_line_of_the_log(capsys):
    print_event({"event": "request", "path": "/a b\x1b[2J\n\u202e", "status": 404})
    line = capsys.readouterr().err
    assert line.endswith('Z event=request path="/a b\\u001b[2J\\n\\u202e" status=404\n')
    assert line.startswith("time=20")


def test_a_model_that_does_not_predict():
    with pytest.raises(ValueError, match="expected a model with the method predict"):
        Service(object())
