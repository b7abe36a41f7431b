"""Head-to-head timing: alternating runs in one process, medians, ratios, losses kept.

Machines are noisy; two runs in turn see the same noise, so their ratio is worth more than either time.
"""

import argparse
import importlib.metadata
import json
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

from threadpoolctl import threadpool_limits

SLOW = 20.0  # seconds after which a run is not repeated


@dataclass
class Case:
    """One comparison: what was run, both medians, and how it stands against its target."""

    name: str
    mercer: float
    rival: float
    rival_name: str
    target: float | None = None  # rival/mercer should be at least this
    at_most: bool = False  # the target bounds mercer/rival from above instead
    notes: dict[str, Any] = field(default_factory=dict)
    unit: str = "s"  # of both values; MB where memory is compared

    @property
    def ratio(self) -> float:
        return self.mercer / self.rival if self.at_most else self.rival / self.mercer

    @property
    def verdict(self) -> str:
        if self.target is None:
            return ""
        met = self.ratio <= self.target if self.at_most else self.ratio >= self.target
        return "met" if met else "MISSED"


@dataclass
class Goal:
    """A number and its goal: a ratio of times, an error, a peak of memory. Without a goal it is for information."""

    name: str
    value: float
    goal: float | None
    unit: str = ""
    at_least: bool = False  # else the goal bounds the value from above
    notes: dict[str, Any] = field(default_factory=dict)

    @property
    def verdict(self) -> str:
        if self.goal is None:
            return ""
        return "met" if (self.value >= self.goal if self.at_least else self.value <= self.goal) else "MISSED"


def limit_threads(count: int) -> None:
    """Limit the threads of this process and of those it starts; with one thread, `timed` reads processor time."""
    os.environ |= dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), str(count))
    threadpool_limits(count)


def clock() -> str:
    """Which time is measured: "processor" with one thread, since other processes do not change it; else "elapsed"."""
    from mercer._runtime.engine import thread_count

    return "processor" if thread_count() == 1 else "elapsed"


def timed(run: Callable[[], Any]) -> tuple[float, Any]:
    """Seconds and result of a run, by `clock`."""
    now = time.process_time if clock() == "processor" else time.perf_counter
    start = now()
    result = run()
    return now() - start, result


def race(runs: Mapping[str, Callable[[], Any]], repeats: int) -> tuple[dict[str, float], dict[str, Any]]:
    """Median seconds and first result of each run, in turn after a warm-up; what takes over 20 seconds runs once."""
    first = {name: timed(run) for name, run in runs.items()}
    times = {name: [seconds] if seconds > SLOW else [] for name, (seconds, _) in first.items()}
    for _ in range(repeats):
        for name, run in runs.items():
            if first[name][0] <= SLOW:
                times[name].append(timed(run)[0])
    medians = {name: statistics.median(values) for name, values in times.items()}
    return medians, {name: result for name, (_, result) in first.items()}


def alternate(ours: Callable[[], Any], rival: Callable[[], Any], repeats: int) -> tuple[float, float]:
    """Median seconds of both, run in turn after one warm-up each."""
    ours(), rival()
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(repeats):
        for record, run in zip(times, (ours, rival), strict=True):
            record.append(timed(run)[0])
    return statistics.median(times[0]), statistics.median(times[1])


def against_slow(
    ours: Callable[[], Any], rival: Callable[[], Any], repeats: int
) -> tuple[float, float, dict[str, Any]]:
    """As `alternate`, but a rival that takes longer than 20 seconds runs once; the notes say so."""
    once = timed(rival)[0]
    if once < SLOW:
        return *alternate(ours, rival, repeats), {}
    ours()
    times = [timed(ours)[0] for _ in range(repeats)]
    return statistics.median(times), once, {"runs of the rival": 1}


def versions(packages: Sequence[str]) -> dict[str, str]:
    return {name: importlib.metadata.version(name) for name in packages}


