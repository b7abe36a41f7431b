"""The service as a WSGI application."""

import csv
import io
import json
import re
import threading
import time
import traceback
from collections.abc import Callable, Iterable
from http import HTTPStatus
from typing import Any, final

from mercer._runtime.interrupt import asking
from mercer._validation import check_integer, check_real, describe
from mercer.serving.answers import predictions_of, schema_of
from mercer.serving.log import Log, print_event
from mercer.serving.requests import TYPES, RequestError, samples_of

__all__ = ["Service"]

_ESTIMATOR = re.compile(r"^[A-Z]\w*: ")  # who raised an error, which clients of the service do not know


class _TimeLimitError(Exception):
    """The time limit of a request, or the end of the service, while it was computed."""


@final
class Service:
    """WSGI application that answers requests with the predictions of a model.

    ==================  ==============================================================================
    ``POST /predict``   predictions of the samples in the body, JSON or CSV
    ``GET /schema``     columns and kinds, classes, keys of the answers, versions
    ``GET /health``     ``{"status": "ok"}``
    ==================  ==============================================================================

    Parameters
    ----------
    model : estimator
        Fitted model with `predict`.
    about : dict, default=None
        Result of `mercer.persistence.about` for its file, shown by ``/schema``.
    max_body : int, default=10_000_000
        Largest body of a request in bytes. Larger ones are refused with 413 before they are read.
    time_limit : float, default=30.0
        Seconds that a request may take. Longer computations are ended and answered with 503.
    hosts : sequence of str, default=None
        Accepted values of the header ``Host``, without the port. None accepts all.
    log : callable, default=None
        Function that is called with a dict for each request. None prints a line on the standard error.

    See Also
    --------
    serve : Runs it on a port.
    mercer.persistence.load : Loads the model.

    Notes
    -----
    Predictions of a fitted model change nothing in it, so a model answers requests of several threads at once.

    Every refusal is a JSON object ``{"error": "sentence"}`` with a status of 400 or above.

    Examples
    --------
    >>> import io, json
    >>> from mercer.svm import SVC
    >>> service = Service(SVC().fit([[0.0], [1.0], [2.0], [3.0]], ["low", "low", "high", "high"]))
    >>> body = json.dumps({"samples": [[0.5], [2.5]]}).encode()
    >>> request = {"REQUEST_METHOD": "POST", "PATH_INFO": "/predict", "CONTENT_TYPE": "application/json",
    ...            "CONTENT_LENGTH": str(len(body)), "wsgi.input": io.BytesIO(body)}
    >>> answer = b"".join(service(request, lambda status, headers: print(status)))
    200 OK
    >>> [sample["prediction"] for sample in json.loads(answer)["predictions"]]
    ['low', 'high']
    """

    def __init__(
        self,
        model: Any,
        *,
        about: dict[str, Any] | None = None,
        max_body: int = 10_000_000,
        time_limit: float = 30.0,
        hosts: Iterable[str] | None = None,
        log: Log | None = None,
    ) -> None:
        if not hasattr(model, "predict"):
            raise ValueError(f"Service: expected a model with the method predict, got {describe(model)}.")
        self.model = model
        self.max_body = check_integer("Service", "max_body", max_body, low=1)
        self.time_limit = check_real("Service", "time_limit", time_limit, low=0.0)
        self.hosts = None if hosts is None else frozenset(hosts)
        self.log: Log = print_event if log is None else log
        self._schema = schema_of(model, about or {})
        self._stopping = False
        self._active = 0
        self._lock = threading.Lock()

    @property
    def active(self) -> int:
        """Number of requests that are being answered."""
        return self._active

    def stop(self) -> None:
        """End all computations, also of requests to come, with status 503."""
        self._stopping = True

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        start = time.perf_counter()
        with self._lock:
            self._active += 1
        headers: dict[str, str] = {}
        n_samples: int | None = None
        try:
            answer, n_samples = self._answered(environ)
            status = 200
        except RequestError as error:
            status, answer, headers = error.status, {"error": str(error)}, error.headers
        except _TimeLimitError as error:
            status, answer = 503, {"error": str(error)}
        except (ValueError, TypeError) as error:
            status, answer = 400, {"error": _ESTIMATOR.sub("", " ".join(str(error).split()))}
        except MemoryError as error:
            status, answer = 413, {"error": str(error) or "Not enough memory; send fewer samples."}
        except Exception as error:
            status, answer = 500, {"error": "The model failed; the log of the service has the reason."}
            self.log({"event": "failure", "error": repr(error), "traceback": traceback.format_exc()})
        finally:
            with self._lock:
                self._active -= 1
        body, kind = _written(answer, environ.get("HTTP_ACCEPT", ""))
        headers |= {"Content-Type": kind, "Content-Length": str(len(body)), "Cache-Control": "no-store"}
        start_response(f"{status} {HTTPStatus(status).phrase}", list(headers.items()))
        self.log(
            {
                "event": "request",
                "client": environ.get("REMOTE_ADDR", ""),
                "method": environ.get("REQUEST_METHOD", "")[:20],
                "path": environ.get("PATH_INFO", "")[:80],
                "status": status,
                **({} if n_samples is None else {"samples": n_samples}),
                **({"reason": answer["error"][:200]} if "error" in answer else {}),
                "ms": round(1000 * (time.perf_counter() - start), 1),
            }
        )
        return [body]

    def _answered(self, environ: dict[str, Any]) -> tuple[dict[str, Any], int | None]:
        """Answer of a request, and its number of samples."""
        host = environ.get("HTTP_HOST", "")
        if self.hosts is not None and host and _without_port(host) not in self.hosts:
            raise RequestError(403, "The header Host names another host than this service was started for.")
        path, method = environ.get("PATH_INFO", ""), environ.get("REQUEST_METHOD", "")
        expected = {"/predict": ("POST",), "/schema": ("GET", "HEAD"), "/health": ("GET", "HEAD")}.get(path)
        if expected is None:
            raise RequestError(404, "There are POST /predict, GET /schema and GET /health.")
        if method not in expected:
            raise RequestError(405, f"{path} expects the method {expected[0]}.", Allow=", ".join(expected))
        if path == "/health":
            return {"status": "ok"}, None
        if path == "/schema":
            return self._schema, None
        body, kind = self._body(environ)
        with asking(self._deadline()):
            X = samples_of(body, kind)
            answer = predictions_of(self.model, X)
        return answer, len(answer["predictions"])

    def _body(self, environ: dict[str, Any]) -> tuple[bytes, str]:
        """Body of a request and its media type."""
        kind = environ.get("CONTENT_TYPE", "").partition(";")[0].strip().lower()
        if kind not in TYPES:
            raise RequestError(415, f"The header Content-Type must be {' or '.join(TYPES)}.")
        length = environ.get("CONTENT_LENGTH") or "0"
        if not length.isascii() or not length.isdigit():
            raise RequestError(400, "The header Content-Length must be a number of bytes.")
        if len(length) > 15 or int(length) > self.max_body:
            raise RequestError(413, f"The body may have at most {self.max_body} bytes; send fewer samples per request.")
        body = environ["wsgi.input"].read(int(length))
        if not body:
            raise RequestError(400, "The body is empty; send samples as JSON or CSV.")
        if len(body) < int(length):
            raise RequestError(400, "The body is shorter than the header Content-Length says.")
        return body, kind

    def _deadline(self) -> Callable[[], None]:
        """Function that raises when the request has taken too long, or the service ends."""
        end = time.monotonic() + self.time_limit

        def check() -> None:
            if self._stopping:
                raise _TimeLimitError("The service is shutting down.")
            if time.monotonic() > end:
                raise _TimeLimitError(
                    f"The request took longer than {self.time_limit:g} s; send fewer samples per request."
                )

        return check


