"""A fitted model of a table, and the service around it."""

import io
import json

import numpy as np
import polars as pl
import pytest

from mercer.auto import AutoClassifier
from mercer.serving import Service


@pytest.fixture(scope="session")
def table():
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    cities = np.where(y, "Oslo", "Rome")
    frame = pl.DataFrame({"age": rng.normal(size=60).round(3) + 2 * y, "city": cities.tolist(), "id": list(range(60))})
    return frame, np.where(y, "yes", "no")


@pytest.fixture(scope="session")
def classifier(table):
    X, y = table
    return AutoClassifier(kernel="rbf[age] + overlap[city]", model="svm", random_state=0).fit(X.drop("id"), y)


@pytest.fixture
def ask(classifier):
    """Send a request to the application itself: status, headers and body."""
    events = []
    service = Service(classifier, max_body=100_000, hosts={"localhost"}, log=events.append)

    def send(path="/predict", body=b"", kind="application/json", method="POST", service=service, **headers):
        body = body if isinstance(body, bytes) else json.dumps(body).encode()
        got = []
        environ = {
            "REQUEST_METHOD": method,
            "PATH_INFO": path,
            "CONTENT_TYPE": kind,
            "CONTENT_LENGTH": str(len(body)),
            "wsgi.input": io.BytesIO(body),
            **headers,
        }
        answer = b"".join(service(environ, lambda status, headers: got.extend([status, dict(headers)])))
        assert got[1]["Content-Length"] == str(len(answer))
        return int(got[0][:3]), got[1], answer

    send.events = events
    send.service = service
    return send
