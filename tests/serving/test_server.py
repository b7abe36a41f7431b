"""The service as a process: requests over loopback, limits before bodies are read, an orderly end."""

import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress

import pytest

from mercer.persistence import save
from mercer.serving import Service, serve
from tests.serving.test_service import CSV, ROWS

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals")
JSON = {"Content-Type": "application/json"}


@pytest.fixture(scope="module")
def model(classifier, tmp_path_factory):
    path = tmp_path_factory.mktemp("serving") / "model.mercer"
    save(classifier, path)
    return path


@contextmanager
def running(model, *options):
    """``mercer serve`` on a free port: the process, the port and the lines of its log."""
    command = [
        sys.executable,
        "-W",
        "error",
        "-m",
        "mercer.cli",
        "serve",
        str(model),
        "--port",
        "0",
        "--json",
        *options,
    ]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        first = process.stderr.readline()
        ready = json.loads(first)
        assert ready["event"] == "ready", first
        process.lines = []
        reader = threading.Thread(target=lambda: process.lines.extend(process.stderr), daemon=True)
        reader.start()
        yield process, int(ready["url"].rpartition(":")[2])
    finally:
        process.kill()
        process.wait()
        reader.join(10)
        process.stdout.close()
        process.stderr.close()


def request(port, body, headers=JSON, path="/predict", method="POST"):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


def resident(process):
    with open(f"/proc/{process.pid}/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.parametrize("n", [60, pytest.param(1000, marks=pytest.mark.exhaustive)])
def test_many_requests_at_once(model, n):
    """Eight at a time; all are answered, equally, and the memory of the service stays what it was."""
    body = json.dumps(ROWS * 20)
    with running(model) as (process, port):
        _, expected = request(port, body)
        before = resident(process)
        for _ in range(3):
            with ThreadPoolExecutor(8) as pool:
                found = list(pool.map(lambda _: request(port, body), range(n)))
            assert found == [(200, expected)] * n
        assert resident(process) - before < 60e6
    events = [json.loads(line) for line in process.lines]
    assert len(events) == 3 * n + 1
    assert {event["status"] for event in events} == {200}


def test_malformed_requests(model):
    """Each gets a 4xx answer with a sentence, and the service goes on."""
    raw = [
        b"nonsense\r\n\r\n",
        b"POST /predict HTTP/1.1\r\nContent-Length: x\r\n\r\n",
        b"POST /predict HTTP/1.1\r\nHost: localhost\r\nContent-Length: -5\r\n\r\n",
        b"POST /predict HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n\r\n",
        b"GET /health HTTP/1.1\r\nHost: localhost\r\n\x1b[2J: x\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * 20_000 + b"\r\n\r\n",
        b"GET /\x1b[2J%1b%0a HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
    ]
    with running(model) as (process, port):
        for text in raw:
            with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
                connection.sendall(text)
                answer = b""
                with suppress(ConnectionResetError):  # what was not read is thrown away when the service closes
                    while block := connection.recv(4096):
                        answer += block
            assert re.match(rb"HTTP/1\.[01] 4\d\d ", answer), (text, answer)
            assert json.loads(answer.partition(b"\r\n\r\n")[2])["error"].endswith(".")
        assert request(port, CSV, {"Content-Type": "text/csv"})[0] == 200
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f]", "".join(process.lines))


def test_large_bodies_are_refused_before_they_are_read(model):
    with running(model) as (process, port):
        before = resident(process)
        for _ in range(20):
            with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
                head = "POST /predict HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/csv\r\nContent-Length: 50000000"
                connection.sendall(f"{head}\r\n\r\n".encode())  # and no body: nobody waits for it
                answer = b"".join(iter(lambda: connection.recv(4096), b""))
            assert answer.startswith(b"HTTP/1.1 413 ")
            assert b"at most 10000000 bytes" in answer
        with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
            head = "POST /predict HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/csv\r\nTransfer-Encoding: chunked"
            connection.sendall(f"{head}\r\n\r\n".encode())
            with suppress(OSError):  # the connection is closed while the body is sent
                for _ in range(50):
                    connection.sendall(b"f4240\r\n" + bytes(10**6) + b"\r\n")
                pytest.fail("a chunked body of 50 MB was accepted")
        assert resident(process) - before < 60e6
        assert request(port, json.dumps(ROWS))[0] == 200


def test_sigterm_answers_what_is_being_computed(model):
    with running(model) as (process, port):
        body = json.dumps(ROWS * 3000)
        with ThreadPoolExecutor(1) as pool:
            answer = pool.submit(request, port, body)
            while not any("request" in line for line in process.lines) and not answer.done():
                process.send_signal(signal.SIGTERM) if process.poll() is None else None
                threading.Event().wait(0.05)
            status = answer.result()[0] if answer.exception() is None else None
        assert status in (200, None)  # None if the signal came before the connection
        assert process.wait(20) == 0
    assert json.loads(process.lines[-1])["event"] == "end"


def test_ctrl_c(model):
    with running(model) as (process, port):
        assert request(port, None, {}, "/health", "GET") == (200, b'{"status": "ok"}')
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 130
    assert process.lines[-1] == "mercer: interrupted.\n"


def test_other_machines_need_a_flag(classifier):
    service = Service(classifier, log=lambda event: None)
    for host in ("0.0.0.0", "::"):
        with pytest.raises(ValueError, match="other machines can reach the host"):
            serve(service, host=host, port=0)

    class EndError(Exception):
        pass

    def end(url):
        raise EndError

    with pytest.warns(UserWarning, match="everyone who can reach"), pytest.raises(EndError):
        serve(service, host="0.0.0.0", port=0, public=True, ready=end)
    with pytest.raises(ValueError, match="unknown host"):
        serve(service, host="no such host", port=0)


def test_a_port_that_is_in_use(model):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        command = [sys.executable, "-m", "mercer.cli", "serve", str(model), "--port", str(port)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, f"mercer: 127.0.0.1:{port}: address already in use.\n")


def test_other_machines_need_the_public_flag(model):
    command = [sys.executable, "-m", "mercer.cli", "serve", str(model), "--port", "0", "--host", "0.0.0.0"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1
    assert "use --public if they may use the model" in done.stderr


def test_the_public_flag_prints_a_warning(model):
    command = [sys.executable, "-m", "mercer.cli", "serve", str(model), "--port", "0", "--host", "0.0.0.0", "--public"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        lines = [process.stderr.readline() for _ in range(2)]
        process.terminate()
        process.stderr.read()
    assert lines[0].startswith("mercer: warning: serve: everyone who can reach 0.0.0.0 may use the model")
    assert " event=ready url=http://0.0.0.0:" in lines[1]
