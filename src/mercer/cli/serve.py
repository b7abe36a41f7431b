"""``mercer serve``: predictions of a saved model over HTTP."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter
from cyclopts.validators import Number

from mercer.cli.shared.options import Code, Flag, Json, Seconds

__all__ = ["serve"]


def serve(
    model: Path,
    /,
    *,
    host: Annotated[str, Parameter(metavar="ADDRESS")] = "127.0.0.1",
    port: Annotated[int, Parameter(validator=Number(gte=0, lte=65535))] = 8000,
    public: Flag = False,
    max_body: Annotated[str, Parameter(metavar="SIZE")] = "10MB",
    time_limit: Annotated[float, Seconds] = 30,
    concurrency: Annotated[int, Parameter(validator=Number(gte=1, lte=64))] = 4,
    json: Annotated[Json, Parameter(help="Log JSON objects, one for each line.")] = False,
    code: Code = False,
) -> None:
    """Answer HTTP requests with the predictions of a saved model.

    POST /predict takes samples as JSON or CSV and returns predictions, with class probabilities or intervals if the
    model has them. GET /schema describes the columns, GET /health reports whether the service is running. Each
    request is logged in one line. SIGTERM stops the service after all current requests have been answered; Ctrl-C stops
    it at once.

    Parameters
    ----------
    model
        Model file written by mercer fit.
    host
        Address to listen on. Addresses that other machines can reach need --public.
    port
        Port to listen on; 0 takes any free port.
    public
        Allow other machines to connect. Requests are neither encrypted nor authenticated.
    max_body
        Size limit of a request body, such as 10MB. Larger ones are refused with status 413.
    time_limit
        Time limit of a request in seconds. Slower requests get status 503.
    concurrency
        Number of requests answered at the same time; further requests wait.
    """
    from mercer._runtime.budget import checked_bytes
    from mercer.cli.shared.output import print_code

    largest = checked_bytes("mercer serve --max-body", max_body)
    if code:
        print_code(_program(model, host, port, public, largest, time_limit, concurrency), json=json)
        return
    import warnings

    from mercer.persistence import about, load
    from mercer.serving import Service
    from mercer.serving import serve as run
    from mercer.serving.log import print_event

    if not model.exists():
        raise FileNotFoundError(f"{model}: no such model file; create one with mercer fit.")
    log = _print_json if json else print_event
    loaded = load(model)
    if not hasattr(loaded, "predict"):
        raise ValueError(f"{model}: holds a {type(loaded).__name__}, which has no predict method.")
    hosts = None if public else {host, "localhost", "127.0.0.1", "[::1]"}
    service = Service(loaded, about=about(model), max_body=largest or 1, time_limit=time_limit, hosts=hosts, log=log)

    def ready(url: str) -> None:
        log({"event": "ready", "url": url, "model": str(model)})
        warnings.simplefilter("ignore")  # those of predictions are in the notes of the answers

    run(service, host=host, port=port, public=public, concurrency=concurrency, ready=ready)
    log({"event": "end"})


def _print_json(event: dict[str, object]) -> None:
    """Print an event as one line of JSON."""
    from datetime import UTC, datetime
    from json import dumps

    from mercer.serving.log import write_line

    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    write_line(dumps({"time": now, **event}, default=str))


def _program(
    model: Path, host: str, port: int, public: bool, max_body: int | None, time_limit: float, concurrency: int
) -> list[str]:
    from mercer.cli.shared.programs import imports, quoted

    return [
        *imports(["from mercer.persistence import about, load", "from mercer.serving import Service, serve"]),
        "",
        f"path = {quoted(model)}",
        f"service = Service(load(path), about=about(path), max_body={max_body}, time_limit={time_limit})",
        f"serve(service, host={quoted(host)}, port={port}, public={public}, concurrency={concurrency})",
    ]
