"""Runs cases in processes of their own, and finds the one case that ends a process."""

import faulthandler
import json
import os
import resource
import signal
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tests.border.case import Case, judge
from tests.border.kinds import SHARES, case_of

__all__ = ["Finding", "Source", "grouped", "planned", "run", "write"]

BATCH = 250  # cases of a process
PATIENCE = 60.0  # seconds that a case may take
MEMORY = 6 << 30  # bytes of addresses: what asks for more is refused by the system rather than by the machine's killer


@dataclass(frozen=True)
class Source:
    """Where cases come from, which program runs one alone, and how many seconds each may take."""

    make: Callable[[int, str, int], Case] = case_of
    program: str = "tests.border"
    patience: float = PATIENCE


@dataclass(frozen=True)
class Finding:
    """A case that went wrong."""

    kind: str
    case: int
    seed: int
    what: str
    entry: str
    symptom: str
    detail: str
    program: str = "tests.border"

    @property
    def command(self) -> str:
        """Runs this case alone."""
        seed = f" --seed {self.seed}" if self.seed else ""
        return f"python -m {self.program} --kind {self.kind} --case {self.case}{seed}"

    def __str__(self) -> str:
        return f"{self.symptom}: {self.what} -> {self.entry}: {self.detail}\n    {self.command}"


def planned(
    cases: int, kinds: Sequence[str] = (), skip: int = 0, shares: Mapping[str, int] = SHARES
) -> list[tuple[str, int]]:
    """The cases of a run of `cases`: each kind by its share, from its first case on or behind those of `skip` cases."""
    kinds = kinds or list(shares)
    total = sum(shares[kind] for kind in kinds)

    def counts(n: int) -> dict[str, int]:
        found = {kind: n * shares[kind] // total for kind in kinds}
        found[kinds[0]] += n - sum(found.values())
        return found

    starts, stops = counts(skip), counts(skip + cases)
    return [(kind, i) for kind in kinds for i in range(starts[kind], stops[kind])]


def run(
    plan: Sequence[tuple[str, int]],
    seed: int = 0,
    *,
    batch: int = BATCH,
    tell: Callable[[str], None] | None = None,
    source: Source = Source(),
) -> list[Finding]:
    """Run cases, `batch` of them in a process that is forked for them; what went wrong, in order.

    The process writes a line behind each case. If it dies or stands still, the next case is run again alone, and, if
    that ends well, after more and more of the cases before it. The cases behind it go on in a new process.
    """
    findings: list[Finding] = []
    at = 0
    while at < len(plan):
        found, done, end = _forked(plan[at : at + batch], seed, source)
        findings += found
        at += done
        if end:
            findings.append(_culprit(plan, at, min(batch, done + 1), seed, end, source))
            at += 1
        if tell is not None:
            tell(f"{at} of {len(plan)} cases, {len(findings)} findings")
    return findings


def _culprit(plan: Sequence[tuple[str, int]], at: int, length: int, seed: int, end: str, source: Source) -> Finding:
    """The case at which a process ended, by itself if it does so alone; else with the shortest run before it."""
    before = 0
    while not (again := bool(_forked(plan[at - before : at + 1], seed, source)[2])) and before < length - 1:
        before = min(2 * before + 1, length - 1)
    kind, i = plan[at]
    case = source.make(seed, kind, i)
    if not again:
        end += f" (once: neither alone nor after the {before} cases before it does it happen again)"
    elif before:
        end += f" (alone it does not; after the {before} cases before it)"
    return Finding(kind, i, seed, case.what, case.entry, "crash", end, source.program)


def _forked(plan: Sequence[tuple[str, int]], seed: int, source: Source) -> tuple[list[Finding], int, str]:
    """Findings of a batch, the number of cases that came to an end, and how the process ended if it should not have."""
    with tempfile.TemporaryDirectory() as folder:
        log, trace = Path(folder) / "log", Path(folder) / "trace"
        log.touch()
        child = os.fork()
        if child == 0:
            _work(plan, seed, log, trace, source)
        end = _waited(child, log, source.patience)
        lines = [json.loads(line) for line in log.read_text().splitlines()]
        findings = [Finding(**line) for line in lines if line is not None]
        done = lines.count(None)
        if not end and done < len(plan):
            end = "the process ended early"
        if end and trace.exists():
            end += f": {_summary(trace.read_text())}"
        return findings, done, end


def _work(plan: Sequence[tuple[str, int]], seed: int, log: Path, trace: Path, source: Source) -> None:
    """Judge cases in a child: a line for every finding, and null behind every case."""
    status = 1
    try:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if "libasan" not in os.environ.get("LD_PRELOAD", ""):  # the sanitizer reserves terabytes of addresses
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.dup2(os.open(trace, os.O_WRONLY | os.O_CREAT), 2)  # faulthandler's words, the sanitizers' and glibc's
        faulthandler.enable()
        with open(log, "a") as out:
            for kind, i in plan:
                case = source.make(seed, kind, i)
                fault = judge(case)
                if fault is not None:
                    found = Finding(kind, i, seed, case.what, case.entry, **asdict(fault), program=source.program)
                    out.write(json.dumps(asdict(found)) + "\n")
                out.write("null\n")
                out.flush()
        status = 0
    except BaseException as error:
        os.write(2, f"{type(error).__name__}: {error}"[:500].encode())
    finally:
        os._exit(status)


def _waited(child: int, log: Path, patience: float) -> str:
    """Wait for a child; kill it if its log does not grow."""
    size, since = -1, time.monotonic()
    while True:
        pid, status = os.waitpid(child, os.WNOHANG)
        if pid:
            code = os.waitstatus_to_exitcode(status)
            return "" if code == 0 else signal.Signals(-code).name if code < 0 else f"exit status {code}"
        if log.stat().st_size != size:
            size, since = log.stat().st_size, time.monotonic()
        elif time.monotonic() - since > patience:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return f"nothing for {patience:g} s"
        time.sleep(0.02)


def _summary(trace: str) -> str:
    """The lines of a trace that say most."""
    lines = [line.strip() for line in trace.splitlines() if line.strip()]
    telling = [line for line in lines if "ERROR: AddressSanitizer" in line or "runtime error" in line]
    places = [line for line in lines if "/mercer/" in line]
    return " | ".join((telling[:1] or lines[:1]) + places[:3])[:600]


def grouped(findings: Sequence[Finding]) -> Iterator[tuple[tuple[str, str, str], list[Finding]]]:
    """Findings with the same symptom, input and entry point, most frequent first."""
    groups: dict[tuple[str, str, str], list[Finding]] = {}
    for finding in findings:
        groups.setdefault((finding.symptom, finding.what, finding.entry), []).append(finding)
    yield from sorted(groups.items(), key=lambda item: -len(item[1]))


def write(findings: Sequence[Finding], path: Any) -> None:
    """Store findings as lines of JSON."""
    Path(path).write_text("".join(json.dumps(asdict(f) | {"command": f.command}) + "\n" for f in findings))