def machine() -> dict[str, Any]:
    from mercer._runtime.engine import simd_level, thread_count

    model = next(
        (line.split(":")[1].strip() for line in _lines("/proc/cpuinfo") if line.startswith("model name")),
        platform.processor(),
    )
    found = {"cpu": model, "threads": thread_count(), "simd": simd_level(), "python": platform.python_version()}
    return found | ({"clock": clock()} if clock() == "processor" else {})


def _lines(path: str) -> list[str]:
    try:
        return Path(path).read_text().splitlines()
    except OSError:
        return []


def in_fresh_process(code: str) -> dict[str, Any]:
    """Run code in a process of its own; what it prints as JSON.

    PEAK and RESIDENT in the code are its peak and its present resident memory in MB. The kernel's own marks are read,
    because ru_maxrss of a child starts from its parent's.
    """
    for word, mark in (("PEAK", "VmHWM"), ("RESIDENT", "VmRSS")):
        value = f"next(int(line.split()[1]) / 1000 for line in open('/proc/self/status') if line.startswith('{mark}'))"
        code = code.replace(word, value)
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=os.environ)
    return dict(json.loads(out.stdout))


def peak_memory(setup: str, run: str) -> float:
    """Peak memory in MB of a statement above what there was before it, in a process of its own."""
    reset = "open('/proc/self/clear_refs', 'w').write('5')"  # the mark of the peak, which the setup has raised
    code = f"{setup}\nimport json\n{reset}\nbefore = RESIDENT\n{run}\nprint(json.dumps({{'peak': PEAK - before}}))\n"
    return float(in_fresh_process(code)["peak"])


def report(
    title: str, cases: Sequence[Case], extra: dict[str, Any], packages: Sequence[str], path: Path | None
) -> None:
    """Print the table; write everything as JSON if a path is given."""
    print(f"\n{title}: {machine()}")
    print(f"{'case':<40}{'mercer':>11}{'rival':>11}{'ratio':>9}{'target':>9}  verdict   rival")
    for c in cases:
        target = "" if c.target is None else f"{'<=' if c.at_most else '>='} {c.target:g}"
        values = "".join(f"{f'{value:.4g} {c.unit}':>11}" for value in (c.mercer, c.rival))
        print(f"{c.name:<40}{values}{c.ratio:>9.2f}{target:>9}  {c.verdict:<9} {c.rival_name}")
        for key, value in c.notes.items():
            print(f"    {key}: {value}")
    for key, value in extra.items():
        print(f"{key}: {value}")
    if path is not None:
        write(path, {"title": title, **header(packages), "cases": [as_row(c) for c in cases], **extra})


def header(packages: Sequence[str]) -> dict[str, Any]:
    """Date, machine and versions of a measurement."""
    return {"date": date.today().isoformat(), "machine": machine(), "versions": versions(packages)}


def as_row(result: Case | Goal) -> dict[str, Any]:
    """All that a file says about a result."""
    ratio = {"ratio": result.ratio} if isinstance(result, Case) else {}
    return {**asdict(result), **ratio, "verdict": result.verdict}


def write(path: Path, data: Mapping[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(data, indent=1) + "\n")


def merge(path: Path, title: str, packages: Sequence[str], parts: Mapping[str, Sequence[dict[str, Any]]]) -> None:
    """Write rows over those of the same part and name; older ones that were measured otherwise then say how."""
    new = header(packages)
    old = json.loads(path.read_text()) if path.exists() else {}
    origin = {key: old[key] for key in new if key in old and old[key] != new[key]}
    merged = {}
    for part, rows in parts.items():
        kept = [{**origin, **row} for row in old.get(part, [])]
        merged[part] = list({row["name"]: row for row in [*kept, *rows]}.values())
    write(path, {"title": title, **new, **merged})


def options(description: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--repeats", type=int, default=5, help="alternating runs per case (median is reported)")
    parser.add_argument("--json", type=Path, default=None, help="write the results here")
    parser.add_argument("--only", default="", help="run only cases whose name contains this text")
    return parser
