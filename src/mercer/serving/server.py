"""The HTTP server around the service: waitress, with limits and an orderly end."""

import ipaddress
import json
import logging
import signal
import socket
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from typing import Any

from mercer._validation import check_integer, describe
from mercer.serving.service import Service

__all__ = ["serve"]

CONNECTIONS = 100  # open at once; others wait in the queue of the system
IDLE = 30  # seconds after which a connection without activity is closed, also in the middle of a request
GRACE = 10.0  # seconds that requests have to end after SIGTERM, besides their time limit
_TICK = 0.2  # seconds between two looks at signals


def serve(
    service: Service,
    *,
    host: str = "127.0.0.1",
    port: int = 8000,
    public: bool = False,
    concurrency: int = 4,
    ready: Callable[[str], object] | None = None,
) -> None:
    """Answer requests until SIGTERM or Ctrl-C.

    SIGTERM ends the service in order: no new connections, requests that are being computed are answered. Ctrl-C ends it
    at once and raises KeyboardInterrupt.

    Parameters
    ----------
    service : Service
        Application to run.
    host : str, default="127.0.0.1"
        Address to listen on. By default only programs of the same machine can connect.
    port : int, default=8000
        Port to listen on; 0 takes any free port.
    public : bool, default=False
        Whether `host` may be an address that other machines can reach.
    concurrency : int, default=4
        Number of requests that are computed at the same time. Others wait.
    ready : callable, default=None
        Function that is called with the URL when the service accepts connections.

    Raises
    ------
    ValueError
        If other machines can reach `host` and `public` is False.
    OSError
        If the port is in use.

    Warns
    -----
    UserWarning
        If other machines can reach the service, which neither encrypts nor authenticates.

    See Also
    --------
    Service : The application, also for other WSGI servers.

    Examples
    --------
    >>> import threading, urllib.request
    >>> from mercer.serving import Service, serve
    >>> from mercer.svm import SVC
    >>> service = Service(SVC().fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1]), log=lambda event: None)
    >>> urls, listens = [], threading.Event()
    >>> ready = lambda url: (urls.append(url), listens.set())
    >>> thread = threading.Thread(target=serve, args=[service], kwargs={"port": 0, "ready": ready}, daemon=True)
    >>> thread.start()
    >>> listens.wait(10)
    True
    >>> urllib.request.urlopen(urls[0] + "/health").read()
    b'{"status": "ok"}'
    """
    if not isinstance(service, Service):
        raise TypeError(f"serve: expected a Service, got {describe(service)}.")
    concurrency = check_integer("serve", "concurrency", concurrency, low=1, high=64)
    listening = _listening(host, check_integer("serve", "port", port, low=0, high=65535), public)
    channels: dict[int, Any] = {}
    waitress = _waitress()
    server = waitress.create_server(
        service,
        map=channels,
        sockets=[listening],
        threads=concurrency,
        connection_limit=CONNECTIONS,
        channel_timeout=IDLE,
        cleanup_interval=5,
        max_request_body_size=service.max_body + 1,  # waitress refuses this size, too
        max_request_header_size=16384,
        ident=None,
        expose_tracebacks=False,
    )
    server.channel_class = _channel_class(service)
    logger = logging.getLogger("waitress")
    logger.propagate, logger.handlers = False, [_Events(service)]
    logging.getLogger("waitress.queue").setLevel(logging.ERROR)  # waiting requests are not an error
    bound = listening.getsockname()[:2]
    with _signals() as asked:
        try:
            if ready is not None:
                ready(f"http://{f'[{bound[0]}]' if ':' in bound[0] else bound[0]}:{bound[1]}")
            loop = import_module("waitress.wasyncore").loop
            while not asked.is_set():
                loop(timeout=_TICK, use_poll=hasattr(import_module("select"), "poll"), map=channels, count=1)
            channels.pop(listening.fileno(), None)
            listening.close()
            end = time.monotonic() + GRACE + service.time_limit
            while time.monotonic() < end and (service.active or _unanswered(channels)):
                loop(timeout=_TICK, use_poll=hasattr(import_module("select"), "poll"), map=channels, count=1)
        finally:
            service.stop()
            server.task_dispatcher.shutdown(cancel_pending=True, timeout=0.5)
            for channel in list(channels.values()):
                with suppress(OSError):
                    channel.close()
            listening.close()


class _Events(logging.Handler):
    """Messages of waitress as events of the service."""

    def __init__(self, service: Service) -> None:
        super().__init__()
        self._service = service

    def emit(self, record: logging.LogRecord) -> None:
        self._service.log({"event": "server", "level": record.levelname.lower(), "message": self.format(record)})


def _waitress() -> Any:
    try:
        return import_module("waitress")
    except ImportError:
        raise ImportError("serve: needs waitress; install it with: pip install 'mercer[serve]'") from None


def _listening(host: str, port: int, public: bool) -> socket.socket:
    """Bound socket; addresses that other machines can reach are refused unless `public` is set."""
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
    except (OSError, UnicodeError):
        raise ValueError(f"serve: unknown host {host!r}; pass a name or an address of this machine.") from None
    if not ipaddress.ip_address(str(address[0]).partition("%")[0]).is_loopback:
        if not public:
            raise ValueError(
                f"serve: other machines can reach the host {host!r}; pass public=True if they may use the model, or "
                "take 127.0.0.1."
            )
        warnings.warn(
            f"serve: everyone who can reach {host} may use the model; requests are not encrypted or authenticated.",
            UserWarning,
            stacklevel=3,
        )
    listening = socket.socket(family, socket.SOCK_STREAM)
    try:
        if sys.platform != "win32":
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
        listening.listen(1024)
    except OSError as error:
        listening.close()
        raise OSError(error.errno, (error.strerror or str(error)), f"{host}:{port}") from None
    return listening


def _channel_class(service: Service) -> type:
    """Connections whose own refusals, of malformed or too large requests, are JSON and logged like all others."""
    channel: Any = import_module("waitress.channel").HTTPChannel
    task: Any = import_module("waitress.task").ErrorTask

    class Refusal(task):  # type: ignore[misc]
        def execute(self) -> None:
            error = self.request.error
            sentence = {
                413: f"The body may have at most {service.max_body} bytes; send fewer samples per request.",
                431: "The headers of the request are too long.",
                500: "The service failed; its log has the reason.",
            }.get(error.code, f"The request is not valid HTTP: {str(error.body).strip().rstrip('.')}.")
            body = json.dumps({"error": sentence}).encode("ascii")
            self.status = f"{error.code} {error.reason}"
            self.response_headers.append(("Content-Type", "application/json"))
            self.set_close_on_finish()
            self.content_length = len(body)
            self.write(body)
            client = self.channel.addr[0] if self.channel.addr else ""
            service.log({"event": "request", "client": client, "status": error.code, "reason": sentence[:200]})

    return type("Channel", (channel,), {"error_task_class": Refusal})


def _unanswered(channels: dict[int, Any]) -> bool:
    """Whether a connection has a request that is not answered, or an answer that is not sent."""
    return any(getattr(c, "requests", None) or getattr(c, "total_outbufs_len", 0) for c in list(channels.values()))


@contextmanager
def _signals() -> Iterator[threading.Event]:
    """Event that SIGTERM sets; Ctrl-C stays KeyboardInterrupt."""
    asked = threading.Event()

    if threading.current_thread() is not threading.main_thread():
        yield asked
        return
    before = signal.signal(signal.SIGTERM, lambda *_: asked.set())
    try:
        yield asked
    finally:
        signal.signal(signal.SIGTERM, before)
