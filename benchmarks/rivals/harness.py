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
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from datetime import date
from pathlib import Path
from typing import Any


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


def alternate(ours: Callable[[], Any], rival: Callable[[], Any], repeats: int) -> tuple[float, float]:
    """Median seconds of both, run in turn after one warm-up each."""
    ours(), rival()
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(repeats):
        for record, run in zip(times, (ours, rival), strict=True):
            start = time.perf_counter()
            result = run()
            record.append(time.perf_counter() - start)
            del result
    return statistics.median(times[0]), statistics.median(times[1])


def against_slow(
    ours: Callable[[], Any], rival: Callable[[], Any], repeats: int
) -> tuple[float, float, dict[str, Any]]:
    """As `alternate`, but a rival that takes longer than 20 seconds runs once; the notes say so."""
    start = time.perf_counter()
    rival()
    once = time.perf_counter() - start
    if once < 20:
        return *alternate(ours, rival, repeats), {}
    ours()
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        ours()
        times.append(time.perf_counter() - start)
    return statistics.median(times), once, {"runs of the rival": 1}


def versions(packages: Sequence[str]) -> dict[str, str]:
    return {name: importlib.metadata.version(name) for name in packages}


def machine() -> dict[str, Any]:
    from mercer._runtime.engine import simd_level, thread_count

    model = next(
        (line.split(":")[1].strip() for line in _lines("/proc/cpuinfo") if line.startswith("model name")),
        platform.processor(),
    )
    return {"cpu": model, "threads": thread_count(), "simd": simd_level(), "python": platform.python_version()}


def _lines(path: str) -> list[str]:
    try:
        return Path(path).read_text().splitlines()
    except OSError:
        return []


def in_fresh_process(code: str) -> dict[str, Any]:
    """Run code in a process of its own; what it prints as JSON. PEAK in the code is its peak resident memory in MB.

    The kernel's own mark is read, because ru_maxrss of a child starts from its parent's.
    """
    peak = "next(int(line.split()[1]) / 1000 for line in open('/proc/self/status') if line.startswith('VmHWM'))"
    code = code.replace("PEAK", peak)
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=os.environ)
    return dict(json.loads(out.stdout))


def stamp(packages: Sequence[str] = ()) -> dict[str, Any]:
    """Date, machine and versions, with which every file of results begins."""
    return {"date": date.today().isoformat(), "machine": machine(), "versions": versions(packages)}


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
        rows = [{**asdict(c), "ratio": c.ratio, "verdict": c.verdict} for c in cases]
        data = {
            "title": title,
            **stamp(packages),
            "cases": rows,
            **extra,
        }
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(data, indent=1) + "\n")


def options(description: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--repeats", type=int, default=5, help="alternating runs per case (median is reported)")
    parser.add_argument("--json", type=Path, default=None, help="write the results here")
    parser.add_argument("--only", default="", help="run only cases whose name contains this text")
    return parser