def _without_port(host: str) -> str:
    return host.rpartition(":")[0] if host.rpartition(":")[2].isdigit() and not host.endswith("]") else host


def _written(answer: dict[str, Any], accepted: str) -> tuple[bytes, str]:
    """Body of an answer: JSON, or CSV if the client asks for it and there are predictions."""
    if accepted.partition(";")[0].strip().lower() == "text/csv" and "predictions" in answer:
        return _table(answer["predictions"]).encode(), "text/csv; charset=utf-8"
    return json.dumps(answer, ensure_ascii=True, allow_nan=False).encode("ascii"), "application/json"


def _table(rows: list[dict[str, Any]]) -> str:
    """Predictions as CSV, with a column for each probability and each end of an interval."""
    out = io.StringIO()
    flat = [dict(_flat(row)) for row in rows]
    writer = csv.DictWriter(out, list(flat[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(flat)
    return out.getvalue()


def _flat(row: dict[str, Any]) -> Iterable[tuple[str, Any]]:
    for name, value in row.items():
        if isinstance(value, dict):
            yield from ((f"probability of {label}", share) for label, share in value.items())
        elif name == "interval":
            yield from zip(("low", "high"), value, strict=True)
        elif isinstance(value, list):
            yield from ((f"{name} {j + 1}", item) for j, item in enumerate(value))
        else:
            yield name, value
